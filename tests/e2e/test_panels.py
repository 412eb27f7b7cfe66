# SPDX-License-Identifier: MIT
"""Panels of rocprofiler-compute, planned by the planner itself and compared with the table of panels."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from e2e_tools import ROOT

import rocprofsys_multipass as mp
from rocprofsys_multipass.metrics import panel_architectures, panel_metrics, panels
from rocprofsys_multipass.metrics.panels import NORMAL_UNITS

LEVELS = ("SQ_LEVEL_WAVES", "SQ_IFETCH_LEVEL", "SQ_INST_LEVEL_LDS", "SQ_INST_LEVEL_SMEM", "SQ_INST_LEVEL_VMEM")
ACCUMULATIONS = {f"{level}_ACCUM": level for level in LEVELS}
LOST = {"gfx90a": {"3.1": 1, "15.1": 3, "17.2": 1}, "gfx942": {"3.1": 2, "15.1": 3}}  # metrics, by table
SLOTS = {"SQ": 8, "TCC": 4, "TCP": 4, "SPI": 6, "TA": 2, "TD": 2, "CPC": 2, "CPF": 2, "GRBM": 2}


def registers_of(architecture: str) -> dict[str, frozenset[str]]:
    """What each counter programs; an accumulation the register of its level and the hidden one."""
    path = ROOT / "library/catalogue/data" / f"{architecture}.json"
    counters = json.loads(path.read_text(encoding="utf-8"))["counters"]
    registers = {one["name"]: frozenset(one["registers"]) for one in counters}
    return registers | {name: frozenset({f"SQ:{at}@", f"SQ:{at}"}) for name, at in ACCUMULATIONS.items()}


def has_room(registers: dict[str, frozenset[str]], counters: tuple[str, ...]) -> bool:
    """Whether a pass has room for these, counted here."""
    programmed = frozenset[str]().union(*(registers[name] for name in counters))
    blocks = Counter(register.partition(":")[0] for register in programmed)
    return all(count <= SLOTS[block] for block, count in blocks.items())


@pytest.mark.parametrize("architecture", panel_architectures())
def test_every_metric_of_all_panels_is_in_one_pass_that_has_room(architecture: str) -> None:
    """In at most 12 passes, proven minimal; other metrics are in several, and few are lost."""
    plan = mp.plan(architecture, compute_panels="all", instances="keep")
    [agent] = plan.agents
    assert agent.pass_count <= 12
    assert (agent.proven_minimal, agent.unplaceable) == (True, ())
    registers = registers_of(architecture)
    read = [frozenset(one.counters) - frozenset(one.sentinel) for one in agent.passes]
    lost = Counter[str]()
    spread = 0
    for metric in panel_metrics(architecture):
        wanted = metric.base_counters
        if not registers.keys() >= set(wanted):
            lost[metric.table] += 1
            continue
        assert frozenset().union(*read) >= set(wanted), metric
        together = any(one >= set(wanted) for one in read)
        assert together == has_room(registers, wanted), metric
        spread += not together
    assert (lost, spread) == (LOST[architecture], 10)
    assert frozenset().union(*read) >= set(NORMAL_UNITS)
    assert len(plan.warnings) == len(plan.notes) == 1  # what is lost, what is in several passes


def test_the_order_of_panels_and_what_they_are_called_changes_nothing() -> None:
    """The same bytes."""
    numbers = [panel.number for panel in panels()]
    one = mp.plan("gfx942", "FETCH_SIZE", compute_panels="all", sets="memory")
    other = mp.plan("gfx942", "FETCH_SIZE", compute_panels=numbers[::-1], sets="memory")
    assert one.json == other.json
    metrics = {metric.set for metric in one.agents[0].metrics}
    assert metrics == {"memory", *(f"panel {number}" for number in numbers)}


def test_a_counter_beside_panels_is_read_too() -> None:
    """And an accumulation can be asked for by name."""
    [agent] = mp.plan("gfx942", "WRITE_SIZE,SQ_IFETCH_LEVEL_ACCUM", compute_panels=7).agents
    counters = {name for one in agent.passes for name in one.counters}
    assert {"WRITE_SIZE", "SQ_IFETCH_LEVEL_ACCUM", "SQ_LEVEL_WAVES_ACCUM"} <= counters
    assert {metric.panel for metric in agent.metrics} == {7}


def test_of_a_mixed_machine_only_gpus_whose_panels_are_known_collect_them() -> None:
    """The others are named."""
    plan = mp.plan(["gfx942", "gfx1100"], compute_panels=12)
    assert [bool(agent.passes) for agent in plan.agents] == [True, False]
    assert plan.warnings == ("no panel is collected on GPU 1 (gfx1100): panels are known for gfx90a and gfx942 only",)
