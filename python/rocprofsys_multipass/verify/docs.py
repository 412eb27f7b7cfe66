# SPDX-License-Identifier: MIT
"""The table of checks in docs/formats/verify.md, made from their list.

``python -m rocprofsys_multipass.verify.docs [FILE]`` compares the page's table with it; ``--write`` replaces it.
"""

from __future__ import annotations

import sys
from typing import Final

from rocprofsys_multipass.marked import MarkedPart
from rocprofsys_multipass.verify import CHECKS, Check


def check_table() -> str:
    """The table as Markdown."""
    head = "| check | finds | what holds in a good run | what to do |"
    return "\n".join([head, "|---" * (head.count("|") - 1) + "|", *map(_row, CHECKS.values())]) + "\n"


def _row(one: Check) -> str:
    what = " ".join([one.description, *one.details.split()])
    cells = (f"`{one.id}`", ", ".join(one.severities), what, one.remedy)
    return "| " + " | ".join(cell.replace("|", "\\|").replace("<", "&lt;") for cell in cells) + " |"


PART: Final = MarkedPart(
    page="docs/formats/verify.md",
    begin="<!-- checks: written by python -m rocprofsys_multipass.verify.docs --write -->",
    end="<!-- end of checks -->",
    source="the list of checks",
    make=check_table,
)


if __name__ == "__main__":
    sys.exit(PART.main(None))
