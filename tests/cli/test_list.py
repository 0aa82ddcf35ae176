# SPDX-License-Identifier: BSD-3-Clause

from support.commands import pingpong
from transrank.installation import mpi_kind
from transrank.lab.reference.tables import machines
from transrank.lab.study import catalogue


def test_runs_are_listed_the_latest_last(store):
    store.keep("20261102-000000-bbbb", *pingpong(8, 1.0), label="night")
    store.keep("20261101-000000-aaaa", *pingpong(8, 1.0))
    answer = store.run("list").check()
    assert "transrank list studies, transrank list machines" in answer.stderr
    assert "transrank list studies" not in store.run("list runs").stderr
    assert [line.split() for line in answer.stdout.splitlines()] == [
        ["run", "created", "(UTC)", "label", "source"],
        ["20261101-000000-aaaa", "2026-11-01", "00:00", "MPICH", "Version:", "5.0.2"],
        ["20261102-000000-bbbb", "2026-11-02", "00:00", "night", "MPICH", "Version:", "5.0.2"],
    ]


def test_an_empty_store_is_no_error_and_an_unknown_list_wrong_usage(store):
    answer = store.run("list runs")
    assert (answer.status, answer.stdout) == (0, "")
    assert f"no runs in {store.path}" in answer.stderr
    assert store.json("list") == []
    store.run("list transports").fails(2, "invalid choice: 'transports'")


def test_the_settings_of_the_mpi_library_are_listed(store):
    lines = store.run("list settings").check().stdout.splitlines()
    assert lines == [row["setting"] for row in store.json("list settings")]
    one = {"mpich": "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM"}
    assert one.get(mpi_kind(), "OMPI_MCA_coll_tuned_use_dynamic_rules") in lines


def test_every_study_is_listed_with_all_values_of_its_axes(store):
    rows = store.json("list studies")
    assert [row["study"] for row in rows] == list(catalogue.studies())
    assert all(row["summary"] for row in rows)
    shown = store.run("list studies").stdout
    assert "half a round trip between two ranks" in shown
    assert "--routine send,bsend,ssend,isend,persistent,sendrecv\n" in shown
    assert "--sizes 0..4MiB\n" in shown
    words = store.run("list studies").stdout.replace(",", " ").split()
    studies = catalogue.studies().values()
    values = {value for study in studies for found in study.axes.values() for value in found}
    assert values <= set(words)


def test_values_on_request_are_shown_beside_the_default_ones_with_their_bounds(store):
    shown = store.run("list studies").stdout
    assert "--root fixed\n           on request rotating\n" in shown
    assert "--datatype float\n               on request double,int,int8\n" in shown
    rows = store.json("list studies")
    (bandwidth,) = [row for row in rows if row["study"] == "bandwidth"]
    assert bandwidth["axes"]["window"] == ["64"]
    assert bandwidth["on_request"]["window"] == ["1..4096"]
    listed = store.run("measure --help").stdout
    assert "on request" in listed
    assert "any number from 1 to 4096" in " ".join(listed.split())
    for axis, bounds in [
        ("vdim 6,20,120", "1..4096"),
        ("rows 32x32x32", "1x1x1..1024x1024x1024"),
        ("iterations 10", "1..1000000"),
        ("velocity ++", "+-,-+,--,-8:-8..8:8"),
        ("from usual", "1..65536x65536x65536"),
        ("domain_ranks 1", "1..1048576"),
    ]:
        indent = " " * len(f"    --{axis.split()[0]} ")
        assert f"    --{axis}\n{indent}on request {bounds}\n" in shown


def test_every_machine_is_listed_with_its_source(store):
    rows = store.csv("list machines --format csv")
    assert [row["machine"] for row in rows] == [machine.name for machine in machines()]
    assert all(row["attribution"] for row in rows)
    shown = store.run("list machines").stdout
    assert all(machine.name in shown for machine in machines())
