# SPDX-License-Identifier: MIT
"""The self-test: the bundled application from end to end, then the kit, which tells what holds on this machine.

Everything is done in a folder that is removed again, and each program is a process of its own, with a bound on how long
it may take.
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rocprofsys_multipass.doctor.check import Check, note, ok, problem, warning
from rocprofsys_multipass.doctor.selftest.application import check_application
from rocprofsys_multipass.doctor.selftest.counters import check_counters
from rocprofsys_multipass.doctor.selftest.ground import (
    PATIENCE_S,
    Bench,
    FailedError,
    Ground,
    clipped,
    find_ground,
    own_variables,
)
from rocprofsys_multipass.doctor.selftest.kit import Kit
from rocprofsys_multipass.doctor.selftest.launches import check_agents, check_graph, check_streams
from rocprofsys_multipass.doctor.selftest.memory import KINDS, check_memory_kind
from rocprofsys_multipass.errors import NativeError
from rocprofsys_multipass.spelling import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rocprofsys_multipass.doctor.machine import Machine
    from rocprofsys_multipass.doctor.probe import Probe
    from rocprofsys_multipass.doctor.selftest.kit import PartRun
    from rocprofsys_multipass.native import Native

__all__ = ["KIT_PATIENCE_S", "PARTS", "PATIENCE_S", "SelfTest", "check_kit", "self_test"]

KIT_PATIENCE_S = 150.0  # each process of the kit: revisions of the SDK wait a minute before they give up; 0.2 s here
KIT_LONGEST_S = 600.0  # from then on no part is begun: where one hangs, all may

PARTS: dict[str, Callable[[Kit], list[Check]]] = {
    "counters": check_counters,
    **{kind.word: lambda kit, kind=kind: [check_memory_kind(kit, kind)] for kind in KINDS},  # type: ignore[misc]
    "graph": lambda kit: [check_graph(kit)],
    "streams": lambda kit: [check_streams(kit)],
    "agents": lambda kit: [check_agents(kit)],
}
"""The parts of the kit, in their order."""


@dataclass(frozen=True)
class SelfTest:
    """What came of it.

    Attributes:
        ground: on what it ran.
        checks: the application, then the kit.
        devices: simulated ones that the kit ran on; empty: real ones.
        runs: the processes of the kit.
        seconds: how long all took.
    """

    ground: Ground
    checks: tuple[Check, ...]
    devices: str = ""
    runs: tuple[PartRun, ...] = ()
    seconds: float = 0.0


def self_test(native: Native, machine: Machine, probe: Probe, devices: str, patience_s: float = PATIENCE_S) -> SelfTest:
    """The application and the kit, on simulated `devices` where they are given.

    The user's options of runs do not count here, other variables do.
    """
    start = time.monotonic()
    ground = find_ground(machine, probe, devices)
    environ = own_variables(machine.environ)
    with tempfile.TemporaryDirectory(prefix="rocprofsys-multipass-") as name:
        application = check_application(Bench(native, ground, Path(name), environ, patience_s))
    kit = check_kit(native, machine, ground, patience_s=min(patience_s, KIT_PATIENCE_S))
    seconds = time.monotonic() - start
    return SelfTest(ground, (application, *kit.checks), kit.devices, kit.runs, seconds)


def check_kit(  # noqa: PLR0913 - what is run, on what, and how long
    native: Native,
    machine: Machine,
    ground: Ground,
    parts: Sequence[str] = tuple(PARTS),
    *,
    patience_s: float,
    longest_s: float = KIT_LONGEST_S,
) -> SelfTest:
    """The kit alone, and of it these parts; each process takes `patience_s` at most, and all about `longest_s`."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="rocprofsys-multipass-") as name:
        bench = Bench(native, ground, Path(name), own_variables(machine.environ), patience_s)
        try:
            kit = Kit(bench)
        except (FailedError, NativeError) as error:
            return SelfTest(ground, (problem("selftest.kit", f"{clipped(str(error))}; what holds here is not known"),))
        checks: list[Check] = []
        late: list[str] = []
        for part in parts:
            if time.monotonic() - start < longest_s:
                checks += PARTS[part](kit)
            else:
                late.append(part)
        if late:
            said = f"after {longest_s:g} s these parts of the kit were not begun: {', '.join(late)}"
            checks.append(warning("selftest.kit", said, "", "see why the others took so long"))
        checks.append(_recording(kit.runs))
        seconds = time.monotonic() - start
        return SelfTest(ground, (_used(kit, ground, seconds), *checks), kit.devices, tuple(kit.runs), seconds)


def _used(kit: Kit, ground: Ground, seconds: float) -> Check:
    """What the kit ran on."""
    how = f"{plural(len(kit.runs), 'process')}, {seconds:.1f} s"
    if not kit.devices:
        return ok("selftest.kit", f"the kit ran on real GPUs, {ground.why} ({how})")
    said = f"the kit ran on simulated GPUs, {kit.devices}: {ground.why} ({how}). What follows holds for the simulator"
    return ok("selftest.kit", said) if ground.asked else note("selftest.kit", f"{said}, and says nothing of hardware")


def _recording(runs: Sequence[PartRun]) -> Check:
    name = "selftest.recording"
    recorded = [run for run in runs if run.recording]
    if not recorded:
        return note(name, "the sequence of callbacks was not recorded")
    events = sum(len(run.recording) for run in recorded)
    parts = ", ".join(run.part for run in recorded)
    return ok(name, f"the sequence of callbacks is recorded: {plural(events, 'event')} of {parts}")
