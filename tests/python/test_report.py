# SPDX-License-Identifier: MIT
"""What the reports say."""

from __future__ import annotations

import errno
import io
import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
import trace_tools as tools

from rocprofsys_multipass.report import (
    numbers,
    render_csv,
    render_html,
    render_json,
    render_markdown,
    render_terminal,
)
from rocprofsys_multipass.report.passes import agreements, by_pass, window_of
from rocprofsys_multipass.report.statistics import by_kernel, in_block_order
from rocprofsys_multipass.report.terminal import PLAIN_WIDTH
from rocprofsys_multipass.trace import Agent, Trace, open_trace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RUN = tools.sample_run()


def opened(tmp_path: Path, run: tools.Run = RUN) -> Trace:
    return open_trace(tools.write_run(tmp_path, run, files=("journal",)))


def text_of(trace: Trace, **options: object) -> str:
    stream = io.StringIO()
    render_terminal(trace, stream, **{"width": 100, **options})  # type: ignore[arg-type]
    return stream.getvalue()


def row(text: str, start: str) -> list[str]:
    """Cells of the first line that starts so."""
    return next(line.split() for line in text.splitlines() if line.startswith(start))


def wide_run() -> tools.Run:
    """45 counters in 5 passes, 14 dispatches."""
    plan = tuple(tuple(f"BLK{k}_COUNTER_NUMBER_{n}_sum" for n in range(9)) for k in range(5))
    launches = tuple(
        tools.Launch(
            d,
            tuple(
                tools.Execution(
                    k, d * 10_000 + k * 200, d * 10_000 + k * 200 + 100, {c: 1e6 * d + n for n, c in enumerate(plan[k])}
                )
                for k in range(5)
            ),
        )
        for d in range(1, 15)
    )
    return replace(RUN, plan=plan, launches=launches)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (None, "-"),
        (0, "0"),
        (9_999_999, "9,999,999"),
        (-12, "-12"),
        (33_000_001, "33,000,001"),
        (2.0**53, "9,007,199,254,740,992"),
        (17.25, "17.25"),
        (2048.125, "2,048.125"),
        (0.25, "0.25"),
        (123456.03125, "123,456.03125"),
        (0.00390625, "0.00390625"),
        (1 / 3, "~0.33333"),
        (-2 / 3, "~-0.66667"),
        (88.123456, "~88.123"),
        (1234567.891234, "~1,234,568"),
        (0.0123456789, "~0.012346"),
        (0.000123456, "0.000123456"),
        (1e-9, "1e-09"),
        (1.23456789e-9, "~1.2346e-09"),
        (2.0**63, "~9.2234e+18"),
        (1e30, "1e+30"),
    ],
)
def test_values_are_exact_where_that_is_short_else_marked_as_rounded(number: float | None, text: str):
    assert numbers.value(number) == text


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (None, "-"),
        (0, "0 ns"),
        (999, "999 ns"),
        (10.5, "11 ns"),
        (1500, "1.500 µs"),
        (10_125, "10.13 µs"),
        (123_456, "123.5 µs"),
        (2.5e6, "2.500 ms"),
        (6.1e10, "61.00 s"),
    ],
)
def test_durations_have_the_unit_that_fits(ns: float | None, text: str):
    assert numbers.duration(ns) == text


def test_the_head_tells_what_ran_and_what_became_of_the_dispatches(tmp_path: Path):
    text = text_of(opened(tmp_path))
    assert "./app it's\nprocess 4711 · host · SDK 1.4.1 · simulated · replay auto\n" in text
    assert "GPU 0 [gfx942] a GPU  3 counters in 2 passes (fewer are impossible)" in text
    assert "5 dispatches:  2 replayed  1 declined (graph 1)  1 filtered  1 incomplete (process_end 1)" in text
    assert "! two queues overlapped" in text


def test_kernels_come_longest_first_with_times_of_pass_0(tmp_path: Path):
    text = text_of(opened(tmp_path))
    assert row(text, "    3 ")[:2] == ["3", "2"]
    assert "300 ns  68.2 %       100 ns  100 ns  100 ns   100-110 ns  axpy(float*, int)" in text
    assert "140 ns  31.8 %        70 ns   50 ns   90 ns            -  init(int)" in text


def test_a_counter_that_was_not_read_is_a_dash_and_zero_is_zero(tmp_path: Path):
    text = text_of(opened(tmp_path))
    varying = text.split("by dispatch, counters that vary")[1]
    assert row(varying, "Counter") == ["Counter", "from", "#1", "#2", "#5*"]
    assert row(varying, "TCC_HIT") == ["TCC_HIT", "p1", "300", "0", "-"]


