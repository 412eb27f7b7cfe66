# SPDX-License-Identifier: MIT
"""``plan --explain``: why there are so many passes, in words."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from fake_native import PLAN, Cli, FakeNative

import rocprofsys_multipass as mp
from rocprofsys_multipass.cli.plan_reasons import reasons


def bounds(**of: object) -> mp.PlanBounds:
    """Four blocks: SQ needs nine passes, TCC and TCP twelve, TA one."""
    blocks = (
        mp.BlockBound("SQ", 70, 70, 8, 9, None, binding=False),
        mp.BlockBound("TA", 1, 1, 2, 1, None, binding=False),
        mp.BlockBound("TCC", 46, 44, 4, 12, None, binding=True),
        mp.BlockBound("TCP", 45, 45, 4, 12, None, binding=True),
    )
    return replace(mp.PlanBounds("slots", blocks, (), None), **of)  # type: ignore[arg-type]


def agent(count: int = 12, *, lower_bound: int = 12, proof: str = "bound") -> mp.AgentPlan:
    return mp.AgentPlan("gfx942", 0, count, lower_bound, proof != "none", proof, (), (), ())  # type: ignore[arg-type]


def test_the_blocks_that_decide_are_named_and_what_they_are_over() -> None:
    assert list(reasons(agent(), bounds())) == [
        (
            "at least 12 passes: TCC must program 46 registers (44 different ones, some of them in several passes) and "
            "a pass has 4; TCP must program 45 registers and a pass has 4"
        ),
        "to save a pass, leave out counters with 2 registers of TCC and 1 register of TCP between them, at least",
    ]


GROUPED = replace(agent(), groups=(mp.GroupPlacement(("A", "B"), 0),))


def test_with_groups_only_blocks_that_count_each_register_once_say_what_to_leave_out() -> None:
    texts = list(reasons(GROUPED, bounds(passes_without_groups=12)))
    assert [text for text in texts if text.startswith("to save")] == [
        "to save a pass, leave out counters with 1 register of TCP between them, at least"
    ]


def test_with_groups_nothing_is_said_where_every_block_counts_registers_several_times() -> None:
    blocks = tuple(block for block in bounds().blocks if block.block == "TCC")
    texts = list(reasons(GROUPED, bounds(blocks=blocks, passes_without_groups=11)))
    assert not any(text.startswith("to save") for text in texts)
    assert texts[0].startswith("at least 12 passes: TCC")
    assert texts[-1] == "the groups cost 1 pass: without them these counters take 11 passes"


@pytest.mark.parametrize(
    ("count", "why"),
    [
        (65, "the search ended before it could tell; --effort N with N above 300000 lets it try more"),
        (66, "above 64 passes no search is made"),
    ],
)
def test_no_effort_is_advised_where_no_search_is_made(count: int, why: str) -> None:
    texts = list(reasons(agent(count, lower_bound=12, proof="none"), bounds(), 300_000))
    assert texts[1:] == [f"whether {count - 1} passes would do is not known: {why}"]


def test_counters_that_never_share_a_pass_are_named_with_their_groups() -> None:
    clique = bounds(decided_by="clique", clique=(("A",), ("B", "C")))
    assert list(reasons(agent(2, lower_bound=2), clique)) == [
        "at least 2 passes: no two of these fit one pass: A; B with C",
        "to save a pass, one of these must go",
    ]


def test_a_block_that_a_search_decided_is_named() -> None:
    ring = (mp.BlockBound("B", 5, 5, 3, 2, 3, binding=True),)
    assert list(reasons(agent(3, lower_bound=3), bounds(decided_by="block_search", blocks=ring))) == [
        (
            "at least 3 passes: the counters of B, which program 5 registers and a pass has 3, cannot be divided into "
            "fewer, as a search of all ways showed"
        ),
        "to save a pass, counters of B must go",
    ]


NOT_KNOWN = "whether 12 passes would do is not known: "


@pytest.mark.parametrize(
    ("proof", "effort", "said"),
    [
        ("search", 9, "a search of all ways to use 12 passes found none, so 13 is the minimum"),
        (
            *("none", 1_000_000),
            f"{NOT_KNOWN}the search ended before it could tell; --effort N with N above 1000000 lets it try more",
        ),
        ("none", None, f"{NOT_KNOWN}the search ended before it could tell; --effort N lets it try more"),
    ],
)
def test_a_search_is_told_with_its_outcome(proof: str, effort: int | None, said: str) -> None:
    texts = list(reasons(agent(13, proof=proof), bounds(), effort))
    assert texts[0].startswith("at least 12 passes: TCC")
    assert texts[1:] == [said]


@pytest.mark.parametrize(("effort", "option"), [(300_000, "--effort 300000"), (None, "--effort N")])
def test_after_a_search_that_was_given_up_one_without_a_limit_of_time_is_advised(
    effort: int | None, option: str
) -> None:
    given_up = replace(agent(13, proof="none"), search_given_up=True)
    assert list(reasons(given_up, bounds(), effort))[1:] == [
        f"{NOT_KNOWN}the search took too long and was given up; {option} gives it all the time it needs"
    ]


@pytest.mark.parametrize(
    ("without", "said"),
    [(12, "the groups cost no pass"), (10, "the groups cost 2 passes: without them these counters take 10 passes")],
)
def test_what_the_groups_cost_is_said(without: int, said: str) -> None:
    assert list(reasons(agent(), bounds(passes_without_groups=without)))[-1] == said


def test_one_pass_needs_no_reason() -> None:
    assert list(reasons(agent(1, lower_bound=1), bounds())) == ["everything fits one pass"]


def test_explain_prints_the_reasons_and_every_block_below_the_table(cli: Cli) -> None:
    code, out, _ = cli("plan", "--device", "gfx942", "--events", "FETCH_SIZE,WRITE_SIZE", "--explain")
    assert code == 0
    lines = [re.sub(r" +", " ", line).strip() for line in out.splitlines()]
    start = lines.index("why 2 passes")
    assert lines[start - 1].startswith("cannot be placed")
    assert lines[start + 1 : start + 7] == [
        "- at least 2 passes: TCC must program 5 registers and a pass has 4",
        "- to save a pass, leave out counters with 1 register of TCC between them, at least",
        "- the groups cost no pass",
        "block registers slots a pass passes at least slots free",
        "TCC 5 4 2 3 decides",
        "SQ 1 8 1 14",
    ]


def test_explain_advises_more_than_the_effort_of_the_plan(cli: Cli, native: FakeNative) -> None:
    native.answer({**PLAN, "effort": 1234, "agents": [{**PLAN["agents"][0], "proof": "none", "proven_minimal": False}]})
    _, out, _ = cli("plan", "--device", "gfx942", "--events", "A", "--explain")
    assert "--effort N with N above 1234 lets it try more" in out


def test_without_explain_nothing_of_it_is_printed(cli: Cli) -> None:
    assert "why" not in cli("plan", "--device", "gfx942", "--events", "FETCH_SIZE,WRITE_SIZE")[1]


def test_the_json_does_not_depend_on_it(cli: Cli) -> None:
    plain = cli("plan", "--device", "gfx942", "--events", "A", "--json")
    assert cli("plan", "--device", "gfx942", "--events", "A", "--json", "--explain") == plain


def test_a_plan_of_an_older_planner_has_no_reasons(cli: Cli, native: FakeNative) -> None:
    older = {**PLAN, "agents": [{key: value for key, value in PLAN["agents"][0].items() if key != "bounds"}]}
    native.answer(older)
    assert mp.plan("gfx942", "A").agents[0].bounds is None
    code, out, _ = cli("plan", "--device", "gfx942", "--events", "A", "--explain")
    assert (code, "why" in out) == (0, False)
