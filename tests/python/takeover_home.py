# SPDX-License-Identifier: MIT
"""Where commands of rocprof-sys are started in tests of what is taken from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rocprofsys_multipass.rocprof_sys.command import parse_command
from rocprofsys_multipass.rocprof_sys.found import Found, find_settings
from rocprofsys_multipass.rocprof_sys.takeover import Takeover, take_over


@dataclass(frozen=True)
class Home:
    """A folder in which commands are started, the home folder too; copies go to ``run`` in it."""

    path: Path

    def write(self, **files: str) -> None:
        for name, text in files.items():
            (self.path / name.replace("__", ".")).write_bytes(text.encode())

    def environ(self, environ: Mapping[str, str]) -> dict[str, str]:
        return {"HOME": str(self.path), **environ}

    def find(self, command: str, environ: Mapping[str, str] | None = None) -> Found:
        return find_settings(parse_command(command.split(" ")), self.environ(environ or {}), self.path)

    def take(self, command: str, environ: Mapping[str, str] | None = None) -> Takeover:
        found = self.find(command, environ)
        return take_over(found, self.environ(environ or {}), lambda number, suffix: self.path / f"run/{number}{suffix}")


def changes(taken: Takeover, before: Mapping[str, str]) -> dict[str, str | None]:
    """Variables that differ; None: taken out."""
    after = taken.environ
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    return {name: after.get(name) for name in sorted(names)}


def with_copies(taken: Takeover) -> Mapping[str, str]:
    for copy in taken.copies:
        copy.path.parent.mkdir(exist_ok=True)
        copy.path.write_bytes(copy.content)
    return taken.environ
