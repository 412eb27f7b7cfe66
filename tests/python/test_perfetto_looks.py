# SPDX-License-Identifier: MIT
"""What the writer does for the eye: labels, the order of arguments, colours."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as protos
from perfetto_tools import LoadedTrace, decode

pytest_plugins = ["perfetto_fixtures"]

AXPY = "axpy(float, float const*, float*)"
REDUCE = "void reduce<256>(double*)"


@pytest.mark.parametrize(
    ("name", "labels"), [("other_process", ["rank 1", "simulated GPU"]), ("one_pass", ["simulated GPU"])]
)
def test_a_process_is_labelled_by_its_rank(traces: Path, name: str, labels: list[str]) -> None:
    """So that ranks can be told apart where several are on one page."""
    tracks = [packet.track_descriptor for packet in decode(traces / f"{name}.pftrace").packet]
    assert [list(track.process.process_labels) for track in tracks if track.HasField("process")] == [labels]


def test_the_shape_of_a_launch_stands_before_its_counters_and_numbers_of_the_sdk_behind(
    loaded: Callable[[str], LoadedTrace],
) -> None:
    arguments = list(loaded("three_passes").dispatch(1).args)
    first = ["dispatch_id", "outcome", "passes", "executions", "time_of", "grid_size", "workgroup_size"]
    counters = ["GRBM_GUI_ACTIVE", "SQ_INSTS_VALU", "SQ_WAVES", "TCC_HIT"]
    assert arguments[: len(first)] == first
    assert sorted(arguments[len(first) : len(first) + len(counters)]) == counters
    assert arguments[-1] == "corr_id"


def colours(trace: Path) -> dict[tuple[str, str], str]:
    """By category and name of a slice: the text that its colour is made of where it is not the name."""
    packets = decode(trace).packet
    data = [packet.interned_data for packet in packets]
    names = {entry.iid: entry.name for each in data for entry in each.event_names}
    categories = {entry.iid: entry.name for each in data for entry in each.event_categories}
    texts = {entry.iid: entry.str.decode() for each in data for entry in each.correlation_id_str}
    kinds = (protos.TrackEvent.TYPE_SLICE_BEGIN, protos.TrackEvent.TYPE_INSTANT)
    return {
        (categories[event.category_iids[0]], names[event.name_iid]): texts.get(event.correlation_id_str_iid, "")
        for event in (packet.track_event for packet in packets)
        if event.type in kinds
    }


def test_kernels_that_differ_by_digits_have_colours_of_their_own_on_every_lane(traces: Path) -> None:
    """The UI leaves digits out of a name that it makes a colour of: instances of a template would look the same."""
    assert colours(traces / "extras.pftrace") == {
        ("rocm_kernel_dispatch", AXPY): "",
        ("rocm_kernel_dispatch", REDUCE): REDUCE,
        ("rocm_kernel_replay_pass", AXPY): "",
        ("rocm_kernel_replay_pass", REDUCE): REDUCE,
        ("rocm_kernel_replay_extra", AXPY): "",
        ("rocm_kernel_replay_extra", REDUCE): REDUCE,
        ("rocm_multipass_run", "rocprofsys-multipass"): "",
    }
