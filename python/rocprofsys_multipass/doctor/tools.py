# SPDX-License-Identifier: MIT
"""Checks of the tools that the environment brings into an application beside the plugin.

Two tools of one process that count dispatches do not go together: counting of the second does not start (status 12).
"""

from __future__ import annotations

import json
import re
from os.path import normpath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rocprofsys_multipass.doctor.check import Check, note, ok, problem, warning
from rocprofsys_multipass.doctor.machine import exists
from rocprofsys_multipass.kernel_files import read_text
from rocprofsys_multipass.run.environment import TOOL_VARIABLE, tool_libraries

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocprofsys_multipass.doctor.machine import Machine

PRELOAD = "LD_PRELOAD"
RUNTIME_TOOLS = "HSA_TOOLS_LIB"  # of the profilers before the SDK
ROCM_EVENTS = "ROCPROFSYS_ROCM_EVENTS"
V3_COUNTERS = "ROCPROF_COUNTERS"
CONFIG_FILES = "ROCPROFSYS_CONFIG_FILE"

_PLUGIN = "librocprofsys-multipass.so"
_ROCPROF_SYS = "librocprof-sys"
_DEFAULT_CONFIGS = (".rocprof-sys.cfg", ".rocprof-sys.json")

# What begins the names of libraries that are tools of the SDK or of the profilers before it.
_TOOLS = {
    _ROCPROF_SYS: "rocprof-sys",
    "librocprofiler-sdk-tool": "rocprofv3",
    "librocprofiler-compute-tool": "rocprofiler-compute",
    "librocprofiler64": "rocprof of ROCm 5 and 6",
    "librocprofiler_tool": "rocprof of ROCm 5 and 6",
    "libroctracer_tool": "rocprof of ROCm 5 and 6",
}
_TEXT_LINE = re.compile(rf"^[ \t]*{ROCM_EVENTS}[ \t]*=[ \t]*(?P<value>[^#\n]*)", re.IGNORECASE | re.MULTILINE)
_FIX_EVENTS = (
    "start it with rocprof-sys-multipass run -- rocprof-sys-run ..., which takes the list from rocprof-sys; without "
    "run, set it to an empty value, and give the list with ROCPROFSYS_MULTIPASS_EVENTS"
)


def check_tools(machine: Machine) -> list[Check]:
    """All checks of this module."""
    return [*_tool_libraries(machine), *_preload(machine), _others(machine), *_counting_clients(machine)]


def _tool_libraries(machine: Machine) -> list[Check]:
    """What the SDK makes of its list of tools.

    An entry that does not exist ends the application; with any colon, what follows the last one is dropped
    (rocprofiler-sdk registration.cpp @0028ad56).
    """
    name = "tools.rocp_tool_libraries"
    value = machine.value(TOOL_VARIABLE)
    if not value:
        return [ok(name, f"{TOOL_VARIABLE} is not set; run sets it", TOOL_VARIABLE)]
    entries = [entry for entry in value.split(":") if entry]
    missing = [entry for entry in entries if "/" in entry and not exists(machine.path(entry))]
    left = _as_list([entry for entry in entries if entry not in missing])
    better = f"set\n{TOOL_VARIABLE}={left}" if left else f"unset {TOOL_VARIABLE}"
    checks = [
        problem(
            name,
            f"{entry} does not exist: the SDK ends the application over it",
            TOOL_VARIABLE,
            f"take it out: {better}",
        )
        for entry in missing
    ]
    before, colon, dropped = value.rpartition(":")
    if not colon or normpath(dropped) in map(normpath, filter(None, before.split(":"))):
        dropped = ""  # nothing, or what is loaded already, as `run` has it
    if dropped:
        find = problem if _PLUGIN in dropped else warning
        said = (
            f"the SDK drops what follows the last colon: {dropped} is not loaded (run repairs it for its application)"
        )
        checks.append(find(name, said, TOOL_VARIABLE, f"correct it: {better}"))
    loaded = len(entries) - bool(dropped)
    return checks or [ok(name, f"{TOOL_VARIABLE} loads {loaded} {'library' if loaded == 1 else 'libraries'}", value)]


def _as_list(entries: Sequence[str]) -> str:
    return tool_libraries(entries[0], ":".join(entries[1:])) if entries else ""


def _preload(machine: Machine) -> list[Check]:
    """The loader passes over an entry that is not there, with a line on stderr of every program."""
    return [
        warning("tools.ld_preload", f"{entry} does not exist", PRELOAD, f"take it out of {PRELOAD}")
        for entry in _preloaded(machine)
        if "/" in entry and not exists(machine.path(entry))
    ]


