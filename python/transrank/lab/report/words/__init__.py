# SPDX-License-Identifier: BSD-3-Clause
"""The text of the report: verdict, machine, method, how to repeat it."""
