# SPDX-License-Identifier: MIT
"""The HTML report of a long run: time to write it, its size, and how fast it is in Chromium.

Usage::

    python tests/bench/report_bench.py [--dispatches 100000] [--spread 0.01]

It needs what the tests need, and fails where the page is 10 MB or takes 3 s to open. docs/benchmarks.md has numbers.
"""

from __future__ import annotations

import argparse
import pathlib
import statistics
import sys
import tempfile
import time
from collections.abc import Callable

ROOT = pathlib.Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests" / "python"), str(ROOT / "tests" / "tools")]

import large_run  # noqa: E402 - helpers of the tests, found by the line above
import report_page  # noqa: E402
from playwright.sync_api import Page  # noqa: E402

from rocprofsys_multipass.report import render_html  # noqa: E402

MOST_BYTES = 10_000_000
MOST_MS = 3_000
REPEATS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dispatches", type=int, default=100_000)
    parser.add_argument("--spread", type=float, default=0.01, help="by how much values of a kernel differ")
    args = parser.parse_args()
    trace = large_run.trace_of(args.dispatches, spread=args.spread)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "report.html")
        start = time.process_time()
        with path.open("w", encoding="utf-8") as stream:
            render_html(trace, stream)
        _say("written, CPU", time.process_time() - start, "s")
        size = path.stat().st_size
        _say("size", size / 1e6, "MB")
        with report_page.browser() as running:
            opens = report_page.load_time(running, path)
            _say("opens, median of 5", opens, "ms")
            with report_page.opened(running, path) as page:
                _interact(page, args.dispatches)
    if size >= MOST_BYTES or opens >= MOST_MS:
        sys.exit("too large, or too slow")


def _interact(page: Page, count: int) -> None:
    search = page.get_by_label("Search")
    for column in ("Time", "Kernel", "Over passes"):
        button = page.locator(".dispatches th button", has_text=column).first
        _say(f"sort by {column}", _median(page, lambda b=button: b.evaluate("b => b.click()")), "ms")
    for words in ("transpose declined", f"#{count // 2}", ""):
        _say(f"search {words!r}", _median(page, lambda w=words: search.fill(w)), "ms")
    row = page.locator(".dispatches tr[data-row]").first
    for which in ("first", "second"):
        start = time.perf_counter()
        row.click()
        page.locator(".details table").wait_for()
        _say(f"{which} opening of a dispatch", 1e3 * (time.perf_counter() - start), "ms")
        row.click()


def _median(page: Page, action: Callable[[], object]) -> float:
    """Of REPEATS: from the action until the page is drawn again, the way through the driver included."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        action()
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times)


def _say(what: str, number: float, unit: str) -> None:
    sys.stdout.write(f"{what:<32}{number:>10.1f} {unit}\n")


if __name__ == "__main__":
    main()
