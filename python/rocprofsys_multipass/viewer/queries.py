# SPDX-License-Identifier: MIT
"""Ready questions to a trace, in PerfettoSQL: ``sql/<name>.sql``, whose first comment line is the title."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from rocprofsys_multipass.errors import UsageError
from rocprofsys_multipass.spelling import did_you_mean

_SUFFIX: Final = ".sql"
_COMMENT: Final = "-- "


@dataclass(frozen=True)
class Query:
    """`sql` is one statement, with its comments."""

    name: str
    title: str
    sql: str


@cache
def queries() -> tuple[Query, ...]:
    """All of them, by name."""
    folder = files(__package__) / "sql"
    texts = {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir() if file.name.endswith(_SUFFIX)}
    return tuple(_parse(name.removesuffix(_SUFFIX), text) for name, text in sorted(texts.items()))


def query(name: str) -> Query:
    """The one with this name.

    Raises:
        UsageError: there is none.
    """
    known = {one.name: one for one in queries()}
    if name not in known:
        raise UsageError(f"--query {name}: no such query: {did_you_mean(name, known)}known are {', '.join(known)}")
    return known[name]


def _parse(name: str, text: str) -> Query:
    _licence, title, sql = text.split("\n", 2)
    return Query(name, title.removeprefix(_COMMENT), sql)
