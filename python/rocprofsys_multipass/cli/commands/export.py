# SPDX-License-Identifier: MIT
"""``export``: the output files of a journal, written again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rocprofsys_multipass.cli.command import console
from rocprofsys_multipass.cli.messages import show_files, show_problems
from rocprofsys_multipass.config.options import FORMATS, split_names
from rocprofsys_multipass.errors import ExitCode, UsageError
from rocprofsys_multipass.native import find_native
from rocprofsys_multipass.run.export import export_journal, output_files

if TYPE_CHECKING:
    import argparse

    from rocprofsys_multipass.cli.command import Streams


class ExportCommand:
    """Writes the outputs of journals."""

    name = "export"
    help = "write the output files of a journal again, also of a run that died"

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        """Options of ``export``."""
        parser.add_argument("path", metavar="PATH", help="a .journal, or a run directory for all in it")
        parser.add_argument(
            "--format",
            metavar="LIST",
            default=",".join(FORMATS),
            help="perfetto (.pftrace), rocpd (.db), or both with a comma; default: both",
        )

    def run(self, args: argparse.Namespace, streams: Streams) -> int:
        """Export; print the files. A journal that cannot be exported does not keep the others from it."""
        formats = split_names(args.format)
        wrong = [name for name in formats if name not in FORMATS]
        if wrong or not formats:
            message = f"--format: '{wrong[0] if wrong else ''}' is not one of {', '.join(FORMATS)}"
            raise UsageError(message)
        exporter = find_native().exporter
        failed = False
        for journal in _journals(Path(args.path)):
            exported = export_journal(exporter, journal, formats)
            failed = failed or bool(exported.error)
            show_problems(exported.warnings, [exported.error] if exported.error else [], streams.err)
            show_files(output_files(journal, formats), console(streams.out))
        return ExitCode.OUTPUT_FAILED if failed else ExitCode.OK


def _journals(path: Path) -> list[Path]:
    if path.is_dir():
        journals = sorted(path.glob("multipass-*.journal"))
        if not journals:
            message = f"{path} holds no multipass-*.journal: it is no run directory, or nothing was captured"
            raise UsageError(message)
        return journals
    if path.is_file():
        return [path]
    message = f"{path} does not exist"
    raise UsageError(message)
