# SPDX-License-Identifier: MIT
"""Disks on which something is wrong: full, read-only, without locks; each for one command that is run on it."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from e2e_tools import Finished
from kill_tools import LONG_S

LIMITED = "import os, resource, sys; n = int(sys.argv[1]); resource.setrlimit(resource.RLIMIT_FSIZE, (n, n)); "
LIMITED += "os.execvp(sys.argv[2], sys.argv[2:])"

MOUNTED = """
set -e
disk=$1 stage=$2 options=$3
shift 3
cp -a "$disk/." "$stage/in"
if [ "$options" = ro ]; then
  mount --bind "$stage/in" "$disk"
  mount -o remount,bind,ro "$disk"
else
  mount -t tmpfs -o "$options" none "$disk"
  cp -a "$stage/in/." "$disk"
fi
set +e
"$@"
code=$?
cp -a "$disk/." "$stage/out"
exit $code
"""
"""In a mount namespace of its own: what was on the disk is copied to and fro, since the namespace ends with it."""

ERRORS = {
    "fsize": errno.EFBIG,
    "preload": errno.ENOSPC,
    "quota": errno.EDQUOT,
    "broken": errno.EIO,
    "tmpfs": errno.ENOSPC,
}


@dataclass(frozen=True)
class Disk:
    """A folder that is made small for a command. `kind`: by which means; `library`: what all but two kinds preload."""

    kind: str
    library: Path
    environment: dict[str, str]

    @property
    def errno(self) -> int:
        """What the system says when it is full."""
        return ERRORS[self.kind]

    @property
    def reason(self) -> str:
        """The same in its words."""
        return os.strerror(self.errno)

    def run(self, words: list[str], folder: Path, room: int) -> Finished:
        """Run the command with so many bytes of room in the folder: for each file (fsize), or for each process."""
        if self.kind == "fsize":
            return run_for([sys.executable, "-c", LIMITED, str(room), *words], self.environment)
        if self.kind != "tmpfs":
            disk = {"MULTIPASS_TEST_DISK": str(folder), "MULTIPASS_TEST_ROOM": str(room)}
            disk |= {"MULTIPASS_TEST_ERROR": str(self.errno), "LD_PRELOAD": str(self.library)}
            return run_for(words, self.environment | disk)
        return run_mounted(words, folder, f"size={room + taken(folder)}", self.environment)


def taken(folder: Path) -> int:
    """How many bytes of a tmpfs the files take, in whole pages."""
    page = resource.getpagesize()
    return sum(-(-path.stat().st_size // page) * page for path in folder.rglob("*") if path.is_file())


def run_for(words: list[str], env: dict[str, str]) -> Finished:
    """Run a command, for a bounded time."""
    return subprocess.run(
        words, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LONG_S, check=False
    )


def run_mounted(words: list[str], folder: Path, options: str, env: dict[str, str]) -> Finished:
    """Run a command with another file system in place of the folder. Fails where this machine does not let it."""
    stage = folder.with_name(f"{folder.name}-stage")
    for part in ("in", "out"):
        (stage / part).mkdir(parents=True)
    outer = ["unshare", "-Urm", "sh", "-c", MOUNTED, "sh", str(folder), str(stage), options]
    done = run_for([*outer, *words], env)
    assert "unshare:" not in done.stderr, done.stderr
    assert "mount:" not in done.stderr, done.stderr
    shutil.copytree(stage / "out", folder, dirs_exist_ok=True)
    shutil.rmtree(stage)
    return done
