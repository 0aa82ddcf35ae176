# SPDX-License-Identifier: BSD-3-Clause
"""Findings in curves, by their intervals: steps, falls, crossovers."""
