# SPDX-License-Identifier: MIT
"""Makes the strict layout of a database (docs/formats/rocpd.md) of the canonical one, the only one that is written."""

from __future__ import annotations

import shutil
import sqlite3
import uuid
from contextlib import closing
from pathlib import Path

_SIDE_TABLES = ("rocpd_replay_pass", "rocpd_replay_pmc")
_SIDE_VIEWS = ("kernel_counters", "replay_conflicts", "replay_counters_collection", "replay_kernels", *_SIDE_TABLES)


def strict_copy(database: Path, folder: Path) -> Path:
    """A copy without the tables and views of passes, and beside it ``<name>-replay.db`` with the tables."""
    folder.mkdir(parents=True, exist_ok=True)
    copy = Path(shutil.copy(database, folder))
    sidecar = folder / f"{copy.stem}-replay.db"
    guid = str(uuid.uuid4())
    own = "_" + guid.replace("-", "_")
    with closing(sqlite3.connect(copy, isolation_level=None)) as db:
        tags = dict(db.execute("SELECT tag, value FROM rocpd_metadata"))
        db.executescript(f"PRAGMA synchronous = OFF; ATTACH '{sidecar}' AS side")
        db.execute(f"CREATE TABLE side.rocpd_metadata{own} AS SELECT * FROM main.rocpd_metadata{tags['uuid']}")
        for tag, value in (("uuid", own), ("guid", guid)):
            db.execute(f"UPDATE side.rocpd_metadata{own} SET value = ? WHERE tag = ?", (value, tag))
        for table in _SIDE_TABLES:
            db.execute(f"CREATE TABLE side.{table}{own} AS SELECT * FROM main.{table}{tags['uuid']}")
        for table in ("rocpd_metadata", *_SIDE_TABLES):
            db.execute(f"CREATE VIEW side.{table} AS SELECT * FROM {table}{own}")
        for view in _SIDE_VIEWS:
            db.execute(f"DROP VIEW main.{view}")
        for table in reversed(_SIDE_TABLES):
            db.execute(f"DROP TABLE main.{table}{tags['uuid']}")
        metadata = f"main.rocpd_metadata{tags['uuid']}"
        db.execute(f"UPDATE {metadata} SET value = 'strict/1' WHERE tag = 'replay_layout'")
        db.execute(f"INSERT INTO {metadata} (tag, value) VALUES ('replay_sidecar', ?)", (sidecar.name,))
    return copy
