# SPDX-License-Identifier: BSD-3-Clause
"""What the report says in words: verdict, machine, method, how to repeat it."""
