# SPDX-License-Identifier: MIT
"""A rocpd database of this tool from one layout to the other, by the program ``rocprofsys-multipass-export``."""

from __future__ import annotations

import subprocess
from pathlib import Path

from rocprofsys_multipass.errors import LaunchError, OutputError
from rocprofsys_multipass.native import find_native, read_messages


def convert_database(database: Path, layout: str, folder: Path | None = None) -> None:
    """Write the database in `layout` in its own place, or under its name into `folder`.

    Raises:
        NativeError: the compiled parts of this package are missing.
        OutputError: nothing was written; the message says why. The database is as it was.
    """
    command = [str(find_native().exporter), str(database.absolute()), "--layout", layout]
    if folder is not None:
        command += ["--output", str(folder.absolute())]
    try:
        answer = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False
        )
    except OSError as failure:
        raise LaunchError(f"{database} could not be converted: {command[0]}: {failure.strerror}") from failure
    if answer.returncode != 0:
        reason = read_messages(answer.stderr).reason or f"exit code {answer.returncode}, no reason given"
        raise OutputError(f"{database} could not be converted: {reason}")
