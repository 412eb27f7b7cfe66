# SPDX-License-Identifier: MIT
"""The table of options in docs/formats/config.md, made from the schema.

``python -m rocprofsys_multipass.config.docs [FILE]`` compares the file's table with it; ``--write`` replaces it.
"""

from __future__ import annotations

import sys
from typing import Final

from rocprofsys_multipass.config.option import PREFIX, Option
from rocprofsys_multipass.config.schema import OPTIONS
from rocprofsys_multipass.marked import MarkedPart


def option_table() -> str:
    """The table as Markdown."""
    head = f"| option | variable `{PREFIX}` | YAML key | Python | read by | allowed | default |"
    lines = [head, "|---" * (head.count("|") - 1) + "|"]
    lines += [_row(option) for option in OPTIONS]
    return "\n".join(lines) + "\n"


PART: Final = MarkedPart(
    page="docs/formats/config.md",
    begin="<!-- options: written by python -m rocprofsys_multipass.config.docs --write -->",
    end="<!-- end of options -->",
    source="the schema",
    make=option_table,
)


def _row(option: Option) -> str:
    name = f"`--{option.name}{f' {option.metavar}' if option.metavar else ''}`"
    if option.short:
        name = f"`{option.short}`, {name}"
    if option.repeatable:
        name += ", several times"
    variable = f"`{option.variable.removeprefix(PREFIX)}`"
    if option.fallback:
        variable += f", else `{option.fallback}`"
    key = f"`{option.key}`" if option.in_file else "none"
    if option.alias:
        key += f" or `{option.alias}`"
    allowed = f"{option.summary}: {option.allowed}" + (f" ({option.unit})" if option.unit != "none" else "")
    cells = [name, variable, key, f"`{option.python}`", ", ".join(option.readers), allowed, option.default_text]
    return "| " + " | ".join(cell.replace("|", "\\|").replace("<", "&lt;") for cell in cells) + " |"


if __name__ == "__main__":
    sys.exit(PART.main(None))
