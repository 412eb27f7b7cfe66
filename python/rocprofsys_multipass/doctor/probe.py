# SPDX-License-Identifier: MIT
"""Asks the SDK, in a process of its own, what it lets a tool do.

An SDK may end that process or never answer. What it had said until then is in the result, with how it ended.
"""

from __future__ import annotations

import json
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rocprofsys_multipass.doctor.bounded import call
from rocprofsys_multipass.errors import ExitCode
from rocprofsys_multipass.native import read_messages

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

PROBE_SCHEMA = 1
PATIENCE_S = 60.0  # the stand-in takes 0.05 s; a real SDK reads its counter definitions first

_LAST_LINES = 20  # of what was said; a dying process may say a lot


@dataclass(frozen=True)
class ProbedAgent:
    """An agent as the SDK lists it. `device` is the ordinal among GPUs, None for a CPU; sizes in bytes, 0: not known.

    `reason`: why it has no counters. `refused`: why a configuration of one counter is refused.
    """

    index: int
    type: str
    device: int | None
    name: str
    product_name: str
    node_id: int
    uuid: str
    memory_bytes: int
    counters: int
    reason: str
    refused: str


@dataclass(frozen=True)
class ProbedSdk:
    """The library that was loaded."""

    tool_version: str  # of the program that asked
    version: str
    library: str
    simulated: bool
    kernel_replay: bool
    before_replay: bool  # older than the first release with kernel replay
    set_agents: bool
    kinds: tuple[str, ...]  # names of the callback tracing kinds
    copies: tuple[tuple[str, tuple[str, ...]], ...]  # libraries of which the process has several files


@dataclass(frozen=True)
class ProbedServices:
    """Objections of the SDK, in the plugin's words; empty: none."""

    setup: str
    replay: str
    counting: str


@dataclass(frozen=True)
class Probe:
    """What came of it.

    Attributes:
        sdk: None when no SDK was loaded, or it ended the process before it answered.
        agents: CPUs too, by node id.
        services: None when it was not reached.
        ended: how the process ended, when not as it should.
        said: what was written to stderr, by the SDK and by the program, at most the last lines.
    """

    sdk: ProbedSdk | None = None
    agents: tuple[ProbedAgent, ...] = ()
    services: ProbedServices | None = None
    ended: str = ""
    said: tuple[str, ...] = ()

    @property
    def gpus(self) -> tuple[ProbedAgent, ...]:
        """The agents that are GPUs, by ordinal."""
        return tuple(agent for agent in self.agents if agent.device is not None)


def probe(program: Path, environ: Mapping[str, str], patience_s: float = PATIENCE_S) -> Probe:
    """Run the reader of counters at `program` with ``--probe``; waits `patience_s` seconds at most, then kills it."""
    try:
        done = call([str(program), "--probe"], environ, patience_s)
    except OSError as error:
        return Probe(ended=f"{program} cannot be started: {error.strerror}")
    return _parse(done.out, _how(done.code, patience_s), _spoken(done.err))


def _how(code: int | None, patience_s: float) -> str:
    """How it ended, empty when well; 5 is the program's own refusal, which it has told."""
    if code is None:
        return f"it did not answer within {patience_s:g} s and was killed"
    if code < 0:
        name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
        return f"it was ended by {name}"
    return "" if code in (ExitCode.OK, ExitCode.LAUNCH_FAILED) else f"it ended with exit code {code}"


def _spoken(said: str) -> tuple[str, ...]:
    """Each line once, without the prefixes of our programs."""
    messages = read_messages(said)
    return (*messages.errors, *messages.warnings)[-_LAST_LINES:]


def _parse(answer: str, ended: str, said: tuple[str, ...]) -> Probe:
    sdk: ProbedSdk | None = None
    agents: tuple[ProbedAgent, ...] = ()
    services: ProbedServices | None = None
    try:
        for line in answer.splitlines():
            stage = json.loads(line)
            if stage["stage"] == "sdk":
                if stage["schema"] != PROBE_SCHEMA:
                    ended = ended or f"it answers in schema {stage['schema']}, this package reads {PROBE_SCHEMA}"
                    break
                sdk, agents = _sdk(stage), tuple(ProbedAgent(**agent) for agent in stage["agents"])
            elif stage["stage"] == "services":
                services = ProbedServices(stage["setup"], stage["replay"], stage["counting"])
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        ended = ended or f"its answer is not understood ({error!r}): install the package again"
    return Probe(sdk, agents, services, ended, said)


def _sdk(stage: dict[str, Any]) -> ProbedSdk:
    found = stage["sdk"]
    return ProbedSdk(
        tool_version=stage["tool_version"],
        version=found["version"],
        library=found["library"],
        simulated=found["simulated"],
        kernel_replay=found["kernel_replay"],
        before_replay=found["before_replay"],
        set_agents=found["set_agents"],
        kinds=tuple(found["kinds"]),
        copies=tuple((copy["library"], tuple(copy["paths"])) for copy in stage["copies"]),
    )
