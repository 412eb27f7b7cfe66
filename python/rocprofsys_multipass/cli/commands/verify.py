# SPDX-License-Identifier: MIT
"""``verify``: checks what a run left behind."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from rocprofsys_multipass.cli.command import console, refuse_missing
from rocprofsys_multipass.cli.messages import show_findings
from rocprofsys_multipass.errors import ExitCode

if TYPE_CHECKING:
    import argparse

    from rocprofsys_multipass.cli.command import Streams


class VerifyCommand:
    """Checks run directories, traces and databases."""

    name = "verify"
    help = "check the files of a run, each in itself and against the others"

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        """Options of ``verify``."""
        parser.add_argument("paths", nargs="+", metavar="PATH", help="a run directory, a .pftrace or a .db")
        parser.add_argument("--json", action="store_true", help="print the findings as a JSON array")
        parser.add_argument("--strict", action="store_true", help="warnings count as errors")

    def run(self, args: argparse.Namespace, streams: Streams) -> int:
        """Print the findings of all paths; the exit code is 6 when one is an error (or a warning, with --strict)."""
        from rocprofsys_multipass.verify import verify  # loads the trace readers

        for path in args.paths:
            refuse_missing(path)
        findings = [finding for path in args.paths for finding in verify(path, strict=args.strict)]
        if args.json:
            streams.out.write(json.dumps([asdict(finding) for finding in findings], indent=1, default=str) + "\n")
        else:
            show_findings(findings, console(streams.out))
        fatal = ("error", "warning") if args.strict else ("error",)
        failed = any(finding.severity in fatal for finding in findings)
        return ExitCode.VERIFICATION_FAILED if failed else ExitCode.OK
