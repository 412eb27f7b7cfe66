# SPDX-License-Identifier: MIT
"""``demo``: everything once, on a bundled application and a simulated GPU."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rocprofsys_multipass.cli.command import console
from rocprofsys_multipass.cli.commands.run import add_flag
from rocprofsys_multipass.cli.findings import show_findings
from rocprofsys_multipass.cli.messages import show_problems
from rocprofsys_multipass.cli.plan_table import plan_headline
from rocprofsys_multipass.cli.summary import show_run
from rocprofsys_multipass.config import COMMAND_LINE
from rocprofsys_multipass.demo import DEMO_DEVICE, DEMO_EVENTS, DEMO_OUTPUT
from rocprofsys_multipass.errors import ExitCode
from rocprofsys_multipass.native import find_native
from rocprofsys_multipass.plan import plan
from rocprofsys_multipass.run import execute

if TYPE_CHECKING:
    import argparse

    from rocprofsys_multipass.cli.command import Streams


class DemoCommand:
    """Plans, runs, exports and verifies an oversized list."""

    name = "demo"
    help = "see all of it: a bundled application on a simulated GPU"

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        """Options of ``demo``."""
        help_output = f"default: {DEMO_OUTPUT}, whose earlier demo is replaced"
        parser.add_argument("-o", "--output", metavar="DIR", help=help_output)
        add_flag(parser, "overwrite")

    def run(self, args: argparse.Namespace, streams: Streams) -> int:
        """Do it; everything goes to stdout."""
        terminal = console(streams.out)
        planned = plan(DEMO_DEVICE, DEMO_EVENTS)
        terminal.print(f"{len(DEMO_EVENTS)} counters on a simulated {DEMO_DEVICE}")
        for agent in planned.agents:
            terminal.print(f"plan: {plan_headline(agent)}")
        streams.out.flush()
        given = {
            "events": ",".join(DEMO_EVENTS),
            "simulate": DEMO_DEVICE,
            "replay": "kernel",  # all counters of all its launches, however slow the machine is
            "output": args.output or DEMO_OUTPUT,
            "overwrite": args.overwrite or args.output is None,
        }
        result = execute([find_native().demo], given, os.environ, COMMAND_LINE)
        show_problems(result.warnings, result.errors, streams.err)
        show_run(result, streams.out)
        if result.exit_code:
            return result.exit_code
        from rocprofsys_multipass.verify import verify  # loads the trace readers

        findings = verify(result.output_dir)
        show_findings(findings, terminal)
        if any(finding.severity == "error" for finding in findings):
            return ExitCode.VERIFICATION_FAILED
        return ExitCode.OK
