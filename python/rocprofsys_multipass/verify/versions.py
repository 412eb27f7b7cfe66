# SPDX-License-Identifier: MIT
"""Checks of what the files were written by: a newer version may say things that this one does not look at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import rocprofsys_multipass as mp
from rocprofsys_multipass.verify.evidence import Evidence
from rocprofsys_multipass.verify.finding import Finding
from rocprofsys_multipass.verify.registry import check

NEWEST_SCHEMA: Final = (3, 0, 5)  # ROCm/rocm-systems, SQL/versions.yml @2bb64a52
LAYOUTS: Final = ("canonical/1", "strict/1", "per-pass/1")  # docs/formats/rocpd.md
_UPDATE: Final = "update rocprofsys-multipass, or verify with the version that wrote it"


@check("versions", "warning", "info", remedy=_UPDATE)
def versions(evidence: Evidence) -> Iterator[Finding]:
    """No file is of a version that is newer than those this package knows.

    Journal, summary and tables of another format are not read at all (checks readable, summary, tables).
    """
    db = evidence.opened
    if db is not None:
        where = f"{db.path.name}: rocpd_metadata"
        schema, layout = db.tag("schema_version"), db.tag("replay_layout")
        if _numbers(schema) > NEWEST_SCHEMA:
            newest = ".".join(map(str, NEWEST_SCHEMA))
            message = (
                f"schema_version is {schema}, the newest that is known is {newest}: tables may mean something else"
            )
            yield Finding("warning", "versions", where, message, _UPDATE)
        if layout and layout not in LAYOUTS:
            message = f"replay_layout is {layout!r}, known are {', '.join(LAYOUTS)}"
            yield Finding("warning", "versions", where, message, _UPDATE)
    for process in evidence.processes:
        if _numbers(process.tool_version) > _numbers(mp.__version__):
            message = f"version {process.tool_version} wrote it, this is {mp.__version__}: what is new is not looked at"
            yield Finding("info", "versions", process.path.name, message, _UPDATE)


def _numbers(version: str) -> tuple[int, ...]:
    """``3.0.1`` as numbers that compare; nothing of a text that does not begin with a number."""
    found = re.match(r"\d+(\.\d+)*", version)
    return tuple(map(int, found[0].split("."))) if found else ()
