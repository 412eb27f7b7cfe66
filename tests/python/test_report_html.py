# SPDX-License-Identifier: MIT
"""The report as an HTML page: its markup. What its script does is in test_report_browser.py."""

from __future__ import annotations

import base64
import hashlib
import io
import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest
import trace_tools as tools

from rocprofsys_multipass.report import render_html
from rocprofsys_multipass.report.html_dispatches import ROWS_SHOWN
from rocprofsys_multipass.trace import Trace, open_trace

if TYPE_CHECKING:
    from pathlib import Path

RUN = tools.sample_run()
EMPTY = {"meta", "br"}  # elements without an end


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
        if {"td", "th"} & set(self.open) and "svg" not in self.open:
            self.tables[-1][-1][-1] += data

    def table(self, *first: str) -> dict[str, list[str]]:
        """Rows by first cell of the table whose head starts so."""
        found = next(t for t in self.tables if tuple(t[0][: len(first)]) == first)
        return {row[0]: row[1:] for row in found[1:]}


def page(tmp_path: Path, run: tools.Run = RUN, **options: str) -> Page:
    return Page(text(tmp_path, run, **options))


def text(tmp_path: Path, run: tools.Run = RUN, **options: str) -> str:
    stream = io.StringIO()
    render_html(open_trace(tools.write_run(tmp_path, run, files=("journal",))), stream, **options)
    return stream.getvalue()


