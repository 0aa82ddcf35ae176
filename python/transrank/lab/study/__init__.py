# SPDX-License-Identifier: BSD-3-Clause
"""Which studies there are; and those that see a launch from outside, the others in the runner."""
