# SPDX-License-Identifier: MIT
"""``plan``: how many passes a list of counters needs, without running anything."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rocprofsys_multipass.cli.command import console
from rocprofsys_multipass.cli.commands.plan_estimate import (
    add_estimate_options,
    check_estimate_options,
    json_text,
    make_estimate,
)
from rocprofsys_multipass.cli.commands.run import add_repeated, add_value, repeated
from rocprofsys_multipass.cli.estimate_table import show_estimate
from rocprofsys_multipass.cli.plan_reasons import show_reasons
from rocprofsys_multipass.cli.plan_table import show_plan
from rocprofsys_multipass.config import COMMAND_LINE, RUN_OPTIONS, resolve_plan_request
from rocprofsys_multipass.errors import ExitCode, UsageError
from rocprofsys_multipass.live import check_choice
from rocprofsys_multipass.native import find_native
from rocprofsys_multipass.plan import request_plan
from rocprofsys_multipass.simulate import check_devices

if TYPE_CHECKING:
    import argparse

    from rocprofsys_multipass.cli.command import Streams


class PlanCommand:
    """Shows the passes that a list of counters needs."""

    name = "plan"
    help = "show in how many passes counters can be read, and which reads what"

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        """Options of ``plan``."""
        parser.add_argument(
            "--device",
            action="append",
            metavar="NAME or FILE",
            help="an architecture such as gfx942, or a catalogue file; several with commas, or several times",
        )
        parser.add_argument("--live", action="store_true", help="the GPUs of this machine, as its SDK lists them")
        add_value(parser, "simulate", "DEVICE[,DEVICE...]")
        add_value(parser, "config", "FILE")
        add_repeated(parser, "events")
        add_repeated(parser, "group")
        add_repeated(parser, "set")
        add_value(parser, "compute-panels", RUN_OPTIONS["compute-panels"].metavar)
        add_value(parser, "instances", RUN_OPTIONS["instances"].metavar)
        add_value(parser, "sentinel", RUN_OPTIONS["sentinel"].metavar)
        parser.add_argument(
            "--effort",
            type=int,
            metavar="N",
            help="placements that the search for fewer passes may try, for each GPU; 0: none",
        )
        parser.add_argument("--explain", action="store_true", help="say why there are so many passes, block by block")
        parser.add_argument(
            "--strict", action="store_true", help="end with exit code 4 when anything asked for is in no pass"
        )
        parser.add_argument("--json", action="store_true", help="print the plan as JSON (schema 1)")
        add_estimate_options(parser)

    def run(self, args: argparse.Namespace, streams: Streams) -> int:
        """Print the plan; the exit code is 4 when nothing at all can be placed (or not all of it, with --strict)."""
        check_estimate_options(args)
        check_choice(args.device or (), live=args.live, simulate=args.simulate, wording=COMMAND_LINE)
        options = ("config", "sentinel", "simulate", "compute-panels", "instances")
        given = {name: getattr(args, RUN_OPTIONS[name].key) for name in options}
        given |= {name: repeated(args, name) for name in ("events", "group", "set")}
        request = resolve_plan_request(given, os.environ)
        # Devices that a run is to simulate are planned for where no other is named.
        devices = args.device or (() if args.live else request.devices)
        if not devices and not args.live:
            message = "no device was given: use --device NAME or FILE, or --live for the GPUs of this machine"
            raise UsageError(message)
        simulate = None
        if args.live and request.devices:
            simulate = ",".join(request.devices)
            check_devices(simulate, find_native(), request.source)  # names the place, which may be a variable or a file
        plan, code = request_plan(
            devices,
            request.events,
            request.groups,
            sets=request.sets,
            compute_panels=request.compute_panels or None,
            instances=request.instances,
            sentinel=request.sentinel,
            live=args.live,
            simulate=simulate,
            effort=args.effort,
        )
        estimate = make_estimate(plan, args) if args.estimate else None
        if args.json:
            text = plan.json if estimate is None else json_text(plan, estimate)
            streams.out.write(text if text.endswith("\n") else text + "\n")
        else:
            terminal = console(streams.out)
            show_plan(plan, terminal, show_reasons if args.explain else None)
            if estimate is not None:
                show_estimate(estimate, terminal)
        return ExitCode.PLAN_IMPOSSIBLE if args.strict and not plan.is_whole else code
