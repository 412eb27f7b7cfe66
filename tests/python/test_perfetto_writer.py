# SPDX-License-Identifier: MIT
"""What Perfetto's own readers find in the traces of hand-made runs (tests/cpp/perfetto/make_traces.cpp)."""

from __future__ import annotations

import pathlib
import subprocess
import sys
from collections.abc import Callable

import pytest
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as protos
from perfetto_tools import LoadedTrace, decode, load, make_traces_executable

pytest_plugins = ["perfetto_fixtures"]

Loaded = Callable[[str], LoadedTrace]

AXPY = "axpy(float, float const*, float*)"
REDUCE = "void reduce<256>(double*)"
NAMES = [
    "one_pass", "three_passes", "overlap", "declined", "two_gpus", "filtered", "incomplete", "swapped",
    "back_to_back", "sentinels", "values", "empty", "other_process", "extras", "extras_one_pass",
    "times_only", "times_only_declined",
]  # fmt: skip


def tracks_of(trace: pathlib.Path) -> dict[str, protos.TrackDescriptor]:
    """Track descriptors by path: names from the process down, joined by " > "."""
    descriptors = [packet.track_descriptor for packet in decode(trace).packet if packet.HasField("track_descriptor")]
    by_uuid = {track.uuid: track for track in descriptors}
    assert len(by_uuid) == len(descriptors), "a track was declared twice"

    def path(track: protos.TrackDescriptor) -> str:
        name = track.name or track.process.process_name
        return f"{path(by_uuid[track.parent_uuid])} > {name}" if track.parent_uuid else name

    paths = {path(track): track for track in descriptors}
    assert len(paths) == len(descriptors), "two tracks have one path"
    return paths


@pytest.mark.parametrize("name", NAMES)
def test_every_trace_is_imported_without_an_error_and_with_every_slice_closed(loaded: Loaded, name: str) -> None:
    """trace_processor reports nothing; a slice that was never closed would have dur -1."""
    trace = loaded(name)
    assert trace.errors == {}
    assert [item for item in trace.slices if item.dur < 0] == []


@pytest.mark.parametrize("name", NAMES)
def test_slices_of_one_track_never_overlap(loaded: Loaded, name: str) -> None:
    """Overlapping slices would be imported as nested ones."""
    assert {item.depth for item in loaded(name).slices} <= {0}


