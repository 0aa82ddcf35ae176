# SPDX-License-Identifier: BSD-3-Clause
"""From samples to statements: medians, intervals, flags, warnings, comparisons."""
