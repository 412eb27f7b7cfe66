# SPDX-License-Identifier: MIT
"""``run``: an application under the plugin. Its stdout stays its own; everything of ours goes to stderr."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from rocprofsys_multipass.cli.messages import show_problems
from rocprofsys_multipass.cli.summary import show_run
from rocprofsys_multipass.config import COMMAND_LINE, RUN_OPTIONS, resolve_option
from rocprofsys_multipass.errors import UsageError
from rocprofsys_multipass.run import execute

if TYPE_CHECKING:
    from rocprofsys_multipass.cli.command import Streams

_EPILOG = """\
Each option is also a variable: ROCPROFSYS_MULTIPASS_ and its name in capitals; the command line wins. Without
--events the list is that of ROCPROFSYS_ROCM_EVENTS. In --output, %pid% %ppid% %rank% %hostname% %env{X}% are expanded.

Exit code: the application's own when it failed (128+n for signal n), else 0 ok, 2 usage, 3 configuration,
4 nothing could be planned, 5 not started, 7 an output could not be written.
"""


class RunCommand:
    """Runs an application and collects the counters of each of its kernels."""

    name = "run"
    help = "run an application and collect counters of its kernels"

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        """Options; each is in `config.RUN_OPTIONS`. A missing one is None, so that the environment is asked."""
        parser.usage = "rocprof-sys-multipass run [options] -- COMMAND..."
        parser.epilog = _EPILOG
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
        add_value(parser, "events", "LIST")
        add_value(parser, "output", "DIR", "-o")
        add_flag(parser, "overwrite")
        add_value(parser, "replay", "MODE")
        add_value(parser, "simulate", "DEVICE[,DEVICE...]")
        add_value(parser, "format", "LIST")
        add_groups(parser)
        add_flag(parser, "quiet")
        add_flag(parser, "verbose")
        parser.add_argument("words", nargs=argparse.REMAINDER, metavar="COMMAND", help="the application's command line")

    def run(self, args: argparse.Namespace, streams: Streams) -> int:
        """Run it; print a summary unless --quiet."""
        given = {name: getattr(args, name) for name in RUN_OPTIONS}
        given["group"] = None if args.group is None else ";".join(args.group)
        quiet = resolve_option("quiet", args.quiet, os.environ, default=False)
        result = execute(command_words(args), given, os.environ, COMMAND_LINE)
        show_problems(result.warnings, result.errors, streams.err)
        if not quiet:
            show_run(result, streams.err)
        return result.exit_code


def command_words(args: argparse.Namespace) -> list[str]:
    """The application's command line: what follows ``--``, or the first word that is no option and all after it."""
    words: list[str] = list(args.words)
    if words and args.application:
        return [*words, "--", *args.application]  # this "--" is the application's own
    if not (words or args.application):
        message = "no application was given: put its command line after '--'"
        raise UsageError(message)
    return words or list(args.application)


def add_value(parser: argparse.ArgumentParser, name: str, metavar: str, *short: str) -> None:
    """An option of `config.RUN_OPTIONS` that takes a value."""
    parser.add_argument(*short, f"--{name}", metavar=metavar, help=_help(name))


def add_flag(parser: argparse.ArgumentParser, name: str) -> None:
    """An option of `config.RUN_OPTIONS` that is given or not."""
    parser.add_argument(f"--{name}", action="store_true", default=None, help=_help(name))


def add_groups(parser: argparse.ArgumentParser) -> None:
    """The option ``--group``, which may be given several times."""
    parser.add_argument(
        "--group",
        action="append",
        metavar="A,B",
        help=_help("group"),
    )


def _help(name: str) -> str:
    return RUN_OPTIONS[name].help.replace("%", "%%")
