# SPDX-License-Identifier: MIT
"""Which launches the numbers of a report are of, and which pass or group they come from."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import trace_tools as tools

import rocprofsys_multipass as mp

if TYPE_CHECKING:
    from pathlib import Path

RUN = tools.sample_run()
SLOW = tools.Launch(
    9,
    (tools.Execution(None, 9000, 9900, {"SQ_WAVES": 512}),),
    outcome="declined",
    reason="max_replays",
)


def opened(tmp_path: Path, run: tools.Run) -> mp.Trace:
    return mp.open_trace(tools.write_run(tmp_path, run, files=("journal",)))


def test_times_of_pass_0_leave_out_launches_that_were_not_replayed(tmp_path: Path) -> None:
    trace = opened(tmp_path, replace(RUN, launches=(*RUN.launches[:2], SLOW)))
    text = mp.report(trace).splitlines()
    head = next(n for n, line in enumerate(text) if line.startswith("Calls"))
    assert text[head].split() == [
        *("Calls", "Replayed", "Total", "Share"),
        *("Pass", "0", "mean", "Min", "Max", "Over", "passes", "Kernel"),
    ]
    assert text[head + 2].split()[:10] == ["3", "2", "1.100", "µs", "100.0", "%", "100", "ns", "100", "ns"]
    assert "of those that were replayed; 1 other only in calls, total and share" in text[head - 1]
    row = "| `axpy(float*, int)` | 0 | 3 | 1.100 µs | 100 ns | 100 ns | 100 ns |"
    assert any(line.startswith(row) for line in mp.report(trace, "markdown").splitlines())
    page = re.sub(r"<svg.*?</svg>", "", mp.report(trace, "html"))
    assert "<td>1.100 µs</td><td>100.0 %</td><td>100 ns</td><td>100 ns</td><td>100 ns</td>" in page


def test_a_kernel_that_was_never_replayed_has_its_own_times(tmp_path: Path) -> None:
    trace = opened(tmp_path, replace(RUN, launches=(RUN.launches[0], replace(SLOW, kernel="slow()"))))
    row = "| `slow()` | 0 | 1 | 900 ns | 900 ns | 900 ns | 900 ns |"
    assert any(line.startswith(row) for line in mp.report(trace, "markdown").splitlines())
    assert "only in calls" not in mp.report(trace)


@pytest.mark.parametrize(("extras", "source"), [((), "p1"), (("permute_groups",), "g1")])
def test_values_come_from_a_pass_or_with_permuted_groups_from_a_group(
    tmp_path: Path, extras: tuple[str, ...], source: str
) -> None:
    trace = opened(tmp_path, tools.shifted(replace(RUN, extras=extras), 1) if extras else RUN)
    row = next(line for line in mp.report(trace).splitlines() if line.startswith("TCC_HIT "))
    assert row.split()[:2] == ["TCC_HIT", source]
    assert any(line.startswith(f"| TCC_HIT | {source} |") for line in mp.report(trace, "markdown").splitlines())
    assert f"<td>{source}</td>" in mp.report(trace, "html").replace(' class="text"', "")


def test_the_drawing_of_passes_has_a_legend(tmp_path: Path) -> None:
    plain = mp.report(opened(tmp_path / "a", RUN))
    assert "\nnumbered bars: passes, dots: restore and gaps\n" in plain
    launch = replace(RUN.launches[0], warm_up=(800, 850), timing=(900, 970))
    trace = opened(tmp_path / "b", replace(RUN, launches=(launch,), extras=("warm_up_pass", "timing_pass")))
    assert "\nw warm-up, t timing, numbered bars: passes, dots: restore and gaps\n" in mp.report(trace)
    assert re.search(r" w█*·*t█*·*0█+·*1█+ ", mp.report(trace))
    assert "w warm-up, t timing, numbers passes, blank restore and gaps" in mp.report(trace, "html")


def cold_caches(*extras: str) -> tools.Run:
    """Two passes that did the same work, of which the second found the caches warm."""
    values = {"SQ_INSTS_VALU": 100.0}
    passes = tuple(
        tools.Execution(k, 1000 + 200 * k, 1100 + 200 * k, {**values, "TCC_MISS": misses})
        for k, misses in enumerate((50.0, 5.0))
    )
    plan = (("SQ_INSTS_VALU", "TCC_MISS"), ("SQ_INSTS_VALU", "TCC_MISS"))
    return replace(RUN, plan=plan, launches=(tools.Launch(1, passes),), extras=extras)


def test_different_caches_have_a_hint_and_inputs_no_column(tmp_path: Path) -> None:
    trace = opened(tmp_path / "cold", cold_caches())
    for form in ("text", "markdown", "html"):
        text = mp.report(trace, form)
        assert "Not the same caches: --warm-up-pass lets all passes run warm" in text
        assert "nputs restored" not in text
    warmed = mp.report(opened(tmp_path / "warm", cold_caches("warm_up_pass")))
    assert "not: 90.0 %" in warmed
    assert "--warm-up-pass" not in warmed
