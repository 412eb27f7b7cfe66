# SPDX-License-Identifier: MIT
"""Short texts that several commands print: problems, files."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from rich.markup import escape

from rocprofsys_multipass.opening import how_to_open, readable_size
from rocprofsys_multipass.visible import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

PROGRAM = "rocprof-sys-multipass"

_PACKAGE = "rocprofsys_multipass"


def show_problems(warnings: Sequence[str], errors: Sequence[str], stream: TextIO) -> None:
    """One line each, in the form that `main` reports errors in."""
    stream.writelines(f"{PROGRAM}: warning: {in_one_line(text)}\n" for text in warnings)
    stream.writelines(f"{PROGRAM}: error: {in_one_line(text)}\n" for text in errors)


def show_notes(notes: Sequence[str], stream: TextIO) -> None:
    """One line each: what is neither wrong nor missing, and good to know."""
    stream.writelines(f"{PROGRAM}: {in_one_line(text)}\n" for text in notes)


def in_one_line(text: str) -> str:
    """The text as `visible` has it, with a visible character for the end of a line: names of files may have one."""
    return visible(text).replace("\n", "\N{SYMBOL FOR LINE FEED}")


def invocation() -> str:
    """This command as the user can call it again: by its name where PATH finds it, else as it was called."""
    called = Path(sys.argv[0])
    if called.name == "__main__.py" and called.parent.name == _PACKAGE:
        return f"{_shortest(sys.executable)} -m {_PACKAGE}"
    return _shortest(sys.argv[0]) if called.name == PROGRAM else PROGRAM


def _shortest(program: str) -> str:
    """The name alone where it starts the same file."""
    name = Path(program).name
    found = shutil.which(name)
    same = found is not None and Path(found).absolute() == Path(program).absolute()
    return shlex.quote(name if same else program)


def show_files(files: Sequence[Path], terminal: Console, *, hints: bool = True) -> None:
    """Path and size of each file that is there, and, with `hints`, how to open it."""
    for path in files:
        how = how_to_open(path, invocation()) if hints else ""
        try:
            size = readable_size(path.stat().st_size)
        except OSError:  # somebody has just removed it
            continue
        terminal.print(escape(f"  {path} ({size})" + (f": {how}" if how else "")), soft_wrap=True)
