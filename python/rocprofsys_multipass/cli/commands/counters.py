# SPDX-License-Identifier: MIT
"""``counters``: what GPUs can count, of catalogues or of this machine."""

from __future__ import annotations

import argparse
import dataclasses
import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from rocprofsys_multipass.cli.command import console
from rocprofsys_multipass.cli.commands.run import add_value
from rocprofsys_multipass.cli.counters_table import show_counters, show_devices
from rocprofsys_multipass.cli.messages import PROGRAM, in_one_line, invocation
from rocprofsys_multipass.cli.sets_table import chosen_metrics, sets_json, show_sets
from rocprofsys_multipass.config import COMMAND_LINE
from rocprofsys_multipass.counters import COUNTERS_SCHEMA, list_counters, matching, nearest, save_catalogue
from rocprofsys_multipass.errors import ExitCode, UsageError
from rocprofsys_multipass.metrics import metrics_on

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocprofsys_multipass.cli.command import Streams
    from rocprofsys_multipass.counters import AgentCounters

_EPILOG = """\
Without --device and --live: the known devices; with a PATTERN, the counters of
each that it finds.

Plan for a GPU that is elsewhere. Where it is, and then anywhere:
  rocprof-sys-multipass counters --live --save mi300x.json
  rocprof-sys-multipass plan --device mi300x.json --events ...
"""


class CountersCommand:
    """Lists counters, and saves what a GPU can count."""

    name = "counters"
    help = "list or search the counters of a device, and what each costs"

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        """Options of ``counters``."""
        parser.epilog = _EPILOG
        parser.add_argument(
            "pattern",
            nargs="?",
            metavar="PATTERN",
            help="only counters with this in their name, or that it matches where it has *, ? or [; case is ignored",
        )
        parser.add_argument(
            "--device",
            action="append",
            metavar="NAME or FILE",
            help="an architecture such as gfx942, or a catalogue file; with --live the number of a GPU; repeatable",
        )
        parser.add_argument("--live", action="store_true", help="the GPUs of this machine, as its SDK lists them")
        add_value(parser, "simulate", "DEVICE[,DEVICE...]")
        parser.add_argument(
            "--save",
            metavar="FILE",
            help="with --live: write the catalogue of a GPU, for plan --device FILE; choose the GPU with --device",
        )
        parser.add_argument(
            "--sets",
            action="store_true",
            help="the sets of metrics for run --set and plan --set, with units and formulas, in place of counters; "
            "PATTERN is a part of a set's or metric's name",
        )
        parser.add_argument("--json", action="store_true", help="print the counters or sets as JSON (schema 1)")

    def run(self, args: argparse.Namespace, streams: Streams) -> int:
        """Print the counters; a pattern that matches none of them is no error."""
        devices = args.device or []
        if args.save is not None:
            _save(args, devices, streams)
            return ExitCode.OK
        if args.sets:
            _show_sets(args, devices, streams)
            return ExitCode.OK
        agents = list_counters(devices, live=args.live, simulate=args.simulate, wording=COMMAND_LINE)
        shown = matching(agents, args.pattern or "")
        if args.json:
            streams.out.write(_json(shown))
        elif devices or args.live or args.pattern:
            show_counters(agents, shown, console(streams.out), live=args.live)
        else:
            show_devices(agents, console(streams.out))
            streams.out.write(f"counters of one: {invocation()} {self.name} --device NAME; of this machine: --live\n")
        if args.pattern and not any(agent.counters for agent in shown):
            near = nearest(args.pattern, agents)
            hint = f"; near: {', '.join(near)}" if near else ""
            streams.err.write(f"{PROGRAM}: no counter matches '{in_one_line(args.pattern)}'{hint}\n")
        return ExitCode.OK


def _save(args: argparse.Namespace, devices: Sequence[str], streams: Streams) -> None:
    if not args.live:
        message = "--save is for --live: known devices and files are catalogues already, give it with --live"
        raise UsageError(message)
    if args.pattern or args.json or args.sets:
        message = "--save writes a whole catalogue: leave out PATTERN, --json and --sets"
        raise UsageError(message)
    saved = save_catalogue(Path(args.save), devices, simulate=args.simulate, wording=COMMAND_LINE)
    # A name without a slash or .json could be that of a known device.
    file = args.save if "/" in args.save or args.save.endswith(".json") else f"./{args.save}"
    streams.out.write(
        f"wrote {args.save}: {len(saved.counters)} counters of {saved.device}; "
        f"{invocation()} plan --device {shlex.quote(file)} plans with it\n"
    )


def _show_sets(args: argparse.Namespace, devices: Sequence[str], streams: Streams) -> None:
    """Of architectures by name no catalogue is needed; files and live GPUs are asked what they are."""
    names = [name.strip() for device in devices for name in device.split(",")]
    if args.live or args.simulate is not None or any(not metrics_on(name) for name in names):
        agents = list_counters(devices, live=args.live, simulate=args.simulate, wording=COMMAND_LINE)
        names = [agent.device for agent in agents]
    found = chosen_metrics(names, args.pattern or "")
    if args.json:
        streams.out.write(sets_json(found))
    else:
        show_sets(found, console(streams.out), of_one=len(set(names)) == 1)
    if not found:
        what = f"no metric matches '{in_one_line(args.pattern)}'" if args.pattern else "no set has a metric"
        where = f" for {', '.join(names)}" if names else ""
        streams.err.write(f"{PROGRAM}: {what}{where}\n")


def _json(agents: Sequence[AgentCounters]) -> str:
    data = {"schema": COUNTERS_SCHEMA, "agents": [dataclasses.asdict(agent) for agent in agents]}
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"
