# SPDX-License-Identifier: MIT
"""Stands for: how rocprof-sys names its files: ``<OUTPUT_PATH>[/<TIMESTAMP>]/[<PREFIX>]<NAME>[-<SUFFIX>].<EXT>``.

After ROCm/rocm-systems projects/rocprofiler-systems @1b1610fc: docs/how-to/understanding-rocprof-sys-output.rst,
source/lib/core/config.cpp (get_perfetto_output_filename). The suffix is the rank where a launcher of MPI says one
(there: once MPI is up; STANDIN_SUFFIX=pid for an application that never starts it), else the pid.

Does not: the keys with _hash, %size% other than the launcher's, two processes in one minute of different time zones.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

RANKS = ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "MV2_COMM_WORLD_RANK")
SIZES = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_NTASKS")


def _first(names: tuple[str, ...], otherwise: str) -> str:
    return next((os.environ[name] for name in names if os.environ.get(name)), otherwise)


@dataclass(frozen=True)
class Names:
    """Of one process. Folders are made when a name is asked for."""

    text: Callable[[str, str], str]
    is_on: Callable[..., bool]
    pid: int
    ppid: int
    command: list[str]

    @property
    def suffix(self) -> str:
        if not self.is_on("ROCPROFSYS_USE_PID", otherwise=True):
            return ""
        rank = "" if os.environ.get("STANDIN_SUFFIX") == "pid" else _first(RANKS, "")
        return f"-{rank or self.pid}"

    def expand(self, text: str) -> str:
        """`text` with its keys replaced; a slash in what a key stands for becomes an underscore."""
        tag = Path(self.command[0]).name if self.command else "unknown"
        keys = {
            "tag": tag,
            "argv": "_".join(self.command),
            "args": "_".join(self.command[1:]),
            "pid": str(self.pid),
            "ppid": str(self.ppid),
            "job": os.environ.get("SLURM_JOB_ID", "0"),
            "rank": os.environ.get("SLURM_PROCID") or _first(RANKS, "0"),
            "size": _first(SIZES, "1"),
            "nid": os.environ.get("SLURM_NODEID", "0"),
            "launch_time": self._stamp(),
            **{f"arg{n}": word for n, word in enumerate(self.command)},
        }
        keys |= {"m": tag, "p": keys["pid"], "j": keys["job"], "r": keys["rank"], "s": keys["size"]}
        text = re.sub(r"(?:%env\{(\w+)\}%|\$env\{(\w+)\})", lambda m: os.environ.get(m[1] or m[2], ""), text)
        text = re.sub(r"%cfg\{(\w+)\}%", lambda m: self.text(m[1], ""), text)
        text = re.sub(r"%(\w+)%", lambda m: keys[m[1]].replace("/", "_") if m[1] in keys else m[0], text)
        return re.sub(r"%([mpjrs])(?!\w)", lambda m: keys[m[1]].replace("/", "_"), text)

    def _stamp(self) -> str:
        return time.strftime(self.text("ROCPROFSYS_TIME_FORMAT", "%F_%H.%M"))

    def path(self, name: str, extension: str) -> Path:
        folder = Path(self.expand(self.text("ROCPROFSYS_OUTPUT_PATH", "rocprof-sys-%tag%-output")))
        if self.is_on("ROCPROFSYS_TIME_OUTPUT", otherwise=True):
            folder /= self._stamp()
        prefix = self.expand(self.text("ROCPROFSYS_OUTPUT_PREFIX", ""))
        path = Path(f"{folder.absolute()}/{prefix}{name}{self.suffix}.{extension}")
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def trace(self) -> Path:
        """ROCPROFSYS_PERFETTO_FILE may say a name, a folder and an extension of its own."""
        wanted = self.text("ROCPROFSYS_PERFETTO_FILE", "perfetto-trace.proto")
        folder, _, name = wanted.rpartition("/")
        stem, dot, extension = name.rpartition(".")
        stem, extension = (stem, extension) if dot else (name, "proto")
        if not folder:
            return self.path(stem, extension)
        path = Path(self.expand(f"{folder}/{stem}{self.suffix}.{extension}")).absolute()
        path.parent.mkdir(parents=True, exist_ok=True)
        return path
