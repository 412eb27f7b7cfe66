# SPDX-License-Identifier: MIT
"""The second file of a database in layout strict, which has the readings of passes (docs/formats/rocpd.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.trace.database import Database, open_database

_ENDING: Final = "-replay"  # of the stem
_LAYOUT: Final = "strict/"
_PARENT: Final = "replay_parent_guid"  # in the sidecar: the guid of the run


def is_strict(db: Database) -> bool:
    """Whether the readings of passes are in another file; after `rocpd merge` of the pair they are not."""
    return db.tag("replay_layout").startswith(_LAYOUT) and not db.has("rocpd_replay_pass")


def sidecar_of(db: Database) -> Path | None:
    """The file with the side tables of a database in layout strict; None: there is none of this run."""
    if not is_strict(db):
        return None
    path = _path(db)
    return path if path.exists() and not _parent_apart(db, path) else None


def sidecar_problem(db: Database) -> str:
    """Why a database in layout strict has no sidecar; empty: it has, or needs none."""
    if not is_strict(db):
        return ""
    path = _path(db)
    if not path.exists():
        return f"{path.name}, which has its passes, is not beside it"
    if parent := _parent_apart(db, path):
        return f"{path.name} beside it is of another run ({parent}), so its passes are missing"
    return ""


def is_sidecar(db: Database) -> bool:
    """Whether the file is such a second one."""
    return bool(db.tag(_PARENT)) and not db.has("rocpd_kernel_dispatch")


def refuse_sidecar(db: Database) -> None:
    """TraceError where the file is such a second one, given alone: nothing of it can be read or checked."""
    if is_sidecar(db):
        raise TraceError(
            f"{db.path}: it has the passes of a database in layout strict, and not what they are of; give "
            f"{main_name(db.path)}, with this file beside it"
        )


def main_name(sidecar: Path) -> str:
    """How the database is called that a sidecar is of."""
    return sidecar.stem.removesuffix(_ENDING) + sidecar.suffix


def is_sidecar_name(path: Path) -> bool:
    """Whether a file is called as sidecars are."""
    return path.stem.endswith(_ENDING)


def _path(db: Database) -> Path:
    name = Path(db.tag("replay_sidecar").replace("\0", "")).name or f"{db.path.stem}{_ENDING}.db"
    return db.path.with_name(name)


def _parent_apart(db: Database, path: Path) -> str:
    """The run that a sidecar is of, where that is another one. What cannot be read is told by who reads it."""
    try:
        with open_database(path) as side:
            parent = side.tag(_PARENT)
            return "" if parent == db.tag("guid") else parent or f"without a tag {_PARENT}"
    except TraceError:
        return ""
