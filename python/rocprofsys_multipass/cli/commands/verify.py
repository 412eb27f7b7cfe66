# SPDX-License-Identifier: MIT
"""``verify``: checks what a run left behind."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rich.markup import escape

from rocprofsys_multipass.cli.command import console, refuse_missing
from rocprofsys_multipass.cli.findings import show_findings
from rocprofsys_multipass.errors import ExitCode, UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from rich.console import Console

    from rocprofsys_multipass.cli.command import Streams
    from rocprofsys_multipass.verify import Check

SCHEMA = 1  # of what --json prints (docs/formats/verify.md)


class VerifyCommand:
    """Checks run directories, traces and databases."""

    name = "verify"
    help = "check the files of a run, each in itself and against the others"

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        """Options of ``verify``."""
        what = "a run directory, a journal, a .pftrace or a .db; files of one name are compared with each other"
        parser.add_argument("paths", nargs="*", metavar="PATH", help=what)
        parser.add_argument("--json", action="store_true", help="print the findings as a JSON array")
        parser.add_argument("--strict", action="store_true", help="warnings count as errors")
        parser.add_argument("--all", action="store_true", help="every finding, not the first of each check only")
        limit = "from where on numbers are doubted: work, loose, ratio, outlier (docs/formats/verify.md)"
        parser.add_argument("--limit", action="append", default=[], metavar="NAME=VALUE", help=limit)
        parser.add_argument("--list", action="store_true", help="list the checks, and run none")
        for option, what in (
            ("--check", "run these checks only"),
            ("--skip", "do not run these checks"),
            ("--explain", "what these checks look at, and what to do when they find it"),
        ):
            parser.add_argument(option, action="append", default=[], metavar="ID[,ID...]", help=what)

    def run(self, args: argparse.Namespace, streams: Streams) -> int:
        """Print the findings of all paths; the exit code is 6 when one is an error (or a warning, with --strict)."""
        from rocprofsys_multipass.verify import Limits, verify  # loads the trace readers
        from rocprofsys_multipass.verify.registry import chosen_checks
        from rocprofsys_multipass.verify.run import MOST_PER_CHECK

        only, skip, explain = (_split(given) for given in (args.check, args.skip, args.explain))
        chosen = chosen_checks(explain or only, skip)
        if args.list or explain:
            _describe(chosen, streams, as_json=args.json, whole=bool(explain))
            return ExitCode.OK
        if not args.paths:
            raise UsageError("no PATH is given; give the directory that `run --output` named, or a file in it")
        for path in args.paths:
            refuse_missing(path)
        most = None if args.all else MOST_PER_CHECK
        limits = Limits.of(args.limit)
        findings = verify(args.paths, strict=args.strict, checks=only, skip=skip, most=most, limits=limits)
        if args.json:
            _print_json([finding.to_json() for finding in findings], streams)
        else:
            show_findings(findings, console(streams.out), every=args.all)
        failed = any(finding.severity == "error" for finding in findings)
        return ExitCode.VERIFICATION_FAILED if failed else ExitCode.OK


def _split(given: Iterable[str]) -> list[str]:
    """Ids of an option that may be given several times, each with several ids."""
    return [identity for text in given for identity in text.replace(",", " ").split()]


def _print_json(value: object, streams: Streams) -> None:
    streams.out.write(json.dumps(value, indent=1, default=str) + "\n")


def _describe(checks: Sequence[Check], streams: Streams, *, as_json: bool, whole: bool) -> None:
    if as_json:
        members = ("id", "severities", "description", "details", "remedy")
        described = [{name: getattr(one, name) for name in members} for one in checks]
        _print_json({"schema": SCHEMA, "checks": described}, streams)
        return
    terminal = console(streams.out)
    width = max((len(one.id) for one in checks), default=0)
    for one in checks:
        if whole:
            _explain(one, terminal)
        else:
            severities = ", ".join(one.severities)
            terminal.print(f"{one.id:<{width}}  {severities:<20}  {escape(one.description)}", soft_wrap=True)


def _explain(one: Check, terminal: Console) -> None:
    terminal.print(f"[bold]{one.id}[/bold] ({', '.join(one.severities)})")
    for text in (one.description, " ".join(one.details.split())):
        if text:
            terminal.print(f"  {escape(text)}", soft_wrap=True)
    terminal.print(f"  what to do: {escape(one.remedy)}\n", soft_wrap=True)
