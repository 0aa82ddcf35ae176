# SPDX-License-Identifier: BSD-3-Clause
"""The command line: one file per verb, each with ``add_parser`` and ``run``.

A verb's module is imported whenever any verb runs, because the help lists them all: what takes long
to import (scipy, altair) is imported inside ``run``.
"""