@pytest.mark.parametrize("name", NAMES)
def test_every_counter_ends_on_zero_and_each_value_has_its_zero(loaded: Loaded, name: str) -> None:
    """Samples come in pairs, a value and a zero, as readers of rocprof-sys traces expect."""
    for track, samples in loaded(name).counters.items():
        assert len(samples) % 2 == 0, track
        assert [value for _, value in samples[1::2]] == [0.0] * (len(samples) // 2), track


def test_without_counters_the_slices_are_those_of_the_trace_with_them(loaded: Loaded) -> None:
    """Times, names and tracks; a dispatch that was not replayed leaves no empty track of its group."""
    bare, whole = loaded("times_only"), loaded("three_passes")
    assert [(s.ts, s.dur, s.name, s.track) for s in bare.slices] == [
        (s.ts, s.dur, s.name, s.track) for s in whole.slices
    ]
    assert bare.counters == {}
    assert "SQ_WAVES" in whole.slices[0].args
    assert "SQ_WAVES" not in bare.slices[0].args


def test_without_counters_a_dispatch_that_was_not_replayed_has_no_track_of_its_group(traces: pathlib.Path) -> None:
    """It would be empty. The mark of the run says that counters were left out."""
    assert [path for path in tracks_of(traces / "times_only_declined.pftrace") if "Group" in path] == []
    events = [packet.track_event for packet in decode(traces / "times_only_declined.pftrace").packet]
    said = [a.string_value for event in events for a in event.debug_annotations if a.string_value == "none"]
    assert said == ["none"]


@pytest.mark.parametrize("name", NAMES)
def test_every_trace_decodes_strictly_on_one_sequence(traces: pathlib.Path, name: str) -> None:
    """No cut packet, no unknown field; the state is cleared first, and only then."""
    packets = decode(traces / f"{name}.pftrace").packet
    assert len({packet.trusted_packet_sequence_id for packet in packets}) == 1
    assert packets[0].first_packet_on_sequence
    assert packets[0].trace_packet_defaults.timestamp_clock_id == protos.BUILTIN_CLOCK_BOOTTIME
    cleared = [packet for packet in packets if packet.sequence_flags == packet.SEQ_INCREMENTAL_STATE_CLEARED]
    assert len(cleared) == 1
    assert cleared[0] is packets[0]


def test_the_three_clocks_are_related_once(traces: pathlib.Path) -> None:
    """One snapshot with BOOTTIME as the clock of the trace."""
    packets = decode(traces / "one_pass.pftrace").packet
    (snapshot,) = (packet.clock_snapshot for packet in packets if packet.HasField("clock_snapshot"))
    assert snapshot.primary_trace_clock == protos.BUILTIN_CLOCK_BOOTTIME
    assert {clock.clock_id: clock.timestamp for clock in snapshot.clocks} == {
        protos.BUILTIN_CLOCK_BOOTTIME: 600_000,
        protos.BUILTIN_CLOCK_MONOTONIC: 550_000,
        protos.BUILTIN_CLOCK_REALTIME: 1_700_000_000_000_600_000,
    }


def test_the_process_has_its_pid_command_and_label(traces: pathlib.Path) -> None:
    """Perfetto joins processes of merged traces by pid; the label says that the GPU is simulated."""
    process = tracks_of(traces / "one_pass.pftrace")["axpy"].process
    assert process.pid == 4242
    assert list(process.cmdline) == ["/opt/apps/axpy", "--size", "1024"]
    assert list(process.process_labels) == ["simulated GPU"]


# ---- One pass ---------------------------------------------------------------------------------------------------


def test_one_pass_has_no_replay_tracks(traces: pathlib.Path) -> None:
    """Counters stand beside the queues, under names without a pass."""
    assert list(tracks_of(traces / "one_pass.pftrace")) == [
        "axpy",
        "axpy > GPU 0 [gfx942]",
        "axpy > GPU 0 [gfx942] > Queue 0",
        "axpy > GPU 0 [gfx942] > GPU SQ_INSTS_VALU [0]",
        "axpy > GPU 0 [gfx942] > GPU SQ_WAVES [0]",
        "axpy > Run information",
    ]


def test_one_pass_slices_have_the_recorded_times(loaded: Loaded) -> None:
    """Names, starts and durations in nanoseconds, unchanged."""
    slices = loaded("one_pass").of("rocm_kernel_dispatch")
    assert [(item.name, item.ts, item.dur, item.track) for item in slices] == [
        (AXPY, 1_000_000, 4_000, "Queue 0"),
        (REDUCE, 1_010_000, 2_000, "Queue 0"),
    ]


def test_the_arguments_of_a_dispatch(loaded: Loaded) -> None:
    """All arguments, the counters among them: integers stay integers."""
    assert loaded("one_pass").dispatch(1).args == {
        "dispatch_id": 1, "outcome": "single_pass", "passes": 1, "executions": 1, "time_of": "single run",
        "SQ_INSTS_VALU": 8192, "SQ_WAVES": 512,
        "grid_size": "1024,2,1", "workgroup_size": "256,1,1", "group_segment_size": 0, "private_segment_size": 0,
        "kernel_id": 1, "queue": 77, "thread_id": 4242, "corr_id": 101,
    }  # fmt: skip


def test_a_fraction_stays_a_fraction(loaded: Loaded) -> None:
    """0.75 is 0.75, in the arguments and on the track."""
    trace = loaded("one_pass")
    assert trace.dispatch(2).args["SQ_INSTS_VALU"] == 0.75
    assert trace.counters["GPU SQ_INSTS_VALU [0]"][2] == (1_010_000, 0.75)


def test_a_counter_is_up_from_the_start_to_the_end_of_its_dispatch(loaded: Loaded) -> None:
    """Value at the start, 0 at the end."""
    trace = loaded("one_pass")
    assert trace.counters["GPU SQ_WAVES [0]"] == [(1_000_000, 512), (1_004_000, 0), (1_010_000, 256), (1_012_000, 0)]
    assert trace.units["GPU SQ_WAVES [0]"] == "Count"


# ---- Three passes -----------------------------------------------------------------------------------------------


def test_three_passes_give_one_group_of_tracks_per_pass_in_order(traces: pathlib.Path) -> None:
    """Explicit ranks order what is declared: queues, then the passes, each with its kernels first."""
    tracks = tracks_of(traces / "three_passes.pftrace")
    gpu = "axpy > GPU 0 [gfx942]"
    assert sorted(tracks) == sorted([
        "axpy", gpu, f"{gpu} > Queue 0", "axpy > Run information",
        f"{gpu} > Replay pass 0", f"{gpu} > Replay pass 0 > Kernels",
        f"{gpu} > Replay pass 0 > GPU SQ_INSTS_VALU [0] pass 0", f"{gpu} > Replay pass 0 > GPU SQ_WAVES [0] pass 0",
        f"{gpu} > Replay pass 1", f"{gpu} > Replay pass 1 > Kernels",
        f"{gpu} > Replay pass 1 > GPU SQ_WAVES [0] pass 1", f"{gpu} > Replay pass 1 > GPU TCC_HIT [0] pass 1",
        f"{gpu} > Replay pass 2", f"{gpu} > Replay pass 2 > Kernels",
        f"{gpu} > Replay pass 2 > GPU GRBM_GUI_ACTIVE [0] pass 2", f"{gpu} > Replay pass 2 > GPU SQ_WAVES [0] pass 2",
    ])  # fmt: skip
    children = {path: track for path, track in tracks.items() if path.startswith(f"{gpu} > ")}
    assert all(tracks[path.rpartition(" > ")[0]].child_ordering == 3 for path in children)
    first_level = [path for path in children if path.count(" > ") == 2]
    assert sorted(first_level, key=lambda path: children[path].sibling_order_rank) == [
        f"{gpu} > Queue 0", f"{gpu} > Replay pass 0", f"{gpu} > Replay pass 1", f"{gpu} > Replay pass 2",
    ]  # fmt: skip


def test_a_replayed_dispatch_is_one_slice_with_the_times_of_pass_0(loaded: Loaded) -> None:
    """A reader that knows nothing of passes counts each dispatch once."""
    slices = loaded("three_passes").of("rocm_kernel_dispatch")
    assert [(item.name, item.ts, item.dur) for item in slices] == [
        (AXPY, 1_000_000, 4_000),
        (REDUCE, 1_020_000, 6_000),
    ]


def test_a_replayed_dispatch_has_each_counter_once_from_the_lowest_pass_that_read_it(loaded: Loaded) -> None:
    """SQ_WAVES was read as 512, 513 and 514: pass 0 counts. 2^53 is still exact, -7 is an integer, 0 a reading."""
    trace = loaded("three_passes")
    counters = ("SQ_INSTS_VALU", "SQ_WAVES", "TCC_HIT", "GRBM_GUI_ACTIVE")
    assert [trace.dispatch(1).args[name] for name in counters] == [8192, 512, 9007199254740992, 1234.5]
    assert [trace.dispatch(2).args[name] for name in counters] == [100, 256, 0, -7]
    assert isinstance(trace.dispatch(1).args["TCC_HIT"], int)
    assert (trace.dispatch(1).args["passes"], trace.dispatch(1).args["outcome"]) == (3, "replayed")


def test_every_pass_has_its_own_slice_with_its_own_times(loaded: Loaded) -> None:
    """Category rocm_kernel_replay_pass, told apart by replay_pass."""
    slices = loaded("three_passes").of("rocm_kernel_replay_pass")
    assert [(item.args, item.ts, item.dur, item.track) for item in slices] == [
        ({"replay_pass": 0, "dispatch_id": 1}, 1_000_000, 4_000, "Kernels"),
        ({"replay_pass": 1, "dispatch_id": 1}, 1_006_000, 3_500, "Kernels"),
        ({"replay_pass": 2, "dispatch_id": 1}, 1_012_000, 3_000, "Kernels"),
        ({"replay_pass": 0, "dispatch_id": 2}, 1_020_000, 6_000, "Kernels"),
        ({"replay_pass": 1, "dispatch_id": 2}, 1_028_000, 5_000, "Kernels"),
        ({"replay_pass": 2, "dispatch_id": 2}, 1_035_000, 5_000, "Kernels"),
    ]


def test_arrows_go_from_the_logical_slice_to_each_of_its_passes(loaded: Loaded) -> None:
    """And to no other."""
    trace = loaded("three_passes")
    expected = {
        (trace.dispatch(int(item.args["dispatch_id"])).id, item.id) for item in trace.of("rocm_kernel_replay_pass")
    }
    assert len(expected) == 6
    assert trace.flows == expected


def test_each_pass_has_its_own_counter_tracks(loaded: Loaded) -> None:
    """One reading per pass, at the times of the pass; nothing is copied from another."""
    counters = loaded("three_passes").counters
    assert counters == {
        "GPU SQ_INSTS_VALU [0] pass 0": [(1_000_000, 8192), (1_004_000, 0), (1_020_000, 100), (1_026_000, 0)],
        "GPU SQ_WAVES [0] pass 0": [(1_000_000, 512), (1_004_000, 0), (1_020_000, 256), (1_026_000, 0)],
        "GPU SQ_WAVES [0] pass 1": [(1_006_000, 513), (1_009_500, 0), (1_028_000, 256), (1_033_000, 0)],
        "GPU TCC_HIT [0] pass 1": [(1_006_000, 2.0**53), (1_009_500, 0), (1_028_000, 0), (1_033_000, 0)],
        "GPU GRBM_GUI_ACTIVE [0] pass 2": [(1_012_000, 1234.5), (1_015_000, 0), (1_035_000, -7), (1_040_000, 0)],
        "GPU SQ_WAVES [0] pass 2": [(1_012_000, 514), (1_015_000, 0), (1_035_000, 256), (1_040_000, 0)],
    }


def test_counter_events_carry_their_category(traces: pathlib.Path) -> None:
    """rocm_counter_collection, as in traces of rocprof-sys, on the track and on each sample."""
    packets = decode(traces / "three_passes.pftrace").packet
    categories = {entry.iid: entry.name for packet in packets for entry in packet.interned_data.event_categories}
    used = [
        [categories[iid] for iid in packet.track_event.category_iids]
        for packet in packets
        if packet.track_event.type == protos.TrackEvent.TYPE_COUNTER
    ]
    assert used == [["rocm_counter_collection"]] * 24
    tracks = [track for track in tracks_of(traces / "three_passes.pftrace").values() if track.HasField("counter")]
    assert [list(track.counter.categories) for track in tracks] == [["rocm_counter_collection"]] * 6


# ---- Executions without counters, permuted groups ---------------------------------------------------------------


def test_executions_without_counters_have_lanes_of_their_own_before_the_passes(traces: pathlib.Path) -> None:
    """`Replay warm-up` and `Replay timing`, and nothing below them."""
    tracks = tracks_of(traces / "extras.pftrace")
    gpu = "axpy > GPU 0 [gfx942]"
    first_level = [path for path in tracks if path.startswith(f"{gpu} > ") and path.count(" > ") == 2]
    assert sorted(first_level, key=lambda path: tracks[path].sibling_order_rank) == [
        f"{gpu} > Queue 0", f"{gpu} > Replay warm-up", f"{gpu} > Replay timing",
        f"{gpu} > Replay pass 0", f"{gpu} > Replay pass 1",
    ]  # fmt: skip


def test_the_timing_pass_has_the_times_of_the_dispatch(loaded: Loaded) -> None:
    """Sum of durations over the dispatches: one of each, the undisturbed one."""
    trace = loaded("extras")
    assert [(item.ts, item.dur, item.args["time_of"]) for item in trace.of("rocm_kernel_dispatch")] == [
        (1_010_000, 2_000, "timing pass"),
        (1_060_000, 2_000, "timing pass"),
    ]
    assert [trace.dispatch(n).args["extra_passes"] for n in (1, 2)] == ["warm-up, timing"] * 2
    assert [trace.dispatch(n).args["executions"] for n in (1, 2)] == [2, 2]


def test_executions_without_counters_are_no_replay_passes(loaded: Loaded) -> None:
    """A category of their own; one without times is told of by the dispatch only."""
    slices = loaded("extras").of("rocm_kernel_replay_extra")
    assert [(item.args, item.ts, item.dur, item.track) for item in slices] == [
        ({"replay_extra": "warm-up", "dispatch_id": 1}, 1_000_000, 5_000, "Replay warm-up"),
        ({"replay_extra": "timing", "dispatch_id": 1}, 1_010_000, 2_000, "Replay timing"),
        ({"replay_extra": "timing", "dispatch_id": 2}, 1_060_000, 2_000, "Replay timing"),
    ]


def test_arrows_go_to_what_follows_the_dispatch_and_not_back_to_its_warm_up(loaded: Loaded) -> None:
    """An arrow back in time is an error of the importer."""
    trace = loaded("extras")
    followers = [*trace.of("rocm_kernel_replay_pass"), *trace.of("rocm_kernel_replay_extra")]
    assert trace.flows == {
        (trace.dispatch(int(item.args["dispatch_id"])).id, item.id)
        for item in followers
        if item.args.get("replay_extra") != "warm-up"
    }


def test_a_pass_says_which_group_it_read_where_that_is_another(loaded: Loaded) -> None:
    """Counter tracks are those of the pass that read them."""
    trace = loaded("extras")
    assert [item.args for item in trace.of("rocm_kernel_replay_pass")] == [
        {"replay_pass": 0, "dispatch_id": 1},
        {"replay_pass": 1, "dispatch_id": 1},
        {"replay_pass": 0, "dispatch_id": 2, "group": 1},
        {"replay_pass": 1, "dispatch_id": 2, "group": 0},
    ]
    assert trace.counters["GPU SQ_WAVES [0] pass 0"] == [(1_070_000, 256), (1_073_000, 0)]
    assert trace.counters["GPU SQ_WAVES [0] pass 1"] == [(1_030_000, 512), (1_033_000, 0)]


def test_a_replay_of_a_plan_with_one_pass_keeps_the_names_of_its_counters(loaded: Loaded) -> None:
    """`GPU <C> [n]`: what is replayed and what is not are one series."""
    trace = loaded("extras_one_pass")
    assert [(item.args["replay_pass"], item.ts) for item in trace.of("rocm_kernel_replay_pass")] == [(0, 1_020_000)]
    assert trace.counters["GPU SQ_WAVES [0]"] == [(1_020_000, 512), (1_023_000, 0), (1_040_000, 512), (1_043_000, 0)]
    assert [item.args["time_of"] for item in trace.of("rocm_kernel_dispatch")] == ["timing pass", "single run"]


# ---- Lanes and equal times --------------------------------------------------------------------------------------


def test_dispatches_that_overlap_on_a_queue_share_it_by_lanes(loaded: Loaded) -> None:
    """[0, 300] and [300, 500] on the first lane, [100, 400] on the second; another queue is another track."""
    slices = loaded("overlap").of("rocm_kernel_dispatch")
    assert [(item.args["dispatch_id"], item.track, item.ts - 1_000_000, item.dur) for item in slices] == [
        (1, "Queue 0", 0, 300),
        (2, "Queue 0 (2)", 100, 300),
        (3, "Queue 0", 300, 200),
        (4, "Queue 1", 600, 100),
    ]


def test_readings_that_overlap_share_a_counter_by_lanes(loaded: Loaded) -> None:
    """Otherwise the end of one would hide the value of the other."""
    counters = loaded("overlap").counters
    assert [(ts - 1_000_000, value) for ts, value in counters["GPU SQ_WAVES [0]"]] == [
        (0, 1), (300, 0), (300, 3), (500, 0), (600, 4), (700, 0),
    ]  # fmt: skip
    assert [(ts - 1_000_000, value) for ts, value in counters["GPU SQ_WAVES [0] (2)"]] == [(100, 2), (400, 0)]


def test_back_to_back_dispatches_stay_apart_whatever_their_order_of_arrival(loaded: Loaded) -> None:
    """[0, 100], [100, 100], [100, 200], reported last first: one lane, and each zero before the next value."""
    trace = loaded("back_to_back")
    slices = trace.of("rocm_kernel_dispatch")
    assert [(item.args["dispatch_id"], item.track, item.ts - 1_000_000, item.dur) for item in slices] == [
        (1, "Queue 0", 0, 100),
        (2, "Queue 0", 100, 0),
        (3, "Queue 0", 100, 100),
    ]
    assert [(ts - 1_000_000, value) for ts, value in trace.counters["GPU SQ_WAVES [0]"]] == [
        (0, 10), (100, 0), (100, 20), (100, 0), (100, 30), (200, 0),
    ]  # fmt: skip


def test_a_start_after_the_end_is_swapped_marked_and_counted(loaded: Loaded) -> None:
    """ROCm/rocm-examples #479."""
    trace = loaded("swapped")
    swapped, empty = trace.of("rocm_kernel_dispatch")
    assert (swapped.ts, swapped.dur, swapped.args["times_swapped"]) == (1_000_100, 100, True)
    assert (empty.ts, empty.dur) == (1_000_300, 0)
    assert "times_swapped" not in empty.args
    assert trace.run.args["swapped_times"] == 1


# ---- Outcomes ---------------------------------------------------------------------------------------------------


def test_a_declined_dispatch_says_why_and_which_group_it_read(loaded: Loaded) -> None:
    """Without a known reason there is none. Nothing looks like a replay."""
    trace = loaded("declined")
    keys = ("outcome", "decline_reason", "group", "passes", "executions")
    assert [trace.dispatch(1).args[key] for key in keys] == ["declined", "graph", 1, 3, 1]
    assert [trace.dispatch(2).args.get(key) for key in keys] == ["declined", None, 2, 3, 1]
    assert trace.of("rocm_kernel_replay_pass") == []
    assert trace.flows == frozenset()


def test_readings_without_a_replay_are_named_by_their_group(loaded: Loaded, traces: pathlib.Path) -> None:
    """They do not mix with those of a pass."""
    assert loaded("declined").counters == {
        "GPU SQ_WAVES [0] group 1": [(1_000_000, 512), (1_002_000, 0)],
        "GPU TCC_HIT [0] group 1": [(1_000_000, 64), (1_002_000, 0)],
        "GPU GRBM_GUI_ACTIVE [0] group 2": [(1_003_000, 99), (1_004_000, 0)],
    }
    assert "axpy > GPU 0 [gfx942] > Group 1 (not replayed)" in tracks_of(traces / "declined.pftrace")


def test_a_filtered_dispatch_is_a_slice_without_counters(loaded: Loaded) -> None:
    """It ran, and nobody asked for its counters."""
    trace = loaded("filtered")
    args = trace.dispatch(1).args
    assert args["outcome"] == "filtered"
    assert {"group", "SQ_WAVES", "decline_reason"}.isdisjoint(args)
    assert trace.counters == {}


def test_an_incomplete_dispatch_shows_what_came_and_nothing_else(loaded: Loaded) -> None:
    """Pass 0 is missing: times of pass 1. Pass 2 has no times: its reading is an argument, but not drawn."""
    trace = loaded("incomplete")
    partial = trace.dispatch(1)
    assert (partial.ts, partial.dur) == (1_006_000, 3_000)
    assert (partial.args["outcome"], partial.args["incomplete_reason"]) == ("incomplete", "the process ended in pass 2")
    assert (partial.args["passes"], partial.args["executions"]) == (3, 2)
    assert (partial.args["SQ_WAVES"], partial.args["GRBM_GUI_ACTIVE"]) == (512, 99)
    assert "SQ_INSTS_VALU" not in partial.args
    assert set(trace.counters) == {"GPU SQ_WAVES [0] pass 1", "GPU TCC_HIT [0] pass 1"}
    assert trace.run.args["passes_without_times"] == 1


def test_a_dispatch_without_times_is_an_instant_on_a_track_that_says_so(loaded: Loaded) -> None:
    """It is in the trace, and not counted as a dispatch with a duration."""
    trace = loaded("incomplete")
    (untimed,) = trace.of("rocm_kernel_dispatch_untimed")
    assert (untimed.name, untimed.track, untimed.dur) == (REDUCE, "Dispatches without times", 0)
    assert (untimed.args["dispatch_id"], untimed.args["outcome"]) == (2, "incomplete")
    assert trace.run.args["dispatches_without_times"] == 1


def test_a_kernel_whose_name_was_lost_is_drawn_under_its_number(loaded: Loaded) -> None:
    """The dispatch happened all the same."""
    assert loaded("incomplete").dispatch(3).name == "(unknown kernel 99)"


def test_a_counter_that_nobody_asked_for_is_on_its_pass_tracks_only(loaded: Loaded) -> None:
    """SQ_WAVES is a sentinel; TCC_HIT was asked for, in pass 0."""
    trace = loaded("sentinels")
    args = trace.dispatch(1).args
    assert "SQ_WAVES" not in args
    assert args["TCC_HIT"] == 3
    assert trace.counters["GPU SQ_WAVES [0] pass 1"] == [(1_002_000, 5), (1_003_000, 0)]


# ---- GPUs, values, run, merging ---------------------------------------------------------------------------------


def test_two_gpus_have_their_own_tracks_and_naming(loaded: Loaded, traces: pathlib.Path) -> None:
    """One pass on GPU 0, two on GPU 1; the same counter is two tracks."""
    trace = loaded("two_gpus")
    assert trace.counters == {
        "GPU SQ_WAVES [0]": [(1_000_000, 11), (1_001_000, 0)],
        "GPU SQ_WAVES [1] pass 0": [(1_000_500, 22), (1_001_500, 0)],
        "GPU TCC_HIT [1] pass 1": [(1_002_000, 33), (1_003_000, 0)],
    }
    paths = tracks_of(traces / "two_gpus.pftrace")
    assert "axpy > GPU 0 [gfx942] > Queue 0" in paths
    assert "axpy > GPU 1 [gfx942] > Queue 0" in paths


def test_values_beyond_exact_integers_stay_doubles(loaded: Loaded) -> None:
    """2^53 is exact, 2^54 is written as the double it is, and so is a large one."""
    args = loaded("values").dispatch(1).args
    assert [args[name] for name in "ABCDE"] == [2**53, 2.0**54, -3, 0, 1e300]
    assert [type(args[name]) for name in "ABCDE"] == [int, float, int, int, float]


def test_a_derived_counter_has_no_made_up_unit(loaded: Loaded) -> None:
    """Its unit is not known: it may be a percentage."""
    assert loaded("values").units["GPU E [0]"] == ""


def test_the_run_is_described_by_one_mark(loaded: Loaded) -> None:
    """Tool, SDK, request, plan and warnings, at the first dispatch."""
    run = loaded("incomplete").run
    assert (run.name, run.ts, run.dur) == ("rocprofsys-multipass (2 warnings)", 1_006_000, 0)
    assert run.args == {
        "tool_version": "0.1.0", "sdk_version": "1.4.1", "sdk_library": "/opt/sim/librocprofiler-sdk.so.1",
        "simulated": True, "kernel_replay": True, "replay_mode": "auto", "command": "/opt/apps/axpy --size 1024",
        "events": "SQ_WAVES,SQ_INSTS_VALU", "guid": "0198c0de-0000-7000-8000-000000000001", "hostname": "node1",
        "tool_start_ns": 500_000, "dispatches": 3, "dispatches_without_times": 1, "passes_without_times": 1,
        "plan[0]": "GPU 0 [gfx942] pass 0: SQ_INSTS_VALU, SQ_WAVES",
        "plan[1]": "GPU 0 [gfx942] pass 1: SQ_WAVES, TCC_HIT",
        "plan[2]": "GPU 0 [gfx942] pass 2: GRBM_GUI_ACTIVE, SQ_WAVES",
        "warnings[0]": "the capture file ends in the middle of a frame",
        "warnings[1]": "counter TCC_MISS is not known",
    }  # fmt: skip


def test_a_run_without_dispatches_is_a_trace_that_says_so(loaded: Loaded) -> None:
    """The mark stands at the start of the tool."""
    trace = loaded("empty")
    assert [(item.category, item.ts) for item in trace.slices] == [("rocm_multipass_run", 500_000)]
    assert trace.run.args["dispatches"] == 0


def test_traces_of_two_processes_can_be_appended(traces: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """Same tracks, same times, other pid: nothing is merged that is not the same."""
    both = tmp_path / "both.pftrace"
    both.write_bytes(b"".join((traces / f"{name}.pftrace").read_bytes() for name in ("three_passes", "other_process")))
    trace = load(both)
    assert trace.errors == {}
    assert [item.dur for item in trace.of("rocm_kernel_dispatch")] == [4_000, 4_000, 6_000, 6_000]
    assert len(trace.flows) == 12
    assert len({packet.trusted_packet_sequence_id for packet in decode(both).packet}) == 2


# ---- Size -------------------------------------------------------------------------------------------------------


def test_many_dispatches_arriving_out_of_order_need_one_lane(tmp_path: pathlib.Path) -> None:
    """5,000 replayed dispatches, every pair swapped: all there, none nested, all sums right."""
    count = 5_000
    subprocess.run([make_traces_executable(), tmp_path, str(count)], check=True)
    trace = load(tmp_path / "many.pftrace")
    assert trace.errors == {}
    dispatches = trace.of("rocm_kernel_dispatch")
    assert len(dispatches) == count
    assert {(item.track, item.dur, item.depth) for item in dispatches} == {("Queue 0", 200, 0)}
    assert len(trace.flows) == 3 * count
    assert len(trace.counters) == 6
    for samples in trace.counters.values():
        assert sum(value for _, value in samples) == count * (count - 1) / 2


def _peak_memory_kib(count: int, folder: pathlib.Path) -> int:
    code = (
        "import resource, subprocess, sys;"
        "subprocess.run(sys.argv[1:], check=True);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    command = [sys.executable, "-c", code, str(make_traces_executable()), str(folder), str(count)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def test_memory_does_not_grow_with_the_number_of_dispatches(tmp_path: pathlib.Path) -> None:
    """Eight times the dispatches, the same memory within 4 MiB."""
    few, many = (_peak_memory_kib(count, tmp_path) for count in (5_000, 40_000))
    assert many - few < 4096
