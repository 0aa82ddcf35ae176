# SPDX-License-Identifier: BSD-3-Clause
"""The questions that a report answers, one file each, in the order of the page."""
