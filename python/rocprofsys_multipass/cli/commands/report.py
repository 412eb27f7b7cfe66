# SPDX-License-Identifier: MIT
"""``report``: the tables of a run, on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocprofsys_multipass.errors import ExitCode

if TYPE_CHECKING:
    import argparse

    from rocprofsys_multipass.cli.command import Streams


class ReportCommand:
    """Shows dispatches, kernels and passes of a run."""

    name = "report"
    help = "show the dispatches, kernels and passes of a run"

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        """Options of ``report``."""
        parser.add_argument("path", metavar="PATH", help="a run directory, a .journal, a .pftrace or a .db")

    def run(self, args: argparse.Namespace, streams: Streams) -> int:
        """Print the report."""
        from rocprofsys_multipass.report import render_terminal  # loads the trace readers
        from rocprofsys_multipass.trace import open_trace

        render_terminal(open_trace(args.path), streams.out)
        return ExitCode.OK
