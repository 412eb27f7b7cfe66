# SPDX-License-Identifier: MIT
"""The names that rocprof-sys gives to its files and folders.

``<OUTPUT_PATH>[/<TIMESTAMP>]/[<PREFIX>]<NAME>[-<SUFFIX>].<EXT>``, where the suffix is the pid, the MPI rank once MPI is
up, or missing (ROCPROFSYS_USE_PID=OFF). Source: ROCm/rocm-systems @1b1610fc,
projects/rocprofiler-systems/docs/how-to/understanding-rocprof-sys-output.rst and configuring-runtime-options.rst.
"""

from __future__ import annotations

import glob
import re
from pathlib import Path
from typing import Final, Literal

Role = Literal["trace", "database", "metadata", "text"]

TRACE_EXTENSIONS: Final = (".proto", ".pftrace", ".perfetto-trace")
_OURS: Final = ("multipass-", "merge-", "readings-", "wide-", "run-")  # first words of this tool's files
_STEM: Final = re.compile(r"(?P<name>.+?)(?:-(?P<suffix>\d{1,10}))?")
_COMBINED: Final = "merged"  # what its own sink and script for several ranks call their trace
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}[_T -]\d{2}[.:h]?\d{2}.*")  # %F_%H.%M, and what is like it
_KEY: Final = re.compile(r"%[^%/]+%|\$env\{[^}]*\}|%[mpjrs]")  # of ROCPROFSYS_OUTPUT_PATH and _PREFIX
_WITH_KERNELS: Final = ("wall_clock", "rocprof-device-")


def role_of(path: Path) -> Role | None:
    """What a file is by its name; None: none of rocprof-sys's."""
    if path.name.startswith(_OURS) or ".tmp" in path.name:
        return None
    if path.suffix in TRACE_EXTENSIONS:
        return "trace"
    if path.suffix == ".db":
        return "database"
    if path.suffix == ".json" and split(path)[0].endswith("metadata"):
        return "metadata"
    return "text" if path.suffix in (".txt", ".json") else None


def split(path: Path) -> tuple[str, str]:
    """Name and suffix of a file: ``perfetto-trace`` and ``4711``. The suffix is empty where there is none."""
    match = _STEM.fullmatch(path.stem)
    return (match["name"], match["suffix"] or "") if match else (path.stem, "")


def is_combined(path: Path) -> bool:
    """Whether a trace is, by its name, that of several ranks."""
    return split(path)[0].endswith(_COMBINED)


def is_timestamp(folder: Path) -> bool:
    """Whether a folder is one of those that ROCPROFSYS_TIME_OUTPUT makes, by its name."""
    return _DATE.fullmatch(folder.name) is not None


def matching(template: Path) -> list[Path]:
    """The folders that a path may be, in which keys such as ``%pid%`` stand for what only the process knows."""
    parts = [_KEY.split(part) for part in template.parts]
    pattern = Path(*("*".join(map(glob.escape, pieces)) for pieces in parts))
    return sorted(path for path in map(Path, glob.glob(str(pattern))) if path.is_dir())  # noqa: PTH207 - from the root


def lists_kernels(path: Path) -> bool:
    """Whether a text has lines for kernels, which then count executions: wall_clock, and the sums of a counter."""
    return any(word in path.name for word in _WITH_KERNELS)
