# SPDX-License-Identifier: MIT
"""The report of the self-test: one JSON document that can be attached to a bug report (docs/formats/doctor.md).

It holds what was measured and nothing that tells who or where: of checks that speak of files, folders and variables
only the status, of a GPU no serial number, of processes neither command line nor environment.
"""

from __future__ import annotations

import json
import os
import platform
import re
from typing import TYPE_CHECKING, Any

import rocprofsys_multipass
from rocprofsys_multipass.doctor.check import Status
from rocprofsys_multipass.doctor.selftest.private import Veil

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocprofsys_multipass.doctor.check import Check
    from rocprofsys_multipass.doctor.machine import Machine
    from rocprofsys_multipass.doctor.probe import Probe
    from rocprofsys_multipass.doctor.selftest import SelfTest
    from rocprofsys_multipass.doctor.selftest.kit import PartRun
    from rocprofsys_multipass.trace.model import Dispatch, Process

REPORT_SCHEMA = 1

_MOST_SAID = 40  # lines of what a process wrote to stderr
# Checks whose texts are given, veiled. Those of others name files, folders and values of variables.
_TOLD = re.compile(r"selftest(\..*)?|sdk\..*|gpu\.(list|\d+)|memory\.gpu\.\d+|memory\.all")


def report_document(machine: Machine, probe: Probe, checks: Sequence[Check], tested: SelfTest) -> dict[str, Any]:
    """Everything that was found, as JSON (schema 1)."""
    veil = Veil(machine)
    return {
        "schema": REPORT_SCHEMA,
        "kind": "selftest",
        "tool_version": rocprofsys_multipass.__version__,
        "system": _system(),
        "simulated": _devices(tested.devices),
        "seconds": round(tested.seconds, 3),
        "counts": {status.value: sum(one.status is status for one in checks) for status in Status},
        "sdk": _sdk(probe),
        "gpus": [
            {
                "device": gpu.device,
                "name": gpu.name,
                "product_name": veil.text(gpu.product_name),
                "memory_bytes": gpu.memory_bytes,
                "counters": gpu.counters,
                "reason": veil.text(gpu.reason or gpu.refused),
            }
            for gpu in probe.gpus
        ],
        "checks": [_check(one, veil) for one in checks],
        "runs": [_run(one, veil) for one in tested.runs],
    }


def report_text(document: dict[str, Any]) -> str:
    """As text: each check and each run of the kit is one line, so that tools of lines can take them."""
    members = []
    for name, value in document.items():
        text = json.dumps(value)
        if name in {"checks", "runs"}:
            text = "[" + ",".join(f"\n  {json.dumps(one)}" for one in value) + "]"
        members.append(f'\n "{name}": {text}')
    return "{" + ",".join(members) + "\n}\n"


def _system() -> dict[str, Any]:
    """Of its version only the numbers: what follows them may be anybody's name."""
    release = re.match(r"[\d.]+", platform.release())
    return {
        "name": platform.system(),
        "release": release[0].rstrip(".") if release else "",
        "machine": platform.machine(),
        "python": platform.python_version(),
        "processors": os.cpu_count(),
    }


def _devices(devices: str) -> list[str]:
    """Names of simulated devices; of files only that they are files."""
    return ["<file>" if "/" in one or "." in one else one.strip() for one in devices.split(",") if one]


def _sdk(probe: Probe) -> dict[str, Any] | None:
    sdk = probe.sdk
    if sdk is None:
        return None
    return {
        "version": sdk.version,
        "simulated": sdk.simulated,
        "kernel_replay": sdk.kernel_replay,
        "set_agents": sdk.set_agents,
        "kinds": list(sdk.kinds),
    }


def _check(check: Check, veil: Veil) -> dict[str, str]:
    told = {"id": check.id, "status": check.status.value}
    if _TOLD.fullmatch(check.id):
        told |= {"found": veil.text(check.found)}
    return told


def _run(run: PartRun, veil: Veil) -> dict[str, Any]:
    return {
        "part": run.part,
        "how": run.how,
        "exit_code": run.code,
        "seconds": round(run.seconds, 3),
        "printed": [veil.text(line) for line in run.lines],
        "said": [veil.text(line) for line in run.said.splitlines()[-_MOST_SAID:]],
        "capture": _capture(run.process, run.dispatches, veil) if run.process else None,
        "recording": veil.texts(run.recording),
    }


def _capture(process: Process, dispatches: Sequence[Dispatch], veil: Veil) -> dict[str, Any]:
    return {
        "complete": process.closed,
        "replay_mode": process.replay_mode,
        "kernel_replay": process.kernel_replay,
        "warnings": [veil.text(text) for text in process.warnings],
        "agents": [
            {
                "device": agent.device,
                "name": agent.name,
                "passes": [{"counters": list(one.counters), "sentinels": list(one.sentinels)} for one in agent.passes],
            }
            for agent in process.agents
            if agent.device is not None
        ],
        "dispatches": [_dispatch(one) for one in dispatches],
    }


def _dispatch(dispatch: Dispatch) -> dict[str, Any]:
    return {
        "kernel": dispatch.kernel,
        "device": dispatch.agent.device,
        "outcome": dispatch.outcome,
        "reason": dispatch.reason,
        "grid": list(dispatch.grid) if dispatch.grid else None,
        "workgroup": list(dispatch.workgroup) if dispatch.workgroup else None,
        "passes": [
            {
                "pass": one.index,
                "group": one.group,
                "duration_ns": one.duration_ns,
                "counters": {reading.counter: reading.value for reading in one.readings},
            }
            for one in dispatch.passes
        ],
    }
