# SPDX-License-Identifier: MIT
"""Reports. A reporter gets data and a stream; it opens no file and decides nothing about where its text goes.

::

    render_terminal(open_trace("out"), sys.stdout, kernel="axpy")
    print(report("out", "markdown"))
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from typing import Final, Literal, TextIO

from rocprofsys_multipass.errors import UsageError
from rocprofsys_multipass.report.findings import render_findings
from rocprofsys_multipass.report.html import render_html
from rocprofsys_multipass.report.markdown import render_markdown
from rocprofsys_multipass.report.plain import render_csv, render_json
from rocprofsys_multipass.report.terminal import render_terminal
from rocprofsys_multipass.trace import Trace, open_trace

__all__ = [
    "RENDERERS",
    "render_csv",
    "render_findings",
    "render_html",
    "render_json",
    "render_markdown",
    "render_terminal",
    "report",
]

Form = Literal["text", "markdown", "html", "csv", "json"]


def _text(trace: Trace, stream: TextIO, kernel: str | None) -> None:
    render_terminal(trace, stream, kernel=kernel)


def _markdown(trace: Trace, stream: TextIO, kernel: str | None) -> None:
    render_markdown(trace, stream, kernel=kernel)


def _html(trace: Trace, stream: TextIO, kernel: str | None) -> None:
    render_html(trace, stream, kernel=kernel)


def _csv(trace: Trace, stream: TextIO, kernel: str | None) -> None:
    render_csv(trace, stream, kernel=kernel)


def _json(trace: Trace, stream: TextIO, kernel: str | None) -> None:
    render_json(trace, stream, kernel=kernel)


# Form -> what writes the report of a trace, of one kernel or of all, to a stream.
RENDERERS: Final[dict[Form, Callable[[Trace, TextIO, str | None], None]]] = {
    "text": _text,
    "markdown": _markdown,
    "html": _html,
    "csv": _csv,
    "json": _json,
}


def report(source: str | os.PathLike[str] | Trace, form: Form = "text", *, kernel: str | None = None) -> str:
    """The report of a run as one text.

    Args:
        source: a trace, or what `open_trace` takes.
        form: "text" as on a terminal of 140 columns, "markdown", "html" (one page), "csv" (a line per reading) or
            "json" (statistics and dispatches, schema 1). Times are ns in the last two.
        kernel: as in `Trace.dispatches`.

    Raises:
        UsageError: there is no such form, or `kernel` is no regular expression and in no name.
        TraceError: nothing there can be read.
    """
    render = RENDERERS.get(form)
    if render is None:
        raise UsageError(f"form {form!r} is not one of {', '.join(RENDERERS)}")
    stream = io.StringIO()
    render(source if isinstance(source, Trace) else open_trace(os.fspath(source)), stream, kernel)
    return stream.getvalue()
