# SPDX-License-Identifier: MIT
"""The tests that docs/replay-contract.md names are there."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "replay-contract.md"
CPP_TEST = re.compile(r"\bTEST(?:_[FP])?\(\s*(\w+),\s*(\w+)\)")
NAMED = re.compile(
    r"`(?P<file>test_\w+\.py)::(?P<test>test_\w+)(?:\[(?P<case>[^\]]+)\])?`|`(?P<cpp>[A-Z]\w*\.[A-Z]\w*)`"
)


def rows() -> list[list[str]]:
    """The cells of each behaviour: those of the tables with four columns."""
    lines = (line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| "))
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in cells if len(row) == 4 and row[0] != "what may happen"]


@cache
def cpp_tests() -> frozenset[str]:
    sources = (path.read_text(encoding="utf-8") for path in (ROOT / "tests" / "cpp").rglob("*.cpp"))
    return frozenset(".".join(found) for source in sources for found in CPP_TEST.findall(source))


def is_there(found: re.Match[str]) -> bool:
    if found["cpp"]:
        return found["cpp"] in cpp_tests()
    paths = list((ROOT / "tests").rglob(found["file"]))
    texts = [path.read_text(encoding="utf-8") for path in paths]
    if found["file"] == "test_verify_checks.py":  # its cases are in modules of their own
        texts += [path.read_text(encoding="utf-8") for path in (ROOT / "tests" / "python").glob("verify_cases_*.py")]
    named = any(f"def {found['test']}(" in text for text in texts)
    return named and (not found["case"] or any(re.search(rf'"{found["case"]}\b', text) for text in texts))


def test_the_page_has_its_rows() -> None:
    assert len(rows()) > 60
    assert all(all(row) for row in rows())


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0][:60])
def test_every_behaviour_is_held_by_tests_that_exist(row: list[str]) -> None:
    named = list(NAMED.finditer(row[3]))
    assert named
    assert NAMED.sub("", row[3]).strip(" ,") == "", "something else is named"
    assert [found[0] for found in named if not is_there(found)] == []
