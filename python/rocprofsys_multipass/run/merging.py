# SPDX-License-Identifier: MIT
"""The end of a run under rocprof-sys: copies of its trace and database with the counters of the run in them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rocprofsys_multipass.errors import MultipassError

if TYPE_CHECKING:
    from rocprofsys_multipass.config import Wording
    from rocprofsys_multipass.merge import MergeResult

_SLACK_NS: Final = 2_000_000_000  # by which the clock of a file system may be behind


@dataclass(frozen=True)
class Merging:
    """What came of it: a result, else a warning where there is nothing to merge, or an error."""

    result: MergeResult | None = None
    warnings: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


def now_ns() -> int:
    """The time before which no file of a run that starts now was written."""
    return time.time_ns() - _SLACK_NS


def merge_run(  # noqa: PLR0913 - both sides, and how
    run_dir: Path,
    files: Sequence[Path],
    host_output: Path,
    since_ns: int,
    *,
    overwrite: bool,
    alone: bool,
    wording: Wording,
) -> Merging:
    """Merge what a run left in `run_dir` with what rocprof-sys wrote since it started. Nothing is raised.

    Args:
        run_dir: the folder of the run.
        files: those that this run made in it.
        host_output: rocprof-sys's output folder, which may have keys such as ``%pid%``.
        since_ns: a time as `now_ns` gives it.
        overwrite: replace what an earlier run merged.
        alone: no other wrapper of the job writes there, so that processes without counters are worth a word.
        wording: the words of the caller.
    """
    summaries = [file for file in files if file.name.startswith("multipass-") and file.suffix == ".json"]
    if not summaries:
        return Merging()
    from rocprofsys_multipass.merge import Manner, merge_processes  # loads the readers
    from rocprofsys_multipass.merge.earlier import FOLDER
    from rocprofsys_multipass.merge.pairing import named, own_processes, pair
    from rocprofsys_multipass.rocprof_sys.files import find_written

    try:
        host = find_written(host_output, since_ns)
        if not host.processes:
            told = (
                f"nothing was merged: rocprof-sys left no trace or database of one process in {host_output}; it writes "
                "them with ROCPROFSYS_TRACE=ON and ROCPROFSYS_USE_ROCPD=ON, when the application ends and not when it "
                f"is killed, and of no program that this starts; {_by_hand(run_dir)}"
            )
            return Merging(warnings=(told,))
        own = own_processes(run_dir, summaries)
        pairing = pair(own, host.processes, join=False)
        if not pairing.pairs and not pairing.ambiguous:
            told = (
                f"nothing was merged: rocprof-sys recorded {named(host.processes)}, and not {named(own)}, which used a "
                "GPU: it leaves the programs that its application starts alone, so put it in front of these, and "
                "writes nothing of a process that is killed or left by _exit, as forked workers of Python are"
            )
            return Merging(warnings=(told,))
        result = merge_processes(own, host, run_dir / FOLDER, Manner(wording, overwrite=overwrite))
    except MultipassError as error:
        return Merging(errors=(f"nothing was merged: {error}; {_by_hand(run_dir)}",))
    except Exception as error:  # noqa: BLE001 - the application has run: its exit code and its files come first
        fault = f"a fault of this tool, {type(error).__name__}: {error}"
        return Merging(errors=(f"nothing was merged: {fault}; what was collected is in {run_dir}: leave it there",))
    errors = tuple(f"not merged: {text}" for text in result.errors)
    return Merging(result if alone else replace(result, only_host=()), errors=errors)


def _by_hand(run_dir: Path) -> str:
    return f"what is elsewhere is merged by rocprof-sys-multipass merge {run_dir} FOLDER"
