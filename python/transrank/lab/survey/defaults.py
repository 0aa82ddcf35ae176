# SPDX-License-Identifier: BSD-3-Clause
"""How often and how precisely cases are measured unless the user says; light, for the help."""

# Of every case at least; with fewer the interval is wide because they are few.
LAUNCHES = 8
# Of any case at most: what is not precise by then has another fault.
MOST_LAUNCHES = 40
MEASURE_PRECISION = 0.05
