# SPDX-License-Identifier: BSD-3-Clause
"""Imported before what it needs: without the extra `lab` a benchmark ends in one line."""

from transrank.command import require

require()
