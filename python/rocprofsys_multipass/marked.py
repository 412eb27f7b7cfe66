# SPDX-License-Identifier: MIT
"""Pages of the documentation with a part, between two comment lines, that a program writes or compares."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rocprofsys_multipass.errors import ExitCode


@dataclass(frozen=True)
class MarkedPart:
    """What stands behind the line `begin` and before `end` in `page`: the text that `make` returns, from `source`."""

    page: str
    begin: str
    end: str
    source: str
    make: Callable[[], str]

    def put_into(self, page: str) -> str:
        """The page with the part as it must be.

        Raises:
            ValueError: the page has not the two comment lines.
        """
        before, begin, rest = page.partition(self.begin + "\n")
        _, end, after = rest.partition(self.end)
        if not (begin and end):
            message = f"the lines '{self.begin}' and '{self.end}' are missing"
            raise ValueError(message)
        return f"{before}{begin}{self.make()}{end}{after}"

    def main(self, argv: list[str] | None) -> int:
        """Compare the part of a page, or with ``--write`` replace it."""
        parser = argparse.ArgumentParser(description=f"The tables of {self.page}, made from {self.source}.")
        parser.add_argument("page", nargs="?", type=Path, default=Path(self.page))
        parser.add_argument("--write", action="store_true", help="write the tables into the page")
        args = parser.parse_args(argv)
        page = args.page.read_text(encoding="utf-8")
        wanted = self.put_into(page)
        if args.write:
            args.page.write_text(wanted, encoding="utf-8")
        elif page != wanted:
            sys.stderr.write(f"{args.page}: the tables are not those of {self.source}: use --write\n")
            return ExitCode.CONFIG
        return ExitCode.OK
