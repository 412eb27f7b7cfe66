# SPDX-License-Identifier: MIT
"""The folder of a run.

It is made and checked before the application starts, so that no run ends without a place to write to. Processes of
one parallel job share a folder: their files carry ``rank<r>``, and each wrapper looks only at those of its own rank.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rocprofsys_multipass.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Mapping

_OURS = re.compile(
    r"multipass-(?:rank(?P<rank>\d+)|\d+)(?:-\d+)*\.(?:journal|pftrace|db|json)"
    r"(?P<temporary>[.-][A-Za-z0-9.-]+)?"
)
_CONFIG = re.compile(r"run-(?P<pid>\d+)\.config\.json")


@dataclass(frozen=True)
class RunDirectory:
    """A folder that one wrapper writes to. `rank`: the wrapper's rank in a parallel job, if any."""

    path: Path
    rank: int | None
    created: tuple[Path, ...]  # folders that did not exist before, outermost first

    def journals(self) -> list[Path]:
        """The journals of this run, by name."""
        return [path for path in self._files() if path.suffix == ".journal"]

    def write_config(self, config: Mapping[str, object]) -> Path:
        """Write the hand-over file ``run-<pid>.config.json``.

        Raises:
            OutputError: it cannot be written.
        """
        path = self.path / f"run-{os.getpid()}.config.json"
        temporary = path.with_suffix(".json.tmp")
        try:
            temporary.write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")
            temporary.replace(path)
        except OSError as error:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise _unwritable(self.path, error) from error
        return path

    def abandon(self, config: Path | None) -> None:
        """Undo what was made for a run that never started."""
        with contextlib.suppress(OSError):
            if config is not None:
                config.unlink()
            for folder in reversed(self.created):
                folder.rmdir()  # only when it is empty

    def _files(self) -> list[Path]:
        return sorted(path for path in self.path.iterdir() if _of_rank(_OURS.fullmatch(path.name), self.rank))


def prepare(path: Path, *, overwrite: bool, rank: int | None) -> RunDirectory:
    """Make the folder and see that it holds no earlier run; with `overwrite`, remove the files of that run.

    Raises:
        OutputError: the folder cannot be made or holds a run already.
    """
    created = [folder for folder in (*reversed(path.parents), path) if not folder.exists()]
    try:
        path.mkdir(parents=True, exist_ok=True)
        directory = RunDirectory(path, rank, tuple(created))
        _refuse_running(path, rank)
        earlier = _earlier(path, rank)
        if earlier and not overwrite:
            message = (
                f"{path} holds an earlier run ({earlier[0].name}): choose another folder with --output, "
                "put %pid% into its name, or use --overwrite"
            )
            raise OutputError(message)
        for file in earlier + _stale_configs(path, rank):
            file.unlink()
    except OSError as error:
        raise _unwritable(path, error) from error
    return directory


def _earlier(path: Path, rank: int | None) -> list[Path]:
    """Files of an earlier run: all of ours; for a rank, its own and those of a run without ranks."""
    return sorted(
        file
        for file in path.iterdir()
        if (match := _OURS.fullmatch(file.name))
        and (rank is None or match["rank"] in (None, str(rank)))
        and file.is_file()
    )


def _of_rank(match: re.Match[str] | None, rank: int | None) -> bool:
    """Whether a file that this run wrote has this name."""
    if match is None or match["temporary"]:
        return False
    return rank is None or match["rank"] == str(rank)


def _configs(path: Path) -> list[tuple[int, Path]]:
    found = ((_CONFIG.fullmatch(file.name), file) for file in path.iterdir())
    return sorted((int(match["pid"]), file) for match, file in found if match)


def _stale_configs(path: Path, rank: int | None) -> list[Path]:
    """Hand-over files of wrappers that have ended. Those of a parallel job's other ranks are not touched."""
    return [] if rank is not None else [file for _, file in _configs(path)]


def _refuse_running(path: Path, rank: int | None) -> None:
    """Two runs at the same time in one folder would take each other's journals."""
    if rank is not None:
        return
    for pid, _ in _configs(path):
        if pid != os.getpid() and _is_alive(pid):
            message = f"{path} is in use by a run of process {pid}: choose another folder, or put %pid% into its name"
            raise OutputError(message)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _unwritable(path: Path, error: OSError) -> OutputError:
    where = error.filename or path
    return OutputError(f"the output folder {path} cannot be written ({where}: {error.strerror}); nothing was started")
