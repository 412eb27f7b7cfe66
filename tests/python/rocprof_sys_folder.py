# SPDX-License-Identifier: MIT
"""Writes folders as rocprof-sys leaves them: trace, database, metadata and texts of each process."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import handmade_foreign as foreign
from handmade_foreign_trace import rocprof_sys_trace

LAUNCHES = (
    foreign.Launch(1, (foreign.Execution(1000, 1100), foreign.Execution(2000, 2100)), kernel="axpy"),
    foreign.Launch(2, (foreign.Execution(3000, 3100),), kernel="fill"),
)
NAMES = {"trace": "perfetto-trace{}.proto", "database": "rocpd{}.db", "metadata": "metadata{}.json"}
TEXTS = ("wall_clock{}.txt", "wall_clock{}.json", "trip_count{}.txt")


def host_run(pid: int) -> foreign.Run:
    return foreign.Run(LAUNCHES, pid=pid)


def write_host(  # noqa: PLR0913 - what such folders differ in
    folder: Path,
    pid: int,
    *,
    suffix: object = None,
    files: tuple[str, ...] = ("trace", "database"),
    prefix: str = "",
    texts: tuple[str, ...] = (),
    environment: Mapping[str, str] | None = None,
) -> Path:
    """The files of one process. `suffix` None: its pid; ``""``: none. `environment`: in the metadata, if any."""
    folder.mkdir(parents=True, exist_ok=True)
    number = pid if suffix is None else suffix
    ending = f"-{number}" if number != "" else ""
    paths = {kind: folder / (prefix + name.format(ending)) for kind, name in NAMES.items()}
    if "trace" in files:
        paths["trace"].write_bytes(rocprof_sys_trace(host_run(pid)))
    if "database" in files:
        foreign.write_rocprof_sys(paths["database"], host_run(pid))
    for text in texts:
        (folder / (prefix + text.format(ending))).write_text("| REAL-CLOCK TIMER |\n", encoding="utf-8")
    if environment is not None:
        write_metadata(paths["metadata"], environment, [paths[kind] for kind in files])
    return folder


def write_metadata(path: Path, environment: Mapping[str, str], outputs: list[Path], **info: str) -> Path:
    """The metadata file of a run, as rocprof-sys documents it."""
    kinds = {".proto": "protobuf", ".pftrace": "protobuf", ".db": "rocpd", ".json": "json", ".txt": "text"}
    listed: dict[str, list[dict[str, object]]] = {}
    for one in outputs:
        listed.setdefault(kinds[one.suffix], []).append({"key": one.stem, "value": [str(one)]})
    metadata = {
        "info": {"USER": "someone", **info},
        "settings": {"ROCPROFSYS_USE_PID": {"name": "use_pid", "value": True}},
        "environment": [{"key": key, "value": value} for key, value in environment.items()],
        "output": listed,
    }
    path.write_text(json.dumps({"rocprofiler-systems": {"metadata": metadata}}), encoding="utf-8")
    return path


def copies_of(path: Path, runs: list[int]) -> Path:
    """One database of several processes."""
    return foreign.write_rocprof_sys(path, *(replace(host_run(pid), guid=f"{pid:032x}") for pid in runs))
