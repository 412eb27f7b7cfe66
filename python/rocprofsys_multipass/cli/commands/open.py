# SPDX-License-Identifier: MIT
"""``open``: a trace in the Perfetto UI."""

from __future__ import annotations

import os
import socket
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rocprofsys_multipass.cli.command import refuse_missing
from rocprofsys_multipass.cli.messages import in_one_line, show_problems
from rocprofsys_multipass.errors import ExitCode, LaunchError, UsageError
from rocprofsys_multipass.opening import readable_size
from rocprofsys_multipass.viewer import (
    PORT,
    PUBLIC_UI,
    Ui,
    choose,
    link,
    queries,
    query,
    serving,
    startup_commands,
    times_of,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from rocprofsys_multipass.cli.command import Streams
    from rocprofsys_multipass.viewer import TraceFile

_TIMEOUT_S: Final = 600.0
_LARGE: Final = 2 << 30  # bytes; what a browser's tab holds, roughly
_NAMED: Final = 8  # of the traces that are shown together
_MAX_PORT: Final = 65535
_DISPLAYS: Final = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")


class OpenCommand:
    """Opens traces in the Perfetto UI."""

    name = "open"
    help = "open a trace, or all traces of a run, in the Perfetto UI"

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        """Options of ``open``."""
        parser.add_argument(
            "path", nargs="?", metavar="PATH", help="a run directory, or a trace, of this tool or of another"
        )
        parser.add_argument("--pid", type=int, metavar="N", help="of a run directory, only this process")
        parser.add_argument("--rank", type=int, metavar="N", help="of a run directory, only this rank")
        parser.add_argument("--dispatch", type=int, metavar="ID", help="select this dispatch, and zoom to it")
        parser.add_argument(
            "--query", action="append", default=[], metavar="NAME", help="show the answer to this ready query, too"
        )
        parser.add_argument("--list-queries", action="store_true", help="print names and titles of the ready queries")
        parser.add_argument(
            "--no-browser", action="store_true", help="print the address only, as where there is no display"
        )
        parser.add_argument("--ui", default=PUBLIC_UI, metavar="URL", help=f"the Perfetto UI; default: {PUBLIC_UI}")
        parser.add_argument(
            "--port", type=int, default=PORT, metavar="N", help=f"to serve from; a Perfetto UI reads from {PORT} only"
        )
        parser.add_argument(
            "--timeout",
            type=float,
            default=_TIMEOUT_S,
            metavar="SECONDS",
            help=f"give up when nobody fetched the trace by then; default: {_TIMEOUT_S:.0f}",
        )

    def run(self, args: argparse.Namespace, streams: Streams) -> int:
        """Serve the trace until the UI has it. Ctrl-C ends that."""
        if args.list_queries:
            streams.out.writelines(f"{one.name:<20} {one.title}\n" for one in queries())
            return ExitCode.OK
        _refuse_numbers(args)
        ui = Ui.at(args.ui)
        wanted = [query(name) for name in args.query]
        refuse_missing(args.path)
        traces = choose(Path(args.path), pid=args.pid, rank=args.rank)
        selected = None if args.dispatch is None else times_of(traces, args.dispatch)
        _show(traces, streams)
        if selected is not None:  # no startup command that the UI allows opens the drawer
            streams.err.write(
                f"dispatch {args.dispatch} will be selected: key q opens the drawer at the bottom, "
                "where the tab Current Selection has its counters\n"
            )
        commands = startup_commands(traces, wanted)
        with serving([one.path for one in traces], _name(traces, Path(args.path)), ui.origin, args.port) as server:
            address = link(ui, server.url, commands, selected)
            streams.out.write(f"{address}\n")
            streams.out.flush()
            try:
                _invite(address, _ports(server.port, ui), streams, browser=not args.no_browser)
                if not server.wait(args.timeout):
                    raise LaunchError(
                        f"no browser fetched the trace within {args.timeout:g} seconds: open the address that was "
                        "printed on this machine or through a tunnel, and give more time by --timeout"
                    )
            except KeyboardInterrupt:
                return ExitCode.OK
        streams.err.write("the page has the trace, and works without this command\n")
        return ExitCode.OK


def _refuse_numbers(args: argparse.Namespace) -> None:
    if args.path is None:
        raise UsageError("no trace was named: give a run directory or a .pftrace")
    if not 0 <= args.port <= _MAX_PORT:
        raise UsageError(f"--port {args.port}: a port is from 0, any that is free, to {_MAX_PORT}")
    if not 0 < args.timeout < float("inf"):
        raise UsageError(f"--timeout {args.timeout:g}: give a number of seconds above 0")


def _name(traces: Sequence[TraceFile], path: Path) -> str:
    """What the UI shows as the title."""
    return traces[0].path.name if len(traces) == 1 else f"{path.resolve().name}-{len(traces)}-processes.pftrace"


def _show(traces: Sequence[TraceFile], streams: Streams) -> None:
    size = sum(one.path.stat().st_size for one in traces)
    named = sorted(traces, key=lambda one: (one.rank is None, one.rank or 0, one.title))
    streams.err.writelines(f"{in_one_line(one.title)}\n" for one in named[:_NAMED])
    if len(named) > _NAMED:
        streams.err.write(f"and {len(named) - _NAMED} more\n")
    if size > _LARGE:
        warning = (
            f"{readable_size(size)} are more than most browsers hold: if the page fails, end this, run "
            f"trace_processor_shell --httpd {traces[0].path}, and open {PUBLIC_UI}, which will find it"
        )
        show_problems([warning], (), streams.err)


def _ports(serving: int, ui: Ui) -> list[int]:
    """The ports of this machine that a browser needs: that of the trace, and that of a UI which is served here too."""
    return [serving] if ui.local_port is None else [serving, ui.local_port]


def _invite(address: str, ports: Sequence[int], streams: Streams, *, browser: bool) -> None:
    """Start a browser, or say how to come from elsewhere."""
    if browser and _has_display() and webbrowser.open_new_tab(address):
        streams.err.write("waiting for the browser to fetch the trace; Ctrl-C ends\n")
        return
    tunnels = " ".join(f"-L {port}:127.0.0.1:{port}" for port in ports)
    streams.err.write(
        f"open this address; on another machine first: ssh {tunnels} {socket.gethostname()}\n"
        "waiting until the trace was fetched; Ctrl-C ends\n"
    )


def _has_display() -> bool:
    """Without one, a browser for terminals would take this one over."""
    return sys.platform != "linux" or any(os.environ.get(name) for name in _DISPLAYS)
