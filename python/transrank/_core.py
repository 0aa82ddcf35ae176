# SPDX-License-Identifier: BSD-3-Clause
"""Loads the native module of the variant for this process's MPI, in place of this module."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location

from transrank import installation
from transrank.errors import LaunchError

try:
    _spec = spec_from_file_location(__name__, installation.core())
except LaunchError as _why:
    raise ImportError(str(_why)) from None
assert _spec is not None
assert _spec.loader is not None
_module = module_from_spec(_spec)
sys.modules[__name__] = _module
_spec.loader.exec_module(_module)
