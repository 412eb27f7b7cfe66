# SPDX-License-Identifier: MIT
"""The HTML report in a real browser: what its script does, what the keyboard reaches, how it looks.

`report_page.opened` fails where the page wrote to the console, raised an error, or asked the network for anything.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import large_run
import pytest
import report_page
import trace_tools as tools
from playwright.sync_api import Browser, FloatRect, Locator, Page

from rocprofsys_multipass.report import numbers, render_html
from rocprofsys_multipass.trace import Trace, open_trace

COUNT = 300
TRACE = large_run.trace_of(COUNT)
DISPATCHES = TRACE.dispatches()
ROW = ".dispatches tr[data-row]"
HOSTILE = "k<script>alert(1)</script></script>\u2028" + "x" * 65_536


def written(folder: Path, trace: Trace) -> Path:
    path = folder / "report.html"
    with path.open("w", encoding="utf-8") as stream:
        render_html(trace, stream)
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with report_page.browser() as running:
        yield running


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a run with every outcome, on one GPU."""
    return written(tmp_path_factory.mktemp("long"), TRACE)


@pytest.fixture(scope="module")
def shared(browser: Browser, report: Path) -> Iterator[Page]:
    """A page that tests use one after the other."""
    with report_page.opened(browser, report) as opened:
        yield opened


@pytest.fixture
def page(shared: Page) -> Page:
    """The page as it is when it is opened."""
    shared.set_viewport_size({"width": 1280, "height": 900})
    shared.emulate_media(color_scheme="light")
    shared.reload()
    shared.wait_for_selector(report_page.READY)
    return shared


def heading(page: Page, name: str) -> Locator:
    return page.locator(".dispatches th button", has_text=re.compile(f"^{name}$"))


def cells(rows: Locator) -> list[list[str]]:
    found: list[list[str]] = rows.evaluate_all("rows => rows.map(row => [...row.cells].map(cell => cell.textContent))")
    return found


def column(page: Page, name: str) -> list[str]:
    heads = page.locator(".dispatches th").all_inner_texts()
    at = next(n for n, head in enumerate(heads) if head.startswith(name))
    return [row[at] for row in cells(page.locator(ROW))]


def told(page: Page) -> str:
    return page.locator(".controls output").inner_text()


# ---------------------------------------------------------------------------------------------------------------------
# Content


def test_the_script_writes_the_first_page_as_it_was(browser: Browser, report: Path, page: Page) -> None:
    """Both have the same numbers in the same words, though one is of Python and one of JavaScript."""
    with report_page.opened(browser, report, java_script_enabled=False) as plain:
        still = cells(plain.locator(".dispatches tbody tr"))
        assert "The first 50 of 300." in plain.locator("noscript").inner_text()
        assert plain.locator(".controls").is_hidden()
    assert len(still) == 50
    assert {row[3] for row in still} == {"replayed", "declined (unknown)"}
    assert cells(page.locator(ROW)) == still


def odd_run() -> tools.Run:
    """Extra executions, times that are swapped or equal, an execution without any, a name of several lines."""
    first, second = tools.replayed(1, 1000).executions
    launches = (
        replace(tools.replayed(1, 1000), warm_up=(900, 950), timing=(960, 995)),
        replace(tools.replayed(2, 2000), timing=(1900, 1900), kernel="two\nlines <b>"),
        replace(tools.replayed(3, 3000), executions=(replace(first, start=3100, end=3000), second)),
        replace(tools.replayed(4, 4000), executions=(replace(first, start=0, end=0), second)),
        replace(tools.replayed(5, 5000), executions=(first,), outcome="incomplete", reason="pass 1 did not run"),
        tools.Launch(6, (tools.Execution(None, 6000, 6050, {}, group=0),), outcome="filtered", reason="range"),
        tools.Launch(7, (tools.Execution(None, 0, 0, {"TCC_HIT": 9}, group=1),), outcome="declined", reason="unknown"),
    )
    return replace(tools.sample_run(), launches=launches, extras=("warm_up_pass", "timing_pass"))


def test_the_script_and_python_agree_on_odd_dispatches_too(browser: Browser, tmp_path: Path) -> None:
    path = written(tmp_path, open_trace(tools.write_run(tmp_path, odd_run(), files=("journal",))))
    with report_page.opened(browser, path, java_script_enabled=False) as plain:
        still = cells(plain.locator(".dispatches tbody tr"))
    with report_page.opened(browser, path, "#dispatch-1") as page:
        page.locator(".details table").wait_for()
        assert cells(page.locator(ROW)) == still
        assert page.locator(".details").inner_text().count("warm-up: 50 ns, timing pass: 35 ns, pass 0: 100 ns") == 1


