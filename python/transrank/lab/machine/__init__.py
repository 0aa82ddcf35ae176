# SPDX-License-Identifier: BSD-3-Clause
"""Facts about this machine, from /proc and /sys; tests give another root directory."""
