# SPDX-License-Identifier: BSD-3-Clause
"""Whatever a file holds, who reads it answers or refuses: nothing is started, and nothing hangs."""

import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from python.lab.machine import trees
from support import recorded, trials
from support.commands import COMMAND, pingpong, run_quietly
from support.suites import OUTPUTS
from transrank import installation
from transrank.errors import Failure
from transrank.installation import variants
from transrank.lab.cli import show
from transrank.lab.launch import outputs
from transrank.lab.machine import hwloc, mapping
from transrank.lab.machine.files import Files
from transrank.lab.survey import probe
from transrank.lab.tune import note, own
from transrank.lab.tune.choice import Range

TESTS = Path(__file__).parent.parent
SECONDS, BYTES = 10, 1 << 30
STARTS = re.compile(r"subprocess\.Popen|os\.(exec|posix_spawn|spawn|system|fork|startfile)")
# What is put into a file, or in the place of its texts and numbers.
PIECES = [
    *(b"\0", b"\xff", b"\n", b"\r", b"\x1b[31m", b"\xe2\x80\xae", b"#", b" ", b","),
    *(b"-1", b"1e999"),
    *(b"NaN", b"null", b"true", b"5e-324", b"1e308", b"9" * 5000, b"[" * 100_000, b"{" * 1000),
    *(b'{"a":' * 3000, b'"\\ud800"', b" " * 50_000, b"1" * 60 + b"x", b"../../evil", b"/dev/zero"),
    *(b"$(touch evil)", b"sh -c 'touch evil; echo {ranks}'", b"--record=evil", b"LD_PRELOAD=evil"),
    *(b"# OSU MPI Latency Test v7\n", b"<object type='PU' cpuset='0x" + b"f" * 4000 + b"'/>"),
]


@dataclass(frozen=True)
class Format:
    """Files of one format: examples of it, and who reads them."""

    name: str
    seeds: Callable[[], Sequence[bytes]]
    # Reads the file; says what was wrong, or raises Failure.
    read: Callable[[Path, random.Random], str | None]


def lines(*found: Any) -> bytes:
    return b"".join(json.dumps(line).encode() + b"\n" for line in found)


def planned() -> dict[str, Any]:
    arguments = ["--study", "pingpong", "--sizes", "8", "--max-time", "0.1", "--watchdog", "9"]
    plan = [
        {"launch": 0, "shape": recorded.SHAPE, "cases": ["pingpong/8B"], "arguments": arguments}
    ]
    options = {**recorded.header()["options"], "launcher": "hydra"}
    return recorded.header(plan=plan, options=options)


def command(*words: str) -> Callable[[Path, random.Random], str]:
    return lambda path, _: answered([str(path) if word == "FILE" else word for word in words], path)


def answered(arguments: list[str], path: Path) -> str:
    status, said = run_quietly([*arguments, "--store", str(path.parent)])
    assert status in (0, 1, 2, 4, 5), said
    assert "Traceback" not in said
    return said


def read_record(path: Path, rng: random.Random) -> str:
    verbs: list[list[str]] = [
        ["show", "FILE"],
        ["show", "FILE", "--format", "json"],
        ["export", "FILE", "--samples"],
        ["compare", "FILE", "FILE"],
        ["list"],
        ["measure", "--resume", "FILE", "--dry-run"],
        ["versus", "--resume", "FILE"],
    ]
    if trials.VARIABLE in os.environ:  # the first page takes seconds
        verbs.append(["report", "FILE", "-o", str(path.with_suffix(".html"))])
    return command(*rng.choice(verbs))(path, rng)


def tuning_seeds() -> Sequence[bytes]:
    build = installation.build()
    choices = {"alltoall-shared": (Range(0, 64, "bruck"), Range(65, 2**40, None))}
    known = {
        "for": "transrank",
        "mpi": build.mpi,
        "ranks": 4,
        "ranks_per_node": 4,
        "sha256": {"": note._hash(b"rules")},
        "choices": {
            name: [[r.first, r.last, r.algorithm] for r in of] for name, of in choices.items()
        },
    }
    return [json.dumps(known).encode(), json.dumps(known, indent=1).encode()]


def read_note(path: Path, _: random.Random) -> None:
    path.with_name(path.name + note._SUFFIX).write_bytes(path.read_bytes())
    path.write_bytes(b"rules")
    found = note.read(path)
    assert found.choices.keys() <= set(own.Own(1).operations) | {"alltoall", "bcast"}


