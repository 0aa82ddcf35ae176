# SPDX-License-Identifier: BSD-3-Clause
"""How often the cases of a run are launched unless the user says; light to import, for the help."""

MEASURE_LAUNCHES = 3
SURVEY_LAUNCHES = 5
QUICK_LAUNCHES = 3
