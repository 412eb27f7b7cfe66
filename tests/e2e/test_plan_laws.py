# SPDX-License-Identifier: MIT
"""What holds for the plan of any request, on every architecture that has a catalogue."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from functools import cache

import pytest
from e2e_tools import Cli
from hypothesis import given, settings
from hypothesis import strategies as st
from packing_model import ARCHITECTURES

import rocprofsys_multipass as mp

pytestmark = pytest.mark.usefixtures("native")

CONSTANTS = ("simd_count", "num_xcc", "wave_front_size")
UNKNOWN = ("SQ_WAVS", "NO_SUCH_COUNTER", "sq_waves", "X*", '"Y"', "A:dev=1")

law = settings(max_examples=25, deadline=None)
architectures = st.sampled_from(ARCHITECTURES)


@cache
def counted(arch: str) -> tuple[str, ...]:
    """Counters of the architecture that need counting."""
    (agent,) = mp.counters(arch)
    return tuple(counter.name for counter in agent.counters if counter.registers)


@st.composite
def requests(draw: st.DrawFn, most: int = 30) -> tuple[str, list[str]]:
    """An architecture and some of its counters, each once."""
    arch = draw(architectures)
    return arch, draw(st.lists(st.sampled_from(counted(arch)), min_size=1, max_size=most, unique=True))


def passes(arch: str, counters: list[str]) -> int:
    """The passes of the plan, which is proven minimal."""
    (agent,) = mp.plan(arch, counters).agents
    assert agent.proven_minimal
    return agent.pass_count


@law
@given(requests(), st.data())
def test_a_further_counter_never_lowers_the_passes_and_one_less_never_raises_them(
    request: tuple[str, list[str]], data: st.DataObject
) -> None:
    arch, counters = request
    kept = data.draw(st.lists(st.sampled_from(counters), min_size=1, unique=True))
    assert passes(arch, kept) <= passes(arch, counters)


@law
@given(requests(), st.data())
def test_two_requests_together_need_no_more_passes_than_one_after_the_other(
    request: tuple[str, list[str]], data: st.DataObject
) -> None:
    arch, left = request
    right = data.draw(st.lists(st.sampled_from(counted(arch)), min_size=1, max_size=30, unique=True))
    assert passes(arch, left + right) <= passes(arch, left) + passes(arch, right)


@law
@given(requests(), st.data())
def test_the_order_of_counters_and_groups_changes_no_byte(request: tuple[str, list[str]], data: st.DataObject) -> None:
    arch, counters = request
    member = st.sampled_from(counters)
    groups = data.draw(st.lists(st.lists(member, min_size=2, max_size=3), max_size=4))
    shuffled = [data.draw(st.permutations(group)) for group in data.draw(st.permutations(groups))]
    one = mp.plan(arch, counters, groups)
    other = mp.plan(arch, data.draw(st.permutations(counters)), shuffled)
    assert other.json == one.json


@law
@given(requests(), st.data())
def test_what_needs_no_counting_never_changes_the_passes_of_the_rest(
    request: tuple[str, list[str]], data: st.DataObject
) -> None:
    arch, counters = request
    constants = data.draw(st.lists(st.sampled_from(CONSTANTS), unique=True))
    unknown = data.draw(st.lists(st.sampled_from(UNKNOWN), unique=True))
    again = data.draw(st.lists(st.sampled_from(counters), unique=True))
    covered = [f"{counter}:device=0" for counter in data.draw(st.lists(st.sampled_from(counters), unique=True))]
    noisy = mp.plan(arch, data.draw(st.permutations(counters + constants + unknown + again + covered)))
    assert noisy.agents == mp.plan(arch, counters).agents
    assert [ignored.token for ignored in noisy.ignored] == sorted(constants)
    assert sorted(one.token for one in noisy.unknown) == sorted(unknown)
    assert set(noisy.duplicates) == {*again, *covered}


@law
@given(st.lists(architectures, min_size=2, max_size=4), st.data())
def test_a_gpu_has_the_same_passes_wherever_it_stands_among_others(devices: list[str], data: st.DataObject) -> None:
    everywhere = sorted(set().union(*map(counted, devices)))
    counters = data.draw(st.lists(st.sampled_from(everywhere), min_size=1, max_size=20, unique=True))
    places = data.draw(st.permutations(range(len(devices))))
    plan = mp.plan(devices, counters)
    moved = mp.plan([devices[place] for place in places], counters)
    assert moved.unknown == plan.unknown == ()
    for index, place in enumerate(places):
        assert moved.agents[index] == replace(plan.agents[place], device_index=index)
    (alone,) = mp.plan(devices[0], counters).agents
    assert alone == plan.agents[0]


def test_neither_the_order_nor_the_hash_seed_of_python_changes_what_is_printed(cli: Cli) -> None:
    counters = list(counted("gfx950"))[::5]
    groups = [counters[i : i + 2] for i in range(0, 12, 3)]
    printed = set()
    tables = set()
    for seed in ("0", "1", "4294967295", "random"):
        order = random.Random(seed)
        order.shuffle(counters)
        order.shuffle(groups)
        words = ["--device", "gfx950", "--events", ",".join(counters)]
        words += [word for group in groups for word in ("--group", ",".join(order.sample(group, len(group))))]
        done = cli("plan", "--json", *words, env={"PYTHONHASHSEED": seed})
        assert (done.returncode, done.stderr) == (0, "")
        printed.add(done.stdout)
        tables.add(cli("plan", *words, env={"PYTHONHASHSEED": seed}).stdout)
    (text,) = printed
    assert len(tables) == 1
    assert json.loads(text)["agents"][0]["pass_count"] > 2
    assert len(json.loads(text)["agents"][0]["groups"]) == 4
