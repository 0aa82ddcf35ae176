# SPDX-License-Identifier: BSD-3-Clause
"""The verb from measuring to a file, with a library whose times are known."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from transrank.errors import Failure, LaunchError, RecordError, UsageError
from transrank.lab.cli import __main__ as frame
from transrank.lab.cli import tune as verb
from transrank.lab.launch.launcher import Capacity, Launcher
from transrank.lab.store.records import Placement
from transrank.lab.tune import campaign, library, note
from transrank.lab.tune.campaign import Campaign, NothingLeftError, Seconds, Seen, Sight
from transrank.lab.tune.choice import Range
from transrank.lab.tune.openmpi import OpenMpi

SIZES = (8, 1024)
NOISE = (1.0, 1.01, 0.99, 1.005, 0.995)


class Times:
    """Stands in for measuring: a time of each variant, alike for all operations and sizes.

    With the file as many messages are sent as by the algorithm itself, unless it is `ignored`.
    """

    def __init__(self, *, ignored: bool = False, **by_variant: float) -> None:
        self.by_variant = {name.replace("_", " "): time for name, time in by_variant.items()}
        self.ignored = ignored

    def watch(
        self, campaign: Campaign, variants: Mapping[str, Mapping[str, str]]
    ) -> dict[str, Sight]:
        def seen(name: str) -> Seen:
            return (12.0,) if name == "default" or (name == "tuned" and self.ignored) else (8.0,)

        return {
            name: {op: dict.fromkeys(SIZES, seen(name)) for op in campaign.operations}
            for name in variants
        }

    def measure(
        self, campaign: Campaign, variants: Mapping[str, Mapping[str, str]]
    ) -> dict[str, Seconds]:
        found: dict[str, Seconds] = {}
        for name in variants:
            times = [self.by_variant.get(name, 20.0) * 1e-6 * noise for noise in NOISE]
            found[name] = {
                operation: {size: list(times) for size in SIZES}
                for operation in campaign.operations
            }
        return found


def tune(monkeypatch: pytest.MonkeyPatch, times: Times, *arguments: str) -> int:
    monkeypatch.setattr(library, "library", lambda name, ranks, ranks_per_node: OpenMpi())
    monkeypatch.setattr(Campaign, "measure", lambda self, variants: times.measure(self, variants))
    monkeypatch.setattr(Campaign, "watch", lambda self, variants: times.watch(self, variants))
    monkeypatch.setattr(verb, "_place", lambda arguments, ranks: Anywhere(ranks))
    parsed = frame.build_parser().parse_args(["tune", *arguments])
    return verb.run(parsed)


class Anywhere(verb.Place):
    """Two nodes, where half of the ranks share a core."""

    def __init__(self, ranks: int) -> None:
        super().__init__(Launcher(Capacity(), "openmpi", "mpiexec"), ranks, 0)

    def placement(self, answer: Path) -> Placement:  # noqa: ARG002
        hosts = tuple(rank * 2 // self.ranks for rank in range(self.ranks))
        return Placement(("a", "b"), hosts, ("0",) * self.ranks, (0,) * self.ranks)


def test_what_is_better_twice_is_written(monkeypatch, tmp_path, capsys):
    path = tmp_path / "rules.conf"
    times = Times(default=10, forced_1=5, tuned=5)  # the second algorithm of each
    status = tune(monkeypatch, times, "-n4", "--operations=alltoall,bcast", f"-o{path}")
    assert status == 0
    chosen = {"alltoall": (Range(8, 1024, "pairwise"),), "bcast": (Range(8, 1024, "chain"),)}
    assert note.read(path) == note.Note("mpi", 4, 2, chosen)
    told = capsys.readouterr()
    assert "messages: 12, now 8" in told.out
    assert "2 ranks share 1 cores" in told.err
    assert "2 rules" in told.err
    assert "pairwise" in told.out
    assert "faster" in told.out
    assert "dynamic_rules_filename" in told.err
    assert tune(monkeypatch, times, f"--prove={path}") == 0
    assert tune(monkeypatch, Times(default=10, tuned=10), f"--prove={path}") == 1


def test_the_barrier_is_changed_only_where_nothing_else_is_measured(monkeypatch, tmp_path):
    measured: list[tuple[str, ...]] = []

    class Apart(Times):
        def measure(self, campaign, variants):
            measured.append(tuple(campaign.operations))
            for added in filter(None, variants.values()):
                rules = Path(added["OMPI_MCA_coll_tuned_dynamic_rules_filename"]).read_text()
                assert ("# barrier" in rules) == (measured[-1] == ("barrier",))
            return super().measure(campaign, variants)

    path = tmp_path / "rules.conf"
    times = Apart(default=10, forced_1=5, tuned=5)
    assert tune(monkeypatch, times, "-n4", "--operations=bcast,barrier,reduce", f"-o{path}") == 0
    assert measured == [("bcast", "reduce"), ("barrier",)] * 2
    assert set(note.read(path).choices) == {"bcast", "reduce", "barrier"}


def test_what_is_not_better_again_is_not_written(monkeypatch, tmp_path):
    path = tmp_path / "rules.conf"
    times = Times(default=10, forced_1=5, tuned=10)
    assert tune(monkeypatch, times, "-n4", f"-o{path}") == 1
    assert tune(monkeypatch, Times(default=10), "-n4", f"-o{path}") == 1
    ignored = Times(default=10, forced_1=5, tuned=5, ignored=True)
    assert tune(monkeypatch, ignored, "-n4", f"-o{path}") == 1
    assert not path.exists()


def test_wrong_usage_is_refused(monkeypatch, tmp_path):
    path = tmp_path / "rules.conf"
    times = Times(default=10)
    with pytest.raises(UsageError, match="either"):
        tune(monkeypatch, times, "-n4")
    with pytest.raises(UsageError, match="unknown operation 'scan'"):
        tune(monkeypatch, times, "--operations=scan", f"-o{path}")
    with pytest.raises(UsageError, match="a single round"):
        tune(monkeypatch, times, "--rounds=1", f"-o{path}")
    with pytest.raises(UsageError, match="cannot be written"):
        tune(monkeypatch, times, f"-o{tmp_path / 'nowhere' / 'rules.conf'}")
    with pytest.raises(RecordError):
        tune(monkeypatch, times, f"--prove={path}")


def test_a_file_is_proved_only_where_it_is_for(monkeypatch, tmp_path):
    path = tmp_path / "rules.conf"
    times = Times(default=10, forced_1=5, tuned=5)
    choices = {"bcast": (Range(8, 64, "chain"),)}
    note.write(path, OpenMpi(), choices, 4, 4)
    with pytest.raises(UsageError, match="is for 4 ranks per node, but this launch has 2"):
        tune(monkeypatch, times, f"--prove={path}")
    with pytest.raises(UsageError, match="is for 4 ranks"):
        tune(monkeypatch, times, f"--prove={path}", "-n2")
    with pytest.raises(UsageError, match="is for mpi"):
        tune(monkeypatch, times, f"--prove={path}", "--for=transrank")


def test_a_file_that_loses_at_a_size_is_not_proved(monkeypatch, tmp_path):
    path = tmp_path / "rules.conf"
    note.write(path, OpenMpi(), {"bcast": (Range(8, 1024, "chain"),)}, 4, 2)

    class Longer(Times):
        def measure(self, campaign, variants):
            found = super().measure(campaign, variants)
            found["tuned"]["bcast"][1024] = [4 * time for time in found["tuned"]["bcast"][1024]]
            return found

    assert tune(monkeypatch, Longer(default=10, tuned=5), f"--prove={path}") == 1


def test_what_was_left_alone_shows_a_disturbance(monkeypatch, tmp_path, capsys):
    path = tmp_path / "rules.conf"
    first_only = (Range(8, 8, "linear"), Range(1024, 1024, None))
    note.write(path, OpenMpi(), {"alltoall": first_only, "allgather": first_only}, 4, 2)
    assert tune(monkeypatch, Times(default=10, tuned=5), f"--prove={path}") == 0
    assert "2 of 2 sizes without a choice changed" in capsys.readouterr().err
    assert tune(monkeypatch, Times(default=10, tuned=10), f"--prove={path}") == 1
    assert "without a choice changed" not in capsys.readouterr().err


def test_what_is_interrupted_leaves_the_file_as_it_was(monkeypatch, tmp_path):
    path = tmp_path / "rules.conf"
    path.write_text("before")

    class Interrupted(Times):
        def measure(self, campaign, variants):
            if "tuned" in variants:
                raise KeyboardInterrupt
            return super().measure(campaign, variants)

    with pytest.raises(Failure, match=r"interrupted; .* is unchanged") as stopped:
        tune(monkeypatch, Interrupted(default=10, forced_1=5), "-n4", f"-o{path}")
    assert stopped.value.status == 130
    assert [entry.name for entry in tmp_path.iterdir()] == ["rules.conf"]
    assert path.read_text() == "before"


def test_a_file_with_which_nothing_starts_is_refused(monkeypatch, tmp_path):
    class Unstartable(Times):
        def measure(self, campaign, variants):
            if "tuned" in variants:
                raise NothingLeftError("every launch with a file failed")
            return super().measure(campaign, variants)

    with pytest.raises(RecordError, match="does not start with this file"):
        tune(monkeypatch, Unstartable(default=10, forced_1=5), "-n4", f"-o{tmp_path / 'a.conf'}")
    assert list(tmp_path.iterdir()) == []


def test_a_launch_that_fails_is_left_out_but_not_the_default(monkeypatch, tmp_path):
    said = (
        "warning: slow\nerror: launch 0 failed: killed; the finished cases are kept\nhint: resume"
    )
    monkeypatch.setattr(campaign, "_run", lambda command, environment: (3, said))
    told: list[str] = []
    whole = Campaign(OpenMpi(), ("bcast",), "8", 4, 2, "1ms", tmp_path, told.append)
    with pytest.raises(LaunchError, match=r"a launch without a file failed: launch 0 .* killed$"):
        whole.measure({"default": {}})
    with pytest.raises(LaunchError, match="a launch without a file"):
        whole.measure({"forced 0": {}, "default": {}})
    whole.measure({"forced 0": {}})
    assert "forced 0 is left out: launch 0 failed: killed" in told
