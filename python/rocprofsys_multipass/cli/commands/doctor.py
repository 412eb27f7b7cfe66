# SPDX-License-Identifier: MIT
"""``doctor``: what this machine can do, and what stands in the way."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from rocprofsys_multipass.cli.command import console
from rocprofsys_multipass.cli.commands.run import add_value
from rocprofsys_multipass.errors import UsageError
from rocprofsys_multipass.writing import refuse_existing, writing

if TYPE_CHECKING:
    import argparse

    from rocprofsys_multipass.cli.command import Streams


class DoctorCommand:
    """Looks at package, SDK, GPUs, memory, other tools and variables."""

    name = "doctor"
    help = "tell what this machine can do, and what stands in the way"

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        """Options of ``doctor``."""
        add_value(parser, "simulate", "DEVICE[,DEVICE...]")
        parser.add_argument("--json", action="store_true", help="print the checks as JSON (schema 1)")
        parser.add_argument(
            "--selftest",
            action="store_true",
            help="also run the bundled application, and a kit of small kernels that tells what holds on this machine: "
            "on a real GPU where there is one and hipcc, else on simulated ones",
        )
        parser.add_argument(
            "--report",
            metavar="FILE",
            help="with --selftest: write all that was measured to a JSON file, without names of host and user, paths, "
            "serial numbers, commands and variables, so that it can be attached to a report",
        )

    def run(self, args: argparse.Namespace, streams: Streams) -> int:
        """Print the checks; the exit code is 6 when one of them is a problem."""
        from rocprofsys_multipass.cli.doctor_table import show_diagnosis
        from rocprofsys_multipass.doctor import Machine, diagnose  # loads the trace readers

        report = None if args.report is None else _place(args.report, selftest=args.selftest)
        machine = Machine(os.environ)
        diagnosis = diagnose(machine, simulate=args.simulate, selftest=args.selftest)
        if report is not None:
            with writing(report) as stream:
                stream.write(diagnosis.report(machine))
        if args.json:
            streams.out.write(json.dumps(diagnosis.document(), indent=1, ensure_ascii=False) + "\n")
        else:
            show_diagnosis(diagnosis, console(streams.out), report)
        return diagnosis.exit_code


def _place(name: str, *, selftest: bool) -> Path:
    """Where the report goes; what is wrong with that is told before the self-test."""
    if not selftest:
        raise UsageError("--report: there is none without the self-test: give --selftest too")
    if not name:
        raise UsageError("--report: the name is empty: give a file")
    path = Path(name)
    refuse_existing(path, "remove it, or name another file")
    with writing(path):  # tells now that it cannot be written
        pass
    path.unlink()
    return path
