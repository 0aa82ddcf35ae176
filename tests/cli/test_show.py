# SPDX-License-Identifier: BSD-3-Clause

import pytest

from support import recorded
from support.commands import disturbed, pingpong
from transrank.lab.cli.show import MARKS

TABLE = """\
20261120-000000-aaaa, night, MPICH Version: 5.0.2
usable: 0 % of the intervals are wider than 10 %

pingpong, 2 ranks
        median      ±   95 % interval  launches       rate  IMB mean
  8 B  1.00 µs  1.6 %  986 ns–1.02 µs         3  7.98 MB/s   1.00 µs
1 KiB  2.00 µs  1.6 %    1.97–2.04 µs         3   511 MB/s   2.00 µs

skipped: needs 3 GiB: pingpong/4194304B (2 ranks)
"""


RUN = "20261120-000000-aaaa"


def test_a_run_is_a_table_per_question_with_rows_by_size(store):
    lines = [*pingpong(1024, 2.0), recorded.skipped(4194304), *pingpong(8, 1.0)]
    store.keep(RUN, *lines, label="night")
    answer = store.run("show night")
    assert (answer.status, answer.stderr) == (0, "")
    assert "\n".join(map(str.rstrip, answer.stdout.split("\n"))) == TABLE
    assert max(map(len, TABLE.splitlines())) <= 80


def test_shapes_have_tables_of_their_own_and_cases_without_a_size_share_one(store):
    four = {"ranks": 4, "ranks_per_node": 2}
    store.keep(RUN, *pingpong(8, 1.0), *pingpong(8, 3.0, shape=four), recorded.barrier())
    answer = store.run("show")
    for title in ("pingpong, 2 ranks", "pingpong, 4 ranks, 2 per node", "collectives, 2 ranks"):
        assert f"{title}\n" in answer.stdout
    assert "barrier/blocking  1.10 µs" in answer.stdout
    assert "1 of 3 cases have no interval" in answer.stderr


def test_what_long_names_have_in_common_stands_in_the_title(store):
    cases = [
        recorded.case(study="ghost", case=f"ghost/corrected/{vdim}/used/{way}", axes={"way": way})
        for vdim in (6, 20)
        for way in ("auto", "floor")
    ]
    store.keep(RUN, *cases)
    shown = store.run("show").stdout
    for vdim in (6, 20):
        rows = shown.partition(f"ghost/corrected/{vdim}, 2 ranks\n")[2].splitlines()[1:3]
        assert [row.split()[0] for row in rows] == ["used/auto", "used/floor"]


def test_no_line_ends_in_blanks(store):
    noisy = recorded.case(64, seconds=[1e-6, 2e-6] * 20, stop="max-time")
    store.keep(RUN, *pingpong(8, 1.0), noisy)
    for line in ("show", "list", "list machines", "list studies"):
        lines = store.run(line).stdout.splitlines()
        assert len(lines) > 1
        assert [line for line in lines if line != line.rstrip()] == []


def test_doubtful_rows_are_marked_and_the_marks_explained(store):
    lines = [
        *pingpong(8, 1.0),
        *[
            recorded.case(16, launch=i, seconds=[value] * 8)
            for i, value in enumerate((1e-6, 1.01e-6, 1.3e-6, 1.31e-6))
        ],
        *pingpong(32, 1.0, launches=2),
        *pingpong(64, 1.0),
        recorded.skipped(64, launch=3, status="failed", reason="wrong byte 7 on rank 1"),
    ]
    store.keep(RUN, *lines, options=recorded.header()["options"] | {"precision": 0.05})
    answer = store.run("show")
    lines_shown = answer.stdout.splitlines()
    rows = {line.split(" B ")[0].strip(): line.split()[-1] for line in lines_shown if line}
    assert rows["16"] == "~"
    assert rows["32"] == "~"
    assert rows["64"] == "!"
    assert rows["8"] not in MARKS
    assert f"{MARKS['~']} (2 cases)" in answer.stdout
    assert f"{MARKS['!']} (1 case)" in answer.stdout
    assert "  (990 ns–1.01 µs)  " in next(
        line for line in lines_shown if line.lstrip().startswith("32 B")
    )
    assert "the launches fall into two groups; the widest gap: pingpong/16B" in answer.stderr


