# SPDX-License-Identifier: MIT
"""The folder of a run.

It is made and checked before the application starts, so that no run ends without a place to write to. Processes of
one parallel job share a folder: their files carry ``rank<r>``. Which journals are those of a run is told by its token,
never by a rank: in a batch script the wrapper seems to have one, and the processes that it starts have others.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rocprofsys_multipass.config import COMMAND_LINE, Wording, check_text, readable
from rocprofsys_multipass.errors import OutputError
from rocprofsys_multipass.run.compute_folders import ComputeFolder, compute_folders
from rocprofsys_multipass.run.handover import Handover, is_locked
from rocprofsys_multipass.run.journal_token import read_token
from rocprofsys_multipass.run.leftovers import remove_compute_leftovers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_OURS = re.compile(
    r"(?:multipass-|readings-(?=[^.]*\.json)|wide-(?=[^.]*\.csv))(?:rank(?P<rank>\d+)|\d+)(?:-\d+)*"
    r"(?:-replay(?=\.db))?\.(?:journal|pftrace|db|json|csv|parquet)"
    r"(?P<temporary>[.-][A-Za-z0-9.-]+)?"
)
_CONFIG = re.compile(r"run-(?P<pid>\d+)(?:-\d+)?\.config\.json")
_COPY = re.compile(r"(?P<run>run-\d+(?:-\d+)?)-rocprof-sys-\d+\.(?:cfg|json)")  # of a file of rocprof-sys
_MAX_PATH = 4095 - 64  # bytes, with room for the names of our files
_TOO_LONG = "a name may have 255 bytes, a whole path 4095"
_FIXES = {
    errno.ENAMETOOLONG: f"{_TOO_LONG}; give ",
    errno.ENOSPC: "make room there, or give ",
    errno.EDQUOT: "make room there, or give ",
    errno.EACCES: "see that you may write there, or give ",
    errno.EPERM: "see that you may write there, or give ",
    errno.EROFS: "see that you may write there, or give ",
}


@dataclass(frozen=True)
class RunDirectory:
    """A folder that one wrapper writes to."""

    path: Path
    created: tuple[Path, ...]  # folders that did not exist before, outermost first
    earlier: frozenset[str]  # names of journals that were there before this run
    wording: Wording = COMMAND_LINE

    def journals(self, token: str) -> list[Path]:
        """The journals of the run with this token, by name.

        A process that was killed at once may leave one that does not say what it is: one that is new here is taken.
        """
        return sorted(path for path in self.path.glob("*.journal") if path.is_file() and self._is_ours(path, token))

    def left_over(self, journals: Sequence[Path]) -> list[str]:
        """Names of earlier journals of the ranks that `journals` are of: they were not this wrapper's to remove."""
        ranks = {rank for path in journals if (rank := _rank(path.name)) is not None}
        return sorted(name for name in self.earlier if _rank(name) in ranks)

    def write_config(self, config: Mapping[str, object]) -> Handover:
        """Write the hand-over file. It keeps others from the folder until it is released.

        Raises:
            OutputError: it cannot be written.
        """
        try:
            return Handover.create(self.path, (json.dumps(config, indent=1) + "\n").encode("ascii"))
        except OSError as error:
            raise _unwritable(self.path, error, self.wording) from error

    def write_copy(self, path: Path, content: bytes) -> None:
        """Write a copy of a configuration file of rocprof-sys.

        Raises:
            OutputError: it cannot be written.
        """
        try:
            path.write_bytes(content)
        except OSError as error:
            raise _unwritable(self.path, error, self.wording) from error

    def abandon(self, handover: Handover | None) -> None:
        """Undo what was made for a run that never started."""
        if handover is not None:
            with contextlib.suppress(OSError):
                handover.path.unlink()
            handover.release()
            with contextlib.suppress(OSError):
                for file in self.path.iterdir():
                    if (match := _COPY.fullmatch(file.name)) and match["run"] == handover.stem:
                        file.unlink()
        _remove(self.created)

    def fault(self, handover: Handover) -> str:
        """Why there may be no journal in this folder that is ours; empty when nothing is wrong with it."""
        if not handover.is_intact():
            return f"{handover.path} was removed or changed while the application ran: the plugin needs it as it was"
        probe = handover.path.with_suffix(".tmp")
        try:
            probe.write_bytes(b"\0")
        except OSError as error:
            return f"the output folder {self.path} cannot be written any more ({error.strerror})"
        finally:
            with contextlib.suppress(OSError):
                probe.unlink()
        return ""

    def _is_ours(self, journal: Path, token: str) -> bool:
        found = read_token(journal)
        if found is not None:
            return found == token
        return journal.name not in self.earlier and _OURS.fullmatch(journal.name) is not None


def prepare(  # noqa: PLR0913 - of which run, in whose words
    path: Path,
    *,
    overwrite: bool,
    rank: int | None,
    ranks: int | None = None,
    compute: bool = False,
    wording: Wording = COMMAND_LINE,
) -> RunDirectory:
    """Make the folder and see that it holds no earlier run; with `overwrite`, remove the files of that run.

    `rank` of `ranks`, as far as the launcher tells: with `rank` None the run is the only one of its job. `compute`:
    the run will write folders for rocprofiler-compute.

    Raises:
        OutputError: the folder cannot be made or holds a run already, or something that is in the way of this one.
    """
    _refuse_odd(path, wording)
    created: list[Path] = []
    try:
        _refuse_long(path)
        created += [folder for folder in (*reversed(path.parents), path) if not folder.exists()]
        path.mkdir(parents=True, exist_ok=True)
        _refuse_running(path, rank)
        earlier = _earlier(path, rank, ranks)
        computed = _computed(path, rank, ranks, wanted=compute)
        _check_computed([folder for folder in computed if overwrite or not folder.is_ours], wording)
        names = [file.name for file in (*earlier, *(folder.path for folder in computed if folder.is_ours))]
        if names and not overwrite:
            message = (
                f"{path} holds an earlier run ({min(names)}), and nothing was started. Give "
                f"{wording.give_overwrite} to replace it, or {wording.give_output} to keep it; %pid% in the name of "
                "a folder makes a new one for each run"
            )
            raise OutputError(message)
        for file in earlier + _stale_configs(path, rank):
            file.unlink(missing_ok=True)
        for folder in computed:
            if folder.is_ours:
                folder.remove()
        if overwrite:
            _remove_merged(path, rank, ranks)
            remove_compute_leftovers(path)
        journals = frozenset(file.name for file in path.glob("*.journal"))
        return RunDirectory(path, tuple(created), journals, wording)
    except OSError as error:
        _remove(created)
        raise _unwritable(path, error, wording) from error


