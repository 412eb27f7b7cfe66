# SPDX-License-Identifier: MIT
"""Simulated GPUs in place of real ones: checks of ``--simulate``, and the environment that brings them in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rocprofsys_multipass.spelling import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocprofsys_multipass.config import Source
    from rocprofsys_multipass.native import Native

SIMULATE_VARIABLE = "ROCPROFSYS_MULTIPASS_SIMULATE"

_HIP_LIBRARY = "multipass-sim-hip"
_ROCTX_LIBRARY = "rocprofiler-sdk-roctx"


def check_devices(devices: str, native: Native, source: Source) -> Path | None:
    """The folder of the simulator when devices are to be simulated, None when real ones are used.

    Raises:
        UsageError, ConfigError (by `source`): a device is neither a name that the simulator knows nor a file.
        NativeError: the simulator is missing.
    """
    if not devices:
        return None
    names = [name.strip() for name in devices.split(",")]
    known = native.simulated_devices
    for name in names:
        if name in known or Path(name).is_file():
            continue
        planned_only = "there is only its catalogue, to plan with; "
        hint = planned_only if name in native.catalogues else did_you_mean(name, known)
        raise source.error(f"'{name}' is no device that can be simulated: {hint}known are {', '.join(known)}")
    return native.simulator.absolute()


def simulated_environment(environ: Mapping[str, str], devices: str, simulator: Path | None) -> dict[str, str]:
    """A copy of `environ` in which programs find the simulated SDK; without a `simulator` it is left as it is."""
    child = dict(environ)
    if simulator is not None:
        paths = environ.get("LD_LIBRARY_PATH", "")
        child[SIMULATE_VARIABLE] = devices
        child["LD_LIBRARY_PATH"] = f"{simulator}:{paths}" if paths else str(simulator)
    return child


def compiler_flags(simulator: Path) -> tuple[list[str], list[str]]:
    """What a C++ compiler needs to build a HIP source against the simulator: for compiling, and for linking."""
    compiling = [f"-I{simulator / 'include'}"]
    linking = [f"-L{simulator}", f"-Wl,-rpath,{simulator}", f"-l{_HIP_LIBRARY}"]
    # roctx is there for those that call it, and not loaded for others.
    return compiling, [*linking, "-Wl,--as-needed", f"-l{_ROCTX_LIBRARY}", "-Wl,--no-as-needed"]
