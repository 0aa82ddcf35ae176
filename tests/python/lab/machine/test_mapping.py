# SPDX-License-Identifier: BSD-3-Clause
"""Maps of machines: from hwloc's XML, from a line of text, from sysfs, and of this machine."""

import os
import time
from pathlib import Path

import pytest

from python.lab.machine import trees
from python.lab.machine.trees import XT6_DISTANCES, cores, part
from transrank.errors import UsageError
from transrank.lab.machine import hwloc, mapping, synthetic
from transrank.lab.machine.files import Files
from transrank.lab.machine.topology import Topology, read_topology

HERE = Path(__file__).parent
XT6 = "pack:2 numa:2(memory=8GiB) l3:1(size=6MiB) core:6 pu:1 distances:" + ",".join(
    map(str, XT6_DISTANCES)
)


@pytest.mark.parametrize(
    "xt6",
    [
        pytest.param(hwloc.read_xml(trees.xt6_xml(1)), id="hwloc 1"),
        pytest.param(hwloc.read_xml(trees.xt6_xml(2)), id="hwloc 2"),
        pytest.param(synthetic.read_text(XT6), id="text"),
    ],
)
def test_an_xt6_node_is_the_same_however_it_is_described(xt6):
    assert (xt6.packages, len(xt6.nodes), xt6.cores, xt6.threads_per_core) == (2, 4, 24, 1)
    assert [node.cpus for node in xt6.nodes] == [
        tuple(range(first, first + 6)) for first in (0, 6, 12, 18)
    ]
    assert {node.memory_bytes for node in xt6.nodes} == {8 << 30}
    assert sum((node.distances for node in xt6.nodes), ()) == XT6_DISTANCES
    (cache,) = xt6.caches
    assert (cache.level, cache.bytes, cache.instances, cache.shared_by) == (3, 6 << 20, 4, 6)
    assert cache.groups == tuple(node.cpus for node in xt6.nodes)
    assert {cpu.package for cpu in xt6.cpus if cpu.node in (2, 3)} == {1}
    assert xt6.first_threads((3, 4, 20)) == (3, 4, 20)


def test_models_are_named_and_threads_of_a_core_told_apart():
    assert hwloc.read_xml(trees.xt6_xml(2)).model == "AMD Opteron(tm) Processor 6172"
    laptop = synthetic.read_text("pack:1 l3:1 core:4 pu:2")
    assert (laptop.cores, laptop.threads_per_core, len(laptop.nodes)) == (4, 2, 1)
    assert laptop.first_threads() == (0, 2, 4, 6)
    assert laptop.nodes[0].distances == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "does not describe a machine"),
        ("pack:0", "does not describe a machine"),
        ("pack:2 gpu:4", "'gpu:4' does not describe a part of a machine"),
        ("core:2(size=4Q) pu:1", "'4Q' is not a size"),
        ("numa:2 distances:10,20,20", "3 distances do not form a square matrix"),
        ("numa:2 distances:10", "distances of 1 domains, but the machine has 2"),
        ("pack:9999 numa:9999 core:9999", "999700029999 CPUs; at most 65536"),
        ("core:2 pu:2 core:2", "'core' twice"),
        ("pack:2 l3:1 socket:2", "'package' twice"),
    ],
)
def test_a_line_that_describes_no_machine_is_refused(text, words):
    with pytest.raises(ValueError, match="^.*" + words.replace("(", r"\(")):
        synthetic.read_text(text)


@pytest.mark.parametrize("text", ["", "<topology/>", "<topology><object", "no XML"])
def test_xml_without_a_cpu_is_refused(text):
    with pytest.raises(ValueError, match="XML"):
        hwloc.read_xml(text)


def machine(cpus: range, *inside: str, more: str = "") -> Topology:
    inner = part("Machine", cpus, *inside)
    return hwloc.read_xml(f'<topology version="2.0">{inner}{more}</topology>')


def test_cores_are_told_apart_where_their_numbers_repeat_within_a_package():
    cores = [
        part("Core", pair, *(part("PU", [cpu], os_index=cpu) for cpu in pair), os_index=number)
        for pair, number in (((0, 4), 0), ((1, 5), 1), ((2, 6), 0), ((3, 7), 1))
    ]
    found = machine(range(8), part("Package", range(8), *cores, os_index=0))
    assert (found.cores, found.threads_per_core) == (4, 2)
    assert found.first_threads() == (0, 1, 2, 3)


def test_memory_without_cpus_of_its_own_is_nobodys_home():
    # A processor with two halves of fast memory beside the ordinary one, as hwloc tells.
    whole = machine(
        range(8),
        part(
            "Package",
            range(8),
            part("NUMANode", range(8), os_index=0, local_memory=64 << 30),
            part("NUMANode", range(8), os_index=1, local_memory=16 << 30),
            part("MemCache", range(8), depth=1, cache_size=16 << 30, cache_type=0),
            cores(range(8)),
            os_index=0,
        ),
    )
    assert {cpu.node for cpu in whole.cpus} == {0}
    assert [node.cpus for node in whole.nodes] == [tuple(range(8)), ()]
    assert whole.caches == ()
    assert mapping.outline(whole) == [
        "package 0: 8 cores",
        "  domain 0: CPUs 0-7, 64 GiB",
        "domain 1: memory without CPUs, 16 GiB",
    ]


