# SPDX-License-Identifier: MIT
"""``open --ui`` and a real Perfetto UI (v52.0): the page fetches the trace and does what the address says."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import perfetto_ui
import pytest
from open_tools import Opened, opening, write_summary
from playwright.sync_api import expect

from rocprofsys_multipass.errors import ExitCode, UsageError
from rocprofsys_multipass.trace.model import Interval
from rocprofsys_multipass.viewer import PORT, TraceFile, query, times_of

pytest_plugins = ["perfetto_fixtures"]

# Names of what a person sees without a click: the pinned tracks, then each track whose groups are open.
_SEEN = """() => {
  const open = (nodes) => nodes.flatMap((node) => [node.name, ...(node.collapsed ? [] : open(node.children))]);
  const workspace = globalThis.app.trace.workspace;
  return {pinned: workspace.pinnedTracks.map((node) => node.name), tracks: open(workspace.children)};
}"""
# Name and category of the selected slice.
_SELECTED = """async () => {
  const trace = globalThis.app.trace;
  const id = trace.selection.selection.eventId;
  const result = await trace.engine.query(`select name, category from slice where id = ${id}`);
  const row = result.iter({});
  return [row.get('name'), row.get('category')];
}"""
_POLICY = "document.querySelector('meta[http-equiv=Content-Security-Policy]').content"


@dataclass(frozen=True)
class Page:
    """What the page showed."""

    report: perfetto_ui.UiReport
    title: str
    pinned: list[str]
    tracks: list[str]
    text: str
    policy: str
    selected: list[str]
    command: Opened


@pytest.fixture(scope="module")
def page(traces: Path, tmp_path_factory: pytest.TempPathFactory) -> Page:
    """A run directory with one process, opened with a ready query, as a person would do it."""
    run = tmp_path_factory.mktemp("run") / "multipass-4242.pftrace"
    shutil.copy(traces / "three_passes.pftrace", run)
    write_summary(run, pid=4242, agents=[{}])
    with (
        perfetto_ui.served() as ui,
        opening(run.parent, "--ui", ui, "--dispatch", "2", "--query", "slowest-dispatches") as command,
        # The port is another than 9001, so that the test does not need that one.
        perfetto_ui.opened(command.address, bypass_csp=True) as (browser, errors),
    ):
        return Page(
            report=perfetto_ui.report(browser, errors),
            title=browser.title(),
            **browser.evaluate(_SEEN),
            text=browser.locator("body").inner_text(),
            policy=browser.evaluate(_POLICY),
            selected=browser.evaluate(_SELECTED),
            command=command,
        )


def test_the_page_shows_the_trace_and_the_command_ends(page: Page) -> None:
    assert (page.report.import_errors, page.report.dialogs, page.report.page_errors) == ({}, (), ())
    assert page.report.slices == 9
    assert page.title.startswith("multipass-4242.pftrace")
    assert page.command.code.result(timeout=20) == ExitCode.OK


def test_the_lanes_of_the_gpu_are_seen_without_a_click(page: Page) -> None:
    assert page.pinned == ["Queue 0"]
    first = page.tracks.index("axpy 4242")
    passes = [f"Replay pass {number}" for number in range(3)]
    assert page.tracks[first:] == ["axpy 4242", "GPU 0 [gfx942]", "Queue 0", *passes, "Run information"]


def test_the_answer_to_the_query_is_shown(page: Page) -> None:
    (column,) = re.findall(r"\bas (duration_ns)\b", query("slowest-dispatches").sql)
    assert column in page.text
    assert "Query result" in page.text


def test_the_dispatch_that_was_asked_for_is_selected(page: Page) -> None:
    """The logical one, not its pass 0, which has the same times."""
    assert page.selected == ["void reduce<256>(double*)", "rocm_kernel_dispatch"]


def test_the_counters_of_the_dispatch_are_a_key_away_which_the_command_names(traces: Path) -> None:
    trace = traces / "three_passes.pftrace"
    with (
        perfetto_ui.served() as ui,
        opening(trace, "--ui", ui, "--dispatch", "2") as command,
        perfetto_ui.opened(command.address, bypass_csp=True) as (browser, _),
    ):
        details = browser.get_by_text("rocm_kernel_dispatch").first
        expect(details).not_to_be_in_viewport()
        browser.keyboard.press("q")
        expect(details).to_be_in_viewport(timeout=20_000)
    assert "dispatch 2 will be selected: key q opens the drawer" in command.err.getvalue()


def test_a_dispatch_is_found_by_its_number_in_the_only_process_that_has_it(traces: Path) -> None:
    one, other = TraceFile(traces / "three_passes.pftrace"), TraceFile(traces / "other_process.pftrace")
    assert times_of([one], 2) == Interval(1_020_000, 1_026_000)
    assert times_of([TraceFile(traces / "swapped.pftrace")], 1).duration_ns == 100, "as it is drawn"
    with pytest.raises(UsageError, match=r"--dispatch 7: no such dispatch: there are 2, from 1 to 2"):
        times_of([one], 7)
    with pytest.raises(
        UsageError, match=r"--dispatch 1: processes 4242, 4343 have one of that number: choose by --pid"
    ):
        times_of([one, other], 1)


def test_a_ui_of_perfettos_own_build_may_read_from_the_port_that_is_the_default(page: Page) -> None:
    assert f"http://127.0.0.1:{PORT} " in page.policy
    assert PORT == 9001
