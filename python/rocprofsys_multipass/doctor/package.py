# SPDX-License-Identifier: MIT
"""Checks of this package: its compiled parts, their versions, the optional Python packages, and the output folder."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rocprofsys_multipass.config import DEFAULT_OUTPUT_FOLDER, expand_output, resolve_option
from rocprofsys_multipass.doctor.check import Check, note, ok, problem, warning
from rocprofsys_multipass.doctor.machine import exists
from rocprofsys_multipass.errors import MultipassError, NativeError, OutputError, ReadersOnlyError

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocprofsys_multipass.doctor.machine import Machine
    from rocprofsys_multipass.doctor.probe import Probe
    from rocprofsys_multipass.native import Native

EXTRAS = {  # of the extra `analysis`, and what each is needed for
    "pandas": "Trace.to_pandas",
    "pyarrow": "writing data frames as Parquet",
    "duckdb": "SQL on data frames",
}
VERSION_MARK = b"rocprofsys-multipass-version: "  # in front of the version, in the plugin (library/tool/entry.cpp)

_LITTLE_ROOM = 10**9  # bytes; a run of some hours of short kernels
_NO_ROOM = 10**7
_INSTALL = "install the package again (pip install --force-reinstall .)"


def check_package(machine: Machine, native: Native, version: str, probe: Probe) -> list[Check]:
    """All checks of this module; `version` is that of the Python package."""
    return [
        _plugin(machine, native),
        *_programs(machine, native),
        _versions(native, version, probe),
        _extras(),
        _output(machine),
    ]


def check_readers(error: ReadersOnlyError, version: str) -> list[Check]:
    """What can be said of an installation without compiled parts; `version` is that of the Python package."""
    said, _, todo = str(error).partition("; ")
    return [problem("package.parts", said, "", todo), _version_ok(version), _extras()]


def _plugin(machine: Machine, native: Native) -> Check:
    return _file(machine, "package.plugin", "the plugin", lambda: native.plugin, os.R_OK)


def _programs(machine: Machine, native: Native) -> list[Check]:
    parts: tuple[tuple[str, str, Callable[[], Path]], ...] = (
        ("exporter", "the exporter", lambda: native.exporter),
        ("planner", "the planner", lambda: native.planner),
        ("counter_reader", "the reader of counters", lambda: native.counter_reader),
    )
    return [_file(machine, f"package.{part}", title, find, os.R_OK | os.X_OK) for part, title, find in parts]


def _file(machine: Machine, name: str, title: str, find: Callable[[], Path], rights: int) -> Check:
    try:
        path = find()
    except NativeError as error:
        return problem(name, str(error), "", _INSTALL)
    if not machine.may(path, rights):
        what = "executed" if rights & os.X_OK else "read"
        return problem(name, f"{title} cannot be {what}", str(path), "see the rights of the file and of its folders")
    return ok(name, f"{title} {path}", str(path))


def _versions(native: Native, version: str, probe: Probe) -> Check:
    """Of the Python package, of the program that was asked, and of the plugin."""
    name = "package.version"
    found = {"the plugin": plugin_version(native)}
    if probe.sdk is not None:
        found["the reader of counters"] = probe.sdk.tool_version
    others = [f"{part} is {one or 'of an unknown version'}" for part, one in found.items() if one != version]
    if others:
        return problem(name, f"the Python package is {version}, {', '.join(others)}", str(native.root), _INSTALL)
    return _version_ok(version)


def _version_ok(version: str) -> Check:
    return ok("package.version", f"rocprof-sys-multipass {version}, on Python {sys.version.split()[0]}")


def plugin_version(native: Native) -> str:
    """What the plugin says of itself; empty when there is none, or it does not say."""
    try:
        content = native.plugin.read_bytes()
    except (NativeError, OSError):
        return ""
    _, mark, rest = content.partition(VERSION_MARK)
    return rest.partition(b"\0")[0].decode("ascii", "replace") if mark else ""


def _extras() -> Check:
    missing = [extra for extra in EXTRAS if importlib.util.find_spec(extra) is None]
    if missing:
        said = "; ".join(f"{extra} is not installed: {EXTRAS[extra]} needs it" for extra in missing)
        return note("package.extras", said, "", "pip install '.[analysis]' in this package's source")
    return ok("package.extras", f"{', '.join(EXTRAS)} are installed")


def _output(machine: Machine) -> Check:
    """The folder that the next run would write to, or the nearest one above it that exists."""
    name = "package.output"
    try:
        template, source = resolve_option("output", None, machine.environ)
        folder, _ = expand_output(template or DEFAULT_OUTPUT_FOLDER, machine.environ)
    except MultipassError as error:
        said, _, todo = str(error).partition("; ") if isinstance(error, OutputError) else (str(error), "", "")
        return problem(name, said, "", todo or "correct that value")
    there = next(one for one in (folder, *folder.parents) if exists(one))
    place = f"output folder {folder}" + ("" if source.kind == "default" else f" ({source.text})")
    elsewhere = "give another folder with --output"
    if not there.is_dir():
        return problem(name, f"{place} cannot be made: {there} is no folder", str(there), elsewhere)
    if not machine.may(there, os.W_OK | os.X_OK):
        return problem(name, f"{place} cannot be written", str(there), elsewhere)
    free = shutil.disk_usage(there).free
    said = f"{place}: {free / 10**9:.1f} GB free"
    if free < _NO_ROOM:
        return problem(name, said, str(there), elsewhere)
    if free < _LITTLE_ROOM:
        return warning(name, said, str(there), f"make room, or {elsewhere}")
    return ok(name, said, str(there))
