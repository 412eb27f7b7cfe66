# SPDX-License-Identifier: MIT
"""One trace of many: what Perfetto's own importer and the readers say of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import handmade_foreign as foreign
import pytest
import trace_tools as tools
from combine_tools import Host, guid_of, rank_run, rank_trace, traces
from handmade_foreign_trace import rocprof_sys_trace
from merge_tools import pair
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pt
from perfetto.trace_processor import TraceProcessor
from perfetto_tools import trace_processor

from rocprofsys_multipass.errors import MultipassError, TraceError, UsageError
from rocprofsys_multipass.merge.trace.combine import combine_traces
from rocprofsys_multipass.trace import open_trace
from rocprofsys_multipass.trace.perfetto_file import decode
from rocprofsys_multipass.verify import verify

ERRORS = "select name, value from stats where severity in ('error', 'data_loss') and value > 0"
SLICES = """
select p.pid, s.name, s.ts, s.dur from slice s join process_track t on s.track_id = t.id join process p using (upid)
where s.category = '{}' order by s.ts"""
KERNELS = {4000: "axpy", 4001: "sum", 4002: "scale"}  # of rocprof-sys's traces, by pid
SECOND = 1_000_000_000


def packets(path: Path) -> list[pt.TracePacket]:
    return list(pt.Trace.FromString(path.read_bytes()).packet)


def host_run(pid: int) -> foreign.Run:
    """What rocprof-sys saw of a process: one kernel, whose name and counter tell the process."""
    start = 1000 + 10 * (pid - 4000)
    once = foreign.Execution(start, start + 5, {"SQ_WAVES": (pid,)})
    return foreign.Run((foreign.Launch(1, (once,), kernel=KERNELS[pid]),), pid=pid)


def host_traces(folder: Path, **options: object) -> list[Path]:
    folder.mkdir()
    paths = [folder / f"perfetto-trace-{pid}.proto" for pid in KERNELS]
    for path, pid in zip(paths, KERNELS, strict=True):
        path.write_bytes(rocprof_sys_trace(host_run(pid), **options))
    return paths


@pytest.fixture(scope="module")
def combined(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TraceProcessor]:
    """Three traces of rocprof-sys and those of 16 ranks of ours; each kind has equal uuids and sequences in all."""
    folder = tmp_path_factory.mktemp("combined")
    inputs = [*host_traces(folder / "host"), *traces(folder / "own", 16, Host())]
    # The pids of both are of one machine: 4000 is in two files, as where a process has one of each tool.
    made = combine_traces(inputs, folder / "all.pftrace")
    assert (made.processes, made.notes) == (16, ())
    with trace_processor(made.target) as engine:
        yield engine


def test_nothing_is_lost_in_perfetto(combined: TraceProcessor):
    assert list(combined.query(ERRORS)) == []


def test_names_that_were_interned_are_those_of_their_process(combined: TraceProcessor):
    rows = [(row.pid, row.name, row.ts, row.dur) for row in combined.query(SLICES.format("rocm_hip_stream"))]
    assert rows == [(pid, name, 1000 + 10 * k, 5) for k, (pid, name) in enumerate(KERNELS.items())]


def test_counters_are_on_tracks_of_their_process(combined: TraceProcessor):
    sql = """
    select p.pid, max(c.value) as high from counter c join process_counter_track t on c.track_id = t.id
    join process p using (upid) where t.name = 'GPU SQ_WAVES [0]' group by p.upid order by p.pid"""
    assert [(row.pid, row.high) for row in combined.query(sql)] == [(pid, pid) for pid in KERNELS]


def test_dispatches_of_all_ranks_are_there_once(combined: TraceProcessor):
    rows = [(row.pid, row.ts) for row in combined.query(SLICES.format("rocm_kernel_dispatch"))]
    assert rows == [(4000 + rank, 1000 + 10 * rank) for rank in range(16)]


def test_processes_have_their_rank_as_label(combined: TraceProcessor):
    sql = """
    select p.pid, a.string_value as label from process p join args a using (arg_set_id)
    where a.key glob 'chrome.process_label*' order by p.pid"""
    assert [(row.pid, row.label) for row in combined.query(sql)] == [(4000 + k, f"rank {k}") for k in range(16)]


@pytest.mark.parametrize("count", [1, 2, 40])
def test_readers_and_checks_take_it(count: int, tmp_path: Path):
    target = combine_traces(traces(tmp_path / "in", count, Host()), tmp_path / "all.pftrace").target
    trace = open_trace(target)
    assert [(p.rank, p.pid, p.guid) for p in trace.processes] == [(k, 4000 + k, guid_of(k)) for k in range(count)]
    assert [dict(d.counters)["SQ_WAVES"] for d in trace.dispatches()] == [100 + k for k in range(count)]
    assert [len(d.passes) for d in trace.dispatches()] == count * [2]
    assert [finding for finding in verify(target) if finding.severity != "info"] == []


def test_ranks_are_in_order_whatever_the_order_of_the_files(tmp_path: Path):
    paths = traces(tmp_path / "in", 12)
    target = combine_traces(sorted(paths), tmp_path / "all.pftrace").target  # rank10 before rank2
    pids = [packet.track_descriptor.process.pid for packet in packets(target)]
    in_order = [4000 + rank for rank in range(12)]
    assert pids[:12] == in_order  # a UI lists them so
    assert [pid for pid in pids[12:] if pid] == in_order


@pytest.mark.parametrize("options", [{}, {"compressed": True}, {"interned": False}, {"differences": False}], ids=str)
def test_however_rocprof_sys_writes_a_trace(options: dict[str, object], tmp_path: Path):
    target = combine_traces(host_traces(tmp_path / "in", **options), tmp_path / "all.pftrace").target
    found = {(d.process, d.kernel, d.start_ns, d.counters["SQ_WAVES"]) for d in open_trace(target).dispatches()}
    assert found == {(pid, name, 1000 + 10 * k, pid) for k, (pid, name) in enumerate(KERNELS.items())}


def test_a_trace_that_lost_its_names_does_not_take_those_of_another(tmp_path: Path):
    """As where the buffer of a trace ran over: it begins without a cleared state, and with names that nothing says."""
    first, second, _ = host_traces(tmp_path / "in")
    trace = pt.Trace.FromString(second.read_bytes())
    for packet in trace.packet:
        packet.sequence_flags = 2
        packet.interned_data.ClearField("event_names")
    second.write_bytes(trace.SerializeToString())
    target = combine_traces([first, second], tmp_path / "all.pftrace").target
    names = sorted(one.name for one in decode(target).slices if one.category == "rocm_hip_stream")
    assert names == ["", "axpy"]
    of_files = [{packet.trusted_packet_sequence_id for packet in packets(path)} for path in (first, second)]
    assert of_files == [{9}, {9}]
    assert len({packet.trusted_packet_sequence_id for packet in packets(target)}) == 3  # with that of all processes


def test_arrows_stay_within_their_process(tmp_path: Path):
    """Those of rocprof-sys are numbered in each process, so they are alike."""
    target = combine_traces(host_traces(tmp_path / "in"), tmp_path / "all.pftrace").target
    flows = [flow for packet in packets(target) for flow in packet.track_event.flow_ids]
    assert len(flows) == len(set(flows)) == 3


def apart(folder: Path) -> tuple[Path, Path, pt.Trace]:
    """Two traces without a sequence or a track in common, and what is in the second."""
    first, *_ = host_traces(folder / "in")
    other = folder / "other.pftrace"
    other.write_bytes(rocprof_sys_trace(host_run(4001), sequence=10, first_track=900))
    return first, other, pt.Trace.FromString(other.read_bytes())


def test_arrows_stay_within_their_process_where_nothing_else_is_alike(tmp_path: Path):
    first, other, _ = apart(tmp_path)
    target = combine_traces([first, other], tmp_path / "all.pftrace").target
    flows = [flow for packet in packets(target) for flow in packet.track_event.flow_ids]
    assert len(flows) == len(set(flows)) == 2


def test_what_nothing_collides_with_is_copied_byte_by_byte(tmp_path: Path):
    first, other, trace = apart(tmp_path)
    for packet in trace.packet:
        if packet.HasField("track_event"):
            packet.track_event.ClearField("flow_ids")
    other.write_bytes(trace.SerializeToString())
    target = combine_traces([first, other], tmp_path / "all.pftrace").target
    assert target.read_bytes().endswith(first.read_bytes() + other.read_bytes())
    assert combine_traces([first], target).target.read_bytes() == first.read_bytes()


def test_events_on_a_track_that_was_not_described_stay_off_those_of_others(tmp_path: Path):
    """As in a buffer that went round: the descriptor is lost, and another process has a track of that number."""
    first, second, _ = host_traces(tmp_path / "in")
    trace = pt.Trace.FromString(second.read_bytes())
    kept = [packet for packet in trace.packet if not packet.HasField("track_descriptor")]
    second.write_bytes(pt.Trace(packet=kept).SerializeToString())
    target = combine_traces([first, second], tmp_path / "all.pftrace").target
    with trace_processor(target) as engine:
        rows = [(row.pid, row.name) for row in engine.query(SLICES.format("rocm_hip_stream"))]
    assert rows == [(4000, KERNELS[4000])]


def read_while_recorded(path: Path) -> None:
    """Puts the marks of a recorder into a trace that flushed and read its buffers several times."""
    found = []
    for packet in packets(path):
        found.append(packet)
        for name in ("all_data_sources_flushed", "read_tracing_buffers_completed"):
            mark = pt.TracePacket(trusted_packet_sequence_id=1, timestamp=1)
            setattr(mark.service_event, name, True)
            found.append(mark)
    path.write_bytes(pt.Trace(packet=found).SerializeToString())


@pytest.mark.parametrize("nothing_else_changes", [False, True])
def test_nothing_is_dropped_behind_a_trace_that_was_read_while_it_was_recorded(
    *, nothing_else_changes: bool, tmp_path: Path
):
    """Its marks say to Perfetto's importer that nothing earlier comes any more; the next trace has what is earlier."""
    first, second, _ = host_traces(tmp_path / "in")
    if nothing_else_changes:
        second.write_bytes(rocprof_sys_trace(host_run(4001), sequence=10, first_track=900))
    read_while_recorded(first)
    target = combine_traces([first, second], tmp_path / "all.pftrace").target
    with trace_processor(target) as engine:
        assert list(engine.query(ERRORS)) == []
        assert len(list(engine.query(SLICES.format("rocm_hip_stream")))) == 2
    assert not any(packet.service_event.read_tracing_buffers_completed for packet in packets(target))


