# SPDX-License-Identifier: BSD-3-Clause
"""What numbers say of each other: rules, what decides them, and what they leave open."""
