# SPDX-License-Identifier: BSD-3-Clause
"""The command line: one file per verb, each with ``add_options`` and ``run``.

Only the module of the verb that runs is imported.
"""
