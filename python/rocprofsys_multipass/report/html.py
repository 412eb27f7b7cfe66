# SPDX-License-Identifier: MIT
"""The report as one HTML page that needs nothing else: no file beside it, no network, no framework.

The page is whole without JavaScript but for the table of the dispatches, of which it then has the first lines. Its
script and style are `assets/report.js` and `assets/report.css`; the page's policy allows these two and nothing else.
Absent values are a dash, never 0. Every text of a run is escaped, or inside of packed data.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterator, Sequence
from html import escape
from importlib.resources import files
from pathlib import PurePath
from typing import Final, TextIO

from rocprofsys_multipass.report import closing, document, html_sections, html_shapes
from rocprofsys_multipass.report.advice import losses
from rocprofsys_multipass.report.html_dispatches import dispatch_table
from rocprofsys_multipass.report.html_parts import LONG_NAME, cut
from rocprofsys_multipass.report.html_summary import ProcessReport, answers, overview
from rocprofsys_multipass.report.passes import window_of
from rocprofsys_multipass.report.shapes import TITLE, shapes_of
from rocprofsys_multipass.report.statistics import by_kernel
from rocprofsys_multipass.trace import Dispatch, Process, Trace
from rocprofsys_multipass.trace.agreement import verdicts_of
from rocprofsys_multipass.trace.late import collector_paused

MOST_DATA: Final = 9_300_000  # characters for the data of all tables of dispatches: the page stays below 10 MB
_UNFOLDED: Final = 4  # processes; of more only the first is

_Section = tuple[str, str, Callable[[], Iterator[str]]]  # id, heading, content


def render_html(trace: Trace, stream: TextIO, *, kernel: str | None = None) -> None:
    """Writes the page. `kernel`: as in Trace.dispatches()."""
    with collector_paused():
        chosen = {id(d) for d in trace.dispatches(kernel=kernel)}
        parts = [(p, [d for d in p.dispatches if id(d) in chosen]) for p in trace.processes]
        stream.writelines(f"{line}\n" for line in _page(parts))


def _page(parts: Sequence[tuple[Process, Sequence[Dispatch]]]) -> Iterator[str]:
    titles = dict.fromkeys(_title(process) for process, _ in parts)
    style, script = _asset("report.css"), _asset("report.js")
    yield from ("<!DOCTYPE html>", '<html lang="en">', "<head>", '<meta charset="utf-8">')
    policy = f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; base-uri 'none'"
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}; form-action \'none\'">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{escape(cut(', '.join(titles), LONG_NAME))}</title>"
    commands = dict.fromkeys(_command(process) for process, _ in parts)
    yield f'<meta name="description" content="Report of {escape(cut(", ".join(commands), LONG_NAME))}">'
    yield f"<style>{style}</style>"
    yield from ("</head>", "<body>", '<a class="skip" href="#main">Skip to the report</a>', '<main id="main">')
    several = len(parts) > 1
    found = [(_report_of(*part), f"p{part[0].rank if part[0].rank is not None else part[0].pid}-") for part in parts]
    if several:
        yield from overview(found)
    total = sum(len(dispatches) for _, dispatches in parts)
    for number, (f, prefix) in enumerate(found):
        room = MOST_DATA * len(f.dispatches) // max(1, total)
        yield from _process(
            f, prefix if several else "", room, folded=several and number >= 1 and len(found) > _UNFOLDED
        )
    yield "</main>"
    yield f"<script>{script}</script>"
    yield from ("</body>", "</html>")


def _asset(name: str) -> str:
    return (files(__package__) / "assets" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _command(process: Process) -> str:
    return " ".join(process.command) or process.path.name


def _title(process: Process) -> str:
    """The command without the folder of the program, which would be most of it."""
    return " ".join((PurePath(process.command[0]).name, *process.command[1:])) if process.command else _command(process)


def _report_of(process: Process, dispatches: Sequence[Dispatch]) -> ProcessReport:
    return ProcessReport(
        process=process,
        dispatches=dispatches,
        kernels=by_kernel(dispatches, permuted=process.permute_groups),
        windows=[w for d in dispatches if (w := window_of(d)) is not None],
        losses=losses(dispatches),
        shapes=shapes_of(process, dispatches),
        verdicts=verdicts_of(process, dispatches),
        closing=closing.of_dispatches(dispatches),
    )


def _process(f: ProcessReport, prefix: str, room: int, *, folded: bool) -> Iterator[str]:
    yield f'<article aria-labelledby="{prefix}summary">'
    command = escape(cut(_command(f.process), LONG_NAME))
    yield f'<header><h1 id="{prefix}summary" title="{command}">{escape(cut(_title(f.process), LONG_NAME))}</h1>'
    yield f'<p class="dim">{escape(" · ".join(_facts(f.process)))}</p></header>'
    yield f'<details class="process"{"" if folded else " open"}><summary>Report of this process</summary>' * bool(
        prefix
    )
    sections = _sections(f, prefix, room)
    yield from answers(f, prefix)
    if not f.dispatches:
        yield "<p>No dispatch was recorded.</p>"
    yield from html_sections.warnings(f)
    yield f'<nav aria-label="Sections of {escape(document.facts_of(f.process)[0])}"><ul>'
    yield from (f'<li><a href="#{prefix}{name}">{heading}</a></li>' for name, heading, _ in sections)
    yield "</ul></nav>"
    for name, heading, content in sections:
        yield f'<section aria-labelledby="{prefix}{name}"><h2 id="{prefix}{name}">{heading}</h2>'
        yield from content()
        yield "</section>"
    yield "</details>" * bool(prefix)
    yield "</article>"


def _facts(process: Process) -> list[str]:
    return [*document.facts_of(process), *(agent.label for agent in process.gpus)]


def _sections(f: ProcessReport, prefix: str, room: int) -> list[_Section]:
    """Those that have something to say, in order."""
    replayed = any(one.replayed for one in f.verdicts)
    every: list[tuple[bool, _Section]] = [
        (bool(f.losses or f.unread), ("lost", "Not read, and what to do", lambda: html_sections.lost(f))),
        (closing.is_needed(f.closing), ("launches", closing.TITLE, lambda: html_sections.launches(f))),
        (bool(f.dispatches), ("kernels", "Kernels", lambda: html_sections.kernels(f, prefix))),
        (bool(f.shapes), ("counters", TITLE, lambda: html_shapes.kernel_counters(f))),
        (any(a.passes for a in f.process.gpus), ("plan", "Plan", lambda: html_sections.plan(f))),
        (bool(f.windows), ("passes", "Cost of replay", lambda: html_sections.passes(f))),
        (replayed, ("agreement", "Agreement of the passes", lambda: html_sections.agreement(f, prefix))),
        (bool(f.dispatches), ("dispatches", "Dispatches", lambda: dispatch_table(f, prefix, room))),
        (f.process.path.exists(), ("files", "Files", lambda: html_sections.files(f))),
    ]
    return [section for there, section in every if there]
