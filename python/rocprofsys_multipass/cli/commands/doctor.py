# SPDX-License-Identifier: MIT
"""``doctor``: what this machine can do, and what stands in the way."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from rocprofsys_multipass.cli.command import console
from rocprofsys_multipass.cli.commands.run import add_value

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
            help="also run the bundled application on simulated GPUs, from the start to verified files",
        )

    def run(self, args: argparse.Namespace, streams: Streams) -> int:
        """Print the checks; the exit code is 6 when one of them is a problem."""
        from rocprofsys_multipass.cli.doctor_table import show_diagnosis
        from rocprofsys_multipass.doctor import Machine, diagnose  # loads the trace readers

        diagnosis = diagnose(Machine(os.environ), simulate=args.simulate, selftest=args.selftest)
        if args.json:
            streams.out.write(json.dumps(diagnosis.document(), indent=1, ensure_ascii=False) + "\n")
        else:
            show_diagnosis(diagnosis, console(streams.out))
        return diagnosis.exit_code
