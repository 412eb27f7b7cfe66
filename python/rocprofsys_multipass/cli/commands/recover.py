# SPDX-License-Identifier: MIT
"""``recover``: the outputs of a run that died."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from rocprofsys_multipass.cli.command import console
from rocprofsys_multipass.cli.compute_lines import show_models
from rocprofsys_multipass.cli.messages import show_files, show_problems
from rocprofsys_multipass.config import COMMAND_LINE, value_of
from rocprofsys_multipass.errors import ExitCode
from rocprofsys_multipass.run import recover_all
from rocprofsys_multipass.spelling import plural

if TYPE_CHECKING:
    import argparse

    from rocprofsys_multipass.cli.command import Streams
    from rocprofsys_multipass.run import Recovered


class RecoverCommand:
    """Completes the outputs of runs that died."""

    name = "recover"
    help = "complete the outputs of a run that was killed or cut off"

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        """Options of ``recover``."""
        parser.add_argument("path", metavar="PATH", help="a run directory, or a .journal")
        parser.add_argument(
            "--format",
            metavar="LIST",
            help="what to make, of perfetto, rocpd, csv, csv-wide, json, parquet and compute; "
            "default: what the run was asked for",
        )
        parser.add_argument("--overwrite", action="store_true", help="write outputs that are whole, too")

    def run(self, args: argparse.Namespace, streams: Streams) -> int:
        """Say of each journal what became of it. The exit code is that of the first one that failed."""
        done = recover_all(Path(args.path), value_of("format", args.format, COMMAND_LINE), overwrite=args.overwrite)
        for one in done:
            _show(one, streams.out)
            show_problems(one.warnings, [one.error] if one.error else [], streams.err)
            if one.models:
                show_models(one.models, console(streams.out))
            elif one.state == "recovered":
                show_files(one.files, console(streams.out))
        return next((one.exit_code for one in done if one.error), ExitCode.OK)


def _show(one: Recovered, stream: TextIO) -> None:
    if one.models:
        stream.write(f"{one.journal}: written\n")
        return
    content = f"{plural(one.dispatches, 'dispatch')}, {plural(one.readings, 'reading')}"
    heads = {
        "recovered": f"recovered {content}",
        "complete": f"nothing to do: its outputs are whole ({content})",
        "empty": "nothing to recover",
        "failed": "not recovered",
    }
    stream.write(f"{one.journal}: {heads[one.state]}\n")
    stream.writelines(f"  {note}\n" for note in one.notes)
