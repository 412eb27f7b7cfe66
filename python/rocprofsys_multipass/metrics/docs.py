# SPDX-License-Identifier: MIT
"""The tables of docs/metrics.md, made from ``metrics.json``.

``python -m rocprofsys_multipass.metrics.docs [FILE]`` compares the page's tables with it; ``--write`` replaces them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

from rocprofsys_multipass.marked import MarkedPart
from rocprofsys_multipass.metrics.catalogue import Metric, MetricSet, aliases, metrics_of, properties, sets, source


def tables() -> str:
    """What stands between the two comment lines, as Markdown."""
    parts = [_set_section(one) for one in sets()]
    parts += [
        _table("Properties", ("property", "meaning"), [(_code(name), text) for name, text in properties().items()]),
        _table(
            "Architectures that share formulas",
            ("architecture", "has the metrics of"),
            [(_code(name), _code(other)) for name, other in aliases().items()],
        ),
        f"Source of the facts: {source()}\n",
    ]
    return "\n".join(parts)


PART: Final = MarkedPart(
    page="docs/metrics.md",
    begin="<!-- metrics: written by python -m rocprofsys_multipass.metrics.docs --write -->",
    end="<!-- end of metrics -->",
    source="metrics.json",
    make=lambda: f"\n{tables()}\n",
)


def _set_section(one: MetricSet) -> str:
    rows = []
    before = ""
    for metric in metrics_of((one.name,)):
        first = metric.name != before
        before = metric.name
        rows.append(_row(metric, first=first))
    head = ("metric", "unit", "meaning", "formula", "architectures")
    return _table(f"Set `{one.name}`: {one.description[0].lower()}{one.description[1:]}", head, rows)


def _row(metric: Metric, *, first: bool) -> tuple[str, ...]:
    """A line for each formula; what is the same for all stands in the first."""
    what = (_code(metric.name), metric.unit, metric.description) if first else ("", "", "")
    return (*what, _code(metric.text), ", ".join(metric.architectures))


def _table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return f"### {title}\n\n" + "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _code(text: str) -> str:
    return f"`{text}`"


if __name__ == "__main__":
    sys.exit(PART.main(None))
