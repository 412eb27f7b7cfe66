# SPDX-License-Identifier: MIT
"""packaging/apt.txt: the one list of distribution packages, which README and CI install from."""

from __future__ import annotations

import re
from pathlib import Path

LIST = Path(__file__).parents[2] / "packaging/apt.txt"


def test_the_list_has_one_package_name_per_line_sorted_and_without_repetition() -> None:
    text = LIST.read_text(encoding="ascii")
    names = text.splitlines()
    assert text.endswith("\n")
    assert len(names) > 5
    assert [name for name in names if not re.fullmatch(r"[a-z0-9][a-z0-9+.-]+", name)] == []
    assert names == sorted(set(names))


def test_the_list_has_what_the_build_cannot_do_without() -> None:
    names = set(LIST.read_text(encoding="ascii").splitlines())
    assert names >= {
        "g++",
        "libcli11-dev",
        "libpcre2-dev",
        "libprotozero-dev",
        "libsqlite3-dev",
        "nlohmann-json3-dev",
    }