def _preloaded(machine: Machine) -> list[str]:
    return [entry for entry in re.split(r"[: ]+", machine.value(PRELOAD)) if entry]


def _tool_of(entry: str) -> str | None:
    file = Path(entry).name
    return next((tool for prefix, tool in _TOOLS.items() if file.startswith(prefix)), None)


def _named(machine: Machine) -> dict[str, tuple[str, str]]:
    """Other tools: file and variable of each, by the tool's name."""
    found: dict[str, tuple[str, str]] = {}
    places = (
        (TOOL_VARIABLE, machine.value(TOOL_VARIABLE).split(":")),
        (PRELOAD, _preloaded(machine)),
        (RUNTIME_TOOLS, machine.value(RUNTIME_TOOLS).split()),
    )
    for variable, entries in places:
        for entry in entries:
            if tool := _tool_of(entry):
                found.setdefault(tool, (entry, variable))
    return found


def _others(machine: Machine) -> Check:
    name = "tools.others"
    tools = _named(machine)
    if not tools:
        return ok(name, "no other profiler is brought into the application")
    said = ", ".join(f"{tool} ({entry})" for tool, (entry, _) in tools.items())
    places = ", ".join(dict.fromkeys(variable for _, variable in tools.values()))
    return warning(
        name,
        f"other profilers are loaded too: {said}. One that counts dispatches or replays keeps the plugin from it, and "
        "in its own records each replayed dispatch occurs once for each pass",
        places,
        "unset it, or see that it collects no counters",
    )


def _counting_clients(machine: Machine) -> list[Check]:
    """Lists of counters that another tool would take: two counting clients, and status 12 for one."""
    tools = _named(machine)
    checks: list[Check] = []
    lists = [(ROCM_EVENTS, machine.value(ROCM_EVENTS))] if ROCM_EVENTS in machine.environ else _lists_of_files(machine)
    for place, value in lists:
        if not value.strip():
            continue
        if "rocprof-sys" in tools:
            said = (
                f"rocprof-sys is loaded and counts '{_short(value)}': two counting clients, one of them gets status 12"
            )
            checks.append(problem("tools.rocm_events", said, place, _FIX_EVENTS))
        else:
            said = (
                f"rocprof-sys, where it runs in the same process, counts '{_short(value)}': two tools count, and one "
                "of them gets status 12 (CONTEXT_CONFLICT)"
            )
            checks.append(warning("tools.rocm_events", said, place, _FIX_EVENTS))
    if not checks:
        checks.append(ok("tools.rocm_events", f"no {ROCM_EVENTS} for rocprof-sys"))
    if value := machine.value(V3_COUNTERS):
        find = problem if "rocprofv3" in tools else note
        said = f"counters are set for rocprofv3: '{_short(value)}'; together with it there are two counting clients"
        checks.append(find("tools.rocprof_counters", said, V3_COUNTERS, f"unset {V3_COUNTERS}"))
    return checks


def _lists_of_files(machine: Machine) -> list[tuple[str, str]]:
    """Place and list of each settings file of rocprof-sys that has one. A variable, if set, beats them."""
    named = [name for name in re.split("[;:]", machine.value(CONFIG_FILES)) if name]
    candidates = [machine.path(name) for name in named] or [machine.home / name for name in _DEFAULT_CONFIGS]
    return [(str(path), value) for path in candidates if (value := events_of(read_text(path)))]


def events_of(text: str) -> str:
    """The list of counters in a settings file of rocprof-sys, as text, JSON or XML; empty where there is none."""
    try:
        return _in_json(json.loads(text))
    except ValueError:
        pass
    if match := _TEXT_LINE.search(text):
        return match["value"].strip()
    xml = re.search(rf"<{ROCM_EVENTS}\b.*?</{ROCM_EVENTS}>", text, re.IGNORECASE | re.DOTALL)
    value = re.search(r"<value>(.*?)</value>", xml[0], re.DOTALL) if xml else None
    return value[1].strip() if value else ""


def _in_json(data: Any) -> str:  # noqa: ANN401 - of a file
    """The first value of that key at any depth: the generator of rocprof-sys nests its settings."""
    if isinstance(data, list):
        return next(filter(None, map(_in_json, data)), "")
    if not isinstance(data, dict):
        return ""
    for key, value in data.items():
        if key.upper() == ROCM_EVENTS or key.lower() == "rocm_events":
            found = value.get("value", "") if isinstance(value, dict) else value
            return str(found or "").strip()
    return next(filter(None, map(_in_json, data.values())), "")


def _short(text: str, most: int = 60) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."
