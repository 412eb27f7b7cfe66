# SPDX-License-Identifier: MIT
"""``merge``: counters of a run into copies of rocprof-sys's own trace and database; all processes into one of each."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rocprofsys_multipass.cli.command import console, refuse_missing
from rocprofsys_multipass.cli.many import show_all_files
from rocprofsys_multipass.cli.merged_lines import show_combined, show_merge
from rocprofsys_multipass.cli.messages import show_problems
from rocprofsys_multipass.config import COMMAND_LINE
from rocprofsys_multipass.errors import UsageError

if TYPE_CHECKING:
    import argparse

    from rocprofsys_multipass.cli.command import Streams
    from rocprofsys_multipass.merge import CombineResult, MergeResult

_EPILOG = """\
What rocprof-sys wrote stays as it is: copies are merged. Each process has its
own files; they are paired by pid, with --join by rank.

With --combine and RUN_DIR alone, what is in it is combined: files of this tool,
merged ones, or those of rocprof-sys. Then several folders may be given.
"""


class MergeCommand:
    """Merges the files of two tools."""

    name = "merge"
    help = "add the counters of a run to rocprof-sys's own trace and database"

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        """Options of ``merge``."""
        parser.epilog = _EPILOG
        parser.usage = "rocprof-sys-multipass merge [options] RUN_DIR [ROCPROFSYS_DIR]"
        parser.add_argument("run_dir", metavar="RUN_DIR", help="the folder of a run of this tool")
        parser.add_argument(
            "more",
            nargs="*",
            metavar="ROCPROFSYS_DIR",
            help="where rocprof-sys wrote to; of several folders with a timestamp in it the newest counts",
        )
        parser.add_argument(
            "-o",
            "--output",
            metavar="DIR",
            help="for the merged files; default: RUN_DIR/merged, with --combine alone RUN_DIR/combined",
        )
        parser.add_argument("--overwrite", action="store_true", help="replace the files of an earlier merge there")
        parser.add_argument(
            "--join",
            action="store_true",
            help="ROCPROFSYS_DIR is of another run of the same program, without replay: counters are put at its "
            "dispatches and times; default: the same run",
        )
        parser.add_argument(
            "--combine",
            action="store_true",
            help="one trace and one database of all processes, such as the ranks of an MPI program; with "
            "ROCPROFSYS_DIR into DIR/combined",
        )
        parser.add_argument("--json", action="store_true", help="print what was merged as JSON")

    def run(self, args: argparse.Namespace, streams: Streams) -> int:
        """Merge, or combine what is there; print what was matched, and the files."""
        paths = [args.run_dir, *args.more]
        for path in paths:
            refuse_missing(path)
        result: MergeResult | CombineResult
        if args.combine and not _is_merge(paths):
            result = combined = _combined(paths, args)
            show = partial(show_combined, combined)
        else:
            result = merged = _merged(paths, args)
            show = partial(show_merge, merged)
        if args.json:
            streams.out.write(json.dumps(result.to_json(), indent=1) + "\n")
        else:
            terminal = console(streams.out)
            show(terminal)
            show_all_files(result.files, terminal)
        show_problems((), result.errors, streams.err)
        return result.exit_code


def _is_merge(paths: list[str]) -> bool:
    """Whether the second of two is the folder of rocprof-sys: no other folder of a run of this tool, and no file."""
    if len(paths) != len(("RUN_DIR", "ROCPROFSYS_DIR")):
        return False
    first, second = map(Path, paths)
    return second.is_dir() and (first.samefile(second) or not any(second.glob("multipass-*")))


def _merged(paths: list[str], args: argparse.Namespace) -> MergeResult:
    from rocprofsys_multipass.merge import Manner, merge_folders  # loads the trace readers

    if len(paths) != len(("RUN_DIR", "ROCPROFSYS_DIR")):
        raise UsageError(
            "give two folders, RUN_DIR of this tool and ROCPROFSYS_DIR of rocprof-sys; another number is for --combine"
        )
    return merge_folders(
        Path(paths[0]),
        Path(paths[1]),
        None if args.output is None else Path(args.output),
        Manner(COMMAND_LINE, join=args.join, combine=args.combine, overwrite=args.overwrite),
    )


def _combined(paths: list[str], args: argparse.Namespace) -> CombineResult:
    from rocprofsys_multipass.merge import combine_paths

    if args.join:
        raise UsageError("--join: there is no ROCPROFSYS_DIR to join with: give it behind RUN_DIR")
    output = None if args.output is None else Path(args.output)
    return combine_paths(list(map(Path, paths)), output, overwrite=args.overwrite, wording=COMMAND_LINE)
