# SPDX-License-Identifier: MIT
"""The machine that the checks look at: its file system, the environment, and what this user may do.

Checks reach ``/proc``, ``/sys``, ``/dev`` and installations of ROCm through a `Machine`, so that tests give them
another one.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rocprofsys_multipass.kernel_files import read_text


def _home() -> Path:
    """Where nobody knows the home folder of a user, it is a name that does not exist."""
    return Path(os.path.expanduser("~"))  # noqa: PTH111 - Path.home raises there


@dataclass(frozen=True)
class Machine:
    """Where to look.

    Attributes:
        environ: the variables that a run would be started with.
        root: the folder that stands for ``/``.
        home: the user's home folder.
        packages: folders in which Python looks for packages.
        may: whether this user may open a file with these rights, as `os.access`.
    """

    environ: Mapping[str, str]
    root: Path = Path("/")
    home: Path = field(default_factory=_home)
    packages: tuple[Path, ...] = field(default_factory=lambda: tuple(Path(name) for name in sys.path if name))
    may: Callable[[Path, int], bool] = os.access

    def path(self, name: str) -> Path:
        """The file of a name; only absolute ones are below `root`."""
        return self.root / name.lstrip("/") if name.startswith("/") else Path(name)

    def name(self, path: Path) -> str:
        """The absolute name of a file under `root`, as messages give it."""
        return "/" + str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(path)

    def text(self, name: str) -> str:
        """The content of a small file; empty where it cannot be read."""
        return read_text(self.path(name))

    def value(self, variable: str) -> str:
        """A variable; empty where it is not set."""
        return self.environ.get(variable, "")


def exists(path: Path) -> bool:
    """Whether there is something; what is in a folder that may not be searched is not there for this user."""
    try:
        path.stat()
    except OSError:
        return False
    return True


def is_off(value: str) -> bool:
    """One of the words that switch off: 0, off, no, false."""
    return value.strip().lower() in ("0", "off", "no", "false")
