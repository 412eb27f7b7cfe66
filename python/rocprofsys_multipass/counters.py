# SPDX-License-Identifier: MIT
"""What GPUs can count: of catalogue files, or of the GPUs of this machine as its SDK lists them."""

from __future__ import annotations

import difflib
import fnmatch
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from rocprofsys_multipass.config import PYTHON, Wording
from rocprofsys_multipass.errors import OutputError, UsageError
from rocprofsys_multipass.live import LiveAgent, LiveMachine, check_simulate, live_catalogues
from rocprofsys_multipass.native import find_native
from rocprofsys_multipass.programs import ask, device_arguments, parsed
from rocprofsys_multipass.writing import writing

COUNTERS_SCHEMA = 1

_GLOB = frozenset("*?[")
_NEAREST = 3  # names that are offered in place of one that is not there


@dataclass(frozen=True)
class CounterInfo:
    """A counter of one kind of GPU.

    `registers` is what it costs when it is alone in a pass: registers by hardware block; None when that is not known,
    for want of the names in `unknown`. `keys` are its registers by name: counters with one in common share it.
    `block` is empty unless the counter is a base counter, `expression` unless it is a derived one and its catalogue
    tells it. `instances` is 0 where nobody knows how many there are.
    """

    name: str
    kind: Literal["base", "derived", "constant"]
    block: str
    instances: int
    registers: dict[str, int] | None
    keys: tuple[str, ...]
    unknown: tuple[str, ...]
    description: str
    expression: str


@dataclass(frozen=True)
class AgentCounters:
    """The counters of one GPU, by name. `slots`: registers of each hardware block that one pass may use.

    `device_index` is the position among the devices asked for; of live GPUs, their ordinal. `reason` says why a live
    GPU has no counters, and is empty otherwise.
    """

    device: str
    device_index: int
    product_name: str
    slots: dict[str, int]
    counters: tuple[CounterInfo, ...]
    reason: str = ""


def counters(
    device: str | int | os.PathLike[str] | Sequence[str | int | os.PathLike[str]] = (),
    *,
    live: bool = False,
    simulate: str | None = None,
    pattern: str = "",
) -> tuple[AgentCounters, ...]:
    """What GPUs can count.

    Args:
        device: names ("gfx942") or catalogue files; with `live`, ordinals of GPUs. None of them: all that there are.
        live: ask the SDK of this machine.
        simulate: with `live`, simulated GPUs in place of real ones; None: those that
            ``ROCPROFSYS_MULTIPASS_SIMULATE`` asks for, if any.
        pattern: only counters whose name has this in it, or matches it where it has ``*``, ``?`` or ``[``. Case does
            not count.

    Raises:
        UsageError: a live GPU of that ordinal is not there, or `simulate` was given without `live`.
        ConfigError: a device is neither a known name nor a catalogue file.
        PlanError: with `live`, there is no GPU.
        LaunchError: with `live`, there is no SDK.
        NativeError: a compiled part is missing or failed.
    """
    devices = [device] if isinstance(device, (str, int, os.PathLike)) else list(device)
    return matching(list_counters(devices, live=live, simulate=simulate, wording=PYTHON), pattern)


def list_counters(
    devices: Sequence[str | int | os.PathLike[str]], *, live: bool, simulate: str | None, wording: Wording
) -> tuple[AgentCounters, ...]:
    """As `counters`, without a pattern."""
    check_simulate(live=live, simulate=simulate, wording=wording)
    if not live:
        return _of_catalogues([str(one) if isinstance(one, int) else one for one in devices])
    with live_catalogues(simulate, wording) as machine:
        return _of_gpus(chosen_gpus(machine, devices, wording))


def chosen_gpus(
    machine: LiveMachine, devices: Sequence[str | int | os.PathLike[str]], wording: Wording
) -> tuple[LiveAgent, ...]:
    """The GPUs with these ordinals, each once; all of them when there are no ordinals.

    Raises:
        UsageError: an ordinal is none, or there is no such GPU.
    """
    known = {str(gpu.device): gpu for gpu in machine.gpus}
    for one in devices:
        if str(one) not in known:
            there = ", ".join(f"{ordinal} ({gpu.name})" for ordinal, gpu in known.items())
            message = f"{wording.option('device')}: there is no GPU '{one}' on this machine, only {there}"
            raise UsageError(message)
    return tuple(known[ordinal] for ordinal in dict.fromkeys(str(one) for one in devices)) or machine.gpus


