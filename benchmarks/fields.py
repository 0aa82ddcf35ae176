# SPDX-License-Identifier: BSD-3-Clause
"""Is one exchange of many fields ever slower than an exchange for each of them?

Runs programs/fields.cpp at two ranks, launch after launch: halos of 2 to 60 fields, rows and
columns, of arrays of transrank and of the user, that are rewritten before each update and read
after it. The exchanges of one field each follow one another.
"""

from __future__ import annotations

import argparse
import json
import sys

from bars import add_check_option, pairs, report
from native import build, printed_at_two_ranks
from ratios import ratio_figure

# Rounds, by how many fields there are.
ROUNDS = {2: 100, 4: 100, 8: 100, 15: 50, 30: 50, 60: 25}
MOST = 1.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_check_option(parser)
    parser.add_argument("--launches", type=pairs, default=5, help="(default: 5)")
    options = parser.parse_args()
    program = str(build("fields"))
    found: dict[int, list[dict[str, float]]] = {fields: [] for fields in ROUNDS}
    for number in range(options.launches):
        for fields, rounds in ROUNDS.items():
            words = [program, str(fields), str(rounds)]
            found[fields].append(json.loads(printed_at_two_ranks(words)))
        print(f"round {number + 1} of {options.launches} done", file=sys.stderr)
    figures = [
        ratio_figure(
            f"{fields} fields, {case}: one exchange / one for each",
            [each[f"{case} each"] for each in launches],
            [each[f"{case} one"] for each in launches],
            MOST,
        )
        for fields, launches in found.items()
        for case in sorted({name.rpartition(" ")[0] for name in launches[0]})
    ]
    return report(figures, options.check)


if __name__ == "__main__":
    sys.exit(main())
