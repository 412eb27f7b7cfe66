# SPDX-License-Identifier: MIT
"""The address that makes a Perfetto UI open a trace of this machine.

What the UI reads from it (google/perfetto @ ec5d16b1, ui/src/public/route_schema.ts, docs/visualization/
deep-linking-to-perfetto-ui.md): ``url``, the trace; ``ts`` and ``dur``, a slice to select; ``startupCommands``, a JSON
list of commands from a list of those allowed, since v52.0; older ones take no notice of it. Its content security policy
lets it read from this machine by port 9001 only (ui/src/frontend/index.ts).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, urlsplit

from rocprofsys_multipass.errors import UsageError
from rocprofsys_multipass.trace.model import Interval
from rocprofsys_multipass.viewer.choice import TraceFile
from rocprofsys_multipass.viewer.queries import Query

PUBLIC_UI: Final = "https://ui.perfetto.dev"
PORT: Final = 9001
"""From which a UI of Perfetto's own build may read."""

Command = dict[str, Any]

_THIS_MACHINE: Final = ("localhost", "127.0.0.1")
_PORTS: Final = {"http": 80, "https": 443}
_GPUS: Final = r"^GPU \d+ \["
_LANES: Final = r"^Queue \d+"


@dataclass(frozen=True)
class Ui:
    """A Perfetto UI: `page` is its address, `origin` what its requests say they come from."""

    page: str
    origin: str

    @staticmethod
    def at(address: str) -> Ui:
        """The UI at this address.

        Raises:
            UsageError: it is no address of a page.
        """
        refused = UsageError(f"--ui {address!r} is no address: give one such as {PUBLIC_UI} or http://127.0.0.1:10000")
        try:
            parts = urlsplit(address)
            host, port, default = parts.hostname, parts.port, _PORTS[parts.scheme]
        except (ValueError, KeyError) as error:
            raise refused from error
        if not host or any(letter.isspace() for letter in address):
            raise refused
        name = f"[{host}]" if ":" in host else host
        origin = f"{parts.scheme}://{name}" + (f":{port}" if port not in (None, default) else "")
        path = parts.path if parts.path.endswith((".html", "/")) else f"{parts.path}/"
        return Ui(f"{origin}{path}", origin)

    @property
    def local_port(self) -> int | None:
        """The port of this machine that it is served from; None: it is elsewhere."""
        parts = urlsplit(self.origin)
        return (parts.port or _PORTS[parts.scheme]) if parts.hostname in _THIS_MACHINE else None


def link(ui: Ui, trace: str, commands: Sequence[Command], selected: Interval | None = None) -> str:
    """Opens the trace at that address in `ui`, selects the first slice with these times, and has the commands run."""
    arguments = {"url": quote(trace, safe=":/")}
    if selected is not None:
        arguments |= {"ts": str(selected.start_ns), "dur": str(selected.duration_ns)}
    if commands:
        arguments["startupCommands"] = quote(json.dumps(commands, separators=(",", ":")), safe="")
    return f"{ui.page}#!/?" + "&".join(f"{name}={value}" for name, value in arguments.items())


def startup_commands(traces: Sequence[TraceFile], queries: Iterable[Query]) -> list[Command]:
    """Opens the processes of a run and their GPUs, keeps the lanes of dispatches in view, shows results of queries.

    Nothing is hidden, and nothing happens where a trace has no such tracks. Lanes are pinned where there is one GPU:
    pinned tracks are shown without what is above them, and several would all be called `Queue 0`.
    """
    commands: list[Command] = []
    numbers = "|".join(str(one.pid) for one in traces if one.pid is not None)
    if numbers:
        commands.append(_tracks("Expand", rf" (?:{numbers})$"))
    commands.append(_tracks("Expand", _GPUS))
    if [one.gpus for one in traces] == [1]:
        commands.append(_tracks("Pin", _LANES))
    commands += [{"id": "dev.perfetto.RunQueryAndShowTab", "args": [one.sql, one.title]} for one in queries]
    return commands


def _tracks(what: str, pattern: str) -> Command:
    """By name: v52.0 matches nothing else, later ones ask for what to match where they are not told."""
    return {"id": f"dev.perfetto.{what}TracksByRegex", "args": [pattern, "name"]}
