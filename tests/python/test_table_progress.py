# SPDX-License-Identifier: MIT
"""The progress of tables: when it is shown, in which words, and that it never stands in the way."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from rocprofsys_multipass.run.table_progress import TableProgress, time_text


class Clock:
    """Every look at it is so many seconds later."""

    def __init__(self, step: float) -> None:
        self._step, self._now = step, -step

    def __call__(self) -> float:
        self._now += self._step
        return self._now


@pytest.fixture
def file(tmp_path: Path) -> Iterator[tuple[int, Path]]:
    path = tmp_path / "stderr"
    out = os.open(path, os.O_WRONLY | os.O_CREAT)
    yield out, path
    os.close(out)


def test_elsewhere_than_on_a_terminal_it_is_a_line_at_a_time(file: tuple[int, Path]):
    progress = TableProgress(file[0], 256, Clock(4))
    assert list(progress.over("x.csv", range(256))) == list(range(256))
    progress.clear()
    assert file[1].read_text(encoding="utf-8").splitlines() == [
        "rocprof-sys-multipass: exporting x.csv: 25 % of 256 dispatches written, 24 s left",
        "rocprof-sys-multipass: exporting x.csv: 100 % of 256 dispatches written, 0 s left",
    ]


def test_of_several_tables_it_tells_how_many_dispatches_there_are_and_of_all_how_far_they_are(file: tuple[int, Path]):
    progress = TableProgress(file[0], 64, Clock(4), tables=2)
    list(progress.over("x.csv", range(64)))
    said = file[1].read_text(encoding="utf-8")
    assert said == "rocprof-sys-multipass: exporting x.csv: 50 % of 64 dispatches in 2 tables written, 8 s left\n"


def test_nothing_is_shown_in_the_first_two_seconds(file: tuple[int, Path]):
    assert len(list(TableProgress(file[0], 640, Clock(0.1)).over("x.csv", range(640)))) == 640
    assert file[1].read_text(encoding="utf-8") == ""


def test_a_terminal_has_one_line_that_is_cut_to_its_width_and_taken_away():
    controller, out = os.openpty()
    try:
        progress = TableProgress(out, 64, Clock(3))
        list(progress.over("x" * 500, range(64)))
        progress.clear()
        said = ""
        while said.count("\r\x1b[K") < 2:  # a terminal hands on what was written when it has time
            said += os.read(controller, 4096).decode()
    finally:
        os.close(controller)
        os.close(out)
    _, line, rest = said.split("\r\x1b[K")
    assert (len(line) < 80, line.startswith("exporting xxx"), rest) == (True, True, "")


def test_a_pipe_that_is_full_or_closed_is_not_waited_for():
    reader, out = os.pipe()
    os.set_blocking(out, False)
    with contextlib.suppress(BlockingIOError):
        while os.write(out, b"x" * 4096):
            pass
    os.set_blocking(out, True)
    assert len(list(TableProgress(out, 64, Clock(3)).over("x.csv", range(64)))) == 64
    os.close(reader)
    assert len(list(TableProgress(out, 64, Clock(3)).over("x.csv", range(64)))) == 64
    os.close(out)


def test_without_anybody_to_tell_the_dispatches_are_passed_on():
    assert list(TableProgress(None, 3).over("x.csv", "abc")) == ["a", "b", "c"]


@pytest.mark.parametrize(("seconds", "text"), [(59, "59 s"), (185, "3 min 5 s"), (7440, "2 h 4 min")])
def test_times_are_in_two_units_at_most(seconds: int, text: str):
    assert time_text(seconds) == text
