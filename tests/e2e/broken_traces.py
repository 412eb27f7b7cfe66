# SPDX-License-Identifier: MIT
"""Faults of the Perfetto trace of a run."""

from __future__ import annotations

from broken_run import BrokenRun, TraceParts, faults
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pt

FAULTS, fault = faults()
REALTIME = 1


@fault(
    """
    error perfetto-bytes pftrace: byte N
    """
)
def the_trace_is_cut_in_a_packet(run: BrokenRun) -> None:
    run.bytes_changed("pftrace", lambda data: data[:-3])


@fault(
    """
    error perfetto-bytes pftrace: byte N
    """
)
def the_trace_has_garbage_behind_its_end(run: BrokenRun) -> None:
    run.bytes_changed("pftrace", lambda data: data + b"\xff\xfe garbage")


@fault(
    """
    error parity pftrace: dispatch 12
    error parity pftrace: dispatch 12, pass {0..4}
    """
)
def the_trace_is_cut_between_packets(run: BrokenRun) -> None:
    with run.trace() as trace:
        del trace.packets[-120:]


@fault(
    """
    error parity pftrace: dispatch {2|5|8|11}
    error perfetto-names pftrace
    error perfetto-names pftrace: byte N
    """
)
def interned_names_are_missing(run: BrokenRun) -> None:
    with run.trace() as trace:
        (name,) = (p for p in trace.packets if any("transpose" in e.name for e in p.interned_data.event_names))
        del name.interned_data.event_names[:]


@fault(
    """
    error parity pftrace: dispatch 4
    error perfetto-kernels pftrace: dispatch 4, pass {0..4}
    """
)
def a_logical_slice_is_gone(run: BrokenRun) -> None:
    with run.trace() as trace:
        trace.remove(*trace.logical(4))


@fault(
    """
    error duplicates pftrace: dispatch 4
    """
)
def a_logical_slice_is_there_twice(run: BrokenRun) -> None:
    with run.trace() as trace:
        begin, end = trace.logical(4)
        at = trace.packets.index(end)
        trace.packets[at + 1 : at + 1] = [_moved(begin, end.timestamp - begin.timestamp), _moved(end, 1000)]


def _moved(packet: pt.TracePacket, by: int) -> pt.TracePacket:
    other = pt.TracePacket()
    other.CopyFrom(packet)
    other.timestamp += by
    return other


@fault(
    """
    error parity pftrace: dispatch 4, pass 2
    error trace-notes pftrace: GPU 0 [gfx942], pass 2
    """
)
def a_pass_slice_is_gone(run: BrokenRun) -> None:
    with run.trace() as trace:
        trace.remove(*trace.execution(4, 2))


@fault(
    """
    error parity pftrace: dispatch 4, pass 2
    error perfetto-kernels pftrace: dispatch 6, pass 2
    """
)
def a_pass_slice_is_of_another_dispatch(run: BrokenRun) -> None:
    with run.trace() as trace:
        begin, _ = trace.execution(4, 2)
        trace.value(begin, "dispatch_id").uint_value = 6


@fault(
    """
    error perfetto-kernels pftrace: dispatch 4, pass 2
    """
)
def a_pass_slice_has_another_kernel(run: BrokenRun) -> None:
    with run.trace() as trace:
        begin, _ = trace.execution(4, 2)
        begin.track_event.name_iid = trace.logical(6)[0].track_event.name_iid


@fault(
    """
    error parity pftrace: dispatch 4
    error perfetto-kernels pftrace: dispatch 4, pass {0..4}
    """
)
def a_logical_slice_has_another_kernel(run: BrokenRun) -> None:
    with run.trace() as trace:
        begin, _ = trace.logical(4)
        begin.track_event.name_iid = trace.logical(6)[0].track_event.name_iid


