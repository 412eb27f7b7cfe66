# SPDX-License-Identifier: MIT
"""Parsing of the command line, choice of the command, reporting of errors."""

from __future__ import annotations

import argparse
import contextlib
import sys
from typing import TYPE_CHECKING, NoReturn

import rocprofsys_multipass
from rocprofsys_multipass.cli.command import Command, Streams
from rocprofsys_multipass.cli.commands.config import ConfigCommand
from rocprofsys_multipass.cli.commands.counters import CountersCommand
from rocprofsys_multipass.cli.commands.demo import DemoCommand
from rocprofsys_multipass.cli.commands.doctor import DoctorCommand
from rocprofsys_multipass.cli.commands.export import ExportCommand
from rocprofsys_multipass.cli.commands.merge import MergeCommand
from rocprofsys_multipass.cli.commands.open import OpenCommand
from rocprofsys_multipass.cli.commands.plan import PlanCommand
from rocprofsys_multipass.cli.commands.recover import RecoverCommand
from rocprofsys_multipass.cli.commands.report import ReportCommand
from rocprofsys_multipass.cli.commands.run import RunCommand
from rocprofsys_multipass.cli.commands.sim_flags import SimFlagsCommand
from rocprofsys_multipass.cli.commands.verify import VerifyCommand
from rocprofsys_multipass.cli.help import command_list, complete
from rocprofsys_multipass.cli.messages import PROGRAM, show_problems
from rocprofsys_multipass.cli.streams import StreamError, give_up, messages, reserve_standard_descriptors, results
from rocprofsys_multipass.errors import MultipassError, UsageError
from rocprofsys_multipass.run.progress import progress_on
from rocprofsys_multipass.spelling import nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS: tuple[Command, ...] = (
    DemoCommand(),
    DoctorCommand(),
    CountersCommand(),
    PlanCommand(),
    ConfigCommand(),
    RunCommand(),
    ReportCommand(),
    OpenCommand(),
    VerifyCommand(),
    ExportCommand(),
    RecoverCommand(),
    MergeCommand(),
    SimFlagsCommand(),
)
"""In the order in which people need them."""

_DESCRIPTION = """\
Collects more GPU hardware counters than one pass holds, in one run, by kernel
replay.
"""
_EPILOG = f"""\
Options, examples and exit codes of a command: {PROGRAM} COMMAND -h
An option of 'run' in depth: {PROGRAM} config explain KEY
"""
_INTERRUPTED = 130  # 128 + SIGINT, as a shell reports it
_CLOSED_PIPE = 141  # 128 + SIGPIPE


class _Parser(argparse.ArgumentParser):
    """Reports a wrong command line as an exception, like every other error."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(_with_help(message, self.prog))


def make_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = _Parser(
        prog=PROGRAM,
        usage=f"{PROGRAM} COMMAND ...",
        description=f"{_DESCRIPTION}\n{command_list((command.name, command.help) for command in COMMANDS)}",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="store_true", help="print the version and end")
    subparsers = parser.add_subparsers(prog=PROGRAM, parser_class=_Parser, help=argparse.SUPPRESS)
    for command in COMMANDS:
        sub = subparsers.add_parser(command.name, description=command.help, allow_abbrev=False)
        command.prepare_parser(sub)
        complete(sub, command.name)
        sub.set_defaults(command_object=command, command_parser=sub)
    return parser


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The parsed command line; `application` holds what follows the first ``--``."""
    words = list(argv)
    application: list[str] = []
    if "--" in words:
        split = words.index("--")
        words, application = words[:split], words[split + 1 :]
    parser = make_parser()
    _refuse_command(words, parser)
    args, unknown = parser.parse_known_args(words)
    if isinstance(getattr(args, "more", None), list):  # argparse leaves those that an option is between
        args.more += [word for word in unknown if not word.startswith("-")]
        unknown = [word for word in unknown if word.startswith("-")]
    if unknown:
        _refuse(unknown, getattr(args, "command_parser", parser))
    args.application = application
    return args


def _refuse_command(words: Sequence[str], parser: argparse.ArgumentParser) -> None:
    names = [command.name for command in COMMANDS]
    if not words or words[0].startswith("-") or words[0] in names:
        return
    near = nearest(words[0], names)
    hint = f"did you mean {near!r}? " if near else ""
    parser.error(f"no such command: {words[0]!r}: {hint}known are {', '.join(names)}")


def _refuse(unknown: Sequence[str], parser: argparse.ArgumentParser) -> NoReturn:
    known = [name for action in parser._actions for name in action.option_strings]  # noqa: SLF001 - no other way
    words = [word.partition("=")[0] for word in unknown if word.startswith("-")]
    near = dict.fromkeys(filter(None, (nearest(word, known) for word in words)))
    hint = f"; did you mean {', '.join(near)}?" if near else ""
    parser.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")


def _with_help(message: str, program: str) -> str:
    return message if " --help" in message else f"{message} (see: {program} --help)"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code is one of `errors.ExitCode`, or that of the application."""
    reserve_standard_descriptors()
    streams = Streams(results(sys.stdout), messages(sys.stderr))
    try:
        with progress_on(sys.stderr):
            code = _run(_parse(sys.argv[1:] if argv is None else argv, streams), streams)
        streams.out.flush()
    except MultipassError as error:
        if isinstance(error, StreamError) and error.nobody_reads:
            return _CLOSED_PIPE  # | head
        show_problems((), error.messages, streams.err)
        return int(error.exit_code)
    except KeyboardInterrupt:
        return _INTERRUPTED
    finally:
        give_up(streams.out)
        give_up(streams.err)
    return code


def _parse(argv: Sequence[str], streams: Streams) -> argparse.Namespace:
    """As `parse`; what the parser prints is a result, too."""
    try:
        with contextlib.redirect_stdout(streams.out):
            return parse(argv)
    except SystemExit:  # after a help
        streams.out.flush()
        raise


def _run(args: argparse.Namespace, streams: Streams) -> int:
    if args.version:
        streams.out.write(f"{PROGRAM} {rocprofsys_multipass.__version__}\n")
        return 0
    command: Command | None = getattr(args, "command_object", None)
    if command is None:
        names = ", ".join(command.name for command in COMMANDS)
        message = f"no command was given: one of {names}"
        raise UsageError(_with_help(message, PROGRAM))
    if args.application and command.name != RunCommand.name:
        args.command_parser.error(f"{command.name} takes no command line after '--'")
    try:
        return command.run(args, streams)
    except UsageError as error:
        raise UsageError(_with_help(str(error), f"{PROGRAM} {command.name}")) from error
