# SPDX-License-Identifier: MIT
"""Draws the pictures of docs/perfetto.md and the README: the demo in a Perfetto UI, as the ``open`` command opens it.

Usage::

    ROCPROFSYS_MULTIPASS_NATIVE=build/dev/native PYTHONPATH=python python tests/tools/perfetto_pictures.py [FOLDER]
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import perfetto_ui
from playwright.sync_api import Page

import rocprofsys_multipass as mp
from rocprofsys_multipass import Dispatch
from rocprofsys_multipass.demo import DEMO_DEVICE, DEMO_EVENTS
from rocprofsys_multipass.native import find_native
from rocprofsys_multipass.viewer import Ui, choose, link, query, serving, startup_commands

WIDTH = 1500

# The panel below the tracks grows by its upper border.
_BORDER = ".pf-drawer-panel__handle, .pf-split-panel__handle"


def _enlarge_details(page: Page, pixels: int) -> None:
    """Draws the border up; the mouse goes where nothing answers to it."""
    box = page.locator(_BORDER).first.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - pixels, steps=4)
    page.mouse.up()
    page.mouse.move(0, 0)


def _show(page: Page, dispatch: Dispatch) -> None:
    """Selects it, and shows all of its replay."""
    perfetto_ui.select_slice(page, dispatch.kernel, scroll=False)
    perfetto_ui.zoom(page, dispatch.start_ns or 0, dispatch.passes[-1].end_ns or 0)


def _first_view(page: Page, _: Dispatch) -> None:
    """As the command opens it, with the answer to a query."""


def _one_dispatch(page: Page, dispatch: Dispatch) -> None:
    """A dispatch in time, and below it all that is known of it."""
    _show(page, dispatch)
    _enlarge_details(page, 420)


def _passes(page: Page, dispatch: Dispatch) -> None:
    """A dispatch, its executions and what they counted."""
    perfetto_ui.expand_tracks(page, ["Replay pass 2", "Replay pass 3"])
    _show(page, dispatch)


def _counters(page: Page, dispatch: Dispatch) -> None:
    """A dispatch, two of its executions, and below its arguments, with counters."""
    perfetto_ui.expand_tracks(page, ["Replay pass 2"])
    _show(page, dispatch)
    _enlarge_details(page, 220)
    page.get_by_text("dispatch_id").first.evaluate("row => row.scrollIntoView({ block: 'start' })")


@dataclass(frozen=True)
class Picture:
    """Its height in pixels, what is done on the page first, and the queries that it answers."""

    height: int
    prepare: Callable[[Page, Dispatch], None]
    queries: tuple[str, ...] = ()


PICTURES = {
    "demo-trace": Picture(1100, _counters),
    "perfetto-open": Picture(780, _first_view, ("replay-cost",)),
    "perfetto-dispatch": Picture(1200, _one_dispatch),
    "perfetto-passes": Picture(1150, _passes),
}


def draw(run: Path, folder: Path) -> None:
    """Every picture into this folder, from the trace of this run directory."""
    dispatch = mp.open_trace(run).dispatches()[1]
    traces = choose(run)
    for name, picture in PICTURES.items():
        with (
            perfetto_ui.served() as address,
            serving([one.path for one in traces], "demo.pftrace", Ui.at(address).origin, 0) as server,
        ):
            commands = startup_commands(traces, [query(each) for each in picture.queries])
            page_address = link(Ui.at(address), server.url, commands) + "&hideSidebar=true"
            with perfetto_ui.opened(page_address, WIDTH, picture.height, bypass_csp=True) as (page, _):
                picture.prepare(page, dispatch)
                perfetto_ui.settle(page)
                page.screenshot(path=str(folder / f"{name}.png"))


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Draws the pictures of docs/perfetto.md.")
    default = Path(__file__).resolve().parents[2] / "docs" / "images"
    parser.add_argument("folder", type=Path, nargs="?", default=default)
    folder = parser.parse_args(arguments).folder
    with tempfile.TemporaryDirectory() as scratch:
        output = Path(scratch) / "demo"
        mp.run([find_native().demo], events=DEMO_EVENTS, simulate=DEMO_DEVICE, output=output, capture=True)
        draw(output, folder)


if __name__ == "__main__":
    main()
