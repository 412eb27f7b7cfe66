# SPDX-License-Identifier: MIT
"""Small files of the kernel, below ``/proc`` and ``/sys``: their text, and the numbers in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def read_text(path: Path) -> str:
    """The content of a small file; empty where it cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def read_number(path: Path) -> int | None:
    """The number that is all of a file; None for ``max``, and where there is none."""
    text = read_text(path).strip()
    return int(text) if text.isascii() and text.isdigit() else None


def numbers(text: str) -> dict[str, int]:
    """What lines ``name value`` or ``name: value unit`` say, as in ``/proc/meminfo`` and the properties of kfd."""
    found: dict[str, int] = {}
    for line in text.splitlines():
        words = line.replace(":", " ").split()
        if len(words) > 1 and words[1].isascii() and words[1].isdigit():
            found[words[0]] = int(words[1])
    return found
