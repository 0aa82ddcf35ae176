# SPDX-License-Identifier: BSD-3-Clause
"""The laboratory: what moves cost on a machine, measured, judged, and laid out for reading.

Needs the requirements of ``transrank[lab]``; the library never imports it.
"""