@fault(
    """
    error parity pftrace: dispatch {4|5}, pass 2
    error parity pftrace: dispatch {4|5}, pass 2, {GRBM_GUI_ACTIVE|SQ_INSTS_VALU|TCC_BUSY|TCC_HIT|TCC_MISS|\
        TCC_TAG_STALL}
    error perfetto-lanes pftrace: multipass-demo / GPU 0 [gfx942] / Replay pass 2 / Kernels
    error times pftrace: dispatch 4, pass 3
    error trace-notes pftrace: GPU 0 [gfx942], pass 2
    """
)
def slices_overlap_on_a_lane(run: BrokenRun) -> None:
    with run.trace() as trace:
        _, end = trace.execution(4, 2)
        end.timestamp = trace.execution(5, 2)[0].timestamp + 1000


@fault(
    """
    error parity pftrace: dispatch 12, pass 4
    error parity pftrace: dispatch 12, pass 4, {GRBM_GUI_ACTIVE|SQ_INSTS_VALU|TCC_MISS|TCC_NORMAL_WRITEBACK}
    error perfetto-slices pftrace: multipass-demo / GPU 0 [gfx942] / Replay pass 4 / Kernels
    error trace-notes pftrace: GPU 0 [gfx942], pass 4
    """
)
def a_slice_does_not_end(run: BrokenRun) -> None:
    with run.trace() as trace:
        trace.remove(trace.execution(12, 4)[1])


@fault(
    """
    error parity pftrace: dispatch 12, pass 2, TCC_HIT
    error perfetto-pulses pftrace: multipass-demo / GPU 0 [gfx942] / Replay pass 2 / GPU TCC_HIT [0] pass 2
    """
)
def a_counter_stays_high(run: BrokenRun) -> None:
    with run.trace() as trace:
        trace.remove(trace.pulse("TCC_HIT", 2, 12)[1])


@fault(
    """
    error parity pftrace: dispatch 4, pass 2, TCC_HIT
    error perfetto-pulses pftrace: multipass-demo / GPU 0 [gfx942] / Replay pass 2 / GPU TCC_HIT [0] pass 2
    """
)
def a_counter_stays_high_until_the_next_value(run: BrokenRun) -> None:
    with run.trace() as trace:
        trace.remove(trace.pulse("TCC_HIT", 2, 4)[1])


@fault(
    """
    error parity pftrace: dispatch 4, pass 2, TCC_HIT
    error perfetto-annotations pftrace: dispatch 4, TCC_HIT
    """
)
def a_value_is_another_in_the_trace_only(run: BrokenRun) -> None:
    with run.trace() as trace:
        trace.pulse("TCC_HIT", 2, 4)[0].track_event.double_counter_value += 1


@fault(
    """
    error perfetto-annotations pftrace: dispatch 4, TCC_HIT
    """
)
def an_argument_says_another_value_than_the_track(run: BrokenRun) -> None:
    with run.trace() as trace:
        trace.value(trace.logical(4)[0], "TCC_HIT").uint_value += 1


@fault(
    """
    error perfetto-annotations pftrace: dispatch 4, SQ_INSTS_VALU
    """
)
def an_argument_is_the_sum_over_passes(run: BrokenRun) -> None:
    with run.trace() as trace:
        trace.value(trace.logical(4)[0], "SQ_INSTS_VALU").uint_value *= 5


@fault(
    """
    error complete pftrace: dispatch 4, pass 2, SQ_INSTS_VALU
    error parity pftrace: dispatch 4, pass 2, SQ_INSTS_VALU
    error trace-notes pftrace: GPU 0 [gfx942], pass 3
    """
)
def a_reading_is_on_the_track_of_another_pass(run: BrokenRun) -> None:
    with run.trace() as trace:
        track = trace.track("GPU SQ_INSTS_VALU [0] pass 3").uuid
        for sample in trace.pulse("SQ_INSTS_VALU", 2, 4):
            sample.track_event.track_uuid = track


