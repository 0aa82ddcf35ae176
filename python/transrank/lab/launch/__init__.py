# SPDX-License-Identifier: BSD-3-Clause
"""Start transrank-run under a launcher."""
