# SPDX-License-Identifier: BSD-3-Clause
"""The figures of the report: each file turns results into one kind of Vega-Lite panel."""
