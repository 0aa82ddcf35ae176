# SPDX-License-Identifier: BSD-3-Clause
"""Better choices of collective algorithms, written down for the MPI library."""
