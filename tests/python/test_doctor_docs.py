# SPDX-License-Identifier: MIT
"""The page of ``doctor`` names every check that there is, and no other."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_check_is_documented() -> None:
    page = (ROOT / "docs/formats/doctor.md").read_text(encoding="utf-8")
    table = page.partition("## Checks")[2].partition("\n## ")[0]
    documented = {
        name
        for line in table.splitlines()
        if line.startswith("| `")
        for name in re.findall(r"`([^`]+)`", line[: line.index(" |", 2)])
    }
    sources = "\n".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "python/rocprofsys_multipass/doctor").rglob("*.py")
    )
    named = set(re.findall(r'"((?:package|sdk|gpu|memory|tools|variables|selftest)\.[a-z_]+)"', sources))
    named -= {f"memory.{file}" for file in ("max", "current", "limit_in_bytes", "usage_in_bytes")}  # of control groups
    parts = {f"package.{part}" for part in ("exporter", "planner", "counter_reader")}
    assert documented == named | parts | {"gpu.N", "memory.gpu.N", "selftest"}
