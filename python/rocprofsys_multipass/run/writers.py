# SPDX-License-Identifier: MIT
"""Whether somebody still writes a journal: the wrapper that has the run in hand, or the application itself."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rocprofsys_multipass.run.handover import is_locked
from rocprofsys_multipass.run.journal_token import read_token

_PROCESSES = Path("/proc")
_ACCESS_MODE = 0o3  # of the flags of an open file; 0: for reading only


def handover_of(journal: Path) -> tuple[Path, dict[str, Any]] | None:
    """The hand-over file of the run that a journal is of, by its token, and its content; None: there is none."""
    token = read_token(journal)
    for path in sorted(journal.parent.glob("run-*.config.json")) if token else ():
        with contextlib.suppress(OSError, ValueError):
            content = json.loads(path.read_bytes())
            if isinstance(content, dict) and content.get("run_token") == token:
                return path, content
    return None


def in_use(journal: Path, pid: int) -> str:
    """Why the journal must be left alone, as a sentence; empty when it may be taken.

    `pid`: of the process that recorded it. Processes of this machine are seen, those of another one by the lock of
    their wrapper only.
    """
    handed = handover_of(journal)
    if handed is not None and is_locked(handed[0]):
        return f"its run goes on ({handed[0].name} is locked) and exports by itself"
    writer = writer_of(journal)
    if writer is not None:
        return f"process {writer} has it open for writing"
    if _is_hidden(pid, journal):
        return f"process {pid}, whose open files cannot be seen from here, may be the one that writes it"
    return ""


def writer_of(journal: Path) -> int | None:
    """A process that has the file open for writing, as far as they can be seen from here."""
    wanted = os.path.realpath(journal)
    for process in _numbered(_PROCESSES):
        with contextlib.suppress(OSError):  # it has ended, or is somebody else's
            for file in _numbered(process / "fd"):
                if str(file.readlink()) == wanted and _for_writing(process / "fdinfo" / file.name):
                    return int(process.name)
    return None


def _numbered(folder: Path) -> Iterator[Path]:
    return (entry for entry in folder.iterdir() if entry.name.isdigit())


def _for_writing(information: Path) -> bool:
    for line in information.read_text(encoding="ascii").splitlines():
        name, _, value = line.partition(":")
        if name == "flags":
            return bool(int(value, 8) & _ACCESS_MODE)
    return False


def _is_hidden(pid: int, journal: Path) -> bool:
    """Whether a process of that number and of the journal's owner is there, and may not be looked into."""
    process = _PROCESSES / str(pid)
    try:
        if process.stat().st_uid != journal.stat().st_uid:
            return False
        next((process / "fd").iterdir(), None)
    except PermissionError:
        return True
    except OSError:
        return False
    return False