def test_a_dispatch_unfolds_into_every_counter_of_it(page: Page) -> None:
    page.locator(ROW).nth(3).click()
    d = DISPATCHES[3]
    details = page.locator(".details")
    details.locator("table").wait_for()
    found = {row[0]: row for row in cells(details.locator("tbody tr"))}
    assert set(found) == set(d.by_counter)
    for counter, reading in d.counters.items():
        assert found[counter][2] == numbers.value(reading)
        assert found[counter][3] == d.canonical_pass[counter].label
    others = [f"{p.label}: {numbers.value(v)}" for p, v in d.by_counter["SQ_INSTS_VALU"][1:]]
    assert found["SQ_INSTS_VALU"][4] == ", ".join(others)
    text = details.inner_text()
    assert "grid 1024 × 1 × 1 work-items, work-group 256 × 1 × 1, queue 1, thread 900" in text
    assert ", ".join(f"{p.label}: {numbers.duration(p.duration_ns)}" for p in d.passes) in text
    assert details.locator("svg rect").count() == 5
    page.locator(ROW).nth(3).click()
    assert page.locator(".details").count() == 0


# ---------------------------------------------------------------------------------------------------------------------
# Sorting, searching, pages


def test_a_heading_sorts_and_sorts_the_other_way(page: Page) -> None:
    times = sorted((d.duration_ns or 0 for d in DISPATCHES), reverse=True)
    heading(page, "Time").click()
    assert column(page, "Time") == [numbers.duration(t) for t in times[:50]]
    assert heading(page, "Time").locator("..").get_attribute("aria-sort") == "descending"
    heading(page, "Time").click()
    assert column(page, "Time") == [numbers.duration(t) for t in times[::-1][:50]]
    assert heading(page, "Time").locator("..").get_attribute("aria-sort") == "ascending"
    assert page.locator(".dispatches th[aria-sort]").count() == 1


def test_rows_without_a_value_come_last(page: Page) -> None:
    heading(page, "All passes").click()
    heading(page, "All passes").click()
    page.get_by_label("Last page").click()
    assert column(page, "All passes")[-1] == "-"


@pytest.mark.parametrize(
    ("words", "matching"),
    [
        ("transpose", lambda d: "transpose" in d.kernel),
        ("HISTOGRAM declined", lambda d: "histogram" in d.kernel and d.outcome == "declined"),
        ("not_offered", lambda d: d.reason == "not_offered"),
        ("#17", lambda d: d.dispatch_id == 17),
        ("no such kernel", lambda d: d is None),
    ],
)
def test_the_search_finds_words_and_numbers(page: Page, words: str, matching: Callable[..., bool]) -> None:
    page.get_by_label("Search").fill(words)
    ids = [str(d.dispatch_id) for d in DISPATCHES if matching(d)]
    assert told(page) == f"{len(ids)} of 300 dispatches"
    assert column(page, "Dispatch") == ids[:50]
    assert ("No dispatch matches." in page.locator(".dispatches tbody").inner_text()) == (not ids)


def test_pages_are_turned_by_buttons(page: Page) -> None:
    assert page.get_by_label("Previous page").is_disabled()
    page.get_by_label("Next page").click()
    assert column(page, "Dispatch")[0] == "51"
    page.get_by_label("Last page").click()
    assert column(page, "Dispatch") == [str(n) for n in range(251, 301)]
    assert page.get_by_label("Next page").is_disabled()
    assert "Page 6 of 6" in page.locator(".pager").inner_text()


def test_a_counter_can_have_a_column_that_sorts(page: Page) -> None:
    page.get_by_label("Column for a counter").select_option("TCC_HIT")
    heading(page, "TCC_HIT").click()
    values = sorted((d.counters["TCC_HIT"] for d in DISPATCHES if "TCC_HIT" in d.counters), reverse=True)
    assert column(page, "TCC_HIT") == [numbers.value(v) for v in values[:50]]


def test_the_dispatches_of_a_kernel_are_a_click_away(page: Page) -> None:
    page.locator("#kernel-0").get_by_text("Show its dispatches").click()
    assert told(page) == "100 of 300 dispatches"
    assert len(set(column(page, "Kernel"))) == 1
    page.locator(".controls").get_by_role("button", name=re.compile("All kernels")).click()
    assert told(page) == "300 dispatches"


# ---------------------------------------------------------------------------------------------------------------------
# Keyboard, links, other screens


