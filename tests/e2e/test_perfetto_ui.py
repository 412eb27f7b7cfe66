# SPDX-License-Identifier: MIT
"""The trace of a real run in a real Perfetto UI: what a person sees."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import expected
import perfetto_ui
import pytest
from e2e_tools import Outputs

from rocprofsys_multipass import Run
from rocprofsys_multipass.demo import DEMO_EVENTS

GPU = "GPU 0 [gfx942]"


@pytest.fixture(scope="module")
def trace(demo_run: Run) -> Path:
    return Outputs.of(demo_run.output_dir).trace


@pytest.fixture(scope="module")
def seen(trace: Path) -> perfetto_ui.UiReport:
    return perfetto_ui.check(trace)


@pytest.fixture(scope="module")
def planned(demo_run: Run) -> list[list[str]]:
    """The counters of each pass."""
    assert demo_run.summary is not None
    return demo_run.summary["agents"][0]["passes"]


def test_the_ui_opens_the_trace_without_complaint(seen: perfetto_ui.UiReport) -> None:
    assert (seen.import_errors, seen.dialogs, seen.page_errors) == ({}, (), ())


def test_the_ui_has_every_dispatch_every_execution_and_the_mark_of_the_run(
    seen: perfetto_ui.UiReport, planned: list[list[str]]
) -> None:
    assert seen.slices == 12 + 12 * len(planned) + 1


def test_the_ui_shows_each_pass_with_its_kernels_and_its_counters(
    seen: perfetto_ui.UiReport, planned: list[list[str]]
) -> None:
    below = [path[path.index(GPU) + 1 :] for path in seen.tracks if GPU in path]
    for index, counters in enumerate(planned):
        group = f"Replay pass {index}"
        shown = [path[1] for path in below if path[:1] == (group,) and len(path) == 2]
        assert shown[0] == "Kernels"
        assert sorted(shown[1:]) == sorted(f"GPU {name} [0] pass {index}" for name in counters)
    groups = [path[0] for path in below if len(path) == 1]
    assert [name for name in groups if name.startswith("Replay")] == [f"Replay pass {i}" for i in range(len(planned))]


def test_the_ui_shows_queues_before_passes(seen: perfetto_ui.UiReport) -> None:
    """The logical dispatches come first: two streams, two queues."""
    below = [path[-1] for path in seen.tracks if GPU in path and path.index(GPU) == len(path) - 2]
    assert below[:2] == ["Queue 0", "Queue 1"]


def test_a_click_on_a_kernel_shows_all_its_counters(
    trace: Path, demo_launches: list[expected.Launch], planned: list[list[str]], tmp_path: Path
) -> None:
    first = demo_launches[1]
    picture = tmp_path / "trace.png"
    details = perfetto_ui.screenshot(trace, picture, expand=["Kernels"], select=first.kernel)
    lines = [re.sub("arrow_drop_down$", "", line) for line in details.splitlines()]
    shown = dict(itertools.pairwise(lines))
    wanted = {name: f"{first.counter(name):.0f}" for name in DEMO_EVENTS}
    wanted |= {"dispatch_id": "2", "outcome": "replayed", "passes": str(len(planned))}
    assert {name: shown.get(name) for name in wanted} == wanted
    assert picture.read_bytes().startswith(b"\x89PNG")
