# SPDX-License-Identifier: BSD-3-Clause
"""The picture of a node: every domain and core of the stored map, and each rank where it ran."""

import re
from dataclasses import asdict
from typing import Any
from xml.etree import ElementTree as ET

from python.lab.report.page_reader import Page
from python.lab.report.synthetic import MACHINE, Link, Survey, add_point_to_point
from transrank.lab.machine import mapping, synthetic
from transrank.lab.machine.files import format_list
from transrank.lab.report.figures.node_picture import node_picture
from transrank.lab.report.page import render_report
from transrank.lab.store.records import Placement

XT6 = "pack:2 numa:2(memory=8GiB) l3:1(size=6MiB) core:6 pu:1"


def stored(text: str) -> dict[str, Any]:
    """What a run's header has of the machine that a line describes."""
    topology = synthetic.read_text(text)
    caches = [
        {**asdict(cache), "groups": [format_list(group) for group in cache.groups]}
        for cache in topology.caches
    ]
    numa = [asdict(node) for node in topology.nodes]
    return {**MACHINE, "map": mapping.as_json(topology), "caches": caches, "numa": numa}


def seated(binding: list[str], hosts: int = 1) -> Placement:
    names = tuple(f"node{host}" for host in range(hosts))
    rank_host = tuple(rank * hosts // len(binding) for rank in range(len(binding)))
    return Placement(names, rank_host, tuple(binding), (0,) * len(binding))


def drawn(svg: str) -> ET.Element:
    return ET.fromstring(svg)  # noqa: S314 our own


def titles(svg: str) -> list[str]:
    return [title.text or "" for title in drawn(svg).iter("title")]


def test_an_xt6_node_has_its_packages_domains_caches_and_cores():
    picture = node_picture(stored(XT6), seated([str(cpu) for cpu in range(0, 24, 2)]))
    texts = [text.text for text in drawn(picture.svg).iter("text")]
    for expected in ("package 0", "package 1", *(f"domain {d}, 8 GiB" for d in range(4))):
        assert texts.count(expected) == 1
    assert texts.count("L3 6 MiB") == 4
    cores = titles(picture.svg)
    assert len(cores) == 24
    assert cores[2] == "core with CPUs 2: rank 1"
    assert cores[3] == "core with CPUs 3: no rank"
    assert "domain 3 of package 1: 6 cores, ranks 9-11" in picture.description


def test_nothing_reaches_over_the_edge_of_the_picture_or_over_another_core():
    for text in (XT6, "pack:1 core:1 pu:1", "pack:2 die:2 numa:2 l3:2 core:8 pu:2", "core:40 pu:1"):
        picture = node_picture(stored(text), None)
        root = drawn(picture.svg)
        _, _, width, height = map(float, root.attrib["viewBox"].split())
        boxes = [
            tuple(float(each.attrib[name]) for name in ("x", "y", "width", "height"))
            for each in root.iter("rect")
        ]
        assert all(min(x, y) >= 0 and x + w <= width and y + h <= height for x, y, w, h in boxes)
        corners = [box[:2] for box in boxes if box[2] == 26]
        assert len(set(corners)) == len(corners) == synthetic.read_text(text).cores


def test_ranks_stand_on_the_cores_of_the_first_host_that_are_theirs_alone():
    picture = node_picture(stored(XT6), seated(["0-5", "6", "0-23"]))
    assert "Ranks 0,2 may use several cores" in picture.caption
    assert sum(": rank" in title for title in titles(picture.svg)) == 1
    picture = node_picture(stored(XT6), seated(["0", "1", "0", "1"], hosts=2))
    assert [title for title in titles(picture.svg) if ": rank" in title] == [
        "core with CPUs 0: rank 0",
        "core with CPUs 1: rank 1",
    ]
    assert "the first of 2 hosts" in picture.caption


def test_without_a_stored_map_there_is_no_picture():
    assert node_picture(MACHINE, None) is None
    assert node_picture({**MACHINE, "map": {"cpu": [0]}}, None) is None


def test_the_page_has_the_picture_without_a_script(written):
    survey = Survey()
    add_point_to_point(survey, Link(), (8, 1024))
    page = render_report([written(survey, machine=stored(XT6) | {"cpu": "<b>4 & more</b>"})])
    before_scripts = page[: page.index("<script")]
    assert 'class="node" role="img"' in before_scripts
    assert "<b>4" not in page
    assert Page(page).headings[0].startswith("MPI on")
    node = before_scripts[before_scripts.index('class="node"') :]
    assert re.search(r'fill="var\(--series-1\)"', node[: node.index("</figure>")])