def probe_seed() -> bytes:
    known = {"mpi": recorded.MPI, "placement": recorded.PLACEMENT, "clock": recorded.CLOCK}
    return json.dumps({**known, "seconds": 1}).encode()


def read_installation(path: Path, _: random.Random) -> None:
    path.rename(path.with_name("installation.json"))
    variants.read(path.parent)


def read_map(path: Path, _: random.Random) -> None:
    xml = path.with_suffix(".xml")
    path.rename(xml)
    topology = mapping.read_map({mapping.VARIABLE: str(xml)}, Files())
    mapping.as_json(topology)
    mapping.summary(topology)


def read_line(path: Path, _: random.Random) -> None:
    text = path.read_text("utf-8", "replace").replace("\0", "")
    mapping.read_map({mapping.VARIABLE: text}, Files(path.parent))


def read_outputs(path: Path, _: random.Random) -> None:
    for line in outputs.lines_of(path):
        outputs.json_objects(line)


FORMATS = [
    Format(
        "record",
        lambda: [
            lines(recorded.header(label="night"), recorded.launch(0), *pingpong(8, 1.0)),
            lines(recorded.imported_header(), recorded.imported_case(8)),
            lines(planned(), recorded.event("interrupted")),
        ],
        read_record,
    ),
    Format(
        "output of OSU and IMB",
        lambda: [text.encode() for text in OUTPUTS.values()],
        command("import", "FILE", "-n", "4"),
    ),
    Format("tuning file", tuning_seeds, read_note),
    Format("map in XML", lambda: [trees.xt6_xml(version).encode() for version in (1, 2)], read_map),
    Format("map in a line", lambda: [b"pack:2 numa:2(memory=8GiB) core:6 pu:1"], read_line),
    Format("answer to a probe", lambda: [probe_seed()], lambda path, _: str(probe.read(path))),
    Format(
        "installation",
        lambda: [(installation.variant().folder / "installation.json").read_bytes()],
        read_installation,
    ),
    Format(
        "output of ranks",
        lambda: [probe_seed() + b'\nprogress pingpong 1 2 3 4.0\n{"rank": 1, "entered": 2.5}\n'],
        read_outputs,
    ),
]


def mutated(seed: bytes, rng: random.Random) -> bytes:
    data = seed
    for _ in range(rng.choice((1, 1, 2, 4))):
        begin = rng.randrange(len(data) + 1)
        end = min(begin + rng.choice((1, 3, 40, 1000)), len(data))
        piece = rng.choice(PIECES)
        texts = list(re.finditer(rb'"[^"\\]*"|\d+(?:\.\d+)?', data))
        kind = rng.choice(("flip", "insert", "cut", "repeat", "end", "value", "value"))
        if kind == "flip" and begin < end:
            data = data[:begin] + bytes([data[begin] ^ 1 << rng.randrange(8)]) + data[begin + 1 :]
        elif kind == "insert":
            data = data[:begin] + piece + data[begin:]
        elif kind == "cut":
            data = data[:begin] + data[end:]
        elif kind == "repeat":
            data = data[:begin] + data[begin:end] * rng.choice((2, 50, 1000)) + data[end:]
        elif kind == "end":
            data = data[:begin]
        elif texts:
            match = rng.choice(texts)
            quoted = json.dumps(piece.decode("utf-8", "replace")).encode()
            as_text = match[0].startswith(b'"') and rng.random() < 0.7
            data = data[: match.start()] + (quoted if as_text else piece) + data[match.end() :]
    return data


class Hang(BaseException):
    """Raised where a file is read for too long."""


started: list[str] = []
watching = False


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if watching and STARTS.match(event):
        started.append(f"{event} {arguments!r}")


@contextmanager
def nothing_started() -> Iterator[None]:
    """No process is started meanwhile, and it ends in time."""
    global watching

    def end(number: int, frame: FrameType | None) -> None:
        raise Hang(number, frame)

    if not hasattr(sys, "_transrank_hook"):
        sys.addaudithook(_hook)
        sys._transrank_hook = True
    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(SECONDS)
    started.clear()
    watching = True
    try:
        yield
    finally:
        watching = False
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    assert started == []


def peak_bytes() -> int:
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


