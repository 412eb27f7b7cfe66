# SPDX-License-Identifier: MIT
"""The options of ``plan --estimate``, and the estimate that they ask for."""

from __future__ import annotations

import json
import os
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

from rocprofsys_multipass.cli.commands.run import add_flag, add_repeated, add_value, repeated
from rocprofsys_multipass.config import COMMAND_LINE, RUN_OPTIONS
from rocprofsys_multipass.errors import UsageError
from rocprofsys_multipass.estimate import Estimate, Told, estimate_plan

if TYPE_CHECKING:
    import argparse

    from rocprofsys_multipass.planned import Plan

_TOLD: Final = {
    "footprint": ("SIZE", "device memory that the application has allocated on a GPU: 10GB, 512MiB"),
    "dispatches": ("N", "launches on a GPU whose counters are wanted"),
    "kernel-time": ("TIME", "what one of them takes: 20us, 1ms, 2s"),
    "kernels": ("N", "how many kernels these are, counting each grid and work-group; default: 1"),
    "startup": ("TIME", "what the application takes beside them, such as its start: 5s; default: nothing"),
    "copy-rate": ("RATE", "of copies between GPU and host; default: 4GB/s, which a run assumes at first"),
    "ranks-per-node": ("N", "processes that share the memory of a node; default: 1"),
}
_NEEDED: Final = {
    "footprint": "the device memory that the application has allocated, such as 10GB",
    "dispatches": "how many launches there are",
    "kernel-time": "how long one takes, such as 1ms",
}
_OF_RUNS: Final = ("host-memory", "replay-budget", "max-replays", "unsafe", "warm-up-pass", "timing-pass")


def add_estimate_options(parser: argparse.ArgumentParser) -> None:
    """The options, in a group of their own."""
    group = parser.add_argument_group("estimate", "what the plan will cost, before a run")
    group.add_argument(
        "--estimate",
        action="store_true",
        help="time and memory of replay, of rotation and of a run for each pass, and which to choose",
    )
    for name, (metavar, text) in _TOLD.items():
        group.add_argument(f"--{name}", metavar=metavar, help=text)
    for name in _OF_RUNS:
        option = RUN_OPTIONS[name]
        if option.kind == "flag":
            add_flag(group, name)
        elif option.repeatable:
            add_repeated(group, name)
        else:
            add_value(group, name, option.metavar)


def check_estimate_options(args: argparse.Namespace) -> None:
    """See that what an estimate needs is there, and nothing of it without an estimate.

    Raises:
        UsageError: it is not.
    """
    given = [name for name in (*_TOLD, *_OF_RUNS) if _value(args, name) is not None]
    if not args.estimate and given:
        message = f"--{given[0]}: it is for an estimate: add --estimate, or leave it out"
        raise UsageError(message)
    for name, what in _NEEDED.items():
        if args.estimate and name not in given:
            message = f"--estimate: --{name} is missing: give {what}"
            raise UsageError(message)


def make_estimate(plan: Plan, args: argparse.Namespace) -> Estimate:
    """What the plan will cost."""
    told = {field.name: getattr(args, field.name) for field in fields(Told)}
    given = {name: repeated(args, name) if RUN_OPTIONS[name].repeatable else _value(args, name) for name in _OF_RUNS}
    given["config"] = args.config
    return estimate_plan(
        plan.agents,
        Told(**{name: value for name, value in told.items() if value is not None}),
        given,
        os.environ,
        COMMAND_LINE,
    )


def json_text(plan: Plan, estimate: Estimate) -> str:
    """The planner's JSON with the estimate in it."""
    return json.dumps({**json.loads(plan.json), "estimate": estimate.to_json()}, indent=2, ensure_ascii=False)


def _value(args: argparse.Namespace, name: str) -> Any:  # noqa: ANN401 - that of the parser
    return getattr(args, name.replace("-", "_"))
