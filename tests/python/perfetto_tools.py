# SPDX-License-Identifier: MIT
"""Reads Perfetto traces with Perfetto's own code, for tests.

Two independent readers: :func:`decode` uses the protobuf classes of the PyPI package ``perfetto``, strictly;
:func:`load` asks trace_processor, the query engine of the Perfetto UI, through ``tests/tools/trace_processor_shell``.

The fixtures made of them are in ``perfetto_fixtures.py``.

Environment: ``MULTIPASS_BUILD_DIR`` (CMake's build folder, default ``build/dev``) holds the test executables;
``TRACE_PROCESSOR_DIR`` (default ``build/trace_processor``) keeps the engine between runs.
"""

from __future__ import annotations

import os
import pathlib
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as protos
from perfetto.trace_processor import TraceProcessor, TraceProcessorConfig

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = ROOT / "tests" / "tools"

Argument = bool | int | float | str

_ERRORS = "select name, value from stats where severity in ('error', 'data_loss') and value > 0"
_SLICES = """
select s.id, s.name, s.ts, s.dur, s.category, s.depth, s.arg_set_id, t.name as track
from slice s join track t on s.track_id = t.id order by s.ts, s.id"""
_ARGUMENTS = """
select arg_set_id, key, int_value, string_value, real_value, value_type
from args where key like 'debug.%' order by arg_set_id, id"""
_COUNTERS = """
select t.name as track, c.ts, c.value, t.unit, t.description
from counter c join counter_track t on c.track_id = t.id order by c.ts, c.id"""


@dataclass(frozen=True)
class Slice:
    """A slice, or an instant (``dur`` 0), as trace_processor imported it. Times in nanoseconds."""

    id: int
    name: str
    ts: int
    dur: int
    category: str
    depth: int
    track: str
    args: dict[str, Argument]
    """Debug annotations without their ``debug.`` prefix, in the order written; ``key[0]`` for lists."""


@dataclass(frozen=True)
class LoadedTrace:
    """What trace_processor makes of a trace."""

    slices: tuple[Slice, ...]
    """In order of time."""
    counters: dict[str, list[tuple[int, float]]]
    """Per counter track: time in nanoseconds and value, in the order that a reader sees."""
    units: dict[str, str]
    """Per counter track."""
    flows: frozenset[tuple[int, int]]
    """Ids of the slices at both ends of each arrow."""
    errors: dict[str, int]
    """Statistics of severity error or data_loss that are not 0."""

    def of(self, category: str) -> list[Slice]:
        """The slices of a category, in order of time."""
        return [item for item in self.slices if item.category == category]

    def dispatch(self, dispatch_id: int) -> Slice:
        """The logical slice of a dispatch; fails unless there is exactly one."""
        (found,) = (item for item in self.of("rocm_kernel_dispatch") if item.args["dispatch_id"] == dispatch_id)
        return found

    @property
    def run(self) -> Slice:
        """The mark that describes the run; fails unless there is exactly one."""
        (found,) = self.of("rocm_multipass_run")
        return found


def build_folder() -> pathlib.Path:
    """CMake's build folder."""
    return pathlib.Path(os.environ.get("MULTIPASS_BUILD_DIR", ROOT / "build" / "dev"))


def make_traces_executable() -> pathlib.Path:
    """The program that writes the hand-made runs; fails the test when it is not built."""
    path = build_folder() / "tests" / "cpp" / "perfetto" / "perfetto_make_traces"
    if not path.is_file():
        pytest.fail(
            f"{path} is not built: run cmake --preset dev && cmake --build --preset dev, or set MULTIPASS_BUILD_DIR"
        )
    return path


def decode(trace: pathlib.Path) -> protos.Trace:
    """All packets of a trace. Raises DecodeError on a cut or malformed file, and fails on bytes of unknown meaning."""
    decoded = protos.Trace.FromString(trace.read_bytes())
    assert decoded.ByteSize() == trace.stat().st_size, "the trace has fields that its schema does not know"
    return decoded


def _trace_processor_folder() -> pathlib.Path:
    folder = pathlib.Path(os.environ.get("TRACE_PROCESSOR_DIR", ROOT / "build" / "trace_processor"))
    fetched = subprocess.run([TOOLS / "fetch_trace_processor.sh", folder], capture_output=True, text=True, check=False)
    if fetched.returncode != 0:
        pytest.fail(f"trace_processor cannot be had: {fetched.stderr}")
    return folder


@contextmanager
def trace_processor(trace: pathlib.Path) -> Iterator[TraceProcessor]:
    """A trace_processor that has loaded the trace. It takes a second or two to start."""
    os.environ["TRACE_PROCESSOR_DIR"] = str(_trace_processor_folder())
    config = TraceProcessorConfig(bin_path=str(TOOLS / "trace_processor_shell"), load_timeout=60)
    engine = TraceProcessor(trace=str(trace), config=config)
    try:
        yield engine
    finally:
        engine.close()


def _arguments(engine: TraceProcessor) -> dict[int, dict[str, Argument]]:
    sets: dict[int, dict[str, Argument]] = {}
    for row in engine.query(_ARGUMENTS):
        value: Argument
        if row.value_type == "string":
            value = row.string_value
        elif row.value_type == "real":
            value = row.real_value
        elif row.value_type == "bool":
            value = bool(row.int_value)
        else:
            value = row.int_value
        sets.setdefault(row.arg_set_id, {})[row.key.removeprefix("debug.")] = value
    return sets


def load(trace: pathlib.Path) -> LoadedTrace:
    """Imports a trace and reads the tables that the tests need."""
    with trace_processor(trace) as engine:
        arguments = _arguments(engine)
        slices = tuple(
            Slice(
                row.id, row.name, row.ts, row.dur, row.category, row.depth, row.track, arguments.get(row.arg_set_id, {})
            )
            for row in engine.query(_SLICES)
        )
        counters: dict[str, list[tuple[int, float]]] = {}
        units: dict[str, str] = {}
        for row in engine.query(_COUNTERS):
            counters.setdefault(row.track, []).append((row.ts, row.value))
            units[row.track] = row.unit or ""
        flows = frozenset((row.slice_out, row.slice_in) for row in engine.query("select slice_out, slice_in from flow"))
        errors = {row.name: row.value for row in engine.query(_ERRORS)}
    return LoadedTrace(slices, counters, units, flows, errors)