def test_warnings_come_after_the_numbers_with_a_hint(store):
    store.keep(RUN, recorded.case(8))
    answer = store.run("show")
    assert answer.stderr == (
        "warning: 1 of 1 cases have no interval, which needs 3 launches that count. "
        "hint: take at least --launches 3\n"
    )
    assert store.run("show -qq").stderr == ""


def test_a_cut_file_is_shown_with_a_warning(store):
    path = store.keep(RUN, *pingpong(8, 1.0))
    with path.open("ab") as file:
        file.write(b'{"kind": "case", "stu')
    answer = store.run("show").check()
    assert "8 B" in answer.stdout
    assert "5: the last line was cut" in answer.stderr


def test_json_holds_seconds_and_bytes_and_csv_a_row_per_case(store):
    store.keep(RUN, *pingpong(1024, 2.0), recorded.skipped(4096))
    document = store.json("show")
    first, second = document["results"]
    assert document["run"] == RUN
    assert first["seconds"] == pytest.approx(2.004e-6)
    assert first["low_seconds"] < first["seconds"] < first["high_seconds"]
    assert (first["bytes"], first["axes"]) == (1024, {"bytes": 1024})
    assert len(first["launch_seconds"]) == 3
    assert [second[name] for name in ("status", "reason", "seconds")] == [
        *("skipped", "needs 3 GiB", None)
    ]
    rows = store.csv("show --format csv")
    assert [row["case"] for row in rows] == ["pingpong/1024B", "pingpong/4096B"]
    assert float(rows[0]["bytes_per_second"]) == pytest.approx(1024 / 2.004e-6)
    assert rows[1]["seconds"] == ""


def test_cases_are_picked_by_a_pattern(store):
    store.keep(RUN, *pingpong(8, 1.0), *pingpong(16, 1.0))
    shown = store.run("show --case '*/8B'").stdout
    assert "8 B  1.00 µs" in shown
    assert "16 B" not in shown
    store.run("show --case 'barrier*'").fails(
        2, "no case matches --case 'barrier*'", "try 'pingpong/*'"
    )


def test_a_file_may_take_the_table(store, tmp_path):
    store.keep(RUN, *pingpong(8, 1.0))
    answer = store.run(f"show -o {tmp_path / 'table.txt'}")
    assert answer.stdout == ""
    assert "pingpong, 2 ranks" in (tmp_path / "table.txt").read_text("utf-8")
    store.run("show -o /dev/full").fails(4, "No space left")


@pytest.mark.parametrize(
    ("line", "status", "says"),
    [
        ("show", 4, "no run is stored"),
        ("show night", 4, "no run is called 'night'"),
        ("show latest~x", 4, "no run is called"),
        ("show folder/night.jsonl", 4, "folder/night.jsonl: no such file"),
        ("show --format xml", 2, "invalid choice"),
    ],
)
def test_what_cannot_be_shown_is_one_line_with_its_status(store, line, status, says):
    answer = store.run(line).fails(status, says)
    assert answer.stdout == ""
    assert "Traceback" not in answer.stderr


def test_verbose_shows_what_all_samples_say(store):
    """Disturbed samples are no part of the median, but of what a program meets."""
    store.keep(RUN, *disturbed())
    assert "of all samples" not in store.run("show").stdout
    answer = store.run("show -v")
    lines = answer.stdout.splitlines()
    heading = lines.index("all samples after warm-up")
    assert lines[heading + 1].split("  ")[-1] == "kept"
    assert lines[heading + 2].split()[4:10] == ["10.9", "µs", "10.9", "µs", "100", "µs"]
    assert lines[heading + 2].endswith("10 %  90 %")


@pytest.mark.parametrize(
    ("times", "steps"), [((1.0, 1.1, 1.3, 3.7, 4.5, 6.1), 1), ((1.0, 1.1, 1.3, 1.7, 2.5, 4.1), 0)]
)
def test_a_step_of_a_curve_is_said_and_stands_in_json(store, times, steps):
    sizes = (1024 << power for power in range(6))
    store.keep(RUN, *(line for it in zip(sizes, times, strict=True) for line in pingpong(*it)))
    shown = " ".join(store.run("show").stdout.split())
    assert shown.count("One message takes longer than two of half its size: 1.4") == steps
    found = store.json("show")["findings"]["broken"]
    assert len(found) == steps
    for one in found:
        assert (one["rule"], one["subject"], one["bytes"]) == ("splitting", "pingpong", 8192)
        assert one["factor_low"] <= one["factor"] <= one["factor_high"]