def test_a_counter_that_does_not_vary_is_told_once(tmp_path: Path):
    text = text_of(opened(tmp_path), kernel="axpy")
    assert row(text, "SQ_WAVES") == ["SQ_WAVES", "p0", "512", "=", "=", "all"]
    assert row(text, "TCC_HIT") == ["TCC_HIT", "p1", "150", "0", "300", "2", "of", "3"]
    assert "SQ_WAVES" not in text.split("by dispatch")[1].split("Passes")[0]


def test_the_cost_of_the_passes_is_told_and_drawn(tmp_path: Path):
    text = text_of(opened(tmp_path))
    assert "Passes  replay windows: 520 ns in all, 200 ns of it kernel time of pass 0, 2.6×" in text
    assert row(text, "   1 ") == ["1", "2", "2", "110", "ns", "110", "ns", "110", "ns", "1.1×", "50", "ns"]
    bar = next(line for line in text.splitlines() if "██" in line)
    assert re.search(r" 0█+·+1█+ ", bar)
    assert bar.count("█") > bar.count("·")
    assert bar.rstrip().endswith("260 ns")


def test_passes_that_agree_and_passes_that_do_not(tmp_path: Path):
    agree = text_of(opened(tmp_path / "a"))
    assert "was the same in all of them" in agree
    assert row(agree.split("Agreement")[1], "SQ_WAVES") == ["SQ_WAVES", "0", "2", "2"]
    run = tools.with_execution(RUN, 0, 1, values={"SQ_WAVES": 256, "TCC_HIT": 300})
    differ = text_of(opened(tmp_path / "b", run))
    assert row(differ.split("Agreement")[1], "SQ_WAVES") == ["SQ_WAVES", "0", "2", "1", "50.0", "%", "dispatch", "1"]


def test_agreement_at_zero_proves_nothing_and_says_so(tmp_path: Path):
    run = replace(RUN, launches=(tools.replayed(1, 1000, waves=0),))
    assert "all 0: proves nothing" in text_of(opened(tmp_path, run))


NUMBERS_CUT = re.compile(r"\d…|…\s+\d|[.,]…")
# No digits: where it is shortened none is cut.
LONG_NAME = "void " + "::".join(f"space{c}" * 2 for c in "abcdefghijklmnopqrst") + "::kernel<float>(float*, unsigned)"


def long_run() -> tools.Run:
    """The wide run with a kernel name of 300 characters and times that fill their columns."""
    run = wide_run()
    launches = []
    for d in run.launches:
        executions = tuple(replace(e, start=e.start * 12_345, end=e.end * 12_345) for e in d.executions)
        launches.append(replace(d, kernel=LONG_NAME, executions=executions))
    return replace(run, launches=tuple(launches))


@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_no_number_and_no_heading_is_cut(tmp_path: Path, width: int):
    text = text_of(opened(tmp_path, long_run()), width=width)
    assert not NUMBERS_CUT.search(text)
    above_rules = [head for head, rule in pairwise(text.splitlines()) if rule.startswith("──")]
    assert len(above_rules) > 4
    assert not any("…" in head for head in above_rules)
    assert row(text.split("\nPasses")[1], "Pass")[0] == "Pass"
    assert max(map(len, text.splitlines())) <= width


def test_names_are_shortened_before_extents_are_left_out(tmp_path: Path):
    trace = opened(tmp_path, long_run())
    kernels = {width: text_of(trace, width=width).split("\nCounters")[0] for width in (80, 100)}
    times = ["Pass", "0", "mean", "Over", "passes"]
    assert row(kernels[100], "Calls") == ["Calls", "Replayed", "Total", "Share", *times, "Kernel"]
    assert row(kernels[80], "Calls") == ["Calls", "Replayed", "Total", *times, "Kernel"]
    assert all("  void spacea" in text and "…" in text for text in kernels.values())


def test_a_kernel_has_its_whole_name_above_its_counters(tmp_path: Path):
    text = text_of(opened(tmp_path, long_run()), width=100)
    assert LONG_NAME.replace(" ", "") in re.sub(r"\s", "", text.split("\nCounters")[1])


def test_a_file_or_pipe_gets_wide_lines_without_trailing_spaces(tmp_path: Path):
    text = text_of(opened(tmp_path, long_run()), width=None)
    lines = text.splitlines()
    assert 100 < max(map(len, lines)) <= PLAIN_WIDTH
    assert [line for line in lines if line != line.rstrip()] == []
    assert "\x1b" not in text


def single_pass_run() -> tools.Run:
    """As `--replay off` leaves it: two passes planned, the counters of one read."""
    launches = tuple(
        tools.Launch(
            d,
            (tools.Execution(None, d * 1000, d * 1000 + 100, {"SQ_WAVES": 512, "GRBM_COUNT": 7}),),
            outcome="single_pass",
        )
        for d in (1, 2)
    )
    return replace(RUN, launches=launches, replay_mode="off")


