# SPDX-License-Identifier: MIT
"""What the SDK of this machine, real or simulated, says of its GPUs: a catalogue file for each kind of them.

The program ``rocprofsys-multipass-counters`` asks; this module runs it and reads its index (schema 1).
"""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rocprofsys_multipass.config import COMMAND_LINE, Wording, resolve_option
from rocprofsys_multipass.errors import PlanError, UsageError
from rocprofsys_multipass.native import find_native
from rocprofsys_multipass.programs import ask, parsed
from rocprofsys_multipass.simulate import check_devices, simulated_environment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rocprofsys_multipass.config import Source
    from rocprofsys_multipass.native import Native

INDEX_SCHEMA = 1

_READER = "the reader of counters"


@dataclass(frozen=True)
class LiveAgent:
    """An agent that the SDK lists. `device` is the ordinal among GPUs, None for a CPU.

    `catalogue` is the file of what it can count, which GPUs of one kind share; without one, `reason` says why.
    """

    index: int
    type: str
    device: int | None
    name: str
    product_name: str
    catalogue: Path | None
    reason: str


@dataclass(frozen=True)
class LiveMachine:
    """The SDK and its agents. The catalogues are in `folder` for as long as `live_catalogues` lasts."""

    sdk_version: str
    sdk_library: str
    simulated: bool
    agents: tuple[LiveAgent, ...]
    folder: Path

    @property
    def gpus(self) -> tuple[LiveAgent, ...]:
        """The GPUs, by ordinal."""
        return tuple(agent for agent in self.agents if agent.device is not None)

    def gpu_catalogues(self) -> list[Path]:
        """A catalogue for each GPU, by ordinal: an empty one where the SDK lists no counters."""
        return [agent.catalogue or self._empty_catalogue(agent) for agent in self.gpus]

    def _empty_catalogue(self, agent: LiveAgent) -> Path:
        path = self.folder / f"empty-{agent.device}.json"
        catalogue = {"schema": 1, "agent": {"name": agent.name or "unnamed"}, "slots": {}, "counters": []}
        path.write_text(json.dumps(catalogue), encoding="utf-8")
        return path


def check_choice(devices: Sequence[object], *, live: bool, simulate: str | None, wording: Wording) -> None:
    """Named devices and live ones exclude each other, and only live ones can be simulated.

    Raises:
        UsageError: both were asked for, or `simulate` without `live`.
    """
    if devices and live:
        message = f"{wording.option('device')} and {wording.option('live')} exclude each other: give one of them"
        raise UsageError(message)
    check_simulate(live=live, simulate=simulate, wording=wording)


def check_simulate(*, live: bool, simulate: str | None, wording: Wording) -> None:
    """As `check_choice`, for `simulate` alone."""
    if simulate is not None and not live:
        live_option = wording.option("live")
        message = (
            f"{wording.option('simulate')} is for {live_option}: catalogues need no GPU, leave it out or give both"
        )
        raise UsageError(message)


@contextmanager
def live_catalogues(
    simulate: str | None = None, wording: Wording = COMMAND_LINE, environ: Mapping[str, str] | None = None
) -> Iterator[LiveMachine]:
    """Ask the SDK; the catalogues are removed at the end.

    Args:
        simulate: simulated devices in place of real ones; None: those that the environment asks for, if any.
        wording: how messages name what the caller can change.
        environ: the environment that the SDK is asked in; None: this process's.

    Raises:
        UsageError, ConfigError: a device cannot be simulated.
        LaunchError: there is no SDK, or it refuses.
        PlanError: there is no GPU.
        NativeError: a compiled part is missing or failed.
    """
    values = os.environ if environ is None else environ
    native = find_native(values)
    devices, source = resolve_option("simulate", simulate, values, wording)
    simulator = check_devices(devices, native, source)
    with tempfile.TemporaryDirectory(prefix="rocprofsys-multipass-") as folder:
        machine, said = _read(native, simulated_environment(values, devices, simulator), Path(folder))
        if not machine.gpus:
            if simulator is not None:
                raise source.error(said)
            message = f"rocprofiler-sdk {machine.sdk_version} ({machine.sdk_library}) lists no GPU on this machine"
            raise PlanError(f"{message}{f': {said}' if said else ''}; see: rocprof-sys-multipass doctor")
        yield machine


def check_device_files(devices: str, native: Native, simulator: Path | None, source: Source) -> None:
    """See that the simulator can read the device files among `devices`; names of its own need no look.

    Raises:
        UsageError, ConfigError (by `source`): it cannot; the message names file and place.
        NativeError: a compiled part is missing or failed.
    """
    names = [name.strip() for name in devices.split(",")]
    if simulator is None or set(names) <= set(native.simulated_devices):
        return
    with tempfile.TemporaryDirectory(prefix="rocprofsys-multipass-") as folder:
        machine, said = _read(native, simulated_environment(os.environ, devices, simulator), Path(folder))
    if not machine.gpus:
        raise source.error(said)


def _read(native: Native, environ: Mapping[str, str], folder: Path) -> tuple[LiveMachine, str]:
    """What the SDK lists, and what it said meanwhile."""
    answer = ask(native.counter_reader, _READER, ["--output", str(folder)], environ)
    machine = parsed(answer.text, INDEX_SCHEMA, _READER, lambda data: _machine(data, folder))
    return machine, "; ".join((*answer.messages.errors, *answer.messages.warnings))


def _machine(data: Mapping[str, Any], folder: Path) -> LiveMachine:
    return LiveMachine(
        sdk_version=data["sdk"]["version"],
        sdk_library=data["sdk"]["library"],
        simulated=data["sdk"]["simulated"],
        agents=tuple(_agent(agent, folder) for agent in data["agents"]),
        folder=folder,
    )


def _agent(data: Mapping[str, Any], folder: Path) -> LiveAgent:
    file = data["catalogue"]
    return LiveAgent(
        index=data["index"],
        type=data["type"],
        device=data["device"],
        name=data["name"],
        product_name=data["product_name"],
        catalogue=None if file is None else folder / file,
        reason=data["reason"],
    )
