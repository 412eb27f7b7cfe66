# SPDX-License-Identifier: MIT
"""Reports. A reporter gets data and a stream; it opens no file and decides nothing about where its text goes.

::

    render_terminal(open_trace("out"), sys.stdout, kernel="axpy")
    print(report("out", "markdown"))
"""

from __future__ import annotations

import io
import os
from functools import partial
from typing import Final, Literal, Protocol, TextIO

from rocprofsys_multipass.errors import UsageError
from rocprofsys_multipass.report.html import render_html
from rocprofsys_multipass.report.markdown import render_counters_markdown, render_markdown
from rocprofsys_multipass.report.plain import render_counters_csv, render_counters_json, render_csv, render_json
from rocprofsys_multipass.report.terminal import render_counters_terminal, render_terminal
from rocprofsys_multipass.trace import Trace, open_trace

__all__ = [
    "RENDERERS",
    "render_csv",
    "render_html",
    "render_json",
    "render_markdown",
    "render_terminal",
    "renderer",
    "report",
]

Form = Literal["text", "markdown", "html", "csv", "json"]


class Renderer(Protocol):
    """Writes the report of a trace to a stream. `kernel`: as in Trace.dispatches()."""

    def __call__(self, trace: Trace, stream: TextIO, *, kernel: str | None = None) -> None: ...


RENDERERS: Final[dict[Form, Renderer]] = {
    "text": render_terminal,
    "markdown": render_markdown,
    "html": render_html,
    "csv": render_csv,
    "json": render_json,
}


_OF_COUNTERS: Final[dict[Form, Renderer]] = {
    "text": render_counters_terminal,
    "markdown": render_counters_markdown,
    "csv": render_counters_csv,
    "json": render_counters_json,
}


def renderer(form: Form, dispatches: int | None = None, *, kernel_counters: bool = False) -> Renderer:
    """The renderer of a form; with so many lines per dispatch, None: as many as it has by itself.

    `kernel_counters`: of nothing but the counters of each launch shape.
    UsageError: the form has no such number, or it is negative, or has no such table.
    """
    if kernel_counters:
        if dispatches is not None:
            raise UsageError("the table of kernel counters has no lines of dispatches; leave the number out")
        if form not in _OF_COUNTERS:
            raise UsageError("the HTML page has the kernel counters in a section of its own; do not ask for them alone")
        return _OF_COUNTERS[form]
    if dispatches is None:
        return RENDERERS[form]
    if dispatches < 0:
        raise UsageError(f"{dispatches} dispatches cannot be listed; give 0 or more")
    if form == "text":
        return partial(render_terminal, dispatches=dispatches)
    if form == "markdown":
        return partial(render_markdown, dispatches=dispatches)
    raise UsageError(f"a number of dispatches is for text and markdown; {form} has all of them")


def report(
    source: str | os.PathLike[str] | Trace,
    form: Form = "text",
    *,
    kernel: str | None = None,
    dispatches: int | None = None,
    kernel_counters: bool = False,
) -> str:
    """The report of a run as one text.

    Args:
        source: a trace, or what `open_trace` takes.
        form: "text" as on a terminal of 140 columns, "markdown", "html" (one page), "csv" (a line per reading) or
            "json" (statistics and dispatches, schema 1). Times are ns in the last two.
        kernel: as in `Trace.dispatches`.
        dispatches: how many of each process have a line of their own in "text" (by default none) and "markdown" (200).
        kernel_counters: nothing but a table of the counters of each launch shape, as in `Trace.kernel_counters`; not of
            "html", which has it in any case.

    Raises:
        UsageError: there is no such form, `kernel` is no regular expression and in no name, or `dispatches` is
            negative or of another form.
        TraceError: nothing there can be read.
    """
    if form not in RENDERERS:
        raise UsageError(f"form {form!r} is not one of {', '.join(RENDERERS)}")
    render = renderer(form, dispatches, kernel_counters=kernel_counters)
    stream = io.StringIO()
    render(source if isinstance(source, Trace) else open_trace(os.fspath(source)), stream, kernel=kernel)
    return stream.getvalue()