@fault(
    """
    error parity pftrace: dispatch {1|3|4|6|7|9|10|12}, pass 2, {TCC_HIT|TCC_MISS}
    error parity pftrace: dispatch {2|5|8|11}, pass 2, TCC_HIT
    error perfetto-annotations pftrace: dispatch {1|3|4|6|7|9|10|12}, TCC_MISS
    error perfetto-siblings pftrace: multipass-demo / GPU 0 [gfx942] / Replay pass 2
    error trace-notes pftrace
    """
)
def two_counter_tracks_have_one_name(run: BrokenRun) -> None:
    with run.trace() as trace:
        trace.track("GPU TCC_HIT [0] pass 2").name = "GPU TCC_MISS [0] pass 2"


@fault(
    """
    error perfetto-siblings pftrace: multipass-demo / GPU 0 [gfx942]
    """
)
def two_kernels_tracks_are_one_by_name(run: BrokenRun) -> None:
    with run.trace() as trace:
        trace.track("Replay pass 3").name = "Replay pass 2"


@fault(
    """
    error parity pftrace: dispatch {1..12}, pass 2, TCC_HIT
    error perfetto-names pftrace: time N
    """
)
def a_track_is_not_declared(run: BrokenRun) -> None:
    with run.trace() as trace:
        _without_track(trace, "GPU TCC_HIT [0] pass 2")


def _without_track(trace: TraceParts, name: str) -> None:
    trace.packets[:] = [p for p in trace.packets if p.track_descriptor.name != name]


@fault(
    """
    error perfetto-clock pftrace
    """
)
def the_trace_is_on_another_clock(run: BrokenRun) -> None:
    with run.trace() as trace:
        trace.packets[0].trace_packet_defaults.timestamp_clock_id = REALTIME


@fault(
    """
    error clocks pftrace
    """
)
def the_clock_snapshot_is_missing(run: BrokenRun) -> None:
    with run.trace() as trace:
        trace.packets[:] = [p for p in trace.packets if not p.HasField("clock_snapshot")]


@fault(
    """
    error clocks pftrace
    """
)
def the_clock_snapshot_is_of_another_boot(run: BrokenRun) -> None:
    with run.trace() as trace:
        (snapshot,) = (p.clock_snapshot for p in trace.packets if p.HasField("clock_snapshot"))
        next(c for c in snapshot.clocks if c.clock_id == REALTIME).timestamp += 86_400_000_000_000


@fault(
    """
    error perfetto-sequence pftrace
    """
)
def the_state_of_the_sequence_is_not_cleared(run: BrokenRun) -> None:
    with run.trace() as trace:
        trace.packets[0].sequence_flags = 0


@fault(
    """
    error complete pftrace: dispatch {1..12}, pass 2, SQ_WAVES
    error perfetto-run pftrace: rocm_multipass_run, plan
    """
)
def the_mark_of_the_run_has_another_plan(run: BrokenRun) -> None:
    with run.trace() as trace:
        mark = next(p for p in trace.packets if trace.categories.get(_category(p)) == "rocm_multipass_run")
        plan = trace.value(mark, "plan")
        plan.array_values[2].string_value += ", SQ_WAVES"


def _category(packet: pt.TracePacket) -> int:
    numbers = packet.track_event.category_iids
    return numbers[0] if numbers else 0


@fault(
    """
    error parity pftrace
    """
)
def the_trace_is_of_another_process(run: BrokenRun) -> None:
    with run.trace() as trace:
        (process,) = (p.track_descriptor for p in trace.packets if p.track_descriptor.HasField("process"))
        process.process.pid += 1


@fault(
    """
    error trace-notes pftrace: GPU 0 [gfx942], pass 2
    """
)
def a_pass_slice_is_gone_from_a_lone_trace(run: BrokenRun) -> None:
    run.only("pftrace")
    with run.trace() as trace:
        trace.remove(*trace.execution(4, 2))


@fault(
    """
    warning agreement pftrace: dispatch 4, SQ_INSTS_VALU
    """
)
def a_value_is_another_in_a_lone_trace(run: BrokenRun) -> None:
    run.only("pftrace")
    with run.trace() as trace:
        trace.pulse("SQ_INSTS_VALU", 2, 4)[0].track_event.double_counter_value += 1000
