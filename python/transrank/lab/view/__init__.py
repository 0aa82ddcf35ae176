# SPDX-License-Identifier: BSD-3-Clause
"""Tables of values, and the forms in which people and programs read them."""
