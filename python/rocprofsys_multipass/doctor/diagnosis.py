# SPDX-License-Identifier: MIT
"""All checks of a machine, in one answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import rocprofsys_multipass
from rocprofsys_multipass.config import COMMAND_LINE, Wording, resolve_option
from rocprofsys_multipass.doctor.check import Check, Status
from rocprofsys_multipass.doctor.gpus import check_gpus
from rocprofsys_multipass.doctor.memory import check_memory
from rocprofsys_multipass.doctor.package import check_package, check_readers
from rocprofsys_multipass.doctor.probe import PATIENCE_S, Probe, probe
from rocprofsys_multipass.doctor.sdk import check_sdk
from rocprofsys_multipass.doctor.selftest import SelfTest, self_test
from rocprofsys_multipass.doctor.selftest.report import report_document, report_text
from rocprofsys_multipass.doctor.tools import check_tools
from rocprofsys_multipass.doctor.variables import check_variables
from rocprofsys_multipass.errors import ExitCode, NativeError, ReadersOnlyError
from rocprofsys_multipass.native import find_native
from rocprofsys_multipass.simulate import check_devices, simulated_environment

if TYPE_CHECKING:
    from rocprofsys_multipass.doctor.machine import Machine

DOCTOR_SCHEMA = 1


@dataclass(frozen=True)
class Diagnosis:
    """What this machine can do.

    Attributes:
        simulated: the devices that stand in for GPUs; empty: none.
        probe: what the SDK answered.
        checks: all of them, in the order of their subjects.
        selftest: what it measured; its checks are the last of `checks`. None: it was not asked for.
    """

    simulated: str
    probe: Probe
    checks: tuple[Check, ...]
    selftest: SelfTest | None = None

    @property
    def exit_code(self) -> ExitCode:
        """6 when a check is a problem."""
        found = any(check.status is Status.PROBLEM for check in self.checks)
        return ExitCode.VERIFICATION_FAILED if found else ExitCode.OK

    def count(self, status: Status) -> int:
        """How many checks ended so."""
        return sum(check.status is status for check in self.checks)

    def document(self) -> dict[str, Any]:
        """As JSON (schema 1, docs/formats/doctor.md)."""
        sdk = self.probe.sdk
        return {
            "schema": DOCTOR_SCHEMA,
            "tool_version": rocprofsys_multipass.__version__,
            "simulated": self.simulated,
            "exit_code": int(self.exit_code),
            "counts": {status.value: self.count(status) for status in Status},
            "sdk": None
            if sdk is None
            else {
                "version": sdk.version,
                "library": sdk.library,
                "simulated": sdk.simulated,
                "kernel_replay": sdk.kernel_replay,
                "set_agents": sdk.set_agents,
                "kinds": list(sdk.kinds),
            },
            "gpus": [
                {
                    "device": gpu.device,
                    "name": gpu.name,
                    "product_name": gpu.product_name,
                    "node_id": gpu.node_id,
                    "uuid": gpu.uuid,
                    "counters": gpu.counters,
                    "reason": gpu.reason or gpu.refused,
                }
                for gpu in self.probe.gpus
            ],
            "checks": [
                {
                    "id": check.id,
                    "status": check.status.value,
                    "found": check.found,
                    "where": check.where,
                    "todo": check.todo,
                }
                for check in self.checks
            ],
        }

    def report(self, machine: Machine) -> str:
        """The report of the self-test, to be given away; empty where it did not run."""
        if self.selftest is None:
            return ""
        return report_text(report_document(machine, self.probe, self.checks, self.selftest))


def diagnose(
    machine: Machine,
    *,
    simulate: str | None = None,
    selftest: bool = False,
    patience_s: float = PATIENCE_S,
    wording: Wording = COMMAND_LINE,
) -> Diagnosis:
    """Look at `machine`; with `simulate`, at the simulator in place of its SDK and GPUs.

    Where only the readers are installed nobody can ask an SDK: then the package is all that is looked at.

    Raises:
        UsageError, ConfigError: a device cannot be simulated.
        NativeError: the folder that the environment names is none, or the parts of the simulator are missing.
    """
    try:
        native = find_native(machine.environ)
    except ReadersOnlyError as error:
        return Diagnosis("", Probe(), tuple(check_readers(error, rocprofsys_multipass.__version__)))
    devices, source = resolve_option("simulate", simulate, machine.environ, wording)
    simulator = check_devices(devices, native, source)
    simulated = simulator is not None
    try:
        found = probe(
            native.counter_reader, simulated_environment(machine.environ, devices, simulator), patience_s=patience_s
        )
    except NativeError as error:  # package.counter_reader says so too
        found = Probe(ended=str(error))
    checks = [
        *check_package(machine, native, rocprofsys_multipass.__version__, found),
        *check_sdk(machine, found),
        *check_gpus(machine, found, simulated=simulated),
        *check_memory(machine, found.gpus, simulated=simulated),
        *check_tools(machine),
        *check_variables(machine, simulated=simulated),
    ]
    tested = self_test(native, machine, found, devices) if selftest else None
    return Diagnosis(devices, found, (*checks, *(tested.checks if tested else ())), tested)
