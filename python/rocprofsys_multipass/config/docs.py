# SPDX-License-Identifier: MIT
"""The table of options in docs/formats/config.md, made from the schema.

``python -m rocprofsys_multipass.config.docs [FILE]`` compares the file's table with it; ``--write`` replaces it.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rocprofsys_multipass.config.schema import OPTIONS, PREFIX, Option
from rocprofsys_multipass.errors import ExitCode

BEGIN = "<!-- options: written by python -m rocprofsys_multipass.config.docs --write -->"
END = "<!-- end of options -->"
_PAGE = "docs/formats/config.md"


def option_table() -> str:
    """The table as Markdown."""
    head = f"| option | variable `{PREFIX}` | YAML key | Python | read by | allowed | default |"
    lines = [head, "|---" * (head.count("|") - 1) + "|"]
    lines += [_row(option) for option in OPTIONS]
    return "\n".join(lines) + "\n"


def with_table(page: str) -> str:
    """The page with the table as it must be.

    Raises:
        ValueError: the page has not the two comment lines that the table stands between.
    """
    before, begin, rest = page.partition(BEGIN + "\n")
    _, end, after = rest.partition(END)
    if not (begin and end):
        message = f"the lines '{BEGIN}' and '{END}' are missing"
        raise ValueError(message)
    return f"{before}{begin}{option_table()}{end}{after}"


def main(argv: list[str] | None = None) -> int:
    """Compare, or with ``--write`` replace, the table of a page."""
    parser = argparse.ArgumentParser(description="The table of options in docs/formats/config.md.")
    parser.add_argument("page", nargs="?", type=Path, default=Path(_PAGE))
    parser.add_argument("--write", action="store_true", help="write the table into the page")
    args = parser.parse_args(argv)
    page = args.page.read_text(encoding="utf-8")
    wanted = with_table(page)
    if args.write:
        args.page.write_text(wanted, encoding="utf-8")
    elif page != wanted:
        sys.stderr.write(f"{args.page}: the table of options is not that of the schema: use --write\n")
        return ExitCode.CONFIG
    return ExitCode.OK


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
    sys.exit(main())