def test_threads_numbered_after_all_cores_and_several_caches_in_a_domain_are_read():
    def die(node: int) -> str:
        first = 8 * node
        mine = tuple(cpu for start in (first, first + 16) for cpu in range(start, start + 8))
        caches = [
            part(
                "L3Cache",
                tuple(cpu for one in (0, 16) for cpu in range(half + one, half + one + 4)),
                cores(range(half, half + 4), threads=2, apart=16),
                depth=3,
                cache_size=16 << 20,
                cache_type=0,
            )
            for half in (first, first + 4)
        ]
        memory = part("NUMANode", mine, os_index=node, local_memory=32 << 30)
        return part("Group", mine, memory, *caches)

    bandwidths = (
        '<distances2 type="NUMANode" nbobjs="2" kind="9" indexing="os"><indexes length="3">0 1'
        '</indexes><u64values length="9">99 50 50 99</u64values></distances2>'
    )
    latencies = bandwidths.replace('kind="9"', 'kind="5"').replace("99 50 50 99", "10 12 12 10")
    package = part("Package", range(32), die(0), die(1), os_index=0)
    server = machine(range(32), package, more=bandwidths + latencies)
    assert (server.packages, len(server.nodes), server.cores) == (1, 2, 16)
    assert server.threads_per_core == 2
    (cache,) = server.caches
    assert (cache.instances, cache.shared_by) == (4, 8)
    assert cache.groups[1] == (4, 5, 6, 7, 20, 21, 22, 23)
    assert [node.distances for node in server.nodes] == [(10, 12), (12, 10)]
    assert {cpu.node for cpu in server.cpus if cpu.cpu in (8, 15, 24, 31)} == {1}
    assert server.first_threads() == tuple(range(16))


def test_masks_of_more_than_a_word_are_read():
    assert hwloc.parse_mask("0x00000001,0x0000000f") == (0, 1, 2, 3, 32)
    assert hwloc.parse_mask("0x80000000,,0x1") == (0, 95)


@pytest.mark.parametrize("text", ["0xf...f", "-0x1", "0x100000000", "0x1,,0x-1"])
def test_what_is_no_mask_is_refused(text):
    with pytest.raises(ValueError, match=r"mask|invalid literal"):
        hwloc.parse_mask(text)


def test_a_mask_ten_times_as_long_takes_some_ten_times_as_long():
    def seconds(words: int) -> float:
        text = "0x1" + "," * words
        began = time.process_time()
        assert hwloc.parse_mask(text) == (32 * words,)
        return time.process_time() - began

    least = min(seconds(30_000) for _ in range(3))
    assert seconds(300_000) < 40 * least


def test_the_user_describes_the_machine_by_a_line_or_a_file(tmp_path):
    path = tmp_path / "xt6.xml"
    path.write_text(trees.xt6_xml(2))
    nowhere = Files(HERE / "nowhere")
    by_line = mapping.read_map({mapping.VARIABLE: XT6}, nowhere)
    by_file = mapping.read_map({mapping.VARIABLE: str(path)}, nowhere)
    assert by_line.nodes == by_file.nodes
    assert (by_line.source, by_file.source) == ("synthetic", "hwloc")
    for wrong in ("nonsense", str(HERE / "missing.xml")):
        with pytest.raises(UsageError, match=mapping.VARIABLE):
            mapping.read_map({mapping.VARIABLE: wrong}, nowhere)


def test_the_outline_names_every_domain_and_what_may_not_be_used():
    xt6 = synthetic.read_text(XT6)
    lines = mapping.outline(xt6, usable=range(8))
    assert lines[:3] == [
        "package 0: 12 cores",
        "  domain 0: CPUs 0-5, 8 GiB, distances 10 16 16 22",
        "    L3 6 MiB: CPUs 0-5",
    ]
    assert lines[3].startswith("  domain 1: CPUs 6-11, of which 6-7 may be used, ")
    assert any(
        line.startswith("  domain 3: CPUs 18-23, none of which may be used") for line in lines
    )
    assert mapping.summary(xt6) == "2 packages, 4 memory domains, 24 cores (synthetic)"


def test_the_map_of_a_server_from_sysfs_says_the_same_as_its_files(tmp_path):
    server = read_topology(Files(trees.plant(tmp_path, trees.server())))
    stored = mapping.as_json(server)
    assert stored["source"] == "sysfs"
    assert stored["cpu"] == list(range(32))
    assert stored["domain"][16:24] == [0, 0, 0, 0, 1, 1, 1, 1]
    assert mapping.summary(server) == (
        "2 packages, 4 dies, 4 memory domains, 16 cores, 2 threads each (sysfs)"
    )
    level_3 = next(cache for cache in server.caches if cache.level == 3)
    assert level_3.groups[1] == (4, 5, 6, 7, 20, 21, 22, 23)


@pytest.mark.skipif(hwloc.ask() is None, reason="hwloc is not installed (Debian: hwloc-nox)")
def test_hwloc_and_sysfs_agree_on_this_machine():
    told, shown = mapping.read_map({}, Files()), read_topology(Files())
    assert (told.source, shown.source) == ("hwloc", "sysfs")
    for each in ("packages", "cores", "threads_per_core"):
        assert getattr(told, each) == getattr(shown, each)
    assert {cpu.cpu: cpu.node for cpu in told.cpus} == {cpu.cpu: cpu.node for cpu in shown.cpus}
    assert len(told.cpus) >= len(os.sched_getaffinity(0))