def test_the_same_files_give_the_same_bytes(tmp_path: Path):
    made = [
        combine_traces(traces(tmp_path / name, 3, Host()), tmp_path / f"{name}.pftrace").target.read_bytes()
        for name in ("a", "b")
    ]
    assert made[0] == made[1]


def test_a_trace_that_was_combined_combines_again(tmp_path: Path):
    paths = traces(tmp_path / "in", 4, Host())
    halves = [
        combine_traces(paths[:2], tmp_path / "a.pftrace").target,
        combine_traces(paths[2:], tmp_path / "b.pftrace").target,
    ]
    made = combine_traces(halves, tmp_path / "all.pftrace")
    assert [p.rank for p in open_trace(made.target).processes] == [0, 1, 2, 3]


def of_two_hosts(folder: Path, first: Host | None, second: Host | None, *, pids: tuple[int, int]) -> list[Path]:
    return [
        rank_trace(folder / f"multipass-rank{rank}.pftrace", rank_run(rank, pid=pids[rank]), host)
        for rank, host in enumerate((first, second))
    ]


EARLY = Host("node1", boot_ns=900 * SECOND, real_ns=10_000 * SECOND)
LATE = Host("node2", boot_ns=20 * SECOND, real_ns=10_000 * SECOND + 7)


def test_times_of_another_machine_are_converted_by_real_time(tmp_path: Path):
    inputs = of_two_hosts(tmp_path, LATE, EARLY, pids=(4000, 4001))
    made = combine_traces(inputs, tmp_path / "all.pftrace")
    apart = 880 * SECOND + 7  # from the boot of node1, which has been up longer, to that of node2
    assert [d.start_ns for d in open_trace(made.target).dispatches()] == [1000 + apart, 1010]
    assert [d.passes[1].end_ns for d in open_trace(made.target).dispatches()] == [1260 + apart, 1270]
    (note,) = made.notes
    assert note.startswith("the processes ran on 2 machines (node2, node1): their times are related by the real time")
    with trace_processor(made.target) as engine:
        assert list(engine.query(ERRORS)) == []
        rows = [(row.pid, row.ts) for row in engine.query(SLICES.format("rocm_kernel_dispatch"))]
    assert rows == [(4001, 1010), (4000, 1000 + apart)]


