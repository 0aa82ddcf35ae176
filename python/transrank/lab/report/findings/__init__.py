# SPDX-License-Identifier: BSD-3-Clause
"""What curves show, found by their intervals: steps, falls, crossovers."""
