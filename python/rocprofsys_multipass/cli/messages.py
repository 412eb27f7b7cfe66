# SPDX-License-Identifier: MIT
"""Short texts that several commands print: problems, files."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from rich.markup import escape

from rocprofsys_multipass.visible import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

PROGRAM = "rocprof-sys-multipass"

_PACKAGE = "rocprofsys_multipass"
_HOW_TO_OPEN = {
    ".pftrace": "{command} open {path}",
    ".db": "sqlite3 {path} 'SELECT * FROM top_kernels'",
    ".csv": "a line per reading",
    ".journal": "what was captured; all other files can be made from it again",
}
_KIBI = 1024


def show_problems(warnings: Sequence[str], errors: Sequence[str], stream: TextIO) -> None:
    """One line each, in the form that `main` reports errors in."""
    stream.writelines(f"{PROGRAM}: warning: {visible(text)}\n" for text in warnings)
    stream.writelines(f"{PROGRAM}: error: {visible(text)}\n" for text in errors)


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
        how = _how_to_open(path) if hints else ""
        try:
            size = readable_size(path.stat().st_size)
        except OSError:  # somebody has just removed it
            continue
        terminal.print(escape(f"  {path} ({size})" + (f": {how}" if how else "")), soft_wrap=True)


def _how_to_open(path: Path) -> str:
    if path.suffix == ".json":
        return "every reading" if path.name.startswith("readings-") else "summary"
    return _HOW_TO_OPEN.get(path.suffix, "").format(command=invocation(), path=shlex.quote(str(path)))


def readable_size(size: int) -> str:
    """``532 bytes``, ``1.4 KiB``, ``23.0 MiB``."""
    if size < _KIBI:
        return f"{size} bytes"
    value = float(size)
    for unit in ("KiB", "MiB", "GiB"):
        value /= _KIBI
        if value < _KIBI:
            return f"{value:.1f} {unit}"
    return f"{value / _KIBI:.1f} TiB"
