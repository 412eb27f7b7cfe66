# SPDX-License-Identifier: MIT
"""``run``: an application under the plugin. Its stdout stays its own; everything of ours goes to stderr."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from rocprofsys_multipass.cli.messages import show_notes, show_problems
from rocprofsys_multipass.cli.summary import show_run
from rocprofsys_multipass.config import COMMAND_LINE, RUN_OPTIONS, SECTIONS, contains, launcher_rank
from rocprofsys_multipass.errors import UsageError
from rocprofsys_multipass.run import configure, execute_config

if TYPE_CHECKING:
    from rocprofsys_multipass.cli.command import Streams

_EPILOG = """\
Each option is also a variable (ROCPROFSYS_MULTIPASS_ and its name in capitals,
_ for -) and, but for --config, a key in the YAML file (its name, _ for -). The
command line beats variables, these beat the file. More on each option:
rocprof-sys-multipass config explain KEY.
"""


class RunCommand:
    """Runs an application and collects the counters of each of its kernels."""

    name = "run"
    help = "run an application and collect counters of its kernels"

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        """Options; each is in `config.RUN_OPTIONS`. A missing one is None, so that the environment is asked."""
        parser.usage = "rocprof-sys-multipass run [options] -- COMMAND..."
        parser.epilog = _EPILOG
        add_run_options(parser)
        parser.add_argument("words", nargs=argparse.REMAINDER, metavar="COMMAND", help="the application's command line")

    def run(self, args: argparse.Namespace, streams: Streams) -> int:
        """Run it; print a summary unless --quiet."""
        words = command_words(args)
        config, host = configure(words, given_options(args), os.environ, COMMAND_LINE)

        def tell(warning: str) -> None:
            show_problems([warning], (), streams.err)

        result = execute_config(words, config, os.environ, COMMAND_LINE, host=host, tell=tell)
        rank = launcher_rank(os.environ)
        is_first = not rank or bool(config.ranks and not contains(config.ranks, 0))  # who tells what all would
        if is_first and not config.quiet:
            show_notes(result.notes, streams.err)
        show_problems(result.warnings, result.errors, streams.err)
        if not config.quiet:
            show_run(result, streams.err, rank)
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


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Every option of `config.RUN_OPTIONS`, in its section."""
    for title, names in SECTIONS.items():
        section = parser.add_argument_group(title)
        for name in names:
            option = RUN_OPTIONS[name]
            if option.repeatable:
                add_repeated(section, name)
            elif option.kind == "flag":
                add_flag(section, name)
            else:
                add_value(section, name, option.metavar, *filter(None, [option.short]))


def given_options(args: argparse.Namespace) -> dict[str, Any]:
    """What `add_run_options` parsed, by the options' names; None where an option was not given."""
    return {
        name: repeated(args, name) if option.repeatable else getattr(args, option.key)
        for name, option in RUN_OPTIONS.items()
    }


def repeated(args: argparse.Namespace, name: str) -> str | None:
    """The value of an option that may be given several times, as one text; None where it was not given."""
    given: list[str] | None = getattr(args, name)
    return None if given is None else (";" if RUN_OPTIONS[name].kind == "groups" else ",").join(given)


def add_value(parser: argparse._ActionsContainer, name: str, metavar: str, *short: str) -> None:
    """An option of `config.RUN_OPTIONS` that takes a value."""
    parser.add_argument(*short, f"--{name}", metavar=metavar, help=_help(name))


def add_flag(parser: argparse._ActionsContainer, name: str) -> None:
    """An option of `config.RUN_OPTIONS` that is given or not."""
    parser.add_argument(f"--{name}", action="store_true", default=None, help=_help(name))


def add_repeated(parser: argparse._ActionsContainer, name: str) -> None:
    """An option of `config.RUN_OPTIONS` that may be given several times."""
    parser.add_argument(f"--{name}", action="append", metavar=RUN_OPTIONS[name].metavar, help=_help(name))


def _help(name: str) -> str:
    return RUN_OPTIONS[name].help.replace("%", "%%")
