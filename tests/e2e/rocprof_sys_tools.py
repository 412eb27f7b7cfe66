# SPDX-License-Identifier: MIT
"""The stand-in of rocprof-sys (tests/standin) as a program to run: no rocprof-sys was here.

The fixture `rocprof_sys` of conftest.py makes one per session. By hand, with PYTHONPATH=python and
ROCPROFSYS_MULTIPASS_NATIVE set: ``python tests/e2e/rocprof_sys_tools.py FOLDER``, then FOLDER/bin in PATH.
"""

from __future__ import annotations

import fcntl
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from e2e_tools import ROOT, Finished, clean_environment

from rocprofsys_multipass.native import Native, find_native

STANDIN = ROOT / "tests" / "standin"


@dataclass(frozen=True)
class Launched:
    """A run under a launcher and the folder with what it wrote."""

    finished: Finished
    folder: Path

    def files(self, pattern: str) -> list[Path]:
        return sorted(self.folder.rglob(pattern))

    def one(self, pattern: str) -> Path:
        """The only file of that name; fails otherwise and says what there is."""
        found = self.files(pattern)
        assert len(found) == 1, (pattern, self.files("*"), self.finished.stderr)
        return found[0]

    @property
    def trace(self) -> Path:
        return self.one("perfetto-trace*.proto")

    @property
    def database(self) -> Path:
        return self.one("rocpd*.db")

    @property
    def metadata(self) -> Path:
        return self.one("metadata*.json")

    @property
    def wall_clock(self) -> Path:
        return self.one("wall_clock*.txt")


@dataclass(frozen=True)
class RocprofSys:
    """An installation: ``bin`` with the launchers, ``lib`` with the library.

    Attributes:
        environment: A clean one with ``bin`` in PATH and one simulated tiny GPU.
    """

    folder: Path
    environment: Mapping[str, str]

    @property
    def bin(self) -> Path:
        return self.folder / "bin"

    @property
    def library(self) -> Path:
        return self.folder / "lib" / "librocprof-sys-dl.so"

    @property
    def launcher(self) -> Path:
        return self.bin / "rocprof-sys-run"

    def run(
        self,
        words: Iterable[str | Path],
        output: Path,
        *,
        env: Mapping[str, str | None] | None = None,
        tool: str = "run",
        cwd: Path | None = None,
    ) -> Launched:
        """``rocprof-sys-<tool> WORDS``, which writes into `output` (no time folder). None in `env` unsets."""
        variables: dict[str, str | None] = {
            **self.environment,
            "ROCPROFSYS_OUTPUT_PATH": str(output),
            "ROCPROFSYS_TIME_OUTPUT": "OFF",
            **(env or {}),
        }
        finished = subprocess.run(
            [self.bin / f"rocprof-sys-{tool}", *words],
            env={name: value for name, value in variables.items() if value is not None},
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        return Launched(finished, output)


def install(native: Native, folder: Path, environment: Mapping[str, str]) -> RocprofSys:
    """Builds the library and links the launchers into `folder`, once also when several processes want it."""
    made = RocprofSys(
        folder,
        {
            **environment,
            "PATH": f"{folder / 'bin'}:{environment.get('PATH', '/usr/bin:/bin')}",
            "HOME": str(folder / "home"),  # without configuration files
            "ROCPROFSYS_MULTIPASS_SIMULATE": "tiny",
        },
    )
    for part in (made.bin, made.library.parent, folder / "home"):
        part.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.library.exists():
            _build(native, made.library)
        for path in (made.launcher, made.bin / "rocprof-sys-sample"):
            if not path.exists():
                path.symlink_to(STANDIN / "launcher.py")
    return made


def _build(native: Native, library: Path) -> None:
    sdk = native.simulator / "librocprofiler-sdk.so.1"
    flags = ["-std=c++20", "-O0", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror", "-shared", "-fPIC"]
    paths = [f"-I{ROOT / 'library'}", f"-I{native.simulator / 'include'}"]
    names = [f'-DSTANDIN_PYTHON="{sys.executable}"', f'-DSTANDIN_FOLDER="{STANDIN}"']
    sources = sorted((STANDIN / "client").glob("*.cpp"))
    unfinished = library.with_suffix(".unfinished")
    built = subprocess.run(
        ["g++", *flags, *paths, *names, *sources, sdk, f"-Wl,-rpath,{sdk.parent}", "-o", unfinished],
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    unfinished.rename(library)


if __name__ == "__main__":
    install(find_native(), Path(sys.argv[1]).absolute(), clean_environment())
