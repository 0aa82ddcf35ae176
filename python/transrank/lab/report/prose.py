# SPDX-License-Identifier: BSD-3-Clause
"""Sentences as HTML: escaped, with code markup; numbers stay with their units, options whole."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

_CODE = re.compile(r"`([^`]+)`")
_UNIT = re.compile(
    r"(?<=\d) (?=%|(?:ns|µs|ms|s|B|[KMGT]iB|[kMGT]?B/s|million/s|ranks?|cores?|CPUs?|nodes?)\b)"
)
# An option stays whole, and with its number.
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*(?: \d+)?")


def prose(text: str) -> Markup:
    """HTML of a sentence; text between backticks is code."""
    html = _CODE.sub(r"<code>\1</code>", str(escape(text)))
    html = _OPTION.sub(r'<span class="option">\g<0></span>', html)
    return Markup(_UNIT.sub("\N{NO-BREAK SPACE}", html))  # noqa: S704 escaped above
