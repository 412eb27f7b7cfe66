# SPDX-License-Identifier: MIT
"""Launch shapes and their counters in the reports: how much was read, what, and what was not."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
import trace_tools as tools
from trace_tools import Execution, Launch, Run

import rocprofsys_multipass as mp
from rocprofsys_multipass.report.html import render_html
from rocprofsys_multipass.trace import Trace, open_trace

PLAN = (("SQ_WAVES", "SQ_INSTS"), ("TCC_HIT",), ("TCC_MISS",))
VALUES = ({"SQ_WAVES": 8.0, "SQ_INSTS": 40.0}, {"TCC_HIT": 30.0}, {"TCC_MISS": 5.0})


def rotated(number: int, group: int, *, x: int = 1024, more: float = 0) -> Launch:
    values = {name: value + more for name, value in VALUES[group].items()}
    one = Execution(None, 1000 * number, 1000 * number + 90, values, group=group)
    return Launch(number, (one,), outcome="declined", reason="rotate_mode", grid=(x, 1, 1))


def replayed(number: int) -> Launch:
    passes = [Execution(k, 1000 * number + 100 * k, 1000 * number + 100 * k + 90, VALUES[k]) for k in range(3)]
    return Launch(number, tuple(passes))


def trace_of(folder: Path, *launches: Launch) -> Trace:
    run = Run(tuple(launches), plan=PLAN, replay_mode="rotate")
    return open_trace(tools.write_run(folder / "out", run, files=("journal",)))


@pytest.fixture
def twice(tmp_path: Path) -> Trace:
    """A shape that was launched three times, in two groups, and one that was launched once."""
    return trace_of(tmp_path, rotated(1, 0), rotated(2, 1), rotated(3, 0, more=2), rotated(4, 2, x=64))


def lines_of(text: str, title: str) -> list[str]:
    """The lines of a section of the text, without the first one."""
    part = text.split(f"\n{title}", 1)[1].split("\n\n", 1)[0]
    return [line.rstrip() for line in part.splitlines()[1:]]


def test_the_terminal_has_a_line_for_each_launch_shape(twice: Trace):
    lines = lines_of(mp.report(twice), "Kernel counters")
    assert [" ".join(line.split()) for line in lines[2:4]] == [
        "1024,1,1 64,1,1 3 0 2 of 3 3 of 4 0-2 axpy(float*, int)",
        "64,1,1 64,1,1 1 0 1 of 3 1 of 4 0-1 axpy(float*, int)",
    ]
    assert lines[4] == "median and MAD of each counter: --kernel-counters, or the view kernel_counters"


def test_what_was_replayed_in_full_needs_no_such_table(tmp_path: Path):
    trace = trace_of(tmp_path, replayed(1), replayed(2))
    assert "Kernel counters" not in mp.report(trace)
    assert "## Kernel counters" not in mp.report(trace, "markdown")
    assert ">Kernel counters</h2>" in mp.report(trace, "html"), "the page has it folded"


def test_the_first_screen_of_the_page_says_nothing_is_missing_where_each_shape_has_all_its_counters(tmp_path: Path):
    def not_read(*launches: Launch) -> str:
        page = mp.report(trace_of(tmp_path, *launches), "html")
        return re.sub("<.*?>", " ", page.partition("<dt>Not read</dt>")[2].partition("</div>")[0]).strip()

    whole = not_read(replayed(1), rotated(2, 0), rotated(3, 1))
    assert " ".join(whole.split()) == (
        "nothing every launch shape has all its counters; 2 dispatches read some of them: why"
    )
    record_lost = replace(rotated(2, 0), outcome="incomplete", reason="pass 1 did not deliver its counters")
    assert " ".join(not_read(replayed(1), record_lost).split()) == (
        "1 dispatch 50.0 % of the dispatches lack counters, but no launch shape does; why, and what to do"
    )
    ended = replace(record_lost, reason="budget: ended after 1 of 3 passes")
    assert not_read(replayed(1), ended).startswith("nothing")
    in_part = not_read(replayed(1), rotated(2, 0), rotated(3, 1, x=64))
    assert " ".join(in_part.split()) == (
        "2 dispatches 66.7 % of the dispatches lack counters, and 1 of 2 launch shapes; why, and what to do"
    )


def test_alone_it_has_every_counter_and_nothing_filled_in(twice: Trace):
    text = mp.report(twice, kernel_counters=True)
    assert "GPU 0, grid 1024,1,1, work-group 64,1,1, 3 launches, 0 replayed" in text
    assert "2 of 3 groups, 3 of 4 counters were read" in text
    rows = [line.split() for line in text.splitlines()]
    assert ["SQ_WAVES", "0", "2", "9", "1", "8", "10"] in rows
    assert ["TCC_MISS", "2", "0", "-", "-", "-", "-"] in rows
    assert "their ratio is that of no launch" in text


def test_markdown_has_both_tables(twice: Trace):
    assert "| `axpy(float*, int)` | 0 | 1024,1,1 | 64,1,1 | 3 | 0 | 2 of 3 | 3 of 4 | 0-2 |" in mp.report(
        twice, "markdown"
    )
    alone = mp.report(twice, "markdown", kernel_counters=True)
    assert "| SQ_INSTS | 0 | 2 | 41 | 1 | 40 | 42 |" in alone
    assert "| TCC_MISS | 2 | 0 | - | - | - | - |" in alone


def test_the_page_has_a_section_with_each_shape_unfolding(twice: Trace):
    stream = io.StringIO()
    render_html(twice, stream)
    page = stream.getvalue()
    section = page.split('<section aria-labelledby="counters">')[1].split("</section>")[0]
    assert section.count("<details>") == 2
    assert "2 of 3 groups, 3 of 4 counters were read." in section
    assert '<li><a href="#counters">Kernel counters</a></li>' in page


def test_csv_and_json_have_the_rows_of_the_api(twice: Trace):
    rows = twice.kernel_counters()
    lines = list(csv.DictReader(io.StringIO(mp.report(twice, "csv", kernel_counters=True))))
    found = json.loads(mp.report(twice, "json", kernel_counters=True))
    assert json.loads(mp.report(twice, "json"))["processes"][0]["kernel_counters"] == found
    for row, line, one in zip(rows, lines, found, strict=True):
        for name, value in (("counter", row.counter), ("n", row.n), ("median", row.median), ("min", row.low)):
            assert one[name] == value
            assert line[name] == ("" if value is None else str(value))
        assert one["grid"] == [*(row.grid or ())]
        assert line["grid_x"] == str(one["grid"][0])
        assert (line["groups_read"], line["groups_planned"]) == (str(row.groups_read), "3")


def test_only_kernels_that_were_asked_for_are_in_it(tmp_path: Path):
    other = replace(rotated(2, 0), kernel="sum(int)")
    trace = trace_of(tmp_path, rotated(1, 0), other)
    assert "axpy" not in mp.report(trace, kernel="sum", kernel_counters=True).split("Kernel counters", 1)[1]


def test_it_is_said_that_replayed_and_other_launches_are_taken_together(tmp_path: Path):
    text = mp.report(trace_of(tmp_path, replayed(1), rotated(2, 0)), kernel_counters=True)
    assert "values of replayed launches and of others are taken together" in text


@pytest.mark.parametrize(
    ("form", "options", "message"),
    [("html", {}, "section of its own"), ("text", {"dispatches": 3}, "no lines of dispatches")],
)
def test_what_has_no_such_table_is_refused(twice: Trace, form: str, options: dict[str, int], message: str):
    with pytest.raises(mp.MultipassError, match=message):
        mp.report(twice, form, kernel_counters=True, **options)  # type: ignore[arg-type]
