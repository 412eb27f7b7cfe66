# SPDX-License-Identifier: MIT
"""How the files of a run are opened, and how long they are, in words."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Final

_HOW_TO_OPEN: Final = {
    ".pftrace": "{command} open {path}",
    ".proto": "{command} open {path}",
    ".db": "sqlite3 {path} 'SELECT * FROM top_kernels'",
    ".csv": "a line per reading",
    ".parquet": "a row per reading, for pandas or DuckDB",
    ".journal": "what was captured; all other files can be made from it again",
}
_SIDECAR: Final = "-replay.db"  # of a database in layout strict
_KIBI: Final = 1024


def how_to_open(path: Path, command: str = "rocprof-sys-multipass") -> str:
    """What to do with a file of a run, by its name; empty where nothing is known of such files.

    `command`: how this tool is called.
    """
    if path.name.endswith(_SIDECAR):
        return f"the readings of passes of {path.name.removesuffix(_SIDECAR)}.db, to be kept beside it"
    if path.suffix == ".json" and path.name.startswith("merge-"):
        return "how the dispatches were matched"
    if path.suffix == ".csv" and path.name.startswith("wide-"):
        return "a line per dispatch"
    if path.suffix == ".json":
        return "every reading" if path.name.startswith("readings-") else "summary"
    return _HOW_TO_OPEN.get(path.suffix, "").format(command=command, path=shlex.quote(str(path)))


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