def _of_gpus(gpus: Sequence[LiveAgent]) -> tuple[AgentCounters, ...]:
    catalogues = list(dict.fromkeys(gpu.catalogue for gpu in gpus if gpu.catalogue is not None))
    listed = dict(zip(catalogues, _of_catalogues(catalogues) if catalogues else (), strict=True))
    found = []
    for gpu in gpus:
        index = gpu.device or 0
        if gpu.catalogue is None:
            found.append(AgentCounters(gpu.name, index, gpu.product_name, {}, (), gpu.reason))
        else:
            found.append(replace(listed[gpu.catalogue], device_index=index))
    return tuple(found)


def _of_catalogues(devices: Sequence[str | os.PathLike[str]]) -> tuple[AgentCounters, ...]:
    planner = "the planner"
    answer = ask(find_native().planner, planner, [*device_arguments(devices), "--list"])
    return parsed(answer.text, COUNTERS_SCHEMA, planner, lambda data: tuple(_agent(agent) for agent in data["agents"]))


def _agent(data: dict[str, Any]) -> AgentCounters:
    return AgentCounters(
        device=data["device"],
        device_index=data["device_index"],
        product_name=data["product_name"],
        slots=data["slots"],
        counters=tuple(
            CounterInfo(
                name=c["name"],
                kind=c["kind"],
                block=c["block"],
                instances=c["instances"],
                registers=c["registers"],
                keys=tuple(c["keys"]),
                unknown=tuple(c["unknown"]),
                description=c["description"],
                expression=c["expression"],
            )
            for c in data["counters"]
        ),
    )


def matching(agents: Iterable[AgentCounters], pattern: str) -> tuple[AgentCounters, ...]:
    """The same agents with those of their counters whose names match; `pattern` as in `counters`."""
    return tuple(
        replace(agent, counters=tuple(counter for counter in agent.counters if matches(counter.name, pattern)))
        for agent in agents
    )


def matches(name: str, pattern: str) -> bool:
    """Whether `pattern` is in `name`, or matches all of it where it has ``*``, ``?`` or ``[``. Case is ignored."""
    if _GLOB.intersection(pattern):
        return fnmatch.fnmatchcase(name.lower(), pattern.lower())
    return pattern.lower() in name.lower()


def nearest(pattern: str, agents: Iterable[AgentCounters]) -> list[str]:
    """Names of counters that are like `pattern`, the likest first."""
    known = {counter.name.lower(): counter.name for agent in agents for counter in agent.counters}
    asked = "".join(letter for letter in pattern.lower() if letter not in "*?[]")
    return [known[name] for name in difflib.get_close_matches(asked, known, n=_NEAREST)]


def save_catalogue(
    path: Path, devices: Sequence[str | int] = (), *, simulate: str | None = None, wording: Wording = PYTHON
) -> AgentCounters:
    """Write the catalogue of one kind of GPU of this machine to `path`; ``plan(device=path)`` reads it anywhere.

    The file is replaced as a whole; a pipe or a device is written to. Returns what is in it.

    Raises:
        UsageError: there are several kinds of GPU among those asked for; or as `counters`.
        OutputError: none of them has a catalogue, or the file cannot be written.
        PlanError, LaunchError, NativeError: as `counters`.
    """
    with live_catalogues(simulate, wording) as machine:
        gpus = chosen_gpus(machine, devices, wording)
        kinds: dict[Path, LiveAgent] = {}
        for one in gpus:
            if one.catalogue is not None:
                kinds.setdefault(one.catalogue, one)
        if not kinds:
            reasons = "; ".join(f"GPU {gpu.device}: {gpu.reason}" for gpu in gpus)
            message = f"{path} is not written, there are no counters to save: {reasons}"
            raise OutputError(message)
        if len(kinds) > 1:
            there = ", ".join(f"{gpu.device} ({gpu.name})" for gpu in kinds.values())
            message = f"a catalogue is of one kind of GPU and there are {len(kinds)}: choose with "
            raise UsageError(message + f"{wording.option('device')} one of {there}")
        ((catalogue, gpu),) = kinds.items()
        with writing(path) as stream:
            stream.write(catalogue.read_text(encoding="utf-8"))
        return _of_gpus([gpu])[0]
