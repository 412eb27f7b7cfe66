# SPDX-License-Identifier: MIT
"""A trace of which not all is read yet, in several threads and in another process."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
import trace_tools as tools

from rocprofsys_multipass import open_trace
from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.trace.model import Trace

RUN = tools.sample_run()
ENDINGS = pytest.mark.parametrize("ending", ["journal", "db", "pftrace"])


def opened(folder: Path, ending: str) -> Trace:
    return open_trace(tools.write_run(folder, RUN, files=(ending,)))


@ENDINGS
@pytest.mark.parametrize("again", [lambda trace: pickle.loads(pickle.dumps(trace)), copy.deepcopy])
def test_a_trace_is_pickled_and_copied_whole(tmp_path: Path, ending: str, again: Callable[[Trace], Trace]):
    trace = opened(tmp_path, ending)
    copied = again(trace)
    Path(trace.processes[0].path).unlink()
    assert [dict(d.counters) for d in copied.dispatches()] == [dict(d.counters) for d in trace.dispatches()]
    assert copied == trace


@ENDINGS
def test_a_trace_is_pickled_after_it_was_looked_at(tmp_path: Path, ending: str):
    trace = opened(tmp_path, ending)
    seen = [(dict(d.counters), d.canonical_pass.keys(), d.by_counter.keys(), d.duration_ns) for d in trace.dispatches()]
    again = pickle.loads(pickle.dumps(trace))
    assert [
        (dict(d.counters), d.canonical_pass.keys(), d.by_counter.keys(), d.duration_ns) for d in again.dispatches()
    ] == seen


def test_what_cannot_be_read_any_more_cannot_be_pickled(tmp_path: Path):
    trace = opened(tmp_path, "db")
    Path(trace.processes[0].path).unlink()
    with pytest.raises(TraceError, match="No such file"):
        pickle.dumps(trace)


@ENDINGS
def test_threads_read_one_trace(tmp_path: Path, ending: str):
    folder = tools.write_run(tmp_path, RUN, files=(ending,))
    expected = open_trace(folder).to_pandas()
    for _ in range(10):
        trace = open_trace(folder)
        together = Barrier(4)

        def read(number: int, trace: Trace = trace, together: Barrier = together) -> bool:
            together.wait()
            if number % 2:
                return trace.to_pandas().equals(expected)
            return len(trace.dispatches()) == len(RUN.launches)

        with ThreadPoolExecutor(4) as pool:
            assert all(pool.map(read, range(4)))