def _refuse_odd(path: Path, wording: Wording) -> None:
    """The folder's name goes through JSON and into databases: it must be text."""
    with contextlib.suppress(ValueError):
        if "\0" not in check_text(str(path)):
            return
    message = (
        f"the output folder {readable(str(path))} is not UTF-8 text, and cannot be named in the files of a run: "
        f"give {wording.give_output}; nothing was started"
    )
    raise OutputError(message)


def _refuse_long(path: Path) -> None:
    """The folder could be made, and the files in it could not."""
    if len(os.fsencode(path)) > _MAX_PATH:
        raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))


def _remove(folders: Sequence[Path]) -> None:
    """Remove folders that this run made, innermost first, as far as they are empty."""
    for folder in reversed(folders):
        with contextlib.suppress(OSError):
            folder.rmdir()


def _earlier(path: Path, rank: int | None, ranks: int | None) -> list[Path]:
    """Files of an earlier run: all of ours; for a rank, its own and those of a run without ranks.

    And its part of those of ranks that this job does not have: they would be read as of this run.
    """
    return sorted(
        file
        for file in path.iterdir()
        if (match := _OURS.fullmatch(file.name))
        and _stands_for(rank, ranks, match["rank"] and int(match["rank"]))
        and file.is_file()
    )


def _computed(path: Path, rank: int | None, ranks: int | None, *, wanted: bool) -> list[ComputeFolder]:
    """Folders of an earlier run for rocprofiler-compute; with `wanted`, also what else has that name.

    Without it, a folder of somebody else that has such a name is nobody's business here.
    """
    return [
        folder
        for folder in compute_folders(path)
        if (folder.is_ours or wanted) and _stands_for(rank, ranks, folder.rank)
    ]


def _check_computed(folders: Sequence[ComputeFolder], wording: Wording) -> None:
    """See that they may be removed, or may be replaced when the application has ended."""
    try:
        for folder in folders:
            folder.check()
    except OutputError as error:
        raise OutputError(f"{error}, or give {wording.give_output}; nothing was started") from None


def _stands_for(rank: int | None, ranks: int | None, other: object) -> bool:
    """Whether files of the rank `other` of an earlier run, or of none, are this wrapper's to replace."""
    if rank is None or not isinstance(other, int):
        return True
    return rank == other or (ranks is not None and 0 < ranks <= other and other % ranks == rank)


def _remove_merged(path: Path, rank: int | None, ranks: int | None) -> None:
    """Remove what was merged of an earlier run with files of rocprof-sys, and what was combined."""
    if any(path.glob("*/merge-*.json")) or any(path.glob("combined/*")):
        from rocprofsys_multipass.merge.earlier import FOLDER, remove_combined, remove_earlier  # loads the readers

        remove_earlier(path / FOLDER, of=partial(_stands_for, rank, ranks))
        remove_combined(path)


def _rank(name: str) -> str | None:
    """The rank in the name of a file of ours."""
    match = _OURS.fullmatch(name)
    return match["rank"] if match else None


def _configs(path: Path) -> list[tuple[int, Path]]:
    found = ((_CONFIG.fullmatch(file.name), file) for file in path.iterdir())
    return sorted((int(match["pid"]), file) for match, file in found if match)


def _stale_configs(path: Path, rank: int | None) -> list[Path]:
    """What wrappers that have ended left for applications. That of a parallel job's other ranks is not touched."""
    if rank is not None:
        return []
    return [file for _, file in _configs(path)] + [file for file in path.iterdir() if _COPY.fullmatch(file.name)]


def _refuse_running(path: Path, rank: int | None) -> None:
    """Two runs at the same time in one folder would take each other's journals."""
    if rank is not None:
        return
    for pid, file in _configs(path):
        if is_locked(file):
            message = (
                f"{path} is in use by a run of process {pid}{_host(file)}: "
                "choose another folder, or put %pid% into its name"
            )
            raise OutputError(message)


def _host(config: Path) -> str:
    """`` on node7``, as the hand-over file says; empty where it does not."""
    try:
        return f" on {json.loads(config.read_bytes())['host']}"
    except (OSError, ValueError, LookupError, TypeError):
        return ""


def _unwritable(path: Path, error: OSError, wording: Wording) -> OutputError:
    where = error.filename
    reason = error.strerror if where is None or Path(where) == path else f"{where}: {error.strerror}"
    if error.errno in (errno.ENOTDIR, errno.EEXIST):
        file = next((part for part in (path, *path.parents) if part.exists() and not part.is_dir()), path)
        reason = f"{file} is a file; name a folder"
    fix = f"{_FIXES.get(error.errno or 0, 'give ')}{wording.give_output}"
    return OutputError(f"the output folder {path} cannot be written ({reason}): {fix}; nothing was started")
