# SPDX-License-Identifier: BSD-3-Clause
"""Choices are made beyond noise and in the fewest ranges; files say what was chosen."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from transrank import installation
from transrank.errors import RecordError, UsageError
from transrank.lab.stats.estimate import Estimate
from transrank.lab.tune import evidence, mpich, note, own, tuning
from transrank.lab.tune.choice import Range, choose
from transrank.lab.tune.openmpi import OpenMpi

NOISE = (1.0, 1.01, 0.99, 1.005, 0.995)


def times(**by_size: float) -> dict[int, list[float]]:
    return {int(size[1:]): [value * noise for noise in NOISE] for size, value in by_size.items()}


DEFAULT = times(b8=10, b64=10, b512=10, b4096=10)


def test_the_fewest_ranges_that_gain_beyond_the_interval_are_chosen():
    assert choose({"a": times(b8=10, b64=9.9, b512=11, b4096=10)}, DEFAULT) == (
        Range(8, 4096, None),
    )
    candidates = {
        "a": times(b8=5, b64=5, b512=6, b4096=7),
        "b": times(b8=4, b64=9, b512=4, b4096=11),
    }
    assert choose(candidates, DEFAULT) == (Range(8, 4096, "a"),)
    candidates = {
        "a": times(b8=5, b64=5, b512=20, b4096=20),
        "b": times(b8=20, b64=20, b512=20, b4096=5),
    }
    assert choose(candidates, DEFAULT) == (
        Range(8, 64, "a"),
        Range(512, 512, None),
        Range(4096, 4096, "b"),
    )
    candidates = {
        "a": times(b8=5, b64=5, b512=20, b4096=20),
        "b": times(b8=20, b64=6, b512=5, b4096=5),
    }
    assert choose(candidates, DEFAULT) == (Range(8, 64, "a"), Range(512, 4096, "b"))
    wild = {size: [5, 20, 5, 6, 5.0] for size in DEFAULT}  # half the time, but for one round
    assert choose({"a": wild}, DEFAULT) == (Range(8, 4096, None),)


def test_the_rules_of_open_mpi_are_for_these_ranks_and_its_way_to_count_bytes():
    ranges = [Range(8, 64, None), Range(512, 4096, "pairwise"), Range(8192, 8192, None)]
    text = OpenMpi().text({"alltoall": ranges, "bcast": [Range(8, 64, "binomial")]}, 4)
    numbers = [line.partition(" #")[0] for line in text.splitlines()]
    assert numbers == [
        *("rule-file-version-2", "2", "3", "3", "0", "1", "0 0 0 0"),
        *("4", "3", "0 0 0 0", "2048 2 0 0", "32768 0 0 0", "5", "1", "0 0 0 0"),
        *("7", "3", "0", "1", "0 0 0 0", "4", "1", "0 6 0 0", "5", "1", "0 0 0 0"),
    ]
    ranges = [Range(8, 64, "linear"), Range(512, 4096, "ring")]
    numbers = OpenMpi().text({"allgather": ranges}, 4).splitlines()
    assert [line for line in numbers if line.endswith(" 4 0 0")] == ["2048 4 0 0"]
    numbers = OpenMpi().text({"allreduce": [*ranges[1:], Range(8192, 8192, None)]}, 4).splitlines()
    assert "8192 0 0 0" in numbers
    assert "two_proc" in OpenMpi().algorithms("alltoall", 2)
    assert "two_proc" not in OpenMpi().algorithms("alltoall", 3)
    assert "neighbor" not in OpenMpi().algorithms("allgather", 5)


def test_between_nodes_only_what_was_chosen_is_taken_from_han():
    ranges = [Range(8, 64, None), Range(512, 1024, "ring"), Range(4096, 4096, "rabenseifner")]
    choices = {"allreduce": [*ranges, Range(8192, 8192, None)], "barrier": [Range(0, 0, "tree")]}
    assert list(OpenMpi().files(choices, 4)) == [""]
    files = OpenMpi(several_nodes=True).files(choices, 4)
    assert files[""] == OpenMpi().text(choices, 4)
    words = [line.partition(" #")[0] for line in files[".han"].splitlines()]
    left = ["1", "2", "3", "1 1", "0 han", "4 1", "0 han", "5 1", "0 han"]
    assert words[0] == "5"
    assert words[1:11] == ["allgather", *left]
    assert words[11:17] == ["allreduce", *left[:5]]
    assert words[17:23] == ["4 3", "0 han", "512 tuned", "8192 han", "5 1", "0 han"]
    assert words[23:33] == ["barrier", *left[:6], "0 tuned", *left[7:]]
    added = OpenMpi(several_nodes=True).environment(Path("a.conf"))
    assert added["OMPI_MCA_coll_han_dynamic_rules_filename"] == f"{Path.cwd()}/a.conf.han"


OWN = {
    "collective=alltoall": {
        "comm_type=intra": {
            "is_sendbuf_inplace=yes": {
                "algorithm=MPIR_Alltoall_intra_pairwise_sendrecv_replace": {}
            },
            "is_sendbuf_inplace=no": {
                "avg_msg_size<=256": {"algorithm=MPIR_Alltoall_intra_k_brucks": {"k=2": {}}},
                "avg_msg_size=any": {"algorithm=MPIR_Alltoall_intra_pairwise": {}},
            },
        },
        "comm_type=inter": {"algorithm=MPIR_Alltoall_inter_pairwise_exchange": {}},
    }
}


def test_the_table_of_mpich_keeps_its_own_entries_and_counts_as_it_does(monkeypatch):
    monkeypatch.setattr(mpich, "own_table", lambda: OWN)
    library = mpich.Mpich()
    names = library.algorithms("alltoall", 4)
    assert names == ("MPIR_Alltoall_intra_k_brucks", "MPIR_Alltoall_intra_pairwise")
    table = json.loads(library.text({"alltoall": [Range(8, 1024, names[0])]}, 4))
    own = OWN["collective=alltoall"]["comm_type=intra"]
    entry = table["collective=alltoall"]
    assert entry["comm_type=inter"] == OWN["collective=alltoall"]["comm_type=inter"]
    assert entry["comm_type=intra"]["is_sendbuf_inplace=yes"] == own
    chosen = entry["comm_type=intra"]["is_sendbuf_inplace=no"]
    assert list(chosen) == ["comm_size<=3", "comm_size<=4", "comm_size=any"]
    assert chosen["comm_size<=4"] == {
        "avg_msg_size<=1024": {"algorithm=MPIR_Alltoall_intra_k_brucks": {"k=2": {}}},
        "avg_msg_size=any": own,
    }
    ring = {"algorithm=MPIR_Allgather_intra_ring": {}}
    own = {"collective=allgather": {"comm_type=intra": ring}}
    monkeypatch.setattr(mpich, "own_table", lambda: own)
    ranges = [Range(8, 1024, "MPIR_Allgather_intra_ring")]
    table = json.loads(mpich.Mpich().text({"allgather": ranges}, 4))
    here = table["collective=allgather"]["comm_type=intra"]["comm_size<=4"]
    assert here == {"total_msg_size<=4096": ring, "total_msg_size=any": ring}


def test_tables_of_mpich_are_found_and_never_fill_a_page(monkeypatch):
    for spare in range(3):
        padded = {"padding": ""}
        monkeypatch.setattr(mpich, "own_table", lambda padded=padded: padded)
        missing = 4096 - len(mpich.Mpich().text({}, 4)) - spare
        padded["padding"] = "x" * missing
        assert len(mpich.Mpich().text({}, 4)) == (4097 if spare == 0 else 4096 - spare)
    text = json.dumps(OWN).encode()
    binary = b"ELF\0\1" + text + b'\0junk\0{"collective= broken\0'
    assert list(mpich.tables_in(b"\0".join([b"", binary]).replace(b"\1", b"\0"))) == [OWN]


def test_what_mpich_cannot_do_with_so_many_ranks_or_elements_is_not_tried(monkeypatch):
    names = ("ring", "recursive_doubling", "reduce_scatter_allgather", "smp")
    own = {
        f"collective={operation}": {
            "comm_type=intra": {
                f"avg_msg_size<={place}": {
                    f"algorithm=MPIR_{operation.capitalize()}_intra_{name}": {}
                }
                for place, name in enumerate(names)
            }
        }
        for operation in ("allreduce", "allgather")
    }
    monkeypatch.setattr(mpich, "own_table", lambda: own)

    def tried(operation: str, ranks: int) -> list[str]:
        return [name.partition("_intra_")[2] for name in mpich.Mpich().algorithms(operation, ranks)]

    assert tried("allreduce", 3) == ["ring", "recursive_doubling"]
    assert tried("allgather", 4) == ["ring", "recursive_doubling"]
    assert tried("allgather", 3) == ["ring"]


def proof(size: int, low: float, high: float) -> tuning.Proof:
    return tuning.Proof("bcast", size, 1.0, low, Estimate((low + high) / 2, low, high), "a")


def test_what_loses_when_measured_again_is_not_kept():
    choices = {"bcast": (Range(8, 64, "a"), Range(512, 4096, "b"))}
    proofs = [proof(8, 0.7, 0.8), proof(64, 0.9, 1.1), proof(512, 0.9, 1.1), proof(4096, 1.1, 1.3)]
    assert tuning.without_losers(choices, proofs) == {
        "bcast": (Range(8, 64, "a"), Range(512, 4096, None))
    }
    assert tuning.without_losers(choices, [proof(8, 0.9, 1.1), proof(512, 0.9, 1.1)]) == {}
    choices = {"bcast": (Range(8, 4096, "a"),)}
    proofs = [proof(8, 0.7, 0.8), proof(64, 1.1, 1.2), proof(512, 0.9, 1.1), proof(4096, 0.5, 0.6)]
    assert tuning.without_losers(choices, proofs) == {
        "bcast": (Range(8, 8, "a"), Range(64, 64, None), Range(512, 4096, "a"))
    }
    unused = [replace(each, evidence=evidence.NOT_USED) for each in proofs]
    assert tuning.without_losers(choices, unused) == {}
    partly = [proofs[0], replace(proofs[0], size=64, evidence=evidence.NOT_USED), *proofs[2:]]
    assert tuning.without_losers(choices, partly) == tuning.without_losers(choices, proofs)


def test_what_differs_beyond_the_interval_and_what_was_left_alone_is_told():
    alone = [replace(each, algorithm=None) for each in (proof(8, 0.7, 0.8), proof(64, 0.9, 1.1))]
    slower = replace(proof(512, 1.1, 1.2), algorithm=None)
    assert tuning.controls([*alone, slower, proof(4096, 0.7, 0.8)]) == (
        [alone[0], slower],
        [*alone, slower],
    )
    assert [proof(8, 0.7, 0.99).verdict, proof(8, 1.01, 1.3).verdict] == ["faster", "slower"]
    assert [proof(8, 0.7, 1.01).verdict, proof(8, 0.99, 1.3).verdict] == ["same", "same"]


def test_what_is_seen_shows_whether_the_file_is_used():
    default, other, third = (12.0, 96.0, 3.0), (8.0, 128.0, 2.0), (12.0, 96.0, 4.0)
    assert evidence.judge(default, other, other) == "messages: 12, now 8"
    assert evidence.judge(default, third, third) == "messages of a rank: at most 3, now 4"
    assert evidence.judge(default, default, default) == evidence.BY_TIME
    assert evidence.judge(default, default, other) == evidence.NOT_USED
    assert evidence.judge(default, third, other) == evidence.NOT_USED
    assert evidence.judge("mpi", "bruck", "bruck") == "named: mpi before"
    assert evidence.judge("mpi", "mpi", "bruck") == evidence.NOT_USED
    assert evidence.judge(None, None, None) == evidence.BY_TIME


def test_mpich_names_its_table_and_open_mpi_counts_messages(monkeypatch, tmp_path):
    monkeypatch.setenv("OMPI_MCA_pml", "ob1")
    assert OpenMpi().watching["OMPI_MCA_pml"] == "ob1,monitoring"
    monkeypatch.setenv("OMPI_MCA_pml", "^ucx")
    assert list(OpenMpi().watching) == ["OMPI_MCA_pml_monitoring_enable"]
    path = tmp_path / "table.json"
    library = mpich.Mpich()
    assert library.names(path, ["MPIR: " + str(path), "MPID: generic"]) is True
    assert library.names(path, ["MPIR: MPII_coll_generic_json"]) is False
    assert library.names(path, ["nothing of the kind"]) is None


def test_choices_of_transrank_are_written_as_its_alltoall_reads_them():
    ranges = (Range(8, 64, "bruck"), Range(512, 512, None), Range(4096, 4096, "linear"))
    text = own.Own(2).text({"alltoall-private": ranges}, 4)
    assert text.splitlines() == [
        *("transrank alltoall choices 1", f"mpi {installation.mpi_kind()}"),
        *("ranks 4", "ranks-per-node 2", "rules 2"),
        *("private 8 64 bruck", "private 4096 4096 linear", "end"),
    ]


def test_a_file_that_was_changed_or_is_for_another_mpi_is_refused(tmp_path):
    path = tmp_path / "rules.conf"
    choices = {"alltoall": (Range(8, 64, "pairwise"),)}
    note.write(path, OpenMpi(), choices, 4, 2)
    assert note.read(path) == note.Note("mpi", 4, 2, choices)
    path.write_text(path.read_text() + "\n")
    with pytest.raises(RecordError, match="was changed"):
        note.read(path)
    spread = tmp_path / "spread.conf"
    note.write(spread, OpenMpi(several_nodes=True), choices, 4, 2)
    assert note.read(spread) == note.Note("mpi", 4, 2, choices)
    (tmp_path / "spread.conf.han").write_text("0\n")
    with pytest.raises(RecordError, match=r"conf\.han was changed"):
        note.read(spread)
    foreign = tmp_path / "foreign.conf"
    foreign.write_text("rule-file-version-2\n0\n")
    with pytest.raises(RecordError, match="has its note beside it"):
        note.read(foreign)
    (tmp_path / "foreign.conf.transrank.json").write_text("[]")
    with pytest.raises(RecordError, match="is no note"):
        note.read(foreign)
    path = tmp_path / "rules.conf"
    note.write(path, OpenMpi(), {"alltoall": (Range(8, 64, "pairwise"),)}, 4, 4)
    beside = tmp_path / "rules.conf.transrank.json"
    beside.write_text(beside.read_text().replace(f'"{installation.build().mpi}"', '"another"'))
    with pytest.raises(UsageError, match="is for another"):
        note.read(path)
