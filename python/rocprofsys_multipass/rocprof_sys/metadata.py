# SPDX-License-Identifier: MIT
"""What the metadata file of rocprof-sys tells of a run: the files that were written, and the environment.

Its shape: ``{"rocprofiler-systems": {"metadata": {"info": {...}, "settings": {...}, "environment": [{"key", "value"}],
"output": {"text": [{"key", "value": [path, ...]}], "json": ..., "protobuf": ...}}}}`` (ROCm/rocm-systems @1b1610fc,
docs/how-to/understanding-rocprof-sys-output.rst). The outermost name has changed with the project's.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rocprofsys_multipass.config import launcher_rank


@dataclass(frozen=True)
class Metadata:
    """What is used of a metadata file. `outputs`: those of the listed files that are there."""

    path: Path
    outputs: tuple[Path, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def rank(self) -> int | None:
        """The rank that the launcher of the run told, if it did."""
        return launcher_rank(self.environment)


def read_metadata(path: Path) -> Metadata | None:
    """None: it cannot be read, or has another shape."""
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    found = _inner(document)
    if found is None:
        return None
    environment = {
        one["key"]: one["value"]
        for one in _objects(found.get("environment"))
        if isinstance(one.get("key"), str) and isinstance(one.get("value"), str)
    }
    info = found.get("info")
    start = info.get("PWD") if isinstance(info, dict) else None
    outputs = dict.fromkeys(
        there
        for name in _texts(found.get("output"))
        if (there := _locate(name, path.parent, start if isinstance(start, str) else "")) is not None
    )
    return Metadata(path, tuple(outputs), environment)


def _inner(document: object) -> dict[str, Any] | None:
    """The object with the contents, whatever the project is called."""
    for outer in document.values() if isinstance(document, dict) else ():
        inner = outer.get("metadata") if isinstance(outer, dict) else None
        if isinstance(inner, dict):
            return inner
    return None


def _objects(value: object) -> Iterator[dict[str, Any]]:
    return (one for one in value if isinstance(one, dict)) if isinstance(value, list) else iter(())


def _texts(output: object) -> Iterator[str]:
    """The paths in ``output``, of every kind."""
    for kind in output.values() if isinstance(output, dict) else ():
        for one in _objects(kind):
            names = one.get("value")
            yield from (name for name in ([names] if isinstance(names, str) else names or ()) if isinstance(name, str))


def _locate(name: str, folder: Path, start: str) -> Path | None:
    """A listed file: beside the metadata, for a folder may have been copied, else where the run wrote it."""
    places = [folder / Path(name).name, Path(start, name)]
    return next((place for place in places if "\0" not in name and place.is_file()), None)