def test_the_tables_have_the_numbers_of_the_run(tmp_path: Path):
    found = page(tmp_path)
    assert found.table("Kernel", "GPU")["axpy(float*, int)"] == [
        "0",
        "3",
        "300 ns",
        "68.2 %",
        "100 ns",
        "100 ns",
        "100 ns",
        "100-110 ns",
        "2 replayed, 1 incomplete",
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


def test_the_first_screen_answers(tmp_path: Path):
    texts = "".join(data for tag, data in page(tmp_path).texts if tag != "script")
    for answer in (
        "process 4711 · host · SDK 1.4.1 · simulated · replay auto · GPU 0 [gfx942]",
        "2 replayed, 1 declined, 1 filtered, 1 incomplete",
        "for 3 counters; fewer are impossible",
        "2 dispatches40.0 % of the dispatches lack counters, and 1 of 2 launch shapes; why, and what to do",
        "520 ns in replay windows, 200 ns of it kernel time of pass 0",
        "two queues overlapped",
    ):
        assert answer in texts


def test_what_was_lost_has_a_reason_and_what_to_do(tmp_path: Path):
    run = tools.with_launch(RUN, 2, reason="not_offered")
    found = page(tmp_path, run).table("Outcome")
    assert found["declined"][:2] == ["not_offered", "1"]
    assert "of a graph" in found["declined"][2]
    assert found["declined"][3].startswith("launch it outside of a graph")
    assert found["incomplete"][0] == "process_end"


def test_the_plan_is_a_grid_of_registers_and_slots(tmp_path: Path):
    run = replace(RUN, blocks=((("SQ", 8, 8), ("GRBM", 1, 2)), (("SQ", 1, 8), ("TCC", 4, 4))))
    grid = page(tmp_path, run).table("Block")
    assert grid == {"GRBM": ["1/2", "·"], "SQ": ["8/8", "1/8"], "TCC": ["·", "4/4"]}


def test_without_registers_the_grid_counts_counters(tmp_path: Path):
    found = page(tmp_path)
    assert found.table("Block") == {"GRBM": ["1", "·"], "SQ": ["1", "1"], "TCC": ["·", "1"]}
    assert any("registers are in the journal only" in data for _, data in found.texts)


def test_the_passes_of_the_longest_window_are_drawn_to_scale(tmp_path: Path):
    found = page(tmp_path)
    bars = [a for tag, a in found.elements if tag == "rect" and (a.get("width") or "") in ("38.46%", "42.31%")]
    assert [(a["x"], a["width"]) for a in bars] == [("0.00%", "38.46%"), ("57.69%", "42.31%")]
    assert [data for tag, data in found.texts if tag == "title"][-2:] == ["pass 0: 100 ns", "pass 1: 110 ns"]


def test_the_page_needs_nothing_but_itself(tmp_path: Path):
    found = page(tmp_path)
    assert {tag for tag, _ in found.elements} & {"link", "img", "iframe", "object", "embed", "form", "base"} == set()
    assert {name for _, attributes in found.elements for name in attributes} & {"src", "style", "onclick"} == set()
    assert {(a.get("href") or "#")[0] for _, a in found.elements} == {"#"}
    style = "".join(data for tag, data in found.texts if tag == "style")
    assert "{" in style
    assert "url(" not in style
    assert "@import" not in style


def test_the_policy_of_the_page_allows_its_own_script_and_style_only(tmp_path: Path):
    whole = text(tmp_path)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', whole)
    assert policy is not None
    allowed = dict(part.split(" ", 1) for part in policy[1].split("; "))
    assert allowed["default-src"] == "'none'"
    for tag, rule in (("style", "style-src"), ("script", "script-src")):
        (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", whole, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert allowed[rule] == f"'sha256-{digest}'"


HOSTILE = ("</style><script>alert(1)</script>", '"><b onclick=x>', "&lt;b&gt;", "a\x00b<c>", "</script>\u2028<!--")


@pytest.mark.parametrize("hostile", HOSTILE)
def test_no_text_of_a_run_is_markup(tmp_path: Path, hostile: str):
    run = replace(
        RUN,
        launches=tuple(
            replace(
                d,
                kernel=hostile if d.kernel.startswith("axpy") else d.kernel,
                reason=hostile if d.reason else "",
            )
            for d in RUN.launches
        ),
        warnings=(hostile,),
        descriptions={"SQ_WAVES": hostile},
    )
    plain, found = page(tmp_path / "a"), page(tmp_path / "b", run)
    assert {tag for tag, _ in found.elements} == {tag for tag, _ in plain.elements}
    assert {name for _, a in found.elements for name in a} == {name for _, a in plain.elements for name in a}
    assert hostile.replace("\x00", "\ufffd") in {data.replace("\x00", "\ufffd") for _, data in found.texts}


def test_a_name_of_64_kib_is_cut(tmp_path: Path):
    name = "k" * 30_000 + "<" * 35_536
    whole = text(tmp_path, replace(RUN, launches=tuple(replace(d, kernel=name) for d in RUN.launches)))
    Page(whole)
    assert len(whole) < 150_000
    assert "k" * 3000 + "\N{HORIZONTAL ELLIPSIS}" in whole


def test_everything_has_a_landmark_and_a_name(tmp_path: Path):
    found = page(tmp_path)
    ids = {a["id"] for _, a in found.elements if "id" in a}
    sections = [a for tag, a in found.elements if tag == "section"]
    assert {a["aria-labelledby"] for a in sections} <= ids
    targets = {(a.get("href") or "#main")[1:] for _, a in found.elements}
    assert {name for name in targets if not re.fullmatch(r"dispatch-\d+", name)} <= ids  # those are the script's
    assert [a.get("aria-label") for tag, a in found.elements if tag == "nav"] == ["Sections of process 4711"]
    assert all(a.get("role") == "img" and a.get("aria-label") for tag, a in found.elements if tag == "svg")


def test_only_the_kernel_asked_for_is_shown(tmp_path: Path):
    found = page(tmp_path, kernel="init")
    assert list(found.table("Kernel", "GPU")) == ["init(int)"]
    assert list(found.table("Dispatch")) == ["3", "4"]


def test_the_heading_is_the_program_without_its_folder_which_is_told_beside_it(tmp_path: Path):
    (process,) = open_trace(tools.write_run(tmp_path, RUN, files=("journal",))).processes
    stream = io.StringIO()
    render_html(Trace((replace(process, command=("/a/long/way/to/app", "--size", "/data/in")),)), stream)
    found = Page(stream.getvalue())
    (heading,) = [a for tag, a in found.elements if tag == "h1"]
    assert [data for tag, data in found.texts if tag in ("h1", "title")][:2] == ["app --size /data/in"] * 2
    assert heading["title"] == "/a/long/way/to/app --size /data/in"
    assert {a.get("content") for tag, a in found.elements if tag == "meta" and a.get("name") == "description"} == {
        "Report of /a/long/way/to/app --size /data/in"
    }


def test_a_run_without_dispatches_says_so(tmp_path: Path):
    assert "No dispatch was recorded." in [data for _, data in page(tmp_path, replace(RUN, launches=())).texts]


def test_without_a_script_the_page_has_the_first_dispatches_and_says_so(tmp_path: Path):
    run = replace(RUN, launches=tuple(tools.replayed(n, 1000 * n) for n in range(1, ROWS_SHOWN + 3)))
    found = page(tmp_path, run)
    assert len(found.table("Dispatch")) == ROWS_SHOWN
    (said,) = [data for _, data in found.texts if data.startswith("The first")]
    assert said == "The first 50 of 52. Further ones, searching and sorting need JavaScript, or the CSV."


def test_files_are_named_with_their_size_and_how_to_open_them(tmp_path: Path):
    stream = io.StringIO()
    render_html(open_trace(tools.write_run(tmp_path, RUN)), stream)
    found = Page(stream.getvalue()).table("File")
    journal = tmp_path / f"multipass-{tools.PID}.journal"
    assert found[str(journal)][0].endswith(("KiB", "bytes"))
    assert (
        found[str(journal.with_suffix(".db"))][1] == f"sqlite3 {journal.with_suffix('.db')} 'SELECT * FROM top_kernels'"
    )


@pytest.mark.parametrize("read", ["rocpd-1.db", "perfetto-trace-1.pftrace"])
def test_of_merged_files_the_trace_and_the_database_belong_together(tmp_path: Path, read: str):
    tools.write_database(tmp_path / "rocpd-1.db", RUN)
    (tmp_path / "perfetto-trace-1.pftrace").write_bytes(tools.TraceFile(RUN).build().to_bytes())
    (tmp_path / "rocpd-2.db").touch()
    stream = io.StringIO()
    render_html(open_trace(tmp_path / read), stream)
    found = Page(stream.getvalue()).table("File")
    assert set(found) == {str(tmp_path / "rocpd-1.db"), str(tmp_path / "perfetto-trace-1.pftrace")}


def test_of_several_processes_each_has_a_part_and_a_line(tmp_path: Path):
    for rank in (0, 1):
        tools.write_run(tmp_path, replace(RUN, rank=rank, pid=100 + rank), files=("journal",))
    stream = io.StringIO()
    render_html(open_trace(tmp_path), stream)
    found = Page(stream.getvalue())
    assert sum(tag == "article" for tag, _ in found.elements) == 2
    assert found.table("Process")["process 100 rank 0"][:4] == ["host", "5", "2", "2"]
    ids = [a["id"] for _, a in found.elements if "id" in a]
    assert len(ids) == len(set(ids))
    assert {"p0-kernels", "p1-kernels"} <= set(ids)