@pytest.mark.parametrize("of", FORMATS, ids=lambda of: of.name)
def test_changed_files_of_every_format_start_nothing(of, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    installation.mpiexec()  # which is asked once what it is
    monkeypatch.setattr(hwloc, "ask", lambda: None)  # of this machine, whatever a file says
    rng = random.Random(trials.seed())
    seeds = of.seeds()
    for number in range(trials.trials(25)):
        folder = tmp_path / str(number)
        folder.mkdir()
        path = folder / "file.jsonl"
        path.write_bytes(mutated(rng.choice(seeds), rng))
        peak = peak_bytes()
        with nothing_started(), suppress(Failure):
            of.read(path, rng)
        assert peak_bytes() - peak < BYTES
    assert not list(tmp_path.parent.glob("**/evil*"))


def test_changed_routes_and_choices_start_nothing(mpiexec, tmp_path):
    program = (1, sys.executable, "-m", "mpi4py", Path(__file__).with_name("changed_files.py"))
    seeds, changed = tmp_path / "seeds", tmp_path / "changed"
    for folder in (seeds, changed):
        folder.mkdir()
    mpiexec.run(*program, "make", seeds).check()
    rng = random.Random(trials.seed())
    for seed in seeds.iterdir():
        (changed / seed.name).write_bytes(seed.read_bytes())
        for number in range(trials.trials(25)):
            (changed / f"{seed.name}-{number}").write_bytes(mutated(seed.read_bytes(), rng))
    read = mpiexec.run(*program, "read", changed, timeout=trials.seconds(60)).check()
    refused, files = map(int, re.findall(r"\d+", read.stdout))
    assert files // 2 < refused < files


@pytest.mark.parametrize("of", FORMATS, ids=lambda of: of.name)
def test_every_example_of_a_format_is_read(of, tmp_path):
    installation.mpiexec()
    for number, seed in enumerate(of.seeds()):
        folder = tmp_path / str(number)
        folder.mkdir()
        path = folder / "file.jsonl"
        path.write_bytes(seed)
        with nothing_started():
            of.read(path, random.Random(0))


# What ends in one clear error, and how many of these files have to be in memory for it.


def huge(path: Path, begin: bytes, piece: bytes, size: int, end: bytes) -> Path:
    with path.open("wb") as file:
        file.write(begin)
        for _ in range(size // (len(piece) << 14)):
            file.write(piece * (1 << 14))
        file.write(end)
    return path


@pytest.mark.parametrize(
    ("piece", "size"), [(b"0,", 300 << 20), (b"x", 400 << 20), (b"1.25,", 100 << 20)]
)
def test_a_line_that_no_record_has_is_refused(piece, size, tmp_path):
    begin = lines(recorded.header()) + b'{"kind":"case","study":[0,'
    path = huge(tmp_path / "huge.jsonl", begin, piece, size, b"0]}\n")
    peak = peak_bytes()
    with nothing_started():
        status, said = run_quietly(["show", str(path), "--store", str(tmp_path)])
    assert status == 4
    assert re.search(r"huge.jsonl:2: .*(longer than 128 MiB|more than 5000000 values)", said), said
    assert peak_bytes() - peak < BYTES


def imported(text: str, folder: Path) -> tuple[int, str]:
    """The status and the words of importing a table, of which nothing may be left."""
    path = folder / "table.txt"
    path.write_text(text)
    with nothing_started():
        status, said = run_quietly(["import", str(path), "--store", str(folder)])
    assert [one.name for one in folder.iterdir()] == ["table.txt"]
    return status, " ".join(said.split())


OSU = "# OSU MPI Latency Test v7.2\n# Datatype: MPI_CHAR.\n# Size          Latency (us)\n"
IMB = "# Intel(R) MPI Benchmarks 2021.3, MPI-1 part\n# Benchmarking PingPong\n# #processes = 2\n"


@pytest.mark.parametrize(
    "text",
    [
        OSU + "".join(f"{size} 1.5\n" for size in range(300_000)),
        OSU + "8 1.5\n" * 300_000,
        IMB + "#bytes #repetitions t[usec] Mbytes/sec\n" + "8 1000 1.5 2.5\n" * 300_000,
        OSU + " " * (17 << 20),
    ],
    ids=["sizes", "repetitions", "IMB", "blanks"],
)
def test_a_table_longer_than_any_is_refused_and_leaves_nothing(text, tmp_path):
    status, said = imported(text, tmp_path)
    assert status == 4
    assert "more than 50000 lines or 16 MiB" in said


@pytest.mark.parametrize(
    "text",
    [
        "# OSU a" + " " * (8 << 20) + "b\n",
        "Dimensions size = " + "1" * 100 + "x\n" + OSU,
        IMB.replace("PingPong", "a" + " " * (8 << 20) + "b"),
        IMB + "# Calling sequence was:\n\n# a" + " " * (8 << 20) + "b\n",
    ],
    ids=["title", "dimensions", "benchmark", "command"],
)
def test_a_line_that_almost_fits_is_read_in_time(text, tmp_path):
    assert imported(text, tmp_path)[0] == 4


def test_what_the_schema_does_not_allow_is_not_left_in_the_store(tmp_path):
    status, said = imported(OSU + "8 0.000000000000001\n", tmp_path)
    assert status == 4
    assert "must be 0 or a time" in said


@pytest.mark.parametrize("seconds", [5e-324, 1e-310, 1e-19])
@pytest.mark.parametrize(
    "place", [("samples", "seconds"), ("samples", "fastest"), ("ranks", "mean")]
)
def test_a_time_that_no_clock_tells_is_refused(seconds, place, tmp_path):
    case = recorded.case(8)
    values = case[place[0]][place[1]]
    values[:] = [*values[:-1], seconds]
    path = recorded.write(tmp_path / "tiny.jsonl", [recorded.header(), case])
    for verb in (["show"], ["report", "-o", str(tmp_path / "page.html")], ["export"]):
        status, said = run_quietly([verb[0], str(path), *verb[1:]])
        assert status == 4
        assert f"case.{place[0]}.{place[1]}" in said
        assert "must be 0 or a time" in " ".join(said.split())


@pytest.mark.parametrize("made", [lambda path: path.symlink_to("/dev/zero"), Path.mkdir, os.mkfifo])
def test_what_is_no_regular_file_is_no_tuning_file(made, tmp_path):
    path = tmp_path / "rules"
    path.write_bytes(b"rules")
    made(path.with_name(path.name + note._SUFFIX))
    with nothing_started(), pytest.raises(Failure, match=r"regular file|directory"):
        note.read(path)


@pytest.mark.parametrize(
    ("changed", "value"),
    [("for", "evil"), ("choices", {"alltoall-shared,evil": [[0, 8, "bruck"]]})]
    + [("choices", {"alltoall-shared": [[0, 8, name]]}) for name in ("a b", "a;b", "../a", 7)],
)
def test_what_a_tuning_file_names_is_known_to_its_library(changed, value, tmp_path):
    known = {**json.loads(tuning_seeds()[0]), changed: value}
    (tmp_path / "file").write_bytes(json.dumps(known).encode())
    with pytest.raises(Failure, match=r"no note of transrank's"):
        read_note(tmp_path / "file", random.Random(0))


@pytest.mark.parametrize("limit", [resource.RLIMIT_AS, resource.RLIMIT_DATA])
def test_a_report_that_does_not_fit_into_memory_is_one_error(limit, tmp_path):
    path = recorded.write(tmp_path / "run.jsonl", [recorded.header(), *pingpong(8, 1.0)])
    megabytes = {resource.RLIMIT_AS: 8000, resource.RLIMIT_DATA: 300}[limit]
    finished = subprocess.run(
        [*COMMAND, "report", str(path), "-o", str(tmp_path / "page.html")],
        preexec_fn=lambda: resource.setrlimit(limit, (megabytes << 20,) * 2),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert finished.returncode == 4, finished.stderr
    assert f"more memory than the limit of {megabytes} MiB" in " ".join(finished.stderr.split())
    assert [line[:6] for line in finished.stderr.splitlines() if ":" in line] == [
        "error:",
        "hint: ",
    ]


def test_memory_that_is_spent_elsewhere_is_one_error_too(tmp_path, monkeypatch):
    def spend(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(show, "run", spend)
    status, said = run_quietly(["show", "--store", str(tmp_path)])
    assert (status, said.splitlines()[0]) == (4, "error: there is too little memory")


@pytest.mark.parametrize(
    ("changed", "expected"),
    [({"axes": {"bytes": -1}}, 4), ({"study": "launch"}, 0), ({"study": "contention"}, 0)],
)
def test_a_report_of_a_damaged_case_is_no_bug(changed, expected, tmp_path):
    cases = [{**recorded.imported_case(8), **changed}, recorded.imported_case(64)]
    path = recorded.write(tmp_path / "run.jsonl", [recorded.imported_header(), *cases])
    status, said = run_quietly(["report", str(path), "-o", str(tmp_path / "page.html")])
    assert status == expected, said