def test_counters_follow_the_converted_times(tmp_path: Path):
    inputs = of_two_hosts(tmp_path, EARLY, LATE, pids=(4000, 4001))
    target = combine_traces(inputs, tmp_path / "all.pftrace").target
    assert [dict(d.counters)["SQ_WAVES"] for d in open_trace(target).dispatches()] == [100, 101]
    assert [p.notes for p in open_trace(target).processes] == [(), ()]


def test_times_on_a_clock_of_the_sequence_are_converted_too(tmp_path: Path):
    """As Perfetto's SDK writes them: the snapshot on the sequence is moved, not the differences."""
    first, second = tmp_path / "a.pftrace", tmp_path / "b.pftrace"
    first.write_bytes(_with_snapshot(rocprof_sys_trace(host_run(4000)), EARLY))
    second.write_bytes(_with_snapshot(rocprof_sys_trace(host_run(4001)), LATE))
    target = combine_traces([first, second], tmp_path / "all.pftrace").target
    assert [d.start_ns for d in open_trace(target).dispatches()] == [1000, 1010 + 880 * SECOND + 7]


def _with_snapshot(trace: bytes, host: Host) -> bytes:
    packet = pt.TracePacket(timestamp=host.boot_ns, timestamp_clock_id=6)
    for clock, time in ((6, host.boot_ns), (1, host.real_ns)):
        packet.clock_snapshot.clocks.add(clock_id=clock, timestamp=time)
    return pt.Trace(packet=[packet]).SerializeToString() + trace


