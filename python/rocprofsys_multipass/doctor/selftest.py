# SPDX-License-Identifier: MIT
"""The self-test: the bundled application from end to end, into a folder that is removed again.

On a real GPU where the machine has a compiler for it, for which the application comes as source; else on simulated
ones. The run is a command of its own, so that one that never ends is ended.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rocprofsys_multipass.config import PREFIX
from rocprofsys_multipass.demo import DEMO_DEVICE, DEMO_EVENTS
from rocprofsys_multipass.doctor.bounded import call
from rocprofsys_multipass.doctor.check import Check, ok, problem
from rocprofsys_multipass.errors import MultipassError
from rocprofsys_multipass.native import NATIVE_VARIABLE, read_messages
from rocprofsys_multipass.run.environment import TOOL_VARIABLE
from rocprofsys_multipass.simulate import simulated_environment
from rocprofsys_multipass.verify import verify

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocprofsys_multipass.doctor.machine import Machine
    from rocprofsys_multipass.doctor.probe import Probe, ProbedAgent
    from rocprofsys_multipass.native import Native

PATIENCE_S = 300.0  # each step; together they take 3 s on the stand-in

_NAME = "selftest"
_KEPT = (NATIVE_VARIABLE, f"{PREFIX}SIM_FAULTS", f"{PREFIX}SIM_TRUTH")
_SETS = "memory,occupancy"  # of every architecture, beside the counters of the demonstration
_LAST_LINES = 5
_LONGEST = 400  # of what a failure says
_ERROR = "rocprof-sys-multipass: error: "  # begins the lines in which a command tells its errors
_GRACE_S = 20.0  # for the wrapper to end its application and to save what there is


class _FailedError(Exception):
    """The self-test has failed; the text says at what."""


@dataclass(frozen=True)
class _Plan:
    """What is run. `devices`: simulated ones; empty: `gpu`, a real one. `why`: that it is no other kind."""

    devices: str
    gpu: ProbedAgent | None
    compiler: Path | None
    why: str

    @property
    def title(self) -> str:
        """On what."""
        where = f"simulated {self.devices}" if self.gpu is None else f"GPU {self.gpu.device}, a real {self.gpu.name}"
        return f"on {where} ({self.why})"


def self_test(native: Native, machine: Machine, probe: Probe, devices: str, patience_s: float = PATIENCE_S) -> Check:
    """Run the demonstration, on `devices` where they are given, and verify all its files.

    The user's options of runs do not count here, other variables do.
    """
    plan = _plan(machine, probe, devices)
    kept = {name: value for name, value in machine.environ.items() if name in _KEPT or not name.startswith(PREFIX)}
    start = time.monotonic()
    said, failure = "", ""
    with tempfile.TemporaryDirectory(prefix="rocprofsys-multipass-") as name:
        try:
            bench = _Bench(native, plan, Path(name), kept, patience_s)
            said = bench.run(bench.application())
        except _FailedError as error:
            failure = str(error)
        except MultipassError as error:
            failure = "; ".join(error.messages)
        took = f"{time.monotonic() - start:.1f} s"
    if failure:
        todo = "see the checks above; rocprof-sys-multipass demo shows a run on a simulated GPU"
        return problem(_NAME, f"failed {plan.title} in {took}: {_clipped(failure)}", "", todo)
    return ok(_NAME, f"passed {plan.title} in {took}: {said}")


def _plan(machine: Machine, probe: Probe, devices: str) -> _Plan:
    if devices:
        return _Plan(devices, None, None, "as asked for")
    gpu = next((one for one in probe.gpus if one.counters and not one.refused), None)
    if probe.sdk is None or gpu is None:
        return _Plan(DEMO_DEVICE, None, None, "there is no real GPU that can be counted on")
    compiler = _find_compiler(machine)
    if compiler is None:
        return _Plan(DEMO_DEVICE, None, None, "hipcc, to build the bundled application for a real GPU, is not found")
    return _Plan("", gpu, compiler, f"built by {compiler}")


def _find_compiler(machine: Machine) -> Path | None:
    folders = [machine.value("PATH"), *(f"{root}/bin" for root in (machine.value("ROCM_PATH"), "/opt/rocm") if root)]
    found = shutil.which("hipcc", path=os.pathsep.join(filter(None, folders)))
    return None if found is None else Path(found)


@dataclass(frozen=True)
class _Bench:
    """Where the steps are done: a folder that is removed again, variables, and how long each step may take."""

    native: Native
    plan: _Plan
    folder: Path
    environ: Mapping[str, str]
    patience_s: float

    def application(self) -> Path:
        """The bundled application, built for the real GPU where it is to run on one."""
        gpu = self.plan.gpu
        if gpu is None:
            return self.native.demo
        include = self.folder / "include"
        include.mkdir()
        # Not the folder beside it: <hip/...> is to be the real one.
        (include / "multipass").symlink_to(self.native.simulator / "include/multipass")
        built = self.folder / "multipass-demo"
        words = [str(self.plan.compiler), f"--offload-arch={gpu.name}", "-std=c++17", "-O2", f"-I{include}"]
        code, _, said = self.call([*words, str(self.native.demo_source), "-o", str(built)])
        if code:
            raise _FailedError(f"{self.plan.compiler} cannot build the bundled application: {_end_of(said)}")
        return built

    def run(self, application: Path) -> str:
        """What came of it, in words.

        Raises:
            _FailedError: it is not as it must be.
        """
        expected = self._alone(application)
        output = self.folder / "out"
        words = [sys.executable, "-m", __package__.partition(".")[0], "run", "--output", str(output)]
        words += ["--events", ",".join(DEMO_EVENTS)]
        words += ["--simulate", self.plan.devices] if self.plan.devices else ["--set", _SETS]
        code, printed, said = self.call([*words, "--", str(application)])
        messages = read_messages(said)
        if code:
            why = [line.partition(_ERROR)[2] for line in said.splitlines() if line.startswith(_ERROR)]
            raise _FailedError(f"the run ended with {code}: {'; '.join(why) or _end_of(said)}")
        if printed.splitlines()[: len(expected)] != expected:
            raise _FailedError("the application prints something else under the profiler: its memory is not restored")
        summary = _summary(output, "; ".join(messages.warnings))
        _check_dispatches(summary)
        errors = [f"{one.check}: {one.message}" for one in verify(output) if one.severity == "error"]
        if errors:
            raise _FailedError("; ".join(errors))
        passes = max((agent["pass_count"] for agent in summary["agents"]), default=0)
        counts = summary["dispatches"]
        how = ", one group of counters each" if counts["declined"] else ""
        return f"{counts['seen']} launches{how}, {summary['readings']} readings in {passes} passes; all files verified"

    def _alone(self, application: Path) -> list[str]:
        """The lines that it prints without a profiler."""
        devices = self.plan.devices
        environ = {name: value for name, value in self.environ.items() if name != TOOL_VARIABLE}
        code, printed, said = self.call(
            [str(application)], simulated_environment(environ, devices, self.native.simulator if devices else None)
        )
        if code:
            raise _FailedError(f"the application fails without a profiler, with {code}: {_end_of(said)}")
        return printed.splitlines()

    def call(self, words: Sequence[str], environ: Mapping[str, str] | None = None) -> tuple[int, str, str]:
        """Exit code, stdout, stderr.

        Raises:
            _FailedError: it did not end, or could not be started.
        """
        variables = self.environ if environ is None else environ
        try:
            done = call(words, variables, self.patience_s, folder=self.folder, grace_s=_GRACE_S)
        except OSError as error:
            raise _FailedError(f"{words[0]} cannot be started: {error.strerror}") from error
        if done.code is None:
            raise _FailedError(f"{words[0]} did not end within {self.patience_s:g} s")
        return done.code, done.out, done.err


def _summary(output: Path, warnings: str) -> dict[str, Any]:
    files = sorted(output.glob("multipass-*.json"))
    if not files:
        raise _FailedError(f"nothing was captured{f': {warnings}' if warnings else ''}")
    found: dict[str, Any] = json.loads(files[0].read_text(encoding="utf-8"))
    return found


def _check_dispatches(summary: Mapping[str, Any]) -> None:
    """All launches are read: in all passes where the SDK has kernel replay, else one group of each."""
    counts = summary["dispatches"]
    read = counts["replayed"] + counts["single_pass"]
    if not summary["sdk"]["kernel_replay"]:
        read += counts["declined"]
    if read != counts["seen"] or not summary["readings"]:
        reasons = [f"{name} {count}" for name, count in counts["declined_reasons"].items()]
        why = "; ".join([*reasons, *summary["warnings"]])
        raise _FailedError(f"of {counts['seen']} launches, {read} were read completely: {why}")


def _clipped(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 4] + " ..."


def _end_of(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return "; ".join(lines[-_LAST_LINES:]) or "it gave no reason"
