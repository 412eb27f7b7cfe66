# SPDX-License-Identifier: MIT
"""Reading journals: content, torn tails, damage."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import trace_tools as tools
from hypothesis import given, settings
from hypothesis import strategies as st

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.trace import BlockUse
from rocprofsys_multipass.trace import journal_pb2 as pb
from rocprofsys_multipass.trace.journal import read_journal

if TYPE_CHECKING:
    from pathlib import Path

WHOLE = tools.journal_bytes(tools.sample_run())
HEADER = len(tools.journal_header())
OFFSETS = list(tools.frame_offsets(WHOLE))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("journals")


def read(folder: Path, data: bytes):
    path = folder / "one.journal"
    path.write_bytes(data)
    return read_journal(path)


def test_reads_what_the_process_was(folder: Path):
    process = read(folder, tools.journal_bytes(replace(tools.sample_run(), rank=3)))
    assert (process.pid, process.rank, process.guid) == (tools.PID, 3, tools.GUID)
    assert process.command == ("./app", "it's")
    assert (process.sdk_version, process.simulated, process.replay_mode) == ("1.4.1", True, "auto")
    assert process.warnings == ("two queues overlapped",)
    assert (process.notes, process.closed) == ((), True)


def test_reads_plan_and_ordinal_of_the_gpu_and_none_for_the_cpu(folder: Path):
    cpu, gpu = read(folder, WHOLE).agents
    assert (cpu.device, cpu.gpu, cpu.label) == (None, False, "CPU")
    assert (gpu.device, gpu.label, gpu.lower_bound, gpu.proof) == (0, "GPU 0 [gfx942]", 2, "bound")
    assert [p.counters for p in gpu.passes] == [("SQ_WAVES", "GRBM_COUNT"), ("SQ_WAVES", "TCC_HIT")]


def test_each_planned_pass_has_the_registers_that_it_takes(folder: Path):
    run = replace(tools.sample_run(), blocks=((("SQ", 1, 8), ("GRBM", 1, 2)), (("SQ", 1, 8), ("TCC", 1, 4))))
    (gpu,) = read(folder, tools.journal_bytes(run)).gpus
    assert gpu.passes[0].blocks == (BlockUse("SQ", 1, 8), BlockUse("GRBM", 1, 2))
    assert [b.block for b in gpu.passes[1].blocks] == ["SQ", "TCC"]


def test_each_pass_has_its_own_times_and_readings(folder: Path):
    first = read(folder, WHOLE).dispatches[0]
    assert [(p.index, p.group, p.start_ns, p.end_ns) for p in first.passes] == [(0, 0, 1000, 1100), (1, 1, 1150, 1260)]
    assert [(r.counter, r.value, r.canonical) for r in first.passes[1].readings] == [
        ("SQ_WAVES", 512, False),
        ("TCC_HIT", 300, True),
    ]


def test_an_execution_outside_a_replay_loop_has_no_pass_but_a_group(folder: Path):
    declined = read(folder, WHOLE).dispatches[2]
    assert (declined.outcome, declined.reason) == ("declined", "graph")
    assert [(p.index, p.group, p.label) for p in declined.passes] == [(None, 1, "group 1")]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_value_that_is_no_number_was_not_delivered(folder: Path, value: float):
    run = tools.with_execution(tools.sample_run(), 0, 0, values={"SQ_WAVES": 1, "GRBM_COUNT": value})
    process = read(folder, tools.journal_bytes(run))
    assert dict(process.dispatches[0].counters) == {"SQ_WAVES": 1, "TCC_HIT": 300}
    assert process.values_recorded == sum(len(p.readings) for d in process.dispatches for p in d.passes)


def test_times_of_zero_are_unknown(folder: Path):
    run = tools.with_execution(tools.sample_run(), 0, 0, start=0, end=0)
    first = read(folder, tools.journal_bytes(run)).dispatches[0]
    assert (first.passes[0].start_ns, first.passes[0].duration_ns) == (None, None)
    assert (first.start_ns, first.duration_ns) == (1150, 110)


@settings(deadline=None)
@given(end=st.integers(0, len(WHOLE)))
def test_a_journal_cut_anywhere_gives_the_frames_before_the_cut(folder: Path, end: int):
    if end < HEADER:
        with pytest.raises(TraceError, match=r"one.journal: .*header"):
            read(folder, WHOLE[:end])
        return
    process = read(folder, WHOLE[:end])
    whole_frames = sum(offset <= end for offset in OFFSETS[1:])
    expected = [f.dispatch.dispatch_id for f in tools.journal_frames(tools.sample_run())[:whole_frames]]
    assert [d.dispatch_id for d in process.dispatches] == [i for i in expected if i]
    assert process.closed == (end == len(WHOLE))
    cut = end not in OFFSETS
    assert [n for n in process.notes if "ends inside" in n] == (
        [f"the file ends inside the frame at byte {OFFSETS[whole_frames]}; that frame is lost"] if cut else []
    )


@settings(deadline=None)
@given(position=st.integers(HEADER, len(WHOLE) - 1), flip=st.integers(1, 255))
def test_one_changed_byte_costs_one_frame_and_is_told(folder: Path, position: int, flip: int):
    data = bytearray(WHOLE)
    data[position] ^= flip
    process = read(folder, bytes(data))
    hit = next(n for n, offset in enumerate(OFFSETS) if offset > position) - 1
    frames = tools.journal_frames(tools.sample_run())
    lost = frames.pop(hit)
    assert len(process.dispatches) == sum(f.WhichOneof("body") == "dispatch" for f in frames)
    assert process.notes
    if lost.WhichOneof("body") == "dispatch":
        a, b = OFFSETS[hit], OFFSETS[hit + 1]
        assert process.notes[0] == f"bytes {a} to {b} are damaged; the frames in them are lost"


@settings(deadline=None)
@given(data=st.binary(max_size=300))
def test_anything_behind_the_header_is_read_or_refused_in_words(folder: Path, data: bytes):
    assert read(folder, tools.journal_header() + data).dispatches == ()


def hidden(frames: bytes) -> bytes:
    """A frame of a later version that holds frames: an unknown field of bytes."""
    return tools.framed(b"\xfa\x07" + len(frames).to_bytes(1, "little") + frames)


def test_what_looks_like_a_frame_in_a_damaged_one_is_none(folder: Path):
    inner = tools.frame(pb.Frame(dispatch=pb.Dispatch(dispatch_id=666, outcome="declined")))
    damaged = bytearray(hidden(inner))
    damaged[16] ^= 1
    process = read(folder, WHOLE + damaged + tools.frame(pb.Frame(warning=pb.Warning(text="behind"))))
    assert 666 not in [d.dispatch_id for d in process.dispatches]
    assert "behind" in process.warnings
    assert process.notes[0] == (
        f"bytes {len(WHOLE)} to {len(WHOLE) + len(damaged)} are damaged; the frames in them are lost"
    )


def test_a_last_frame_that_is_there_and_damaged_is_not_told_as_one_that_is_cut(folder: Path):
    data = bytearray(WHOLE)
    data[-1] ^= 1
    assert read(folder, bytes(data)).notes == (
        f"bytes {OFFSETS[-2]} to {len(WHOLE)} are damaged; the frames in them are lost",
    )


def test_a_length_that_no_frame_has_is_damage(folder: Path):
    payload = bytes(16 << 20)
    process = read(folder, tools.journal_header() + tools.framed(payload) + WHOLE[HEADER:])
    assert process.notes == (f"bytes 32 to {48 + len(payload)} are damaged; the frames in them are lost",)
    assert len(process.dispatches) == len(read(folder, WHOLE).dispatches)


def test_readings_of_an_agent_that_is_lost_are_left_out_not_made_up(folder: Path):
    frames = tools.journal_frames(tools.sample_run())
    kept = [f for f in frames if f.WhichOneof("body") != "agent"]
    process = read(folder, tools.journal_header() + b"".join(map(tools.frame, kept)))
    assert [len(p.readings) for p in process.dispatches[0].passes] == [0, 0]
    assert any("agent 1 is not described" in note for note in process.notes)


def test_a_kernel_that_is_lost_is_called_by_its_number(folder: Path):
    frames = tools.journal_frames(tools.sample_run())
    kept = [f for f in frames if f.WhichOneof("body") != "kernel"]
    process = read(folder, tools.journal_header() + b"".join(map(tools.frame, kept)))
    assert process.dispatches[0].kernel == "kernel 1"


def test_a_frame_of_a_later_version_is_passed_over(folder: Path):
    later = b"\x9a\x06\x00"  # field 99, empty
    process = read(folder, tools.journal_header() + tools.framed(later) + WHOLE[len(tools.journal_header()) :])
    assert len(process.dispatches) == 5
    assert process.notes == ()


def test_dispatches_that_the_last_frame_counted_and_are_not_there_are_told(folder: Path):
    frames = tools.journal_frames(tools.sample_run())
    del frames[next(i for i, f in enumerate(frames) if f.WhichOneof("body") == "dispatch")]
    process = read(folder, tools.journal_header() + b"".join(map(tools.frame, frames)))
    assert process.notes == ("5 dispatches were written, 4 can be read",)


def with_checkpoints(*parts: int | tuple[int, int, int], last: bytes = b"") -> bytes:
    """Dispatches by id, and checkpoints: dispatches, in flight, dropped."""
    frames = [
        pb.Frame(dispatch=pb.Dispatch(dispatch_id=part, outcome="declined"))
        if isinstance(part, int)
        else pb.Frame(checkpoint=pb.Checkpoint(dispatches=part[0], in_flight=part[1], dropped=part[2], at_ns=1))
        for part in parts
    ]
    run = pb.Frame(run=pb.Run(pid=7))
    return tools.journal_header() + b"".join(map(tools.frame, [run, *frames])) + last


def test_the_last_checkpoint_of_a_process_that_died_says_what_was_in_flight(folder: Path):
    process = read(folder, with_checkpoints(1, (1, 4, 0), 2, (2, 3, 5), 3))
    assert (process.in_flight, process.records_lost, process.closed) == (3, 5, False)
    assert [note for note in process.notes if "written" in note] == []
    end = tools.frame(pb.Frame(end=pb.End(dispatches=3)))
    assert read(folder, with_checkpoints(1, (1, 4, 0), 2, 3, last=end)).in_flight is None
    assert read(folder, with_checkpoints(1)).in_flight is None


def test_dispatches_that_a_checkpoint_counts_and_that_are_not_there_are_told(folder: Path):
    notes = read(folder, with_checkpoints(1, (3, 0, 0), 4, (4, 0, 0))).notes
    assert "2 dispatches were written and cannot be read: the checkpoints count them" in notes


def test_the_header_tells_how_many_records_are_lost_and_that_it_is_damaged(folder: Path):
    sound = tools.journal_header(lost=2**40 + 1, error=28) + WHOLE[HEADER:]
    assert (read(folder, sound).records_lost, read(folder, sound).notes) == (2**40 + 1, ())
    damaged = bytearray(sound)
    damaged[20] ^= 1
    process = read(folder, bytes(damaged))
    assert process.records_lost == 0
    assert process.notes == (
        "the header is damaged: whether the plugin lost records is known as far as its last checkpoint says",
    )


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "0 bytes are no journal"),
        (b"SQLite format 3\x00", "byte 0: no journal"),
        (tools.journal_header(3), "version 3, this package reads version 2"),
    ],
)
def test_what_is_no_journal_is_refused_with_the_place(folder: Path, data: bytes, message: str):
    with pytest.raises(TraceError, match=message):
        read(folder, data)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path):
    with pytest.raises(TraceError, match=r"gone.journal: No such file"):
        read_journal(tmp_path / "gone.journal")


def test_an_outcome_of_another_version_is_refused(folder: Path):
    frames = [pb.Frame(dispatch=pb.Dispatch(dispatch_id=9, outcome="folded"))]
    with pytest.raises(TraceError, match="dispatch 9: outcome 'folded' is none of replayed"):
        read(folder, tools.journal_header() + b"".join(map(tools.frame, frames)))
