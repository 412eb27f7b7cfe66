# SPDX-License-Identifier: MIT
"""Parsing of the command line, choice of the command, reporting of errors."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, NoReturn

import rocprofsys_multipass
from rocprofsys_multipass.cli.command import Command, Streams
from rocprofsys_multipass.cli.commands.demo import DemoCommand
from rocprofsys_multipass.cli.commands.export import ExportCommand
from rocprofsys_multipass.cli.commands.plan import PlanCommand
from rocprofsys_multipass.cli.commands.report import ReportCommand
from rocprofsys_multipass.cli.commands.run import RunCommand
from rocprofsys_multipass.cli.commands.sim_flags import SimFlagsCommand
from rocprofsys_multipass.cli.commands.verify import VerifyCommand
from rocprofsys_multipass.errors import MultipassError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

PROGRAM = "rocprof-sys-multipass"

COMMANDS: tuple[Command, ...] = (
    RunCommand(),
    DemoCommand(),
    PlanCommand(),
    VerifyCommand(),
    ReportCommand(),
    ExportCommand(),
    SimFlagsCommand(),
)

_INTERRUPTED = 130  # 128 + SIGINT, as a shell reports it
_CLOSED_PIPE = 141  # 128 + SIGPIPE


class _Parser(argparse.ArgumentParser):
    """Reports a wrong command line as an exception, like every other error."""

    def error(self, message: str) -> NoReturn:
        text = f"{message} (see: {self.prog} --help)"
        raise UsageError(text)


def make_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = _Parser(
        prog=PROGRAM,
        description="Collects more GPU hardware counters than one pass holds, in one run, by kernel replay.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="store_true", help="print the version and end")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=_Parser)
    for command in COMMANDS:
        sub = subparsers.add_parser(command.name, help=command.help, description=command.help, allow_abbrev=False)
        command.prepare_parser(sub)
        sub.set_defaults(command_object=command)
    return parser


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The parsed command line; `application` holds what follows the first ``--``."""
    words = list(argv)
    application: list[str] = []
    if "--" in words:
        split = words.index("--")
        words, application = words[:split], words[split + 1 :]
    args = make_parser().parse_args(words)
    args.application = application
    return args


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code is one of `errors.ExitCode`, or that of the application."""
    streams = Streams(sys.stdout, sys.stderr)
    try:
        args = parse(sys.argv[1:] if argv is None else argv)
        code = _run(args, streams)
        streams.out.flush()
    except MultipassError as error:
        streams.err.write(f"{PROGRAM}: error: {error}\n")
        return int(error.exit_code)
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone (| head). Python's own flush at exit must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), streams.out.fileno())
        return _CLOSED_PIPE
    return code


def _run(args: argparse.Namespace, streams: Streams) -> int:
    if args.version:
        streams.out.write(f"{PROGRAM} {rocprofsys_multipass.__version__}\n")
        return 0
    command: Command | None = getattr(args, "command_object", None)
    if command is None:
        names = ", ".join(command.name for command in COMMANDS)
        message = f"no command was given: one of {names} (see: {PROGRAM} --help)"
        raise UsageError(message)
    if args.application and command.name != RunCommand.name:
        message = f"{command.name} takes no command line after '--'"
        raise UsageError(message)
    return command.run(args, streams)