def test_whose_the_times_are_is_told_only_where_something_was_replayed(tmp_path: Path):
    of_all = text_of(opened(tmp_path / "all", replace(RUN, launches=RUN.launches[:2])))
    of_some = text_of(opened(tmp_path / "some"))
    of_none = text_of(opened(tmp_path / "none", single_pass_run()))
    told = "kernel times of pass 0 (the GPU was idle, memory just copied)"
    assert f"Kernels  {told}\n" in of_all
    assert f"{told}, of those that were replayed\n" in of_some
    assert "\nKernels\n" in of_none
    assert "idle" not in of_none


def test_counters_that_replay_off_left_out_are_named(tmp_path: Path):
    text = text_of(opened(tmp_path, single_pass_run()))
    assert "\n  ! not read (--replay off): TCC_HIT\n" in text
    assert "not read" not in text_of(opened(tmp_path / "other"))


@pytest.mark.parametrize(
    ("render", "counter"),
    [
        (render_terminal, "! TOO_BIG was not read: needs 9 SQ registers, a pass has 8"),
        (render_markdown, "**not read:** TOO_BIG: needs 9 SQ registers, a pass has 8"),
        (render_html, "not read: TOO_BIG: needs 9 SQ registers, a pass has 8"),
    ],
)
def test_a_group_that_is_in_no_pass_is_not_called_unread(tmp_path: Path, render: Callable[..., None], counter: str):
    unplaceable = (
        ("TOO_BIG", "needs 9 SQ registers, a pass has 8"),
        ("SQ_WAVES,TCC_HIT", "they need 9 SQ registers, a pass has 8"),
    )
    trace = opened(tmp_path, replace(RUN, unplaceable=unplaceable))
    assert len(trace.processes[0].gpus[0].unplaceable) == 2
    stream = io.StringIO()
    render(trace, stream)
    assert counter in stream.getvalue()
    assert "SQ_WAVES,TCC_HIT" not in stream.getvalue()


def test_outcomes_are_called_as_everywhere(tmp_path: Path):
    assert "2 dispatches:  2 single_pass\n" in text_of(opened(tmp_path, single_pass_run()))


def test_kilobytes_are_shown_as_a_unit(tmp_path: Path):
    run = replace(RUN, descriptions={"TCC_HIT": "The total kilobytes that hit", "SQ_WAVES": "Waves"})
    trace = opened(tmp_path, run)
    tables = text_of(trace).split("by dispatch, counters that vary")
    assert row(tables[0], "Counter ") == ["Counter", "from", "Unit", "Mean", "Min", "Max", "Max/Min", "read", "in"]
    assert row(tables[0], "TCC_HIT")[:4] == ["TCC_HIT", "p1", "KB", "150"]
    assert row(tables[0], "SQ_WAVES")[:3] == ["SQ_WAVES", "p0", "512"]
    assert row(tables[1], "TCC_HIT")[:4] == ["TCC_HIT", "p1", "KB", "300"]
    stream = io.StringIO()
    render_markdown(trace, stream)
    assert "| TCC_HIT | p1 | KB | 2 of 3 | 150 | 0 | 300 |" in stream.getvalue().splitlines()


def test_no_unit_is_shown_where_none_is_known(tmp_path: Path):
    assert "Unit" not in text_of(opened(tmp_path))


def test_values_that_never_vary_need_no_extent(tmp_path: Path):
    text = text_of(opened(tmp_path, single_pass_run()))
    assert row(text, "Counter ") == ["Counter", "from", "Each"]
    assert row(text, "SQ_WAVES") == ["SQ_WAVES", "p0", "512"]


@pytest.mark.parametrize("width", [60, 80, 100, 200])
def test_no_line_is_wider_than_the_terminal(tmp_path: Path, width: int):
    text = text_of(opened(tmp_path, wide_run()), width=width)
    assert max(map(len, text.splitlines())) <= width


def test_wide_lists_are_shown_in_full_at_100_columns(tmp_path: Path):
    text = text_of(opened(tmp_path, wide_run()))
    blocks = text.split("by dispatch")[1].split("Passes")[0]
    heads = [line.split()[2:] for line in blocks.splitlines() if line.startswith("Counter ")]
    assert [name for head in heads for name in head] == [f"#{d}" for d in range(1, 15)]
    assert sum(line.startswith("BLK4_COUNTER_NUMBER_8_sum") for line in blocks.splitlines()) == len(heads)
    assert "14,000,000" in blocks
    assert "…" not in blocks


def test_only_the_kernel_asked_for_is_shown(tmp_path: Path):
    text = text_of(opened(tmp_path), kernel="^init")
    assert "axpy" not in text
    assert "2 dispatches:  1 declined (graph 1)  1 filtered" in text


