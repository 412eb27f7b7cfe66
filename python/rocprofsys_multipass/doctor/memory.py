# SPDX-License-Identifier: MIT
"""Checks of host memory against device memory.

Replay copies all device memory that the application has allocated on the GPU to host memory, for each GPU that replays
at that moment. Where it has no room, launches are declined with reason ``host_memory``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocprofsys_multipass.doctor.check import Check, note, ok, warning
from rocprofsys_multipass.doctor.variables import REPLAY_PREFIX
from rocprofsys_multipass.host_memory import host_room
from rocprofsys_multipass.kernel_files import numbers, read_number, read_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rocprofsys_multipass.doctor.machine import Machine
    from rocprofsys_multipass.doctor.probe import ProbedAgent

_GIGA = 10**9
_FRAME_BUFFER = (1, 2)  # heap types of device memory, public and private (linux uapi/linux/kfd_sysfs.h)
_NODES = "/sys/class/kfd/kfd/topology/nodes"
_LIMIT = f"{REPLAY_PREFIX}MAX_SNAPSHOT_BYTES"


def check_memory(machine: Machine, gpus: Sequence[ProbedAgent], *, simulated: bool) -> list[Check]:
    """For each GPU, and for all at the same time."""
    room = host_room(machine.root)
    if room.size is None:
        return [note("memory.host", "how much host memory is available is not known", "/proc/meminfo")]
    checks = [_room_for_copies(machine, room.size, room.bound)]
    sizes: list[int] = []
    for gpu in gpus:
        size = gpu.memory_bytes if simulated else device_memory(machine, gpu)
        name = f"memory.gpu.{gpu.device}"
        if not size:
            checks.append(note(name, "the size of its device memory is not known", f"{_NODES}/{gpu.node_id}/mem_banks"))
            continue
        sizes.append(size)
        used = None if simulated else read_number(_card(machine, gpu) / "mem_info_vram_used")
        in_use = "" if used is None else f", {_gb(used)} in use now"
        said = f"GPU {gpu.device} ({gpu.name}): {_gb(size)} of device memory{in_use}"
        if size <= room.size:
            checks.append(ok(name, f"{said}, a copy of all of it fits host memory"))
        else:
            said += f"; replay works while the application has allocated at most {_gb(room.size)} of it"
            checks.append(warning(name, said, "", f"allocate less, or free host memory ({room.bound})"))
    if len(sizes) > 1:
        checks.append(_together(sizes, room.size))
    return checks


def _room_for_copies(machine: Machine, size: int, bound: str) -> Check:
    text = machine.value(_LIMIT)
    limit = int(text) if text.isascii() and text.isdigit() else 0
    said = f"host memory for copies of device memory: {_gb(size)} ({bound})"
    if limit:
        return note("memory.host", f"{said}; SDKs that read {_LIMIT} take {_gb(limit)} of it at most", _LIMIT)
    return ok("memory.host", f"{said}; SDKs that read {_LIMIT} (newer than 1.4.1) take half of it, {_gb(size // 2)}")


def _together(sizes: Sequence[int], room: int) -> Check:
    name = "memory.all"
    said = f"{len(sizes)} GPUs replaying at the same time"
    if sum(sizes) <= room:
        return ok(name, f"{said}: {_gb(sum(sizes))} of device memory fit host memory")
    each = _gb(room // len(sizes))
    return note(name, f"{said}: {each} of allocated memory each, of {_gb(room)}; more is declined (reason host_memory)")


def device_memory(machine: Machine, gpu: ProbedAgent) -> int:
    """Bytes of device memory: of the banks that the kernel lists, else of the display driver, else what the SDK says.

    ``local_mem_size`` of the kernel's own table is always 0 (linux drivers/gpu/drm/amd/amdkfd/kfd_topology.c).
    """
    total = 0
    for bank in sorted(machine.path(f"{_NODES}/{gpu.node_id}/mem_banks").glob("*/properties")):
        values = numbers(read_text(bank))
        if values.get("heap_type") in _FRAME_BUFFER:
            total += values.get("size_in_bytes", 0)
    if total:
        return total
    return read_number(_card(machine, gpu) / "mem_info_vram_total") or gpu.memory_bytes


def _card(machine: Machine, gpu: ProbedAgent) -> Path:
    """The folder of the display driver for this GPU."""
    minor = numbers(machine.text(f"{_NODES}/{gpu.node_id}/properties")).get("drm_render_minor", 0)
    return machine.path(f"/sys/class/drm/renderD{minor}/device")


def _gb(size: int) -> str:
    return f"{size / _GIGA:.1f} GB"
