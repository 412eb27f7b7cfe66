# SPDX-License-Identifier: MIT
"""The closing table: what became of the launches of each kernel, and that its numbers add up."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trace_tools as tools
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

import rocprofsys_multipass as mp
from rocprofsys_multipass.config.limits import SAFETY_REASONS
from rocprofsys_multipass.report import closing
from rocprofsys_multipass.trace import OUTCOMES, safety

WIDTH = 120


def launch(number: int, outcome: str, reason: str = "", kernel: str = "axpy(float*, int)") -> tools.Launch:
    """One of two passes, or of one execution where it was not replayed."""
    made = tools.replayed(number, 1000 * number)
    if outcome != "replayed":
        made = replace(made, executions=(replace(made.executions[0], index=None),))
    return replace(made, outcome=outcome, reason=reason, kernel=kernel)


def counts(**outcomes: int) -> dict[str, Any]:
    """A member `outcomes` of a summary; `declined_budget` is one by reason."""
    made: dict[str, Any] = dict.fromkeys(OUTCOMES, 0) | {f"{name}_reasons": {} for name in OUTCOMES}
    for name, n in outcomes.items():
        outcome = next(one for one in OUTCOMES if name.startswith(one))
        made[outcome] += n
        if reason := name.removeprefix(outcome).lstrip("_"):
            made[f"{outcome}_reasons"][reason] = n
    return made


def summary(*kernels: tuple[str, int, dict[str, Any]], rest: dict[str, Any] | None = None) -> dict[str, Any]:
    of_each = [{"kernel": name, "device": device, "outcomes": found} for name, device, found in kernels]
    return {"kernels_agreement": of_each, "kernels_agreement_rest": rest and {"outcomes": rest}}


def rows(found: list[closing.KernelOutcomes]) -> list[list[str]]:
    console = Console(width=WIDTH)
    with console.capture() as captured:
        console.print(closing.closing_table(found, WIDTH, plain=True))
    return [re.split(" {2,}", line.strip()) for line in captured.get().splitlines()]


def test_a_row_tells_what_became_of_the_launches_of_a_kernel_and_why() -> None:
    found = closing.of_summary(
        summary(
            ("axpy", 0, counts(replayed=3, declined_max_replays=40, declined_budget=57)),
            ("spin", 0, counts(declined_no_replay_list=7, filtered_range=2)),
        )
    )
    assert rows(found) == [
        ["Launches", "Replayed", "Rotated", "Filtered", "Why", "Kernel"],
        ["100", "3", "97", "0", "budget 57, max_replays 40", "axpy"],
        ["9", "0", "7", "2", "no_replay_list 7", "spin"],
        ["109", "3", "104", "2", "budget 57, max_replays 40, no_replay_list 7", "all 2 kernels"],
    ]


def test_one_kernel_needs_no_sum_and_several_gpus_are_named() -> None:
    one = closing.of_summary(summary(("axpy", 0, counts(declined_budget=2))))
    assert [row[0] for row in rows(one)] == ["Launches", "2"]
    two = closing.of_summary(
        summary(("axpy", 0, counts(declined_budget=2)), ("axpy", 1, counts(declined_budget=1, incomplete=1)))
    )
    assert rows(two)[0] == ["Launches", "Replayed", "Rotated", "Incomplete", "Why", "GPU", "Kernel"]
    assert rows(two)[1:] == [
        ["2", "0", "2", "0", "budget 2", "0", "axpy"],
        ["2", "0", "1", "1", "budget 1", "1", "axpy"],
        ["4", "0", "3", "1", "budget 3", "all of this kernel"],
    ]


def test_a_replay_that_was_ended_early_is_told_from_those_that_did_not_begin() -> None:
    found = closing.of_summary(summary(("axpy", 0, counts(declined_budget=5, incomplete_budget=1))))
    assert rows(found)[1] == ["6", "0", "5", "1", "budget 5, budget 1 (ended early)", "axpy"]


def test_kernels_that_a_summary_has_together_come_last_and_are_not_counted_as_one() -> None:
    found = closing.of_summary(summary(("axpy", 0, counts(declined_budget=2)), rest=counts(declined_budget=90)))
    assert [row[-1] for row in rows(found)[1:]] == ["axpy", "all further kernels", "all kernels"]


@settings(deadline=None)
@given(
    launches=st.lists(
        st.tuples(st.integers(0, 30), st.sampled_from(OUTCOMES), st.sampled_from(["budget", "window_time"]))
    ),
    rest=st.integers(1, 50),
)
def test_the_columns_add_up_to_the_launches_and_the_rows_to_the_sum(
    launches: list[tuple[int, Any, str]], rest: int
) -> None:
    kernels: dict[str, dict[str, Any]] = {}
    for number, outcome, reason in launches:
        of = kernels.setdefault(f"k{number}", counts())
        of[outcome] += 1
        of[f"{outcome}_reasons"][reason] = of[f"{outcome}_reasons"].get(reason, 0) + 1
    found = closing.of_summary(
        summary(*((name, 0, of) for name, of in kernels.items()), rest=counts(declined_budget=rest))
    )
    table = rows(found)
    numbers = [[int(cell) for cell in row[: table[0].index("Why")]] for row in table[1:]]
    assert all(row[0] == sum(row[1:]) for row in numbers)
    assert len(numbers) <= closing.ROWS + 2
    if len(numbers) > 1:
        assert [sum(column) for column in zip(*numbers[:-1], strict=True)] == numbers[-1]
        assert numbers[-1][0] == len(launches) + rest


def test_a_summary_of_an_earlier_version_has_no_table() -> None:
    assert closing.of_summary({"kernels_agreement": [{"kernel": "k", "device": 0, "replayed": 1}]}) == []
    assert closing.of_summary({}) == []


def test_three_reasons_that_were_lifted_are_a_list() -> None:
    text = safety.lifted("virtual_memory, managed_memory, budget", 2)
    assert text.startswith(
        "2 launches were replayed although memory was mapped by the virtual-memory functions, managed memory was live "
        "and the budget of replays was spent (--unsafe virtual_memory,managed_memory,budget): "
    )


def test_there_is_none_where_all_were_replayed(tmp_path: Path) -> None:
    run = tools.Run(tuple(launch(n, "replayed") for n in range(1, 4)))
    text = mp.report(mp.open_trace(tools.write_run(tmp_path, run, files=("journal",))))
    assert "\nLaunches  replayed" not in text
    assert not closing.is_needed(
        closing.of_summary(summary(("axpy", 0, counts(replayed=3, filtered=1, single_pass=2))))
    )


def test_the_report_shows_the_table_what_to_do_and_what_was_lifted(tmp_path: Path) -> None:
    run = tools.Run(
        (
            launch(1, "replayed", "managed_memory, pool_memory"),
            launch(2, "replayed", "managed_memory"),
            launch(3, "declined", "budget"),
            launch(4, "incomplete", "copy_in_flight: ended after 1 of 2 passes"),
        )
    )
    trace = mp.open_trace(tools.write_run(tmp_path, run, files=("journal",)))
    text = mp.report(trace)
    table = [line.split() for line in text.partition("\nLaunches  replayed")[2].splitlines()]
    why = ["budget", "1,", "copy_in_flight", "1", "(ended", "early)"]
    assert ["4", "2", "1", "1", *why, "axpy(float*,", "int)"] in table
    danger = "what a kernel wrote there was not restored between passes; results of the program may differ"
    told = f"1 launch was replayed although managed memory was live (--unsafe managed_memory): {danger}"
    unwrapped = " ".join(text.split())
    assert told in unwrapped
    assert "although managed memory was live and stream-ordered memory was live (hipMallocAsync, pools)" in unwrapped
    assert "a copy from or to the GPU began meanwhile; the replay was ended after 1 of 2 passes" in unwrapped
    for form in ("markdown", "html"):
        assert danger in mp.report(trace, form)


def test_one_sees_whether_each_launch_shape_has_all_its_counters(tmp_path: Path) -> None:
    def told(*launches: tools.Launch) -> str:
        return closing.coverage(
            mp.open_trace(tools.write_run(tmp_path, tools.Run(launches), files=("journal",))).dispatches()
        )

    one_group = launch(2, "declined", "budget")
    assert told(launch(1, "replayed"), one_group) == "counters of each launch shape: all were read (1 shape)"
    other = replace(launch(3, "declined", "budget"), grid=(64, 1, 1))
    assert told(launch(1, "replayed"), one_group, other) == "counters of each launch shape: 1 of 2 shapes lack some"
    assert told(launch(1, "filtered", "gpus")) == ""


def test_documents_have_the_table_too_with_the_kernel_first_and_the_sum_last(tmp_path: Path) -> None:
    run = tools.Run(
        (
            launch(1, "replayed"),
            launch(2, "declined", "budget"),
            launch(3, "incomplete", "copy_in_flight: ended after 1 of 2 passes"),
            launch(4, "declined", "budget", kernel="add<int>(int*)"),
            launch(5, "filtered", "range", kernel="add<int>(int*)"),
        )
    )
    trace = mp.open_trace(tools.write_run(tmp_path, run, files=("journal",)))
    section = mp.report(trace, "markdown").partition("\n## Launches\n")[2].partition("\n## ")[0]
    assert [line for line in section.splitlines() if line.startswith("|")] == [
        "| Kernel | Launches | Replayed | Rotated | Filtered | Incomplete | Why |",
        "| --- | ---: | ---: | ---: | ---: | ---: | --- |",
        "| `axpy(float*, int)` | 3 | 1 | 1 | 0 | 1 | budget 1, copy_in_flight 1 (ended early) |",
        "| `add<int>(int*)` | 2 | 0 | 1 | 1 | 0 | budget 1 |",
        "| all 2 kernels | 5 | 1 | 2 | 1 | 1 | budget 2, copy_in_flight 1 (ended early) |",
    ]
    page = (
        mp.report(trace, "html")
        .partition('id="launches">Launches</h2>')[2]
        .partition("</section>")[0]
        .replace("&nbsp;", " ")
    )
    found = [re.sub(r"<svg.*?</svg>", "", row) for row in re.findall("<tr>(.*?)</tr>", page, re.DOTALL)]
    cells = [[re.sub("<.*?>", "", cell) for cell in re.findall("<t[hd].*?>(.*?)</t[hd]>", row)] for row in found]
    assert cells == [
        ["Kernel", "Launches", "Replayed", "Rotated", "Filtered", "Incomplete", "Why"],
        ["axpy(float*, int)", "3", "1", "1", "0", "1", "budget 1, copy_in_flight 1 (ended early)"],
        ["add&lt;int&gt;(int*)", "2", "0", "1", "1", "0", "budget 1"],
        ["all 2 kernels", "5", "1", "2", "1", "1", "budget 2, copy_in_flight 1 (ended early)"],
    ]


def test_documents_have_none_where_all_were_replayed(tmp_path: Path) -> None:
    run = tools.Run(tuple(launch(n, "replayed") for n in range(1, 4)))
    trace = mp.open_trace(tools.write_run(tmp_path, run, files=("journal",)))
    assert "## Launches" not in mp.report(trace, "markdown")
    assert "Launches</h2>" not in mp.report(trace, "html")


@pytest.mark.parametrize("name", SAFETY_REASONS)
def test_each_reason_is_told_with_what_to_do_and_its_danger(name: str) -> None:
    words = safety.declined(name)
    assert words is not None
    names = "pool_memory,virtual_memory" if name == "pool_memory" else name
    assert f"--unsafe {names} replays all the same: {safety.CONDITIONS[name].danger}" in words[1]
    assert f"(--unsafe {name}): " in safety.lifted(name, 2)
    page = (Path(__file__).parents[2] / "docs/safety.md").read_text(encoding="utf-8")
    assert f"`{name}`" in page


def test_the_reasons_are_those_that_can_be_lifted() -> None:
    assert tuple(safety.CONDITIONS) == SAFETY_REASONS
