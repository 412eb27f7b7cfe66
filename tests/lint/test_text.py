# SPDX-License-Identifier: MIT
"""What must be in every source file, and what must be in no file."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SKIPPED_FOLDERS = {"build", "dist", "node_modules", "__pycache__"}
SOURCES = {".c", ".cc", ".cpp", ".h", ".hip", ".hpp", ".cmake", ".proto", ".py", ".sh", ".toml", ".js"}
TEXTS = {*SOURCES, ".md", ".txt", ".json", ".yaml", ".yml", ".sql", ".map", ""}
GENERATED = re.compile(r"journal_pb2\.pyi?$")

# Put together from parts: this file is checked too.
UNFINISHED = re.compile(
    r"\b(?:" + "|".join(("TO" + "DO", "FIX" + "ME", "X" + "XX", "Not" + "ImplementedError")) + r")\b"
)
REGISTRIES = re.compile(
    "|".join(
        re.escape(".".join(parts))
        for parts in (
            ("pypi", "org"),
            ("pythonhosted", "org"),
            ("npmjs", "org"),
            ("npmjs", "com"),
            ("crates", "io"),
            ("golang", "org"),
            ("anaconda", "org"),
            ("rubygems", "org"),
            ("deb", "debian", "org"),
            ("archive", "ubuntu", "com"),
        )
    )
)


def files(suffixes: set[str]) -> list[Path]:
    """Files of the project with these suffixes; build output and hidden folders but .ci are left out."""
    found = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(
            f
            for f in folders
            if f not in SKIPPED_FOLDERS and (f == ".ci" or not f.startswith(".")) and not f.endswith(".egg-info")
        )
        if "rocprof-sys-multipass-output" in folder:
            continue
        found += [
            Path(folder, name) for name in sorted(names) if Path(name).suffix in suffixes and not GENERATED.search(name)
        ]
    return found


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def spdx_line(text: str) -> bool:
    """Whether the first line, or the second after a `#!`, carries the licence as a comment."""
    lines = text.splitlines()
    if lines and lines[0].startswith("#!"):
        lines = lines[1:]
    return (
        bool(lines)
        and re.fullmatch(r"(?://|#|/\*) SPDX-License-Identifier: MIT(?: \*/)?", lines[0].strip()) is not None
    )


def test_every_source_file_names_its_licence_in_the_first_line() -> None:
    paths = [*files(SOURCES), *ROOT.rglob("library/**/CMakeLists.txt"), ROOT / "CMakeLists.txt"]
    assert len(paths) > 50
    assert [str(path.relative_to(ROOT)) for path in paths if not spdx_line(read(path))] == []


def test_nothing_is_left_unfinished() -> None:
    assert _lines_with(UNFINISHED, files(SOURCES)) == []


def test_no_file_names_a_package_registry() -> None:
    assert _lines_with(REGISTRIES, files(TEXTS)) == []


def test_no_source_line_ends_with_blanks_and_every_file_with_a_newline() -> None:
    wrong = []
    for path in files(SOURCES):
        text = read(path)
        if re.search(r"[ \t]+$", text, re.MULTILINE) or (text and not text.endswith("\n")):
            wrong.append(str(path.relative_to(ROOT)))
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("// SPDX-License-Identifier: MIT\nint x;\n", True),
        ("#!/usr/bin/env bash\n# SPDX-License-Identifier: MIT\n", True),
        ("/* SPDX-License-Identifier: MIT */\n", True),
        ("\n// SPDX-License-Identifier: MIT\n", False),
        ("// SPDX-License-Identifier: GPL-2.0\n", False),
        ("", False),
    ],
)
def test_the_licence_check_finds_what_it_must(text: str, good: bool) -> None:  # noqa: FBT001
    assert spdx_line(text) is good


@pytest.mark.parametrize("word", ["TO" + "DO: later", "raise Not" + "ImplementedError", "a FIX" + "ME"])
def test_the_check_for_unfinished_places_finds_what_it_must(word: str, tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(f"x = 1  # {word}\n", encoding="utf-8")
    assert len(_lines_with(UNFINISHED, [path])) == 1


def _lines_with(pattern: re.Pattern[str], paths: list[Path]) -> list[str]:
    return [
        f"{path}:{number}: {line.strip()}"
        for path in paths
        for number, line in enumerate(read(path).splitlines(), 1)
        if pattern.search(line)
    ]
