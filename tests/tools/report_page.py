# SPDX-License-Identifier: MIT
"""Opens HTML reports in the distribution's Chromium, headless: for tests, pictures and measurements.

Usage::

    python report_page.py REPORT.html --png FILE [--width N] [--height N] [--dark] [--whole]
    python report_page.py REPORT.html --time        # ms from navigation until the table answers, median of 5
    python report_page.py --sample 20000 --height 1000 --png docs/images/report.png
"""

from __future__ import annotations

import argparse
import contextlib
import pathlib
import statistics
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

from perfetto_ui import _CHROMIUM_ARGUMENTS, CHROMIUM
from playwright.sync_api import Browser, Page, sync_playwright

READY = "html[data-ready]"
"""There when the table of the dispatches answers."""

PATIENCE_MS = 10_000
"""For anything to happen in the page."""

LOADS = 5
"""Of which the median counts."""


@contextlib.contextmanager
def browser() -> Iterator[Browser]:
    """A browser."""
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=list(_CHROMIUM_ARGUMENTS))
        try:
            yield running
        finally:
            running.close()


@contextlib.contextmanager
def opened(running: Browser, report: pathlib.Path, fragment: str = "", **options: Any) -> Iterator[Page]:
    """The page, ready. At the end it fails where something went wrong in it, or where it asked for anything."""
    problems: list[str] = []
    context = running.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.on("console", lambda message: problems.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: problems.append(f"error: {error}"))
    address = report.resolve().as_uri()
    page.on(
        "request", lambda request: problems.append(request.url) if request.url.partition("#")[0] != address else None
    )
    page.goto(address + fragment)
    if options.get("java_script_enabled", True):
        page.wait_for_selector(READY)
    yield page
    context.close()
    if problems:
        raise AssertionError(problems)


def load_time(running: Browser, report: pathlib.Path) -> float:
    """Median of the times in ms from navigation until the table answers, each in a new profile."""
    times = []
    for _ in range(LOADS):
        with opened(running, report) as page:
            times.append(page.evaluate("performance.now()"))
    return statistics.median(times)


def write_sample(report: pathlib.Path, count: int) -> None:
    """The report of a run that no program made."""
    sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "python"))
    import large_run

    from rocprofsys_multipass.report import render_html

    with report.open("w", encoding="utf-8") as stream:
        render_html(large_run.trace_of(count), stream)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", type=pathlib.Path, nargs="?")
    parser.add_argument("--sample", type=int, metavar="N", help="in place of a report: one of N made up dispatches")
    parser.add_argument("--png", type=pathlib.Path)
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--height", type=int, default=900)
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--whole", action="store_true", help="the page from top to bottom")
    parser.add_argument("--fragment", default="", help="such as #dispatch-17")
    parser.add_argument("--time", action="store_true")
    args = parser.parse_args()
    if (args.report is None) == (args.sample is None):
        parser.error("give a report, or --sample N")
    with contextlib.ExitStack() as stack:
        if args.sample is not None:
            args.report = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()), "report.html")
            write_sample(args.report, args.sample)
        running = stack.enter_context(browser())
        if args.time:
            sys.stdout.write(f"{load_time(running, args.report):.0f} ms\n")
        if args.png:
            viewport = {"width": args.width, "height": args.height}
            scheme = "dark" if args.dark else "light"
            with opened(running, args.report, args.fragment, viewport=viewport, color_scheme=scheme) as page:
                page.screenshot(path=args.png, full_page=args.whole)


if __name__ == "__main__":
    main()
