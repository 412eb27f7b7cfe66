# SPDX-License-Identifier: MIT
"""The tables of docs/metrics.md, made from ``metrics.json``.

``python -m rocprofsys_multipass.metrics.docs [FILE]`` compares the page's tables with it; ``--write`` replaces them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from rocprofsys_multipass.errors import ExitCode
from rocprofsys_multipass.metrics.catalogue import Metric, MetricSet, aliases, metrics_of, properties, sets, source

BEGIN = "<!-- metrics: written by python -m rocprofsys_multipass.metrics.docs --write -->"
END = "<!-- end of metrics -->"
_PAGE = "docs/metrics.md"


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


def with_tables(page: str) -> str:
    """The page with the tables as they must be.

    Raises:
        ValueError: the page has not the two comment lines that the tables stand between.
    """
    before, begin, rest = page.partition(BEGIN + "\n")
    _, end, after = rest.partition(END)
    if not (begin and end):
        message = f"the lines '{BEGIN}' and '{END}' are missing"
        raise ValueError(message)
    return f"{before}{begin}\n{tables()}\n{end}{after}"


def main(argv: list[str] | None = None) -> int:
    """Compare, or with ``--write`` replace, the tables of a page."""
    parser = argparse.ArgumentParser(description="The tables of metrics in docs/metrics.md.")
    parser.add_argument("page", nargs="?", type=Path, default=Path(_PAGE))
    parser.add_argument("--write", action="store_true", help="write the tables into the page")
    args = parser.parse_args(argv)
    page = args.page.read_text(encoding="utf-8")
    wanted = with_tables(page)
    if args.write:
        args.page.write_text(wanted, encoding="utf-8")
    elif page != wanted:
        sys.stderr.write(f"{args.page}: the tables are not those of metrics.json: use --write\n")
        return ExitCode.CONFIG
    return ExitCode.OK


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
    sys.exit(main())