def test_many_kernels_are_cut_to_those_that_take_longest(tmp_path: Path):
    launches = tuple(replace(tools.replayed(n, 1000 * n), kernel=f"kernel_{n}") for n in range(1, 12))
    text = text_of(opened(tmp_path, replace(RUN, launches=launches)))
    assert "3 more kernels with counters: name one to see them" in text


def test_a_run_without_dispatches_says_so(tmp_path: Path):
    text = text_of(opened(tmp_path, replace(RUN, launches=())))
    assert "No dispatch was recorded." in text


def test_kernel_names_are_no_markup(tmp_path: Path):
    run = tools.with_launch(RUN, 0, kernel="f<[bold]>(int [3])")
    assert "f<[bold]>(int [3])" in text_of(opened(tmp_path, run))


def test_a_process_that_died_is_told(tmp_path: Path):
    assert "! the process ended before the journal was closed" in text_of(opened(tmp_path, replace(RUN, closed=False)))


def test_what_the_capture_lost_is_told(tmp_path: Path) -> None:
    path = opened(tmp_path, RUN).processes[0].path
    header = tools.journal_header(lost=1234, error=errno.ENOSPC)
    path.write_bytes(header + path.read_bytes()[len(header) :])
    assert "! 1,234 records are lost at least: No space left on device" in text_of(open_trace(path))


def test_statistics_leave_out_what_was_not_read(tmp_path: Path):
    axpy = by_kernel(opened(tmp_path).dispatches())[0]
    hits = axpy.counter("TCC_HIT")
    assert hits is not None
    assert (hits.count, hits.mean, hits.low, hits.high) == (2, 150, 0, 300)
    assert axpy.counter("NOT_THERE") is None
    assert dict(axpy.outcomes) == {"replayed": 2, "incomplete (process_end)": 1}


def test_gaps_lie_between_the_passes_of_one_dispatch(tmp_path: Path):
    passes = by_pass(opened(tmp_path).dispatches(outcome="replayed"))
    assert [(p.index, p.duration.mean, p.gap and p.gap.mean) for p in passes] == [(0, 100, None), (1, 110, 50)]


def test_a_window_needs_two_passes_with_usable_times(tmp_path: Path):
    run = tools.with_execution(RUN, 1, 0, start=2300, end=2200)
    dispatches = opened(tmp_path, run).dispatches()
    assert [window_of(d) is not None for d in dispatches] == [True, False, False, False, False]


def test_agreement_has_a_row_per_counter_that_was_read_twice(tmp_path: Path):
    trace = opened(tmp_path)
    rows = agreements(trace.processes[0], trace.dispatches())
    assert [(r.counter, r.compared, r.equal, r.worst) for r in rows] == [("SQ_WAVES", 2, 2, None)]


@pytest.mark.parametrize(("other", "spread"), [(512.0, 0.0), (384.0, 0.25)])
def test_agreement_tells_how_far_the_passes_differ(tmp_path: Path, other: float, spread: float):
    trace = opened(tmp_path, tools.with_execution(RUN, 0, 1, values={"SQ_WAVES": other}))
    assert [r.spread for r in agreements(trace.processes[0], trace.dispatches()[:1])] == [spread]


def test_counters_of_a_block_stand_together_and_derived_ones_last():
    names = ["VALUBusy", "TCC_HIT", "SQ_WAVES", "TCC_EA0_RDREQ", "SQ_BUSY"]
    assert in_block_order(names, Agent(index=0, device=0, name="x")) == [
        "SQ_BUSY",
        "SQ_WAVES",
        "TCC_EA0_RDREQ",
        "TCC_HIT",
        "VALUBusy",
    ]


@pytest.mark.parametrize("render", [render_csv, render_json, render_markdown, render_terminal])
def test_reports_of_nothing_can_be_written(tmp_path: Path, render: Callable[[Trace, io.StringIO], None]):
    stream = io.StringIO()
    render(opened(tmp_path, replace(RUN, launches=())), stream)
    assert stream.getvalue()


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_stream_without_the_characters_of_the_report_gets_others(tmp_path: Path, encoding: str):
    run = replace(RUN, launches=tuple(replace(d, kernel="größe<" + "long, " * 40 + ">()") for d in RUN.launches))
    trace = open_trace(tools.write_run(tmp_path, run, files=("journal",)))
    wide, narrow = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), encoding)
    for stream in (wide, narrow):
        render_terminal(trace, stream, width=80)
        stream.flush()
    good, plain = (s.buffer.getvalue().decode(s.encoding).splitlines() for s in (wide, narrow))
    assert [len(line) for line in plain] == [len(line) for line in good]
    assert any("---" in line for line in plain)
    assert any("~" in line for line in plain) == any("…" in line for line in good)
    assert any(("größe" if encoding == "latin-1" else "gr??e") in line for line in plain)


def test_a_value_that_is_no_finite_number_is_shown_as_it_is():
    assert (numbers.value(float("inf")), numbers.value(float("nan"))) == ("inf", "nan")
