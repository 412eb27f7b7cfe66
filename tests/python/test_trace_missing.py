# SPDX-License-Identifier: MIT
"""What is said when a dispatch has no reading of a counter."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import trace_tools as tools

import rocprofsys_multipass as mp
from rocprofsys_multipass.trace import Dispatch, open_trace

if TYPE_CHECKING:
    from pathlib import Path

RUN = tools.sample_run()


def dispatch(tmp_path: Path, position: int, run: tools.Run = RUN, file: str = "journal") -> Dispatch:
    return open_trace(tools.write_run(tmp_path, run, files=(file,))).dispatches()[position]


def test_it_is_an_error_of_this_package_and_a_key_error(tmp_path: Path):
    with pytest.raises(mp.CounterError) as caught:
        dispatch(tmp_path, 0).counter("NOPE")
    assert isinstance(caught.value, KeyError)
    assert isinstance(caught.value, mp.MultipassError)
    assert str(caught.value) == (
        "process 4711, dispatch 1 of 'axpy(float*, int)' (replayed) has no reading of 'NOPE': it was not planned; "
        "it has GRBM_COUNT, SQ_WAVES, TCC_HIT"
    )


@pytest.mark.parametrize(
    ("position", "counter", "reason"),
    [
        (0, "SQ_WAVE", "it was not planned, did you mean SQ_WAVES?"),
        (2, "GRBM_COUNT", "pass 0, where it is planned, was not recorded (graph)"),
        (3, "SQ_WAVES", "nothing was read of a filtered dispatch"),
        (4, "TCC_HIT", "pass 1, where it is planned, was not recorded (process_end)"),
    ],
)
def test_the_reason_is_told_as_far_as_the_journal_has_it(tmp_path: Path, position: int, counter: str, reason: str):
    with pytest.raises(mp.CounterError, match=f"{re.escape(reason)}; it has "):
        dispatch(tmp_path, position).counter(counter)


def test_a_pass_that_ran_without_delivering_the_counter_is_named(tmp_path: Path):
    run = tools.with_execution(RUN, 0, 1, values={"SQ_WAVES": 512})
    run = replace(run, launches=(*run.launches[:1], *run.launches[1:]))
    with pytest.raises(mp.CounterError, match="pass 1 ran and did not deliver it; it has GRBM_COUNT, SQ_WAVES"):
        dispatch(tmp_path, 0, run).counter("TCC_HIT")


def test_of_several_planned_passes_each_is_told_apart(tmp_path: Path):
    run = tools.with_execution(RUN, 4, 0, values={"GRBM_COUNT": 90})
    with pytest.raises(
        mp.CounterError, match="pass 0 ran and did not deliver it and pass 1, where it is planned, was not recorded"
    ):
        dispatch(tmp_path, 4, run).counter("SQ_WAVES")


def test_a_sentinel_that_nobody_asked_for_is_explained(tmp_path: Path):
    run = replace(RUN, sentinels=(("SQ_WAVES",), ("SQ_WAVES",)))
    with pytest.raises(mp.CounterError, match=r"to compare passes only.*Dispatch\.by_counter"):
        dispatch(tmp_path, 0, run).counter("SQ_WAVES")


def test_a_long_list_of_counters_is_cut(tmp_path: Path):
    values = {f"BLOCK_{n:02}": 1.0 for n in range(30)}
    run = replace(
        RUN,
        plan=(tuple(values), ("SQ_WAVES",)),
        launches=(tools.Launch(1, (tools.Execution(0, 10, 20, values),)),),
    )
    with pytest.raises(mp.CounterError, match=r"BLOCK_11 and 18 more$"):
        dispatch(tmp_path, 0, run).counter("NOPE")
