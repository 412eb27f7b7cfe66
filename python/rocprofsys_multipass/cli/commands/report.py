# SPDX-License-Identifier: MIT
"""``report``: the tables of a run, on the terminal or as a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rocprofsys_multipass.cli.command import console, refuse_missing
from rocprofsys_multipass.cli.messages import show_files
from rocprofsys_multipass.errors import ExitCode, UsageError
from rocprofsys_multipass.writing import writing

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from rocprofsys_multipass.cli.command import Streams
    from rocprofsys_multipass.report import Form
    from rocprofsys_multipass.trace import Trace

_STDOUT = "-"
_KERNELS_NAMED = 10
_LINES = 200  # per dispatch, where --limit does not say how many
_WITH_LINES = ("text", "markdown")  # forms where the number can be chosen


class ReportCommand:
    """Shows dispatches, kernels and passes of a run."""

    name = "report"
    help = "show the dispatches, kernels and passes of a run"

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        """Options of ``report``."""
        parser.add_argument("path", metavar="PATH", help="a run directory, a .journal, a .pftrace or a .db")
        parser.add_argument(
            "--kernel", metavar="RE", help="only kernels whose name this regular expression is found in"
        )
        parser.add_argument(
            "--kernel-counters",
            action="store_true",
            help="only the counters of each launch shape: how often read, median, MAD; not with --html",
        )
        parser.add_argument("--dispatches", action="store_true", help="a line for each dispatch, too")
        parser.add_argument(
            "--limit", metavar="N", type=_limit, help="as --dispatches, N lines at most; by default 200"
        )
        parser.add_argument("--markdown", metavar="FILE", help="write a Markdown document; - is stdout")
        parser.add_argument("--html", metavar="FILE", help="write one page with all dispatches; - is stdout")
        parser.add_argument("--csv", metavar="FILE", help="write a line per reading; - is stdout")
        parser.add_argument("--json", action="store_true", help="print statistics and dispatches as JSON")

    def run(self, args: argparse.Namespace, streams: Streams) -> int:
        """Write what was asked for; without that print the report."""
        from rocprofsys_multipass.report import renderer  # loads the trace readers
        from rocprofsys_multipass.trace import open_trace

        wanted = _wanted(args)
        listed = _listed(args, wanted)
        refuse_missing(args.path)
        trace = open_trace(args.path)
        if args.kernel is not None:
            _refuse_no_kernel(trace, args.kernel)
        written = []
        for form, target in wanted.items():
            lines = listed if form in _WITH_LINES else None
            render = renderer(form, lines, kernel_counters=args.kernel_counters)
            if target == _STDOUT:
                render(trace, streams.out, kernel=args.kernel)
                continue
            path = Path(target)
            _refuse_source(path, trace)
            with writing(path) as stream:
                render(trace, stream, kernel=args.kernel)
            written.append(path)
        if _STDOUT not in wanted.values():
            show_files(written, console(streams.out), hints=False)
        return ExitCode.OK


def _limit(text: str) -> int:
    """A number from 1."""
    from argparse import ArgumentTypeError

    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is no number from 1")
    return int(text)


def _listed(args: argparse.Namespace, wanted: Mapping[Form, str]) -> int | None:
    """How many dispatches have a line; None: as many as the form has by itself."""
    if not args.dispatches and args.limit is None:
        return None
    if not set(_WITH_LINES) & set(wanted):
        option = "--dispatches" if args.dispatches else "--limit"
        raise UsageError(f"{option} is for the terminal and --markdown: the forms asked for have all dispatches")
    return args.limit or _LINES


def _wanted(args: argparse.Namespace) -> dict[Form, str]:
    """Forms, each with its file."""
    given: dict[Form, str | None] = {
        "markdown": args.markdown,
        "html": args.html,
        "csv": args.csv,
        "json": _STDOUT if args.json else None,
    }
    wanted = {form: target for form, target in given.items() if target is not None}
    empty = next((form for form, target in wanted.items() if not target), None)
    if empty is not None:
        raise UsageError(f"--{empty}: no file was named; - is stdout")
    to_stdout = [f"--{form}" for form, target in wanted.items() if target == _STDOUT]
    if len(to_stdout) > 1:
        raise UsageError(f"{' and '.join(to_stdout)} cannot all go to stdout: name a file for all but one")
    files: dict[Path, str] = {}
    for form, target in wanted.items():
        other = files.setdefault(Path(target).absolute(), form)
        if target != _STDOUT and other != form:
            raise UsageError(f"--{other} and --{form} name the same file {target}: name two")
    return wanted or {"text": _STDOUT}


def _refuse_no_kernel(trace: Trace, pattern: str) -> None:
    """A report of no kernel is a slip in the pattern, unless there is nothing at all."""
    if not trace.kernels or trace.dispatches(kernel=pattern):
        return
    names = [*trace.kernels[:_KERNELS_NAMED]]
    more = len(trace.kernels) - len(names)
    names += [f"{more} more"] if more else []
    raise UsageError(f"no kernel name matches {pattern!r}; there are: {'; '.join(names)}")


def _refuse_source(path: Path, trace: Trace) -> None:
    """A report must not take the place of what it is made from."""
    for process in trace.processes:
        if path.exists() and path.samefile(process.path):
            raise UsageError(f"{path} is what the report is made from: name another file")