def test_machines_without_a_snapshot_keep_their_times_and_it_is_told(tmp_path: Path):
    inputs = of_two_hosts(tmp_path, EARLY, replace(LATE, real_ns=10_000 * SECOND), pids=(4000, 4001))
    (second,) = [p for p in packets(inputs[1]) if p.HasField("clock_snapshot")]
    trace = pt.Trace.FromString(inputs[1].read_bytes())
    trace.packet.remove(second)
    inputs[1].write_bytes(trace.SerializeToString())
    made = combine_traces(inputs, tmp_path / "all.pftrace")
    assert [d.start_ns for d in open_trace(made.target).dispatches()] == [1000, 1010]
    assert any("rank1.pftrace: no snapshot relates the clock of node2 to real time" in note for note in made.notes)


def test_equal_pids_of_two_machines_are_two_processes(tmp_path: Path):
    inputs = of_two_hosts(tmp_path, EARLY, LATE, pids=(4711, 4711))
    made = combine_traces(inputs, tmp_path / "all.pftrace")
    assert made.processes == 2
    assert any("process 4711 of node2 is 4199015 in the trace" in note for note in made.notes)
    trace = open_trace(made.target)
    assert [(p.pid, p.rank, p.hostname) for p in trace.processes] == [(4711, 0, "node1"), (4711, 1, "node2")]
    assert [dict(d.counters)["SQ_WAVES"] for d in trace.dispatches()] == [100, 101]
    with trace_processor(made.target) as engine:
        rows = [(row.pid, row.ts) for row in engine.query(SLICES.format("rocm_kernel_dispatch"))]
        labels = [
            row.string_value
            for row in engine.query("select string_value from args where key glob 'chrome.process_label*' order by id")
        ]
    assert rows == [(4711, 1000), (4711 + (1 << 22), 1010 + 880 * SECOND + 7)]
    assert labels == ["rank 0", "on node1", "rank 1", "on node2", "pid 4711"]


