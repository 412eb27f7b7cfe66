# SPDX-License-Identifier: MIT
"""Checks of the GPUs: what the SDK lists and can count, what this user may open, which of them an application sees."""

from __future__ import annotations

import grp
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from rocprofsys_multipass.doctor.check import Check, note, ok, problem, warning
from rocprofsys_multipass.doctor.machine import exists

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocprofsys_multipass.doctor.machine import Machine
    from rocprofsys_multipass.doctor.probe import Probe, ProbedAgent

# In the order in which they apply: ROCR hides GPUs from the runtime, the others from HIP what ROCR left.
VISIBLE = ("ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL")

_KFD = "/dev/kfd"
_RIGHTS = os.R_OK | os.W_OK
_CAP_SYS_ADMIN = 21  # <linux/capability.h>
_CAP_PERFMON = 38
_JOIN = (
    "join the groups render and video (usermod -aG render,video USER) and log in again; in a container pass the device"
)
_TODO = {
    "35": "this GPU, or a virtual one of it, has no counters for this host",
    "39": "its counters need an SDK that knows this architecture",
    "40": "ask for access to performance counters: see gpu.permissions",
}


def check_gpus(machine: Machine, probe: Probe, *, simulated: bool) -> list[Check]:
    """All checks of this module; devices and rights only of real GPUs."""
    checks: list[Check] = []
    if probe.sdk is not None:
        checks += _listed(probe)
        checks += _visible(machine, len(probe.gpus))
    if not simulated:
        checks += [*_devices(machine), _permissions(machine)]
    return checks


def _listed(probe: Probe) -> list[Check]:
    if not probe.gpus:
        return [problem("gpu.list", "the SDK lists no GPU", "", f"see {_KFD}; without a GPU: --simulate gfx942")]
    counts = any(_counts(gpu) for gpu in probe.gpus)
    return [_gpu(gpu, others_count=counts) for gpu in probe.gpus]


def _counts(gpu: ProbedAgent) -> bool:
    return bool(gpu.counters) and not gpu.refused


def _gpu(gpu: ProbedAgent, *, others_count: bool) -> Check:
    """One GPU.

    One that is left out is a note where others count: an integrated one beside a card, as a rule. A refusal is more,
    for its reason can be removed.
    """
    name = f"gpu.{gpu.device}"
    product = f", {gpu.product_name}" if gpu.product_name else ""
    title = f"GPU {gpu.device} ({gpu.name}{product}; node {gpu.node_id})"
    where = f"GPU-{gpu.uuid}" if gpu.uuid else ""
    if _counts(gpu):
        return ok(name, f"{title}: {gpu.counters} counters", where)
    reason = gpu.refused or gpu.reason
    number = re.search(r"\((\d+)\)", reason)
    code = number[1] if number else ""
    todo = _TODO.get(code, "")
    said = f"{title} is left out: {reason}"
    if gpu.refused:
        said = f"{title} has {gpu.counters} counters, and none can be read: {reason}"
    if not others_count:
        return problem(name, said, where, todo)
    return warning(name, said, where, todo) if gpu.refused or code == "40" else note(name, said, where)


def _visible(machine: Machine, gpus: int) -> list[Check]:
    """What hides GPUs. ``:device=N``, ``--gpus`` and ``GPU <n>`` count all that the SDK lists, by node id."""
    checks = []
    for variable in VISIBLE:
        if variable not in machine.environ:
            continue
        value = machine.value(variable)
        said = (
            f"{variable}={value or '(empty)'} hides GPUs from the application; :device=N and --gpus count all {gpus} "
            "that are listed here, so hidden ones keep their numbers"
        )
        chosen = [part.strip() for part in value.split(",")]
        if all(part.isascii() and part.isdigit() for part in chosen) and len(_set(machine)) == 1:
            pairs = ", ".join(f"GPU {i} of the application :device={part}" for i, part in enumerate(chosen))
            said += f"; as the runtime usually orders them, {pairs}"
            out = [part for part in chosen if int(part) >= gpus]
            if out:
                todo = f"there are GPUs 0 to {gpus - 1}" if gpus else "there is no GPU"
                checks.append(warning("gpu.visible", f"{variable}={value}: there is no GPU {out[0]}", variable, todo))
                continue
        checks.append(note("gpu.visible", said, variable))
    return checks or [ok("gpu.visible", "no variable hides GPUs from the application")]


def _set(machine: Machine) -> list[str]:
    return [variable for variable in VISIBLE if variable in machine.environ]


def _devices(machine: Machine) -> list[Check]:
    """The driver's files: without them the runtime sees no GPU."""
    kfd = machine.path(_KFD)
    if not exists(kfd):
        todo = "load the driver amdgpu; in a container pass --device /dev/kfd --device /dev/dri"
        return [problem("gpu.devices", f"there is no {_KFD}: no AMD GPU can be used", _KFD, todo)]
    nodes = sorted(machine.path("/dev/dri").glob("renderD*"))
    checks = []
    if not nodes:
        todo = "in a container pass --device /dev/dri"
        checks.append(problem("gpu.devices", f"{_KFD} is there and no /dev/dri/renderD*", "/dev/dri", todo))
    closed = [node for node in nodes if not machine.may(node, _RIGHTS)]
    for file in (*([] if machine.may(kfd, _RIGHTS) else [kfd]), *closed):
        name = machine.name(file)
        # A container may show files of GPUs that it does not give; one of several is no fault.
        find = problem if file == kfd or len(closed) == len(nodes) else note
        said = f"{name} cannot be opened for reading and writing; it belongs to group {_group(file)}"
        checks.append(find("gpu.devices", said, name, _JOIN))
    return checks or [ok("gpu.devices", f"{_KFD} and {_counted(nodes)} can be opened")]


def _counted(nodes: Sequence[Path]) -> str:
    return nodes[0].name if len(nodes) == 1 else f"{len(nodes)} render nodes"


def _group(file: Path) -> str:
    try:
        number = file.stat().st_gid
    except OSError:
        return "unknown"
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)


def _permissions(machine: Machine) -> Check:
    """Whether the driver locks a GPU for one process.

    It does so with CAP_PERFMON. Without, the SDK says "could not be locked for profiling" (SYS_PERFMON), and counters
    change with what others do on the GPU.
    """
    name = "gpu.permissions"
    match = re.search(r"^CapEff:\s*([0-9a-fA-F]+)$", machine.text("/proc/self/status"), re.MULTILINE)
    rights = int(match[1], 16) if match else 0
    if rights >> _CAP_PERFMON & 1 or rights >> _CAP_SYS_ADMIN & 1:
        return ok(name, "this user may lock GPUs for profiling (CAP_PERFMON)")
    said = (
        "this user cannot lock GPUs for profiling (no CAP_PERFMON): other users of a GPU may change its counters, and "
        "some drivers refuse counters (status 40)"
    )
    todo = "where that matters, give the application cap_perfmon, or use the GPU alone"
    return note(name, said, "/proc/self/status", todo)
