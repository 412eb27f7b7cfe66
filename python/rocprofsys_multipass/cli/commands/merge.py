# SPDX-License-Identifier: MIT
"""``merge``: counters of a run into copies of rocprof-sys's own trace and database."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from rocprofsys_multipass.cli.command import console, refuse_missing
from rocprofsys_multipass.cli.merged_lines import show_merge
from rocprofsys_multipass.cli.messages import show_files, show_problems
from rocprofsys_multipass.config import COMMAND_LINE

if TYPE_CHECKING:
    import argparse

    from rocprofsys_multipass.cli.command import Streams

_EPILOG = """\
What rocprof-sys wrote stays as it is: copies are merged. Each process has its
own files; they are paired by pid, with --join by rank.
"""


class MergeCommand:
    """Merges the files of two tools."""

    name = "merge"
    help = "add the counters of a run to rocprof-sys's own trace and database"

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        """Options of ``merge``."""
        parser.epilog = _EPILOG
        parser.add_argument("run_dir", metavar="RUN_DIR", help="the folder of a run of this tool")
        parser.add_argument(
            "rocprof_sys_dir",
            metavar="ROCPROFSYS_DIR",
            help="where rocprof-sys wrote to; of several folders with a timestamp in it the newest counts",
        )
        parser.add_argument("-o", "--output", metavar="DIR", help="for the merged files; default: RUN_DIR/merged")
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
            help="write one trace and one database of all processes too, into DIR/combined",
        )
        parser.add_argument("--json", action="store_true", help="print what was merged as JSON")

    def run(self, args: argparse.Namespace, streams: Streams) -> int:
        """Merge; print what was matched, and the files."""
        from rocprofsys_multipass.merge import Manner, merge_folders  # loads the trace readers

        for path in (args.run_dir, args.rocprof_sys_dir):
            refuse_missing(path)
        result = merge_folders(
            Path(args.run_dir),
            Path(args.rocprof_sys_dir),
            None if args.output is None else Path(args.output),
            Manner(COMMAND_LINE, join=args.join, combine=args.combine, overwrite=args.overwrite),
        )
        if args.json:
            streams.out.write(json.dumps(result.to_json(), indent=1) + "\n")
        else:
            terminal = console(streams.out)
            show_merge(result, terminal)
            show_files(result.files, terminal)
        show_problems((), result.errors, streams.err)
        return result.exit_code
