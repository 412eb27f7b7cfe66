# SPDX-License-Identifier: MIT
"""What is printed of the folders for rocprofiler-compute: what is in each, and the command that reads it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from rich.markup import escape

from rocprofsys_multipass.spelling import plural

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rich.console import Console

    from rocprofsys_multipass.compute import ModelExport


def show_models(models: Sequence[ModelExport], terminal: Console) -> None:
    """A line for each folder, in the form of those of files."""
    for one in models:
        terminal.print(escape(f"  {one.path} ({_content(one)}): {_command(one.path)}"), soft_wrap=True)


def _content(one: ModelExport) -> str:
    """``6 of 8 dispatches``, ``3 launch shapes``."""
    total = plural(one.dispatches + one.left_out, one.thing)
    return f"{one.dispatches:,} of {total}" if one.left_out else total


def _command(path: Path) -> str:
    """What reads the folder. analyze refuses a path with ``..`` anywhere in it, in the name of a folder too."""
    path = path.resolve() if ".." in path.parts else path
    if ".." in str(path):
        return f"cd {shlex.quote(str(path.parent))} && rocprof-compute analyze -p {shlex.quote(path.name)}"
    return f"rocprof-compute analyze -p {shlex.quote(str(path))}"
