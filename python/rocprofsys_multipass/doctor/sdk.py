# SPDX-License-Identifier: MIT
"""Checks of the SDK: whether there is one, what it can do, and whether it lets the plugin do it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from rocprofsys_multipass.doctor.check import Check, note, ok, problem, warning

if TYPE_CHECKING:
    from rocprofsys_multipass.doctor.machine import Machine
    from rocprofsys_multipass.doctor.probe import Probe, ProbedSdk

LIBRARY = "librocprofiler-sdk"
SONAME = f"{LIBRARY}.so.1"

# Libraries that the parts of one ROCm share; the plugin looks for the same ones while it runs (base/mapped_libraries).
SHARED = (LIBRARY, "librocprofiler-register", "libamd_comgr", "libhsa-runtime64")

_ENVIRONMENTS = ("VIRTUAL_ENV", "CONDA_PREFIX")
_MARKERS = "MARKER_CORE_RANGE_API"
_ONE_ROCM = (
    "use one: take the other out of LD_LIBRARY_PATH, or run with the Python package that brings its own ROCm alone"
)
_ADVICE = re.compile(r"; install ROCm[^;]*")  # of the reader of counters
_SIMULATE = "without a GPU: --simulate gfx942"


def check_sdk(machine: Machine, probe: Probe) -> list[Check]:
    """All checks of this module."""
    checks = [_library(machine, probe)]
    if probe.sdk is not None:
        checks += [_replay(probe.sdk, probe), _features(probe.sdk), _services(probe)]
        if probe.said:
            said = f"while it was asked, it said: {'; '.join(probe.said)}"
            checks.append(warning("sdk.said", said, probe.sdk.library))
    return [*checks, *check_copies(machine, probe)]


def _library(machine: Machine, probe: Probe) -> Check:
    name = "sdk.library"
    if probe.sdk is not None:
        kind = "rocprofiler-sdk (the simulator's)" if probe.sdk.simulated else "rocprofiler-sdk"
        return ok(name, f"{kind} {probe.sdk.version}, {probe.sdk.library}", probe.sdk.library)
    said = "; ".join(probe.said)
    if probe.ended:
        found = f"the SDK cannot be asked: {probe.ended}" + (f"; it said: {said}" if said else "")
        return problem(
            name, found, "", "see what it says, and whether several ROCm installations are mixed (sdk.copies)"
        )
    searched = ", ".join(searched_places(machine))
    said = _ADVICE.sub("", said)  # the same is in what to do
    found = f"{said or f'no {SONAME} can be loaded'}; searched: {searched}"
    return problem(name, found, "", f"install ROCm, or set ROCM_PATH or LD_LIBRARY_PATH; {_SIMULATE}")


def searched_places(machine: Machine) -> list[str]:
    """Where the reader of counters, and so this check, looks for the SDK, in that order."""
    places = [f"{folder} (LD_LIBRARY_PATH)" for folder in _folders(machine.value("LD_LIBRARY_PATH"))]
    places.append("the loader's default folders")
    if root := machine.value("ROCM_PATH"):
        places.append(f"{root}/lib (ROCM_PATH)")
    return [*places, "/opt/rocm/lib"]


def _folders(value: str) -> list[str]:
    return [folder for folder in value.split(":") if folder]


def _replay(sdk: ProbedSdk, probe: Probe) -> Check:
    name = "sdk.kernel_replay"
    in_turn = "each launch reads one group of counters, in turn (replay rotate)"
    if not sdk.kernel_replay:
        since = " (1.4.1 and later have it)" if sdk.before_replay else ""
        said = f"SDK {sdk.version} has no kernel replay{since}: {in_turn}"
        return warning(name, said, sdk.library, "for all counters of each launch: a newer ROCm")
    if probe.services is not None and probe.services.replay:
        said = f"SDK {sdk.version} has kernel replay and refuses it: {probe.services.replay}; {in_turn}"
        return warning(name, said, sdk.library, "leave kernel replay to this tool alone")
    return ok(name, f"SDK {sdk.version} has kernel replay", sdk.library)


def _features(sdk: ProbedSdk) -> Check:
    agents = "counting can be restricted to GPUs" if sdk.set_agents else "counting is always of all GPUs"
    markers = f"roctx ranges are {'known' if _MARKERS in sdk.kinds else 'not known'} ({_MARKERS})"
    said = f"{len(sdk.kinds)} kinds of tracing; {agents}; {markers}"
    return (ok if sdk.set_agents and _MARKERS in sdk.kinds else note)("sdk.features", said, sdk.library)


def _services(probe: Probe) -> Check:
    """Whether tracing and counting start, as the plugin starts them."""
    name = "sdk.services"
    services = probe.services
    if services is None:
        found = f"the SDK did not survive the start of counting: {probe.ended or 'it gave no answer'}"
        return problem(name, found, "", "see what it said (sdk.said)")
    if objection := services.setup or services.counting:
        return problem(name, objection, "", _todo(objection))
    return ok(name, "tracing and counting start")


def _todo(objection: str) -> str:
    """What to do about a status of the SDK, by its number in brackets."""
    number = re.search(r"\((\d+)\)", objection)
    return {
        "12": "let one tool count: see tools.others and tools.rocm_events",
        "40": "ask for access to performance counters: see gpu.permissions",
    }.get(number[1] if number else "", "")


def check_copies(machine: Machine, probe: Probe) -> list[Check]:
    """Several ROCm installations. In one process they do not go together: hangs, aborts, no counters."""
    name = "sdk.copies"
    mapped = probe.sdk.copies if probe.sdk is not None else ()
    checks = [
        problem(name, f"loading the SDK loads several copies of {library}: {', '.join(paths)}", paths[0], _ONE_ROCM)
        for library, paths in mapped
    ]
    for library in SHARED:
        files = reachable(machine, library)
        if len(files) > 1:
            said = f"{len(files)} copies of {library} are in reach: {', '.join(map(str, files))}"
            todo = f"an application that loads two of them may hang or count nothing; {_ONE_ROCM}"
            checks.append(warning(name, said, str(files[1]), todo))
    return checks or [ok(name, "one ROCm at most is in reach")]


def reachable(machine: Machine, library: str) -> list[Path]:
    """The files of a library in the folders of the loader, of ROCm, and of Python packages that bring their own.

    Several names of one file are one; of one folder, the newest of its files.
    """
    found: dict[tuple[int, int], Path] = {}
    for folder in _library_folders(machine):
        for file in sorted(folder.glob(f"{library}.so*"))[:1]:
            try:
                status = file.stat()
            except OSError:
                continue
            found.setdefault((status.st_dev, status.st_ino), file)
    return list(found.values())


def _library_folders(machine: Machine) -> list[Path]:
    folders = [machine.path(folder) for folder in _folders(machine.value("LD_LIBRARY_PATH"))]
    if root := machine.value("ROCM_PATH"):
        folders.append(machine.path(root) / "lib")
    folders += [machine.path("/opt/rocm/lib"), *sorted(machine.path("/opt").glob("rocm-*/lib"))]
    folders += [machine.path(f"/usr/lib/{place}") for place in ("x86_64-linux-gnu", "")]
    folders.append(machine.path("/usr/lib64"))
    # torch/lib, _rocm_sdk_core/lib and the like, of this Python and of the environment that is switched on
    active = [machine.path(root) for root in map(machine.value, _ENVIRONMENTS) if root]
    packages = [*machine.packages, *(folder for root in active for folder in root.glob("lib/python*/site-packages"))]
    folders += [folder for place in packages for folder in sorted(place.glob("*/lib"))]
    return list(dict.fromkeys(folders))