def test_equal_pids_of_one_machine_are_two_processes_where_their_runs_differ(tmp_path: Path):
    """As in containers, each of which counts from 1."""
    inputs = of_two_hosts(tmp_path, EARLY, EARLY, pids=(7, 7))
    target = combine_traces(inputs, tmp_path / "all.pftrace").target
    assert [dict(d.counters)["SQ_WAVES"] for d in open_trace(target).dispatches()] == [100, 101]
    assert {p.track_descriptor.process.pid for p in packets(target)} - {0} == {7, 7 + (1 << 22)}


def test_merged_traces_of_one_pid_are_read_each_with_its_own_kernels(tmp_path: Path):
    """rocprof-sys's slices stand for the dispatches there, and are found by the process that they are drawn below."""
    merged = []
    for rank in range(2):
        (tmp_path / str(rank)).mkdir()
        both = pair(tmp_path / str(rank), rank_run(rank, pid=7), by="queue")
        both.merge()
        merged.append(both.target)
    target = combine_traces(merged, tmp_path / "all.pftrace").target
    assert [dict(d.counters)["SQ_WAVES"] for d in open_trace(target).dispatches()] == [100, 101]
    assert [finding for finding in verify(target) if finding.severity == "error"] == []


def test_ranks_that_only_rocprof_sys_recorded_are_no_fault_of_ours(tmp_path: Path):
    """As with --ranks: their slices have the category of our dispatches, and none of our counters."""
    other = tmp_path / "perfetto-trace-4001.proto"
    other.write_bytes(rocprof_sys_trace(host_run(4001), by="queue"))
    target = combine_traces([*traces(tmp_path / "in", 1), other], tmp_path / "all.pftrace").target
    assert [finding for finding in verify(target) if finding.severity != "info"] == []
    with trace_processor(target) as engine:
        rows = [(row.pid, row.name) for row in engine.query(SLICES.format("rocm_kernel_dispatch"))]
    assert rows == [(4000, "axpy(float*, int)"), (4001, "sum")]


def test_what_a_died_process_left_is_taken_as_far_as_it_is_whole(tmp_path: Path):
    paths = traces(tmp_path / "in", 2)
    whole = paths[1].read_bytes()
    paths[1].write_bytes(whole + b"\x0a\x50cut")
    made = combine_traces(paths, tmp_path / "all.pftrace")
    assert made.notes == (f"{paths[1]}: the last 5 bytes are no whole packet and were left out",)
    assert [p.rank for p in open_trace(made.target).processes] == [0, 1]


def twice(folder: Path) -> list[Path]:
    (path,) = traces(folder / "in", 1)
    copy = folder / "copy.pftrace"
    copy.write_bytes(path.read_bytes())
    return [path, copy]


def with_database(folder: Path) -> list[Path]:
    return [*traces(folder / "in", 1), tools.write_database(folder / "a.db", rank_run(1))]


def damaged(folder: Path) -> list[Path]:
    (folder / "damaged.pftrace").write_bytes(b"\x0a\x02\x58\xff" + b"\x0a\x00")
    return [*traces(folder / "in", 1), folder / "damaged.pftrace"]


@pytest.mark.parametrize(
    ("inputs", "kind", "message"),
    [
        (lambda _: [], UsageError, "nothing to combine"),
        (twice, TraceError, r"copy\.pftrace: process 4000 is in .*rank0\.pftrace too"),
        (with_database, TraceError, r"a\.db is no Perfetto trace but a database"),
        (damaged, TraceError, r"damaged\.pftrace: byte 0: the packet cannot be read"),
    ],
)
def test_what_cannot_be_combined_is_refused_and_nothing_is_left(
    inputs: Callable[[Path], list[Path]], kind: type[MultipassError], message: str, tmp_path: Path
):
    target = tmp_path / "all.pftrace"
    target.write_text("old")
    with pytest.raises(kind, match=message):
        combine_traces(inputs(tmp_path), target)
    assert target.read_text() == "old"
    assert list(tmp_path.glob("all.pftrace?*")) == []
