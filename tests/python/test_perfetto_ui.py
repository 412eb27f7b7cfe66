# SPDX-License-Identifier: MIT
"""The traces in a real Perfetto UI: what a person sees, in the order seen."""

from __future__ import annotations

import itertools
import pathlib
from types import ModuleType

import pytest

pytest_plugins = ["perfetto_fixtures"]

AXPY = "axpy(float, float const*, float*)"


def test_the_ui_shows_queues_first_and_then_each_pass_with_its_kernels_first(
    ui: ModuleType, traces: pathlib.Path
) -> None:
    """The tree of tracks, top to bottom, without an import error or a dialog."""
    report = ui.check(traces / "three_passes.pftrace")
    assert (report.import_errors, report.dialogs, report.page_errors) == ({}, (), ())
    assert report.slices == 9
    process = [path[1:] for path in report.tracks if path[0] == "axpy 4242"]
    gpu = "GPU 0 [gfx942]"
    assert process == [
        (),
        (gpu,),
        (gpu, "Queue 0"),
        (gpu, "Replay pass 0"),
        (gpu, "Replay pass 0", "Kernels"),
        (gpu, "Replay pass 0", "GPU SQ_INSTS_VALU [0] pass 0"),
        (gpu, "Replay pass 0", "GPU SQ_WAVES [0] pass 0"),
        (gpu, "Replay pass 1"),
        (gpu, "Replay pass 1", "Kernels"),
        (gpu, "Replay pass 1", "GPU SQ_WAVES [0] pass 1"),
        (gpu, "Replay pass 1", "GPU TCC_HIT [0] pass 1"),
        (gpu, "Replay pass 2"),
        (gpu, "Replay pass 2", "Kernels"),
        (gpu, "Replay pass 2", "GPU SQ_WAVES [0] pass 2"),
        (gpu, "Replay pass 2", "GPU GRBM_GUI_ACTIVE [0] pass 2"),
        ("Run information",),
    ]


def test_the_ui_shows_executions_without_counters_between_the_queues_and_the_passes(
    ui: ModuleType, traces: pathlib.Path
) -> None:
    """Lanes with slices on them, nothing below; 2 dispatches with 2 passes, 3 executions with times, the run's mark."""
    report = ui.check(traces / "extras.pftrace")
    assert (report.import_errors, report.dialogs, report.page_errors) == ({}, (), ())
    assert report.slices == 2 + 4 + 3 + 1
    below = [path[2:] for path in report.tracks if path[:2] == ("axpy 4242", "GPU 0 [gfx942]")]
    assert [path for path in below if len(path) == 1] == [
        ("Queue 0",),
        ("Replay warm-up",),
        ("Replay timing",),
        ("Replay pass 0",),
        ("Replay pass 1",),
    ]


def test_the_ui_keeps_processes_of_appended_traces_apart(
    ui: ModuleType, traces: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    """Each process has its own GPU."""
    both = tmp_path / "both.pftrace"
    both.write_bytes(b"".join((traces / f"{name}.pftrace").read_bytes() for name in ("overlap", "other_process")))
    report = ui.check(both)
    assert (report.import_errors, report.dialogs) == ({}, ())
    assert {path[0] for path in report.tracks if path[-1] == "GPU 0 [gfx942]"} == {"axpy 4242", "axpy 4343"}


def test_the_details_of_a_dispatch_show_its_outcome_and_every_counter(
    ui: ModuleType, traces: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    """One click on the slice tells all; the picture is drawn with the passes open."""
    picture = tmp_path / "trace.png"
    details = ui.screenshot(traces / "three_passes.pftrace", picture, expand=["Kernels"], select=AXPY)
    lines = [line.removesuffix("arrow_drop_down") for line in details.splitlines()]
    shown = dict(itertools.pairwise(lines))
    assert shown["Category"] == "rocm_kernel_dispatch"
    wanted = {"outcome": "replayed", "passes": "3", "SQ_INSTS_VALU": "8192", "SQ_WAVES": "512",
              "TCC_HIT": "9007199254740992", "GRBM_GUI_ACTIVE": "1234.5", "grid_size": "1024,2,1"}  # fmt: skip
    assert {key: shown.get(key) for key in wanted} == wanted
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_track_that_is_not_there_is_an_error(ui: ModuleType, traces: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """The tool does not draw something else than what was asked for."""
    with pytest.raises(ui.UiError, match="no track Replay pass 7"):
        ui.screenshot(traces / "one_pass.pftrace", tmp_path / "x.png", expand=["Replay pass 7"])


def test_a_file_that_is_no_trace_is_reported_by_a_dialog(ui: ModuleType, tmp_path: pathlib.Path) -> None:
    """So an empty list of dialogs means something."""
    broken = tmp_path / "broken.pftrace"
    broken.write_bytes(b"this is not a trace, and long enough to look like a file of some kind" * 10)
    assert ui.check(broken).dialogs != ()
