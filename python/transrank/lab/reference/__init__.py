# SPDX-License-Identifier: BSD-3-Clause
"""Published measurements of well-known machines, with their sources and conditions."""
