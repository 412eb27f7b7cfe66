# SPDX-License-Identifier: MIT
"""Checks of variables that change what the SDK does, or whether it does anything."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from rocprofsys_multipass.config import unknown_variables
from rocprofsys_multipass.doctor.check import Check, note, ok, problem, warning
from rocprofsys_multipass.doctor.machine import is_off

if TYPE_CHECKING:
    from rocprofsys_multipass.doctor.machine import Machine

STALL = "ROCPROFSYS_MULTIPASS_STALL_SECONDS"
LONGEST_STALL_S = 86400  # library/tool/watchdog.cpp
REPLAY_PREFIX = "ROCPROFILER_KERNEL_REPLAY_"
REGISTER = "ROCPROFILER_REGISTER_ENABLED"
LITE_TRACE = "ROCPROF_LITE_TRACE"

# Read by newer revisions of kernel replay only (queue_hooks.cpp @bba769f9, replay_diagnostics @1775fb6f).
REPLAY_VARIABLES = {
    "DECLINE_ON_VMEM": "whether launches run once while virtual-memory mappings exist, which are not restored (1)",
    "DECLINE_ON_UNTRACKED_POOL": "the same for memory pools that are not tracked (0)",
    "MAX_SNAPSHOT_BYTES": "the largest copy of device memory in bytes, 0: half of the available host memory (0)",
    "WARN_SECONDS": "seconds of one replay from which on a warning is written (10)",
    "ASSUMED_GBPS": "speed of copies in GB/s by which that is estimated (4)",
}
_AT_SECURE = 23  # <linux/auxvec.h>
_SECURE_FIX = "start it without set-user-id, set-group-id and file capabilities"


def check_variables(machine: Machine, *, simulated: bool = False) -> list[Check]:
    """All checks of this module."""
    checks = [_register(machine), _lite_trace(machine, simulated=simulated), _secure(machine), *_replay(machine)]
    checks += _stall(machine)
    checks.extend(
        warning("variables.unknown", text, text.partition(" ")[0], "unset it, or correct its name")
        for text in unknown_variables(machine.environ)
    )
    return checks


def _register(machine: Machine) -> Check:
    name = "variables.register_enabled"
    if is_off(machine.value(REGISTER)):
        said = f"{REGISTER}={machine.value(REGISTER)} keeps the runtime from loading any tool: nothing is profiled"
        return problem(name, said, REGISTER, f"unset {REGISTER}")
    return ok(name, "the runtime may load tools")


def _lite_trace(machine: Machine, *, simulated: bool) -> Check:
    """The mode of ROCm/rocm-systems PR #5510."""
    name = "variables.lite_trace"
    value = machine.value(LITE_TRACE)
    if value and not is_off(value):
        said = f"{LITE_TRACE} is set: in this mode the SDK collects no counters and replays no kernels"
        if simulated:  # with that fault, sdk.services says what it does
            said = f"{LITE_TRACE} is set: the simulator heeds it with the fault lite_trace only; on a GPU no counters"
            return note(name, said, LITE_TRACE)
        return problem(name, said, LITE_TRACE, "unset it to collect them")
    return ok(name, "the SDK is not asked for its lite trace")


def _secure(machine: Machine) -> Check:
    """Whether this process has more rights than its user.

    It then gets no LD_PRELOAD, LD_LIBRARY_PATH (ld.so(8)) and, from newer SDKs, no ROCP_TOOL_LIBRARIES
    (rocprofiler-sdk registration.cpp @0028ad56).
    """
    name = "variables.secure"
    try:
        vector = machine.path("/proc/self/auxv").read_bytes()
    except OSError:
        vector = b""
    whole = vector[: len(vector) // 16 * 16]
    if any(kind == _AT_SECURE and value for kind, value in struct.iter_unpack("=QQ", whole)):
        said = "this process has more rights than its user (AT_SECURE): variables that load libraries are ignored"
        return warning(name, said, "/proc/self/auxv", _SECURE_FIX)
    return ok(name, "variables that load libraries are heeded")


def _replay(machine: Machine) -> list[Check]:
    checks = []
    for variable in sorted(machine.environ):
        if not variable.startswith(REPLAY_PREFIX):
            continue
        value = machine.value(variable)
        meaning = REPLAY_VARIABLES.get(variable.removeprefix(REPLAY_PREFIX))
        if meaning is None:
            known = ", ".join(REPLAY_VARIABLES)
            said = f"{variable}={value} is no known variable of kernel replay; after {REPLAY_PREFIX} known are {known}"
            checks.append(warning("variables.kernel_replay", said, variable, "correct its name, or unset it"))
        else:
            said = f"{variable}={value}: {meaning}; only some releases of the SDK read it"
            checks.append(note("variables.kernel_replay", said, variable))
    return checks


def _stall(machine: Machine) -> list[Check]:
    """A value that the plugin refuses; it takes digits only, and 10 s in place of others."""
    value = machine.value(STALL)
    digits = value.isascii() and value.isdigit()
    if not value or (digits and int(value.lstrip("0")[:6] or 0) <= LONGEST_STALL_S):
        return []
    said = f"{STALL}={value} is not a number from 0 to {LONGEST_STALL_S}: the plugin uses 10"
    return [warning("variables.stall_seconds", said, STALL, f"give 0 to {LONGEST_STALL_S}, or unset it")]
