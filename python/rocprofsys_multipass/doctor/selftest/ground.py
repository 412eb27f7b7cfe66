# SPDX-License-Identifier: MIT
"""On what the self-test runs, and how its programs are built and started.

On a real GPU where the machine has a compiler for it, for which the programs come as sources; else on simulated ones.
"""

from __future__ import annotations

import os
import shutil
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rocprofsys_multipass.config import PREFIX
from rocprofsys_multipass.demo import DEMO_DEVICE
from rocprofsys_multipass.doctor.bounded import Finished, call
from rocprofsys_multipass.native import NATIVE_VARIABLE
from rocprofsys_multipass.run.environment import TOOL_VARIABLE
from rocprofsys_multipass.simulate import simulated_environment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocprofsys_multipass.doctor.machine import Machine
    from rocprofsys_multipass.doctor.probe import Probe, ProbedAgent
    from rocprofsys_multipass.native import Native

PATIENCE_S = 300.0  # each step of the application, and each compiler run; together they take 3 s on the stand-in

OF_OTHERS = "is left out: not a counter of"
"""In the plugin's warnings of counters that GPUs of another architecture have: the lists here are for all."""

NO_REASON = "it gave no reason"

_KEPT = (NATIVE_VARIABLE, f"{PREFIX}SIM_FAULTS", f"{PREFIX}SIM_TRUTH")
_GRACE_S = 20.0  # for the wrapper to end its application and to save what there is
_LAST_LINES = 5
_LONGEST = 400  # of what a failure says


class FailedError(Exception):
    """A step of the self-test has failed; the text says at what."""


@dataclass(frozen=True)
class Ground:
    """What the programs run on.

    `devices`: simulated GPUs; empty: real ones, of which `gpu` is the first that counts. `why`: that it is no other
    kind. `architectures`: of all that count. `asked`: the user wants these devices.
    """

    devices: str
    gpu: ProbedAgent | None
    compiler: Path | None
    why: str
    architectures: tuple[str, ...] = ()
    asked: bool = False

    @property
    def title(self) -> str:
        """On what."""
        where = f"simulated {self.devices}" if self.gpu is None else f"GPU {self.gpu.device}, a real {self.gpu.name}"
        return f"on {where} ({self.why})"


def find_ground(machine: Machine, probe: Probe, devices: str) -> Ground:
    """Simulated `devices` where they were asked for; else real GPUs, where programs for them can be built."""
    if devices:
        return Ground(devices, None, None, "as asked for", asked=True)
    gpus = [one for one in probe.gpus if one.counters and not one.refused]
    if probe.sdk is None or not gpus:
        return Ground(DEMO_DEVICE, None, None, "there is no real GPU that can be counted on")
    compiler = _find_compiler(machine)
    if compiler is None:
        return Ground(DEMO_DEVICE, None, None, "hipcc, to build its programs for a real GPU, is not found")
    names = tuple(dict.fromkeys(one.name for one in gpus))
    return Ground("", gpus[0], compiler, f"built by {compiler}", names)


def _find_compiler(machine: Machine) -> Path | None:
    roots = (machine.value("ROCM_PATH"), machine.value("HIP_PATH"), "/opt/rocm")
    folders = [machine.value("PATH"), *(f"{root}/bin" for root in roots if root)]
    found = shutil.which("hipcc", path=os.pathsep.join(filter(None, folders)))
    return None if found is None else Path(found)


@dataclass(frozen=True)
class Bench:
    """Where the steps are done: a folder that is removed again, variables, and how long each step may take."""

    native: Native
    ground: Ground
    folder: Path
    environ: Mapping[str, str]
    patience_s: float

    def build(self, source: Path, program: Path) -> Path:
        """The program at `program`, or where it is to run on a real GPU, one that is built of its source.

        Raises:
            FailedError: the compiler fails, does not end, or cannot be started.
        """
        compiler = self.ground.compiler
        if compiler is None:
            return program
        # Not the folder beside it: <hip/...> is to be the real one.
        include = self.folder / "include"
        include.mkdir(exist_ok=True)
        if not (include / "multipass").is_symlink():
            (include / "multipass").symlink_to(self.native.simulator / "include/multipass")
        built = self.folder / program.name
        words = [str(compiler), *(f"--offload-arch={name}" for name in self.ground.architectures), "-std=c++17", "-O2"]
        done = self.call([*words, f"-I{include}", str(source), "-o", str(built)])
        if done.code:
            raise FailedError(f"{compiler} cannot build {source.name}: {end_of(done.err) or NO_REASON}")
        return built

    def alone(self, words: Sequence[str]) -> Finished:
        """A program without a profiler. FailedError: as `call`."""
        return self.call(words, self.alone_environment())

    def alone_environment(self) -> dict[str, str]:
        """The variables of a program without a profiler."""
        environ = {name: value for name, value in self.environ.items() if name != TOOL_VARIABLE}
        return simulated_environment(environ, self.ground.devices, self.simulator)

    @property
    def simulator(self) -> Path | None:
        """Its folder, where GPUs are simulated."""
        return self.native.simulator.absolute() if self.ground.devices else None

    def call(self, words: Sequence[str], environ: Mapping[str, str] | None = None) -> Finished:
        """How it ended, with what it said.

        Raises:
            FailedError: it did not end, or could not be started.
        """
        done = self.try_call(words, environ)
        if done.code is None:
            raise FailedError(f"{words[0]} did not end within {self.patience_s:g} s")
        return done

    def try_call(self, words: Sequence[str], environ: Mapping[str, str] | None = None) -> Finished:
        """As `call`; that it did not end is a result. FailedError: it cannot be started."""
        variables = self.environ if environ is None else environ
        try:
            return call(words, variables, self.patience_s, folder=self.folder, grace_s=_GRACE_S)
        except OSError as error:
            raise FailedError(f"{words[0]} cannot be started: {error.strerror}") from error


def own_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """Those that count here: the user's options of runs do not, other variables do."""
    return {name: value for name, value in environ.items() if name in _KEPT or not name.startswith(PREFIX)}


def how_it_ended(code: int | None, patience_s: float) -> str:
    """In words; empty when well."""
    if code is None:
        return f"did not end within {patience_s:g} s"
    if code < 0:
        return f"was ended by {signal.Signals(-code).name if -code in set(signal.Signals) else f'signal {-code}'}"
    return f"ended with exit code {code}" if code else ""


def clipped(text: str) -> str:
    """A text that is no longer than a reader wants."""
    return text if len(text) <= _LONGEST else text[: _LONGEST - 4] + " ..."


def end_of(said: str) -> str:
    """The last lines of what a program said, as one, but for counters that a GPU does not have; empty: nothing."""
    lines = [line.strip() for line in said.splitlines() if line.strip() and OF_OTHERS not in line]
    return "; ".join(lines[-_LAST_LINES:])
