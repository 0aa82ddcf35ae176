# SPDX-License-Identifier: BSD-3-Clause
"""Record files: read, validate, repair, find, import and export."""
