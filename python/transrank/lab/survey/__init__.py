# SPDX-License-Identifier: BSD-3-Clause
"""A run from plan to record: which launches, in which order, driven, watched and resumed."""
