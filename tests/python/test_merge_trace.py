# SPDX-License-Identifier: MIT
"""Merging the Perfetto traces of rocprof-sys and of this tool: what is matched, what is left, what is reported."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from described_run import PID, Execution, Launch, Run, replayed, sample_run, with_launch
from handmade_foreign_trace import rocprof_sys_trace
from handmade_trace import trace_bytes
from merge_tools import Pair, contents, host_run, pair
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pt

from rocprofsys_multipass.errors import OutputError, TraceError
from rocprofsys_multipass.merge.merged import Unmatched
from rocprofsys_multipass.trace import Trace, open_trace
from rocprofsys_multipass.trace.perfetto_file import RawTrace, decode
from rocprofsys_multipass.verify import verify

RUN = Run((replayed(1, 1000), replayed(2, 2000, hits=0)))
FORMS: list[dict[str, Any]] = [
    {},
    {"by": "queue"},
    {"interned": False},
    {"differences": False},
    {"unit": 10},
    {"compressed": True},
    {"cleared_every": 5},
    {"regions": True, "cleared_every": 5, "by": "queue"},
]


def told(trace: Trace) -> list[object]:
    """What a trace says of each dispatch."""
    return [
        (
            (d.dispatch_id, d.kernel, d.outcome, d.reason, d.start_ns, d.end_ns, d.grid, d.queue_id),
            dict(d.counters),
            [(p.index, p.group, p.start_ns, p.end_ns, p.readings) for p in d.passes],
        )
        for d in trace.dispatches()
    ]


def kernels(raw: RawTrace) -> list[tuple[str, object, int, int | None]]:
    """The slices that a reader takes for dispatches."""
    wanted = ("rocm_kernel_dispatch", "rocm_hip_stream")
    return [(s.name, s.annotations["dispatch_id"], s.start_ns, s.end_ns) for s in raw.slices if s.category in wanted]


@pytest.mark.parametrize("options", FORMS, ids=str)
def test_one_slice_of_rocprof_sys_is_left_of_each_dispatch_however_its_trace_is_written(
    tmp_path: Path, options: dict[str, Any]
):
    both = pair(tmp_path, RUN, **options)
    made = both.merge()
    assert (made.matched, made.added, made.removed, made.unmatched, made.notes) == (2, 0, 2, (), ())
    raw = decode(both.target)
    assert raw.problems == []
    assert kernels(raw) == [(d.kernel, d.id, d.executions[0].start, d.executions[0].end) for d in RUN.launches]


@pytest.mark.parametrize("options", FORMS, ids=str)
def test_the_merged_trace_is_read_as_ours_with_the_same_dispatches(tmp_path: Path, options: dict[str, Any]):
    both = pair(tmp_path, RUN, **options)
    both.merge()
    theirs, ours = open_trace(both.target), open_trace(both.own)
    assert theirs.processes[0].tool == ours.processes[0].tool
    assert told(theirs) == told(ours)
    findings = [f for f in verify(both.target) if f.severity != "info"]
    assert findings == []


def test_dispatches_of_which_rocprof_sys_has_no_slice_are_drawn_by_ours(tmp_path: Path):
    both = pair(tmp_path, sample_run(), lambda d: d.id in (1, 3))
    made = both.merge()
    assert (made.matched, made.added, made.removed, made.unmatched) == (2, 3, 1, ())
    assert sorted(number for _, number, *_ in kernels(decode(both.target))) == [1, 2, 3, 4, 5]
    assert told(open_trace(both.target)) == told(open_trace(both.own))


def test_without_slices_of_kernels_every_packet_of_rocprof_sys_comes_first_and_as_it_was(tmp_path: Path):
    both = pair(tmp_path, RUN, lambda _: False)
    host = both.host.read_bytes()
    made = both.merge()
    assert (made.matched, made.added, made.removed) == (0, 2, 0)
    assert both.target.read_bytes().startswith(host)
    assert told(open_trace(both.target)) == told(open_trace(both.own))


def test_other_tracks_of_rocprof_sys_have_the_same_slices(tmp_path: Path):
    both = pair(tmp_path, RUN, regions=True)
    both.merge()
    before, after = ([s for s in decode(p).slices if s.category == "rocm_hip_api"] for p in (both.host, both.target))
    assert [(s.name, s.start_ns, s.end_ns, s.flows, s.track) for s in after] == [
        (s.name, s.start_ns, s.end_ns, s.flows, s.track) for s in before
    ]
    assert len(before) == 2


def test_the_slice_that_is_left_has_our_arguments(tmp_path: Path):
    both = pair(tmp_path, RUN)
    both.merge()
    said = next(s for s in decode(both.target).slices if s.category == "rocm_kernel_dispatch").annotations
    assert {name: said[name] for name in ("gpu", "outcome", "passes", "executions", "SQ_WAVES", "TCC_HIT")} == {
        "gpu": "GPU 0 [gfx942]",
        "outcome": "replayed",
        "passes": 2,
        "executions": 2,
        "SQ_WAVES": 512,
        "TCC_HIT": 300,
    }


def draw_arrows(path: Path) -> None:
    """From each dispatch in a trace of this tool to its passes, numbered by the thousand that it starts in."""
    trace = pt.Trace.FromString(path.read_bytes())
    categories: dict[int, str] = {}
    for packet in trace.packet:
        categories.update((one.iid, one.name) for one in packet.interned_data.event_categories)
        event = packet.track_event
        for category in {*event.categories, *(categories[iid] for iid in event.category_iids)}:
            if category == "rocm_kernel_dispatch" and event.type == pt.TrackEvent.TYPE_SLICE_BEGIN:
                event.flow_ids.append(7000 + packet.timestamp)
            elif category == "rocm_kernel_replay_pass" and event.type == pt.TrackEvent.TYPE_SLICE_BEGIN:
                event.terminating_flow_ids.append(7000 + packet.timestamp // 1000 * 1000)
    path.write_bytes(trace.SerializeToString())


def test_the_slice_that_is_left_has_the_arrows_to_its_passes(tmp_path: Path):
    both = pair(tmp_path, RUN)
    draw_arrows(both.own)
    both.merge()
    slices = decode(both.target).slices
    drawn = [s.flows[1:] for s in slices if s.category == "rocm_kernel_dispatch"]  # the first is rocprof-sys's
    passes = [s.flows for s in slices if s.category == "rocm_kernel_replay_pass"]
    assert (drawn, passes) == ([(8000,), (9000,)], [(8000,), (8000,), (9000,), (9000,)])


def test_the_slice_is_that_of_the_timing_pass_where_there_is_one(tmp_path: Path):
    launch = replace(replayed(1, 1000), warm_up=(800, 900), timing=(1400, 1500))
    both = pair(tmp_path, Run((launch,), extras=("warm_up_pass", "timing_pass")))
    made = both.merge()
    assert (made.matched, made.removed) == (1, 3)
    assert kernels(decode(both.target)) == [(launch.kernel, 1, 1400, 1500)]
    assert told(open_trace(both.target)) == told(open_trace(both.own))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"kernel": "other(int)"}, "rocprof-sys calls the kernel 'other(int)', this tool 'axpy(float*, int)'"),
        ({"gpu": 1}, "rocprof-sys has it on GPU 1, this tool on GPU 0"),
        ({"id": 9}, "rocprof-sys has it, this tool does not"),
        ({"executions": 3}, "rocprof-sys drew 3 executions, this tool 2"),
    ],
    ids=str,
)
def test_what_does_not_agree_is_reported_and_left_as_it_is(tmp_path: Path, change: dict[str, Any], reason: str):
    host = host_run(RUN)
    first = host.launches[0]
    if "executions" in change:
        change = {"executions": (*first.executions, replace(first.executions[1], start=1300, end=1400))}
    host = replace(host, launches=(replace(first, **change), host.launches[1]))
    both = Pair(tmp_path, RUN, rocprof_sys_trace(host, by="queue"))
    made = both.merge()
    assert made.unmatched == (Unmatched(change.get("id", 1), reason),)
    assert (made.matched, made.added, made.unmatched_count) == (1, 1 if "id" in change else 0, 1)
    left = [k for k in kernels(decode(both.target)) if k[1] != 2]  # theirs and ours
    assert len(left) == len(host.launches[0].executions) + 1
    both_drew = (
        "dispatches that do not match are drawn by both tools, by rocprof-sys once for each execution: their slices "
        "count several times (dispatches: 1)"
    )
    assert made.notes == (() if "id" in change else (both_drew,))


def test_one_execution_of_a_replayed_dispatch_is_the_dispatch(tmp_path: Path):
    host = host_run(RUN)
    once = tuple(replace(d, executions=d.executions[:1]) for d in host.launches)
    both = Pair(tmp_path, RUN, rocprof_sys_trace(replace(host, launches=once)))
    made = both.merge()
    assert (made.matched, made.removed, made.unmatched) == (2, 0, ())
    assert made.notes == ("rocprof-sys drew one execution only of dispatches that were replayed (dispatches: 2)",)
    assert told(open_trace(both.target)) == told(open_trace(both.own))


def test_executions_of_a_replay_that_broke_off_need_not_all_be_known(tmp_path: Path):
    """Dispatch 5 was cut after one recorded pass of two; rocprof-sys may have seen the second."""
    run = sample_run()
    seen = with_launch(run, 4, executions=(*run.launches[4].executions, Execution(1, 5200, 5300, {})))
    both = Pair(tmp_path, run, rocprof_sys_trace(host_run(seen)))
    made = both.merge()
    assert (made.matched, made.removed, made.unmatched) == (5, 3, ())
    assert told(open_trace(both.target)) == told(open_trace(both.own))


def test_which_execution_of_a_broken_replay_is_the_dispatch_must_be_sure(tmp_path: Path):
    """The first one that rocprof-sys drew is not the one that this tool knows."""
    run = sample_run()
    seen = with_launch(run, 4, executions=(Execution(1, 4900, 4950, {}), *run.launches[4].executions))
    made = Pair(tmp_path, run, rocprof_sys_trace(host_run(seen))).merge()
    assert made.unmatched == (Unmatched(5, "rocprof-sys drew 2 executions, this tool 1"),)


def test_slices_without_a_dispatch_id_are_kept_and_ours_of_the_kernel_left_out(tmp_path: Path):
    both = pair(tmp_path, sample_run(), lambda d: d.id < 3, annotated=False)
    made = both.merge()
    assert (made.matched, made.added, made.removed) == (0, 2, 0)
    assert made.notes == (
        (
            "slices of kernels of rocprof-sys have no dispatch_id (slices: 4): they are not matched, are kept and may "
            "count each pass; ours of these kernels are left out (dispatches: 3); record with "
            "ROCPROFSYS_PERFETTO_ANNOTATIONS=ON"
        ),
    )


def test_readers_say_which_dispatches_they_miss_where_slices_have_no_dispatch_id(tmp_path: Path):
    both = pair(tmp_path, RUN, annotated=False)
    both.merge()
    (process,) = open_trace(both.target).processes
    text = (
        "slices of kernels of rocprof-sys have no dispatch_id (slices: 4): they may count each pass, and dispatches of "
        "these kernels are not in the file, only their passes; read RUN_DIR or the merged database, or record with "
        "ROCPROFSYS_PERFETTO_ANNOTATIONS=ON"
    )
    assert (process.dispatches, process.notes[0]) == ((), text)
    (finding,) = [f for f in verify(both.target) if f.severity == "error"]
    assert (finding.check, finding.message) == ("perfetto-kernels", text)
    assert finding.hint.startswith("record with both again, with ROCPROFSYS_PERFETTO_ANNOTATIONS=ON")


def test_other_times_of_rocprof_sys_are_kept_and_said(tmp_path: Path):
    host = host_run(RUN)
    moved = tuple(
        replace(d, executions=tuple(replace(e, start=e.start + 3, end=e.end + 3) for e in d.executions))
        for d in host.launches
    )
    both = Pair(tmp_path, RUN, rocprof_sys_trace(replace(host, launches=moved)))
    made = both.merge()
    assert "other times for the same executions (dispatches: 2, starts up to 3 ns apart)" in made.notes[0]
    assert told(open_trace(both.target)) == told(open_trace(both.own))


def test_equal_sequence_ids_and_tracks_do_not_meet(tmp_path: Path):
    both = pair(tmp_path, RUN, sequence=0xF0001234, first_track=198)  # 200 and 300 are tracks of ours
    both.merge()
    raw = decode(both.target)
    assert raw.problems == []
    assert told(open_trace(both.target)) == told(open_trace(both.own))
    named = [(raw.path_of(s.track), s.name) for s in raw.slices if s.category == "rocm_kernel_replay_pass"]
    assert named[0] == ("./app / GPU 0 [gfx942] / Replay pass 0 / Kernels", "axpy(float*, int)")


def test_only_the_process_of_ours_is_changed_in_a_trace_of_several(tmp_path: Path):
    other = rocprof_sys_trace(replace(host_run(RUN), pid=5000), sequence=10, first_track=5000)
    both = Pair(tmp_path, RUN, other + rocprof_sys_trace(host_run(RUN)))
    made = both.merge()
    assert (made.matched, made.removed) == (2, 2)
    raw = decode(both.target)
    by_process = [raw.pid_of(s.track) for s in raw.slices if s.category in ("rocm_kernel_dispatch", "rocm_hip_stream")]
    assert sorted(by_process, key=str) == [PID, PID, 5000, 5000, 5000, 5000]
    assert both.target.read_bytes().startswith(other)


@pytest.mark.parametrize("times", [0, 2])
def test_the_process_may_be_described_not_at_all_or_on_two_tracks(tmp_path: Path, times: int):
    both = pair(tmp_path, RUN, first_track=5000)
    found = pt.Trace.FromString(both.host.read_bytes()).packet
    processes = [packet for packet in found if packet.track_descriptor.HasField("process")]
    for packet in processes if times == 0 else ():
        found.remove(packet)
    if times:
        again = pt.TracePacket.FromString(processes[0].SerializeToString())
        again.track_descriptor.uuid = 99
        found.insert(0, again)
    both.host.write_bytes(pt.Trace(packet=found).SerializeToString())
    assert both.merge().matched == 2
    assert told(open_trace(both.target)) == told(open_trace(both.own))


def test_a_trace_of_another_process_is_refused(tmp_path: Path):
    both = Pair(tmp_path, RUN, rocprof_sys_trace(replace(host_run(RUN), pid=5000)))
    with pytest.raises(TraceError, match=r"has the processes 5000, and none with the pid 4711; give the trace of 4711"):
        both.merge()
    assert not both.target.exists()


def test_a_merged_trace_is_not_merged_again(tmp_path: Path):
    both = pair(tmp_path, RUN)
    both.merge()
    both.target.rename(both.host)
    with pytest.raises(TraceError, match="has slices of this tool in it already"):
        both.merge()


def test_an_input_is_no_target(tmp_path: Path):
    both = pair(tmp_path, RUN)
    both.target = both.host
    with pytest.raises(OutputError, match="is an input, and inputs are not changed"):
        both.merge()


def test_what_is_whole_of_a_cut_trace_is_merged(tmp_path: Path):
    both = pair(tmp_path, RUN, regions=True)
    whole = both.host.read_bytes()
    both.host.write_bytes(whole + b"\x0a\x7fcut")
    made = both.merge()
    assert made.notes == (
        f"{both.host.name} is cut or damaged at byte {len(whole)}: what is before it was copied (bytes left out: 5)",
    )
    assert decode(both.target).problems == []


def test_with_an_empty_trace_ours_is_all_there_is(tmp_path: Path):
    both = Pair(tmp_path, RUN, b"")
    made = both.merge()
    assert (made.added, made.notes) == (2, (f"{both.host.name} is empty: the merged trace has our tracks only",))
    assert both.target.read_bytes() == both.own.read_bytes()


def test_counters_of_rocprof_sys_stay_and_ours_get_another_name(tmp_path: Path):
    launches = (Launch(1, (Execution(None, 1000, 1100, {"SQ_WAVES": 64}),), outcome="single_pass"),)
    run = Run(launches, plan=(("SQ_WAVES",),))
    host = host_run(run)
    polled = replace(
        host.launches[0], executions=(replace(host.launches[0].executions[0], counters={"SQ_WAVES": (5,)}),)
    )
    both = Pair(tmp_path, run, rocprof_sys_trace(replace(host, launches=(polled,))))
    both.merge()
    raw = decode(both.target)
    values = {raw.path_of(uuid): samples.values.tolist() for uuid, samples in raw.samples.items()}
    assert values == {
        "./app / GPU SQ_WAVES [0]": [5, 0],
        "./app / GPU 0 [gfx942] / GPU SQ_WAVES [0] (multipass)": [64, 0],
    }
    assert told(open_trace(both.target)) == told(open_trace(both.own))


def test_what_another_clock_is_primary_is_said(tmp_path: Path):
    both = pair(tmp_path, RUN)
    packets = contents(both.host)
    both.host.write_bytes(both.host.read_bytes() + b"\x0a\x06\x32\x04\x10\x03\x0a\x00")
    assert len(packets) == len(contents(both.host)) - 1
    assert f"{both.host.name}: its primary trace clock is 3" in both.merge().notes[0]


def test_a_cut_trace_of_ours_is_refused(tmp_path: Path):
    both = pair(tmp_path, RUN)
    both.own.write_bytes(both.own.read_bytes()[:-3])
    with pytest.raises(TraceError, match="no whole packet; the file is damaged"):
        both.merge()


def test_a_trace_of_several_processes_of_ours_is_refused(tmp_path: Path):
    both = pair(tmp_path, RUN)
    second = rocprof_sys_trace(replace(host_run(RUN), pid=5000), sequence=10, first_track=5000)
    both.own.write_bytes(both.own.read_bytes() + second)
    with pytest.raises(TraceError, match="it has 2 processes on 2 sequences of packets; give the trace"):
        both.merge()


def test_a_time_that_no_clock_has_is_passed_through(tmp_path: Path):
    both = pair(tmp_path, RUN, differences=False)
    trace = pt.Trace.FromString(both.host.read_bytes())
    odd = trace.packet.add(trusted_packet_sequence_id=9, timestamp=2**64 - 1)
    odd.track_event.type, odd.track_event.track_uuid = 2, 101
    both.host.write_bytes(trace.SerializeToString())
    made = both.merge()
    assert made.matched == 2
    assert made.notes == (f"{both.host.name}: packets that cannot be read are passed through as they are (packets: 1)",)
    assert odd.SerializeToString() in contents(both.target)


def test_dispatches_are_counted_one_by_one_where_our_trace_does_not_tell_their_number(tmp_path: Path):
    both = pair(tmp_path, RUN, lambda _: False)
    both.own.write_bytes(trace_bytes(RUN, lambda p: "rocm_multipass_run" not in p.track_event.categories))
    assert both.merge().added == len(RUN.launches)
