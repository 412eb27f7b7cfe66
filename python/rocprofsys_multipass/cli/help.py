# SPDX-License-Identifier: MIT
"""What every ``--help`` has, in one layout: examples that can be copied, notes, exit codes.

The examples run as they stand here, in a folder with an application ``./app`` and a run directory ``out``
(tests/e2e/test_help_examples.py).
"""

from __future__ import annotations

import argparse
import shlex
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from rocprofsys_multipass.cli.messages import PROGRAM
from rocprofsys_multipass.errors import ExitCode

_WIDTH: Final = 80
_CODES: Final = {
    ExitCode.OK: "well",
    ExitCode.USAGE: "wrong command line",
    ExitCode.CONFIG: "wrong variable or file of options",
    ExitCode.PLAN_IMPOSSIBLE: "nothing can be planned",
    ExitCode.LAUNCH_FAILED: "something cannot be started",
    ExitCode.VERIFICATION_FAILED: "not right, or no file of ours",
    ExitCode.OUTPUT_FAILED: "an output is not written",
}


@dataclass(frozen=True)
class Guide:
    """Examples of a command, each after a line that says what it is for, and the codes that the command ends with.

    A line of blanks and words goes on with the one before it, which ends with a backslash, as for a shell.
    """

    examples: str
    codes: tuple[int, ...]
    before_codes: str = ""

    def commands(self) -> list[list[str]]:
        """The words of each example, without the name of the program."""
        lines = self.examples.replace("\\\n", " ").splitlines()
        return [shlex.split(line) for line in lines if line and not line.startswith("#")]

    def __str__(self) -> str:
        """The examples as the help shows them."""
        lines = [
            line if line.startswith(("#", " ")) else f"{PROGRAM} {line}" for line in self.examples.strip().splitlines()
        ]
        return "\n  ".join([f"example{'s' if len(self.commands()) > 1 else ''}:", *lines])

    @property
    def exit_codes(self) -> str:
        """What its codes mean."""
        meanings = ", ".join(f"{code} {_CODES[ExitCode(code)]}" for code in self.codes)
        return textwrap.fill(f"exit code: {self.before_codes}{meanings}", _WIDTH)


GUIDES: Final[Mapping[str, Guide]] = {
    "demo": Guide(
        """
# all of it, without a GPU
demo -o demo
""",
        (0, 2, 3, 5, 6, 7),
    ),
    "doctor": Guide(
        """
# what stands in the way on this machine, if GPUs are simulated
doctor --simulate gfx942
""",
        (0, 2, 3, 5, 6, 7),
    ),
    "counters": Guide(
        """
# what can be counted in the L2 cache of a GPU
counters --device gfx942 tcc_hit
# sets of metrics, for --set
counters --sets --device gfx90a
""",
        (0, 2, 3, 4, 5, 7),
    ),
    "plan": Guide(
        """
# how many passes, and why
plan --device gfx942 --set memory,cache --explain
# counters that must be read in one pass
plan --device gfx942 --group SQ_WAVES,TCC_HIT
# what a run would cost, and how to do it best
plan --device gfx942 --set memory --estimate \\
    --footprint 10GB --dispatches 1000 --kernel-time 1ms
# for a script: fail unless all of it can be read
plan --device gfx942 --events FETCH_SIZE --strict
""",
        (0, 2, 3, 4, 5),
    ),
    "config init": Guide(
        """
# every option, ready to be changed
config init -o multipass.yaml
""",
        (0, 2, 7),
    ),
    "config check": Guide(
        """
# what a file sets, and whether a GPU has its counters
config check multipass.yaml --device gfx942
""",
        (0, 2, 3, 7),
    ),
    "config explain": Guide(
        """
# all about one option
config explain replay
# a line for each
config explain
""",
        (0, 2),
    ),
    "run": Guide(
        """
# the metrics of a set, of each kernel, on a simulated GPU
run --simulate gfx942 --set memory -o out -- ./app
# the first launch of each kernel, on the GPUs of this machine
run --events SQ_WAVES,FETCH_SIZE --range 1 -- ./app
# a folder for rocprof-compute analyze, of two panels and every launch
run --simulate gfx942 --compute-panels 2,7 \\
    --format compute --replay kernel -o panels -- ./app
# the counters that rocprof-sys is given, in its own trace and database
run -o with -- rocprof-sys-run -c my.cfg -- ./app
""",
        (0, 2, 3, 4, 5, 7),
        "the application's own when it failed (128+n for signal n), else ",
    ),
    "report": Guide(
        """
# tables of dispatches, kernels and passes
report out
# one page for a browser, of some kernels
report out --kernel axpy --html report.html
""",
        (0, 2, 6, 7),
    ),
    "open": Guide(
        """
# the traces of a run, in a browser
open out
# and with the answer to a ready query
open out --query pass-agreement
""",
        (0, 2, 5, 6),
    ),
    "verify": Guide(
        """
# the files of a run, each and with each other
verify out
# for a script: warnings fail too
verify --strict --json out
""",
        (0, 2, 6),
    ),
    "export": Guide(
        """
# a table of every reading
export out --format csv -o tables
# a line per dispatch, in the columns of rocprofv3
export out --format csv-wide -o tables
# panels of rocprof-compute analyze, with medians of all launches
export out --format compute --kernel-medians -o tables
# trace and database of the journals again
export out
""",
        (0, 2, 5, 6, 7),
    ),
    "recover": Guide(
        """
# what a killed run left, completed
recover out
""",
        (0, 2, 5, 6, 7),
    ),
    "merge": Guide(
        """
# counters of a run into copies of what rocprof-sys wrote in it
merge out rocprof-sys-app-output
# the same onto the timeline of another run, without replay
merge out rocprof-sys-app-output/clean --join -o joined
# all ranks of an MPI program in one trace and one database: merged files
merge out/merged --combine
# and those of a run without rocprof-sys
merge out --combine
""",
        (0, 2, 6, 7),
    ),
    "sim-flags": Guide(
        """
# what compiles a HIP source for the simulated GPUs
sim-flags --cflags
""",
        (0, 2, 5),
    ),
}


def complete(parser: argparse.ArgumentParser, name: str) -> None:
    """Put examples and exit codes below the help of the command `name`, and of its actions."""
    for action in parser._actions:  # noqa: SLF001 - no other way
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for child, sub in action.choices.items():
                complete(sub, f"{name} {child}")
    guide = GUIDES.get(name)
    notes = (parser.epilog or "").strip()
    if guide is not None:
        parser.epilog = "\n\n".join(filter(None, [str(guide), notes, guide.exit_codes]))
    parser.formatter_class = argparse.RawDescriptionHelpFormatter


def command_list(commands: Iterable[tuple[str, str]]) -> str:
    """Names with what they do, one line each."""
    listed = list(commands)
    width = max(len(name) for name, _ in listed)
    return "\n".join(["commands:", *(f"  {name:<{width}}  {text}" for name, text in listed)])