def test_what_computation_hides_stands_in_json(store):
    axes = {"operation": "allreduce", "form": "nonblocking", "bytes": 4096}
    lines = [
        pingpong(
            *(4096, micros),
            study="overlap",
            case=f"overlap/allreduce/nonblocking/{part}/4KiB",
            axes={**axes, "part": part},
        )
        for part, micros in (("alone", 10.0), ("computation", 10.0), ("together", 15.0))
    ]
    store.keep(RUN, *(line for three in lines for line in three))
    (hidden,) = store.json("show")["hidden"]
    assert {name: hidden[name] for name in axes} == axes
    assert hidden["share"] == pytest.approx(0.5)
    assert hidden["share_low"] <= hidden["share"] <= hidden["share_high"]


def test_a_published_machine_is_shown_with_its_conditions_findings_and_tables(store):
    answer = store.run("show fugaku").check()
    said = " ".join(answer.stdout.split())
    assert "fugaku, Fugaku, A64FX, Tofu interconnect D" in said
    assert "at most 100 s per size" in said
    assert "exponent of 0.37" in said
    assert "768 4x6x32 3.701 4.911" in said
    assert "95 % are taken to be within 5.0 %" in said
    answer = store.run("show columbia").check()
    said = " ".join(answer.stdout.split())
    assert "cluster of 512 processors 512 1.5 6" in said
    assert "numbers" not in said.split("Where the processors were")[1]


def test_every_published_number_is_in_csv_and_json(store):
    rows = store.csv("show gs --format csv")
    assert len(rows) == 6
    assert {row["vdim"] for row in rows} == {"6", "20", "120"}
    assert float(rows[0]["bytes_per_second"]) == pytest.approx(5.8339e8)
    told = store.json("show jaguar")
    assert len(told["points"]) == 7
    assert any("127 (83 to 196)" in text for text in told["findings"]["sentences"])
    assert told["tables"][1]["rows"][0] == ["4", "4x1", "1x4", "402,653,184"]


LOCALITY = {"kernel": "triad", "arrangement": "exchanged", "order": 600}


def of_domains() -> list[recorded.Line]:
    """Two domains of one rank each: sending to themselves, and on each other's memory."""
    axes = {"domain_ranks": 1, "traffic": "none", "bytes": 1024}
    memory = recorded.memory([1, 0], [0, 1], ["neighbor"] * 2, pages_elsewhere=[0, 256])
    lines = []
    for launch, seconds in enumerate((1e-3, 2e-3)):
        for more in (
            {"study": "contention", "case": "contention/1/none/1024B", "axes": axes},
            {"study": "locality", "case": "locality/triad/exchanged/600", "axes": LOCALITY}
            | {"memory": memory},
        ):
            line = recorded.case(1024, launch, [seconds] * 3, **more)
            line["ranks"]["median"] = [seconds, 2 * seconds]
            lines.append(line)
    return lines


def test_mean_and_deviation_of_each_domain_stand_below_its_case(store):
    store.keep(RUN, *of_domains())
    lines = [" ".join(line.split()) for line in store.run("show").stdout.splitlines()]
    contended = lines.index("domain values mean deviation")
    assert lines[contended + 1] == "1 KiB 0 2 1.50 ms 707 µs"
    assert lines[contended + 2] == "1 KiB 1 2 3.00 ms 1.41 ms"
    # The pages of rank 1 were elsewhere.
    local = lines.index("domain memory values mean deviation")
    assert lines[local + 1] == "exchanged/600 0 neighbor 2 1.50 ms 707 µs"
    assert "exchanged/600 1" not in lines[local + 2 :]
    told = store.json("show")["domains"]
    assert [(one["domain"], one["memory"]) for one in told] == [
        (0, None),
        (1, None),
        (0, "neighbor"),
    ]


def test_names_in_a_file_are_no_markup(store):
    store.keep(RUN, *pingpong(8, 1.0), label="[red]x[/red] [bold")
    assert "[red]x[/red] [bold" in store.run("show").stdout


def test_a_report_takes_a_published_machine_alone_or_beside_a_run(store, tmp_path):
    store.keep(RUN, *pingpong(8, 1.0), label="night")
    page = tmp_path / "page.html"
    for names in ("fugaku", "night Fugaku", "fugaku triton"):
        answer = store.run(f"report {names} -o {page}").check()
        assert answer.stdout == f"{page}\n"
        assert "What do the published numbers say?" in page.read_text()
