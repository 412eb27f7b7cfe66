# SPDX-License-Identifier: MIT
"""The report as an HTML page."""

from __future__ import annotations

import io
from dataclasses import replace
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest
import trace_tools as tools

from rocprofsys_multipass.report import render_html
from rocprofsys_multipass.report.html import DISPATCHES_SHOWN
from rocprofsys_multipass.trace import open_trace

if TYPE_CHECKING:
    from pathlib import Path

RUN = tools.sample_run()
EMPTY = {"meta"}  # elements without an end


class Page(HTMLParser):
    """A page as it nests: cells of tables, texts of elements, attributes. Fails where an end is missing or wrong."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.tables: list[list[list[str]]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self.open[-1] if self.open else "", data))
        if {"td", "th"} & set(self.open):
            self.tables[-1][-1][-1] += data

    def table(self, first: str) -> dict[str, list[str]]:
        """Rows by first cell of the table whose head starts so."""
        found = next(t for t in self.tables if t[0][0] == first)
        return {row[0]: row[1:] for row in found[1:]}


def page(tmp_path: Path, run: tools.Run = RUN, **options: str) -> Page:
    return Page(text(tmp_path, run, **options))


def text(tmp_path: Path, run: tools.Run = RUN, **options: str) -> str:
    stream = io.StringIO()
    render_html(open_trace(tools.write_run(tmp_path, run, files=("journal",))), stream, **options)
    return stream.getvalue()


def test_the_tables_have_the_numbers_of_the_run(tmp_path: Path):
    found = page(tmp_path)
    assert found.table("Kernel")["axpy(float*, int)"] == [
        "0",
        "3",
        "300 ns",
        "68.2 %",
        "100 ns",
        "100 ns",
        "100 ns",
        "100-110 ns",
        "2 replayed, 1 incomplete (process_end)",
    ]
    assert found.table("Counter")["TCC_HIT"] == ["p1", "", "2 of 3", "150", "0", "300"]
    assert found.table("Counter")["SQ_WAVES"] == ["p0", "", "all", "512", "512", "512"]
    assert found.table("Pass")["1"] == ["2", "2", "110 ns", "110 ns", "110 ns", "50 ns"]
    assert found.table("Dispatch")["3"] == [
        *("0", "init(int)", "declined (graph)", "-", "2", "90 ns", "single run", "-", "-")
    ]
    assert found.table("Dispatch")["5"] == [
        "0",
        "axpy(float*, int)",
        "incomplete (process_end)",
        "1 of 2",
        "2",
        "100 ns",
        "pass 0",
        "-",
        "-",
    ]


def test_the_head_tells_outcomes_with_reasons_and_warnings(tmp_path: Path):
    texts = [data for _, data in page(tmp_path).texts]
    assert " 2 replayed, 1 declined (graph), 1 filtered, 1 incomplete (process_end)" in texts
    assert "two queues overlapped" in texts
    assert "process 4711 · host · SDK 1.4.1 · simulated · replay auto" in texts


def test_the_passes_of_the_longest_window_are_drawn_to_scale(tmp_path: Path):
    bars = [a for tag, a in page(tmp_path).elements if tag == "span" and (a.get("title") or "").startswith("pass")]
    assert [(a["title"], (a["style"] or "").rpartition(";")[0]) for a in bars] == [
        ("pass 0: 100 ns", "left:0.00%;width:38.46%"),
        ("pass 1: 110 ns", "left:57.69%;width:42.31%"),
    ]


def test_the_page_needs_nothing_but_itself(tmp_path: Path):
    found = page(tmp_path)
    assert {tag for tag, _ in found.elements} & {"script", "link", "img", "iframe", "object", "svg"} == set()
    assert {name for _, attributes in found.elements for name in attributes} & {"src", "href", "onclick"} == set()
    style = "".join(data for tag, data in found.texts if tag == "style")
    assert "{" in style
    assert "url(" not in style
    assert "@import" not in style


@pytest.mark.parametrize("hostile", ["</style><script>alert(1)</script>", '"><b onclick=x>', "&lt;b&gt;", "a\x00b<c>"])
def test_no_text_of_a_run_is_markup(tmp_path: Path, hostile: str):
    run = replace(
        RUN,
        launches=tuple(replace(d, kernel=hostile, reason=hostile if d.reason else "") for d in RUN.launches),
        warnings=(hostile,),
        descriptions={"SQ_WAVES": hostile},
    )
    plain, found = page(tmp_path / "a"), page(tmp_path / "b", run)
    assert {tag for tag, _ in found.elements} == {tag for tag, _ in plain.elements}
    assert {name for _, a in found.elements for name in a} == {name for _, a in plain.elements for name in a}
    assert hostile.replace("\x00", "\ufffd") in {data.replace("\x00", "\ufffd") for _, data in found.texts}


def test_only_the_kernel_asked_for_is_shown(tmp_path: Path):
    found = page(tmp_path, kernel="init")
    assert list(found.table("Kernel")) == ["init(int)"]
    assert list(found.table("Dispatch")) == ["3", "4"]


def test_a_run_without_dispatches_says_so(tmp_path: Path):
    assert "No dispatch was recorded." in [data for _, data in page(tmp_path, replace(RUN, launches=())).texts]


def test_a_long_list_of_dispatches_is_cut_and_says_so(tmp_path: Path):
    run = replace(RUN, launches=tuple(tools.replayed(n, 1000 * n) for n in range(1, DISPATCHES_SHOWN + 3)))
    found = page(tmp_path, run)
    assert len(found.table("Dispatch")) == DISPATCHES_SHOWN
    assert "2 more dispatches: in the CSV." in [data for _, data in found.texts]


def test_every_process_has_a_part_of_its_own(tmp_path: Path):
    for rank in (0, 1):
        tools.write_run(tmp_path, replace(RUN, rank=rank, pid=100 + rank), files=("journal",))
    stream = io.StringIO()
    render_html(open_trace(tmp_path), stream)
    found = Page(stream.getvalue())
    assert sum(tag == "section" for tag, _ in found.elements) == 2
    assert {"process 100 · rank 0 · host · SDK 1.4.1 · simulated · replay auto"} <= {data for _, data in found.texts}
