# SPDX-License-Identifier: BSD-3-Clause
"""Studies that need to see a launch from outside; the others are in transrank-run."""
