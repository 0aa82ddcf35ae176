# SPDX-License-Identifier: BSD-3-Clause
"""The text output of other benchmark suites."""