def test_the_keyboard_reaches_search_rows_and_details(page: Page) -> None:
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.type") == "search"
    page.keyboard.type("axpy")
    page.locator(f"{ROW} button").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.locator(".details table").wait_for()
    second = [d for d in DISPATCHES if "axpy" in d.kernel][1]
    assert page.evaluate("document.activeElement.textContent") == str(second.dispatch_id)
    assert page.evaluate("document.activeElement.getAttribute('aria-expanded')") == "true"
    page.keyboard.press("Enter")
    assert page.locator(".details").count() == 0


def test_the_first_stop_of_the_keyboard_skips_to_the_report(page: Page) -> None:
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the report"
    assert page.locator(".skip").bounding_box()["x"] >= 0  # type: ignore[index]
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_a_link_leads_to_a_dispatch_on_any_page(browser: Browser, report: Path) -> None:
    with report_page.opened(browser, report, "#dispatch-277") as page:
        assert page.locator("tr.open").locator("button").inner_text() == "277"
        assert page.locator(".details table").is_visible()
        assert "Page 6 of 6" in page.locator(".pager").inner_text()


def test_a_link_leads_into_a_process_that_is_folded(browser: Browser, tmp_path: Path) -> None:
    ranks = Trace(tuple(large_run.process_of(20, rank=rank) for rank in range(6)))
    with report_page.opened(browser, written(tmp_path, ranks), "#p3-dispatch-7") as page:
        assert page.locator("#p3-table tr.open button").inner_text() == "7"
        assert page.locator("details.process[open]").count() == 2
        page.get_by_role("link", name="process 4716 rank 5").click()
        page.locator("#p5-table th button").first.wait_for()
        assert page.locator("#p4-table th button").count() == 0


