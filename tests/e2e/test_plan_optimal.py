# SPDX-License-Identifier: MIT
"""Plans against the optimum of an independent solver, on all requests of tests/data: packing and minimal-sets.

That a plan's passes are enough is checked by looking at each of them; that one pass less is not, HiGHS proves.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import packing_solver
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packing_model import (
    ARCHITECTURES,
    Wanted,
    catalogue,
    facts,
    fewest_by_trial,
    fits,
    items,
    largest,
    packing_requests,
    realistic_requests,
)
from packing_solver import Answer, can_pack

import rocprofsys_multipass as mp
from rocprofsys_multipass import AgentPlan
from rocprofsys_multipass.native import Native

REQUESTS = [wanted for arch in ARCHITECTURES for wanted in packing_requests(arch)]
REALISTIC = [pair for arch in ("gfx90a", "gfx942") for pair in realistic_requests(arch)]


@pytest.fixture(scope="module")
def files(native: Native, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Catalogue files of the packing data: they have counters too that only rocprofiler-compute defines."""
    folder = tmp_path_factory.mktemp("packing")
    paths = {arch: folder / f"{arch}.json" for arch in ARCHITECTURES}
    for arch, path in paths.items():
        path.write_text(json.dumps(catalogue(arch)), encoding="utf-8")
    return paths


def plan_of(wanted: Wanted, device: str | Path) -> AgentPlan:
    """The plan. All that was asked for is known there."""
    plan = mp.plan(device, wanted.counters, wanted.groups)
    assert plan.unknown == ()
    (agent,) = plan.agents
    return agent


def check_valid(wanted: Wanted, agent: AgentPlan) -> None:
    """Every pass fits, every counter that needs counting is in one, every group is whole in one."""
    known = facts(wanted.arch)
    assert agent.unplaceable == ()
    for one in agent.passes:
        assert known.fit(one.counters), one
    planned = Counter(counter for one in agent.passes for counter in one.counters if counter not in one.sentinel)
    assert planned.keys() == {counter for counter in wanted.counters if known.of([counter])}
    if not wanted.groups:
        assert set(planned.values()) == {1}
    for group in wanted.groups:
        counted = {counter for counter in group if known.of([counter])}
        assert any(counted <= set(one.counters) for one in agent.passes), group


def check_minimal(wanted: Wanted, agent: AgentPlan) -> None:
    """One pass less is impossible, and the plan says so."""
    known = facts(wanted.arch)
    fewer = agent.pass_count - 1
    answer = can_pack(items(wanted, known), known.slots, fewer)
    assert answer is not Answer.UNDECIDED, (
        f"{wanted}: whether {fewer} passes are enough was not decided in {packing_solver.TIME_LIMIT:g} s; "
        "packing_solver.TIME_LIMIT gives it longer"
    )
    assert answer is Answer.IMPOSSIBLE, f"{wanted}: {fewer} passes are enough and the plan has {agent.pass_count}"
    assert agent.proven_minimal
    assert agent.lower_bound <= agent.pass_count


def test_every_architecture_has_its_requests() -> None:
    ids = Counter((wanted.arch, wanted.id.partition("-")[0]) for wanted in REQUESTS)
    assert all(ids[arch, "random"] >= 30 and ids[arch, "all"] == 1 for arch in ARCHITECTURES)
    assert [arch for arch in ARCHITECTURES if ids[arch, "profile"] == 2] == ["gfx908", "gfx90a", "gfx942", "gfx950"]
    assert len(REALISTIC) >= 131


@pytest.mark.parametrize("wanted", REQUESTS, ids=str)
def test_a_plan_has_the_fewest_passes_that_a_solver_finds(files: dict[str, Path], wanted: Wanted) -> None:
    agent = plan_of(wanted, files[wanted.arch])
    check_valid(wanted, agent)
    check_minimal(wanted, agent)


@pytest.mark.parametrize(("wanted", "minimum"), REALISTIC, ids=[str(wanted) for wanted, _ in REALISTIC])
def test_a_realistic_request_has_the_fewest_passes_that_a_solver_finds(
    native: Native, wanted: Wanted, minimum: int
) -> None:
    agent = plan_of(wanted, wanted.arch)
    check_valid(wanted, agent)
    check_minimal(wanted, agent)
    assert agent.pass_count == minimum


@pytest.mark.parametrize("wanted", [one for one in REQUESTS if one.id.startswith("random-")], ids=str)
def test_the_solver_says_possible_where_a_plan_is(files: dict[str, Path], wanted: Wanted) -> None:
    """Else that less is impossible would prove nothing."""
    known = facts(wanted.arch)
    passes = plan_of(wanted, files[wanted.arch]).pass_count
    assert can_pack(items(wanted, known), known.slots, passes) is Answer.POSSIBLE


SLOTS = {"SQ": 4, "TCC": 2}
REGISTERS = ["SQ:A", "SQ:B", "SQ:C", "SQ:D", "SQ:A@LOW_RES", "SQ:A@HIGH_RES", "SQ:B@HIGH_RES"] + [
    f"TCC:{name}" for name in "PQRS"
]


@settings(deadline=None)
@given(st.lists(st.frozensets(st.sampled_from(REGISTERS), min_size=1, max_size=3), min_size=1, max_size=8))
def test_the_solver_agrees_with_all_partitions_of_a_few_items(drawn: list[frozenset[str]]) -> None:
    parts = largest(cost for cost in drawn if fits(cost, SLOTS))
    fewest = fewest_by_trial(parts, SLOTS)
    assert can_pack(parts, SLOTS, fewest) is Answer.POSSIBLE
    if parts:
        assert can_pack(parts, SLOTS, fewest - 1) is Answer.IMPOSSIBLE
