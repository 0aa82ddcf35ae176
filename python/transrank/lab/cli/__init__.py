# SPDX-License-Identifier: BSD-3-Clause
"""The command line: one file per verb, each with ``add_parser`` and ``run``.

Only the module of the verb that runs is imported; the help of the whole command imports them all.
"""
