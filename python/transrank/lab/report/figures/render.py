# SPDX-License-Identifier: BSD-3-Clause
"""Static drawings, and the library that makes them live: both by vl-convert, without a network."""

from __future__ import annotations

import os
import re
import resource
from collections.abc import Sequence
from functools import cache
from typing import Any

import vl_convert

from transrank.errors import RecordError
from transrank.lab.report.figures.figure import Spec
from transrank.lab.report.figures.style import CONFIG

_BUNDLED = "window.vegaEmbed = vegaEmbed;"


def check_memory() -> None:
    """Look whether the renderer starts where memory is limited: if not, it ends its process.

    Raises RecordError: the limit is too low for it.
    """
    kinds = (resource.RLIMIT_AS, resource.RLIMIT_DATA)
    limits = [limit for kind in kinds if (limit := resource.getrlimit(kind)[0]) >= 0]
    if not limits:
        return
    trial = os.fork()
    if trial == 0:
        status = 1
        try:
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            vl_convert.vegalite_to_svg({"mark": "point", "data": {"values": []}})
            status = 0
        finally:
            os._exit(status)
    if os.waitpid(trial, 0)[1] != 0:
        raise RecordError(
            f"the figures of a report need more memory than the limit of {min(limits) >> 20} MiB",
            "raise the limit (ulimit -v unlimited), or use transrank show",
        )


def static_drawing(spec: Spec, name: str) -> str:
    """The SVG of a panel, scaled by its place, its colours those of the page.

    `name` makes its ids unique on the page, also beside those that Vega gives there.
    """
    still = {**spec, "config": CONFIG}
    if "layer" in spec:
        still["layer"] = [layer for layer in spec["layer"] if "params" not in layer]
    svg: str = vl_convert.vegalite_to_svg(still, allowed_base_urls=[])
    return _lighter(_scalable(_own_ids(svg, name), grows=spec["autosize"] != "pad"))


def _own_ids(svg: str, name: str) -> str:
    """Vega counts clip paths through the life of the process: count them anew."""
    prefix = re.sub(r"[^a-z0-9]+", "-", name.lower())
    for number, clip in enumerate(dict.fromkeys(re.findall(r'id="(clip\d+)"', svg))):
        own = f"{prefix}-clip-{number}"
        svg = svg.replace(f'id="{clip}"', f'id="{own}"').replace(f"url(#{clip})", f"url(#{own})")
    return svg


@cache
def vega_bundle() -> str:
    """JavaScript of Vega, Vega-Lite and Vega-Embed, to stand in a script element."""
    bundle: str = vl_convert.javascript_bundle(_BUNDLED)
    return bundle.replace("</script", "<\\/script")


def _scalable(svg: str, grows: bool) -> str:
    """Let the style sheet choose the size: the view box keeps the proportions.

    What does not grow with the page when it is live does not do so here either.
    """
    most = "" if grows else r' style="max-width:\2px"'
    sized = r'(<svg[^>]*?) width="([\d.]+)" height="[\d.]+"'
    return re.sub(sized, rf"\1{most}", svg, count=1)


def _lighter(svg: str) -> str:
    """Leave out invisible digits of positions, attributes and elements: two thirds of the text."""
    svg = re.sub(r"<[^>]*>", lambda tag: re.sub(r"(\d\.\d)\d+", r"\1", tag[0]), svg)
    svg = re.sub(r' (?:aria-[a-z]+|role|xmlns:xlink|version|font-family|class)="[^"]*"', "", svg)
    svg = re.sub(r' (?:pointer-events="none"|opacity="1"|stroke-miterlimit="10")', "", svg)
    svg = re.sub(r'<path d="[^"]*"(?: display="none")?/>', "", svg)
    svg = re.sub(r'(<path [^>]*fill="(?!none)[^"]*") stroke-width="[\d.]+"', r"\1", svg)
    return re.sub(r"<g></g>", "", svg)


def page_spec(spec: Spec) -> dict[str, Any]:
    """The specification of a panel as the page stores it: rows without the names of fields."""
    stored = {name: value for name, value in spec.items() if name != "$schema"}
    stored["data"] = {"values": _packed(spec["data"]["values"])}
    return stored


def _packed(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Rows of equal fields as {fields, rows}; page.js unpacks them."""
    fields = list(dict.fromkeys(field for row in rows for field in row))
    return {"fields": fields, "rows": [[row.get(field) for field in fields] for row in rows]}
