# SPDX-License-Identifier: MIT
"""``export``: the output files of a journal, written again, and the readings of any file as tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rocprofsys_multipass.cli.command import console
from rocprofsys_multipass.cli.compute_lines import show_models
from rocprofsys_multipass.cli.messages import show_files, show_problems
from rocprofsys_multipass.config import COMMAND_LINE, value_of
from rocprofsys_multipass.errors import ExitCode
from rocprofsys_multipass.run import ComputeGiven, export_all

if TYPE_CHECKING:
    import argparse

    from rocprofsys_multipass.cli.command import Streams


class ExportCommand:
    """Writes the outputs of journals."""

    name = "export"
    help = "write the outputs of a run again, or its readings as tables"

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        """Options of ``export``."""
        parser.add_argument(
            "path",
            metavar="PATH",
            help="a .journal, or a run directory for all in it; for tables a .pftrace or .db, for --layout a .db",
        )
        parser.add_argument(
            "--format",
            metavar="LIST",
            help="with commas between them: perfetto (.pftrace), rocpd (.db), csv, json, parquet "
            "(every reading), csv-wide (a line per dispatch), compute (of all journals together: a folder for each GPU "
            "model, for rocprof-compute analyze); default: perfetto,rocpd, of a .pftrace or .db csv,json",
        )
        parser.add_argument(
            "--layout",
            metavar="NAME",
            help="of the .db: canonical; or strict, which has the readings of passes in a second file, "
            "<name>-replay.db. A .db of this tool is converted, and nothing in it lost. Default: as the run was "
            "asked for",
        )
        parser.add_argument(
            "--trace-counters",
            metavar="WHICH",
            help="of the .pftrace: all; or none, which makes it small: times only. Default: as the run was asked for",
        )
        _add_compute_options(parser)
        parser.add_argument("-o", "--output", metavar="DIR", help="folder for the files; default: beside the source")
        parser.add_argument(
            "--overwrite",
            action="store_true",
            help="replace files that are there; default: only outputs beside their own journal are replaced",
        )

    def run(self, args: argparse.Namespace, streams: Streams) -> int:
        """Export; print the files. One that fails keeps no other from it; the exit code is that of the first."""
        folder = None if args.output is None else Path(args.output)
        compute = ComputeGiven(
            value_of("compute-release", args.compute_release, COMMAND_LINE),
            value_of("instances", args.instances, COMMAND_LINE),
            args.include_partial,
            args.kernel_medians,
        )
        done = export_all(
            Path(args.path),
            value_of("format", args.format, COMMAND_LINE),
            folder,
            overwrite=args.overwrite,
            layout=value_of("layout", args.layout, COMMAND_LINE),
            trace_counters=value_of("trace-counters", args.trace_counters, COMMAND_LINE),
            compute=compute,
        )
        for one in done:
            show_problems(one.warnings, one.errors, streams.err)
            if one.models:
                show_models(one.models, console(streams.out))
            else:
                show_files(one.files, console(streams.out))
        return next((one.exit_code for one in done if one.errors), ExitCode.OK)


def _add_compute_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--compute-release",
        metavar="RELEASE",
        help="of compute: the release of rocprofiler-compute that will read it: 3.3, 3.6 (to 3.8) or 3.9 (and later). "
        "Default: as the run was asked for",
    )
    parser.add_argument(
        "--instances",
        metavar="WHAT",
        help="of compute: keep, with the values of single L2 channels, which a run with --instances keep records; or "
        "sum, without. Default: what was recorded",
    )
    parser.add_argument(
        "--include-partial",
        action="store_true",
        help="of compute: dispatches that lack counters too. analyze does not notice: its averages are then over "
        "other dispatches for each counter",
    )
    parser.add_argument(
        "--kernel-medians",
        action="store_true",
        help="of compute: one dispatch for each kernel, grid and work-group, with the median of each counter over "
        "all its launches: for runs whose launches read one group of counters each",
    )