def test_a_small_screen_needs_no_scrolling_sideways_of_the_page(page: Page) -> None:
    page.set_viewport_size({"width": 400, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") == 400


def test_on_a_small_screen_tables_scroll_and_names_of_counters_stay_whole(page: Page) -> None:
    page.set_viewport_size({"width": 420, "height": 800})
    page.locator(ROW).first.click()
    page.locator(".details table").wait_for()
    lines = "cells => cells.map(cell => cell.getClientRects().length)"
    for table in ("section[aria-labelledby=kernels] details[open] tbody td:first-child", ".details td:first-child"):
        assert set(page.locator(f"{table} > code").evaluate_all(lines)) == {1}
    assert page.evaluate("document.documentElement.scrollWidth") == 420


def test_a_table_that_goes_on_has_a_shade_at_its_side(page: Page) -> None:
    page.set_viewport_size({"width": 700, "height": 900})
    region = page.get_by_role("region", name="Dispatches").locator("visible=true").last
    assert region.evaluate("box => box.scrollWidth > box.clientWidth")
    region.evaluate("box => box.scrollIntoView({ block: 'start' })")
    region.evaluate("box => { box.querySelector('table').style.visibility = 'hidden'; }")
    box = region.bounding_box()
    assert box is not None
    strip: FloatRect = {"x": box["x"] + box["width"] - 4, "y": box["y"] + 8, "width": 4, "height": 4}
    shaded = page.screenshot(clip=strip)
    region.evaluate("box => { box.scrollLeft = box.scrollWidth; }")
    assert page.screenshot(clip=strip) != shaded


def test_an_unfolded_dispatch_shows_whole_rows(page: Page) -> None:
    page.locator(ROW).first.click()
    page.locator(".details table").wait_for()
    assert page.locator(".details .scroll").evaluate("box => box.scrollHeight - box.clientHeight") == 0


CONTRASTS = """() => {
  const channel = (v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const numbers = (text) => text.match(/[\\d.]+/g).map(Number);
  const parts = [0.2126, 0.7152, 0.0722];
  const light = (text) => parts.reduce((sum, part, n) => sum + part * channel(numbers(text)[n]), 0);
  const ground = (element) => {
    for (let up = element; up; up = up.parentElement) {
      const colour = getComputedStyle(up).backgroundColor;
      if (numbers(colour)[3] !== 0) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const found = {};
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || !element.checkVisibility() || element.closest('svg') || element.disabled) continue;
    const [a, b] = [light(getComputedStyle(element).color), light(ground(element))];
    const name = `${element.tagName.toLowerCase()}.${element.className}`;
    found[name] = Math.min(found[name] ?? 99, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
  }
  return found;
}"""


def test_paper_has_no_controls_no_dark_ground_and_room_for_the_tables(page: Page) -> None:
    page.set_viewport_size({"width": 794, "height": 1123})  # A4
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("document.documentElement.scrollWidth") == 794
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator(".controls, .pager, nav, .theme").filter(visible=True).count()
    page.emulate_media(media="screen")


def test_all_text_stands_out_from_its_ground_bright_or_dark(page: Page) -> None:
    page.locator(ROW).first.click()
    page.locator(".details table").wait_for()
    papers = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        found = page.evaluate(CONTRASTS)
        assert {"p.dim", "th.text", "a.", "button.", "span.warn", "span.good"} <= set(found)
        assert {name: ratio for name, ratio in found.items() if ratio < 4.5} == {}
        papers.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    page.locator(".theme").click()
    papers.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert papers == ["rgb(255, 255, 255)", "rgb(20, 23, 27)", "rgb(255, 255, 255)"]


# ---------------------------------------------------------------------------------------------------------------------
# Data of every kind


def shown_values(browser: Browser, folder: Path, run: tools.Run) -> list[list[str]]:
    """The counters of its first dispatch as the page has them."""
    trace = open_trace(tools.write_run(folder, run, files=("journal",)))
    with report_page.opened(browser, written(folder, trace), "#dispatch-1") as page:
        return cells(page.locator(".details tbody tr"))


@pytest.mark.parametrize(
    "values",
    [
        (0.1 + 0.2, 1e30, 1.5e-9, 1e308, -7.25, 2.0**60, -1 / 3, 1.23456789e-9, 0.00390625, 0.99999912345),
        (2.0**53, 123456.03125, 1e7, 9999999, -3, 0, 256.25, 2048.125, 1234567.891234, 88.123456, 0.0123456789),
    ],
)
def test_numbers_of_any_size_read_as_in_the_other_reports(
    browser: Browser, tmp_path: Path, values: Sequence[float]
) -> None:
    names = [f"C{n}" for n in range(len(values))]
    launch = replace(
        tools.replayed(1, 1000),
        executions=(
            tools.Execution(0, 1000, 1100, dict(zip(names, values, strict=True))),
            tools.Execution(1, 1200, 1300, {"D": 1}),
        ),
    )
    run = tools.Run((launch,), plan=(tuple(names), ("D",)))
    found = {row[0]: row[2] for row in shown_values(browser, tmp_path, run)}
    assert [found[name] for name in names] == [numbers.value(v) for v in values]


@pytest.mark.parametrize("ns", [10_125, 100_250, 1_062_500_000, 2_500])
def test_a_time_in_the_middle_of_two_reads_alike_everywhere(browser: Browser, tmp_path: Path, ns: int) -> None:
    """Python and JavaScript take another of the two where nobody tells them."""
    executions = tuple(tools.Execution(k, 1000, 1000 + ns, {"C": 256.25}) for k in (0, 1))
    run = tools.Run((replace(tools.replayed(1, 1000), executions=executions),), plan=(("C",), ("C",)))
    path = written(tmp_path, open_trace(tools.write_run(tmp_path, run, files=("journal",))))
    with report_page.opened(browser, path) as page:
        kernel = cells(page.locator("section[aria-labelledby=kernels] tbody tr"))
        (dispatch,) = cells(page.locator(ROW))
    assert dispatch[6] == kernel[0][3] == numbers.duration(ns)
    assert (dispatch[8], kernel[1][4]) == (numbers.extent(ns, ns), "256.25")


def test_a_hostile_name_stays_text(browser: Browser, tmp_path: Path) -> None:
    run = tools.with_launch(tools.sample_run(), 0, kernel=HOSTILE)
    trace = open_trace(tools.write_run(tmp_path, run, files=("journal",)))
    with report_page.opened(browser, written(tmp_path, trace), "#dispatch-1") as page:
        assert page.locator("script").count() == 3
        assert page.locator(".details code").first.inner_text().startswith("k<script>alert(1)</script></script>")
        assert page.evaluate("document.documentElement.scrollWidth") == 1280


def test_what_does_not_fit_is_rounded_and_says_so(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = large_run.trace_of(300, spread=0.9)
    monkeypatch.setattr(sys.modules[render_html.__module__], "MOST_DATA", 45_000)
    path = written(tmp_path, trace)
    with report_page.opened(browser, path, "#dispatch-1") as page:
        said = page.locator("section[aria-labelledby=dispatches]").inner_text()
        assert re.search("To keep this page small, it has 3 digits of .* Exact in the CSV", said)
        found = {row[0]: row[2] for row in cells(page.locator(".details tbody tr"))}
        page.get_by_label("Column for a counter").select_option("TCC_HIT")
        heading(page, "TCC_HIT").wait_for()
        assert column(page, "TCC_HIT")[0] == found["TCC_HIT"]
    exact = trace.dispatches()[0].counters
    rounded = {
        name: {numbers.value(v), *(f"~{numbers.value(float(f'{v:{form}}'))}" for form in (".2e", ".3e"))}
        for name, v in exact.items()
    }
    assert all(found[name] in rounded[name] for name in exact)
    assert any(found[name] != numbers.value(v) for name, v in exact.items())
