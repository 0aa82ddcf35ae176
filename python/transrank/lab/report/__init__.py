# SPDX-License-Identifier: BSD-3-Clause
"""The report: one offline HTML page that says what a machine does, and how that was found."""
