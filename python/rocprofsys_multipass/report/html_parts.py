# SPDX-License-Identifier: MIT
"""What the sections of the HTML report are built of: escaped names, tables, drawings. All of it returns HTML."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from html import escape
from typing import Final

from rocprofsys_multipass.report import numbers
from rocprofsys_multipass.report.document import TEXT_COLUMNS
from rocprofsys_multipass.report.passes import Execution, Window

SHORT_NAME: Final = 160  # characters of a name that stands in several places
LONG_NAME: Final = 4_000  # where a kernel is the heading
_HEAD_OF_NAME: Final = 0.75  # of what is shown of a name that is cut
_LABELLED: Final = 2  # percent of the timeline that a pass needs for its number
_ELLIPSIS: Final = "\N{HORIZONTAL ELLIPSIS}"


def cut(text: str, most: int) -> str:
    """The text, without its middle where it is longer than `most` characters."""
    if len(text) <= most:
        return text
    head = int(most * _HEAD_OF_NAME)
    return f"{text[:head]}{_ELLIPSIS}{text[-(most - head) :]}"


def code(name: str, most: int = SHORT_NAME) -> str:
    """A name of the run."""
    return f"<code>{escape(cut(name, most))}</code>"


def dim(text: str) -> str:
    """A remark."""
    return f'<p class="dim">{escape(text)}</p>'


def table(
    head: Sequence[str], rows: Iterable[Sequence[str]], *, caption: str = "", wide: Collection[str] = ()
) -> Iterator[str]:
    """A table of cells that are HTML already. `wide`: columns that take the room that is left.

    It scrolls sideways where it has no room; the keyboard can do that as soon as it has the focus.
    """
    kinds = ["text" if name in TEXT_COLUMNS else "" for name in head]
    kinds = [f"{kind} wide".strip() if name in wide else kind for kind, name in zip(kinds, head, strict=True)]
    classes = [f' class="{kind}"' if kind else "" for kind in kinds]
    label = f' role="region" aria-label="{escape(caption)}"' if caption else ""
    yield f'<div class="scroll" tabindex="0"{label}><table><thead><tr>'
    yield "".join(f'<th scope="col"{kind}>{name}</th>' for kind, name in zip(classes, head, strict=True))
    yield "</tr></thead><tbody>"
    for row in rows:
        cells = "".join(f"<td{kind}>{cell}</td>" for kind, cell in zip(classes, row, strict=True))
        yield f"<tr>{cells}</tr>"
    yield "</tbody></table></div>"


def share_bar(parts: Sequence[tuple[float, str, str]], label: str) -> str:
    """Parts of 1 side by side: size, class, what it is."""
    drawn, at = [], 0.0
    for size, kind, what in parts:
        drawn.append(f'<rect class="{kind}" x="{100 * at:.3f}%" width="{100 * size:.3f}%" height="100%">')
        drawn.append(f"<title>{escape(what)}</title></rect>")
        at += size
    return f'<svg class="share" role="img" aria-label="{escape(label)}">{"".join(drawn)}</svg>'


def timeline(window: Window) -> str:
    """The executions of a dispatch to scale."""
    drawn = "".join(_execution(window, one) for one in window.executions)
    label = ", ".join(f"{e.label} {numbers.duration(e.end_ns - e.start_ns)}" for e in window.executions)
    return f'<svg class="line" role="img" aria-label="{escape(label)}">{drawn}</svg>'


def _execution(window: Window, one: Execution) -> str:
    """A pass, with its number where there is room, and its time where the pointer rests."""
    left = 100 * (one.start_ns - window.start_ns) / window.length_ns
    width = 100 * (one.end_ns - one.start_ns) / window.length_ns
    kind = "extra" if one.index is None else "first" if one.index == 0 else "pass"
    title = f"{one.label}: {numbers.duration(one.end_ns - one.start_ns)}"
    text = ""
    if width >= _LABELLED:
        mark = one.mark if one.index is None else str(one.index)
        text = f'<text class="on-{kind}" x="{left + width / 2:.2f}%" y="50%">{mark}</text>'
    rect = f'<rect class="{kind}" x="{left:.2f}%" width="{width:.2f}%" height="100%">'
    return f"<g>{rect}<title>{escape(title)}</title></rect>{text}</g>"
