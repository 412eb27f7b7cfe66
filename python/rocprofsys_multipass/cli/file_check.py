# SPDX-License-Identifier: MIT
"""What a run would say of a file of options that is well formed: of its devices, patterns, counters and folders."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence

from rocprofsys_multipass.config import RUN_OPTIONS, Source, expand_output, idle_options
from rocprofsys_multipass.config.settings_file import SettingsFile
from rocprofsys_multipass.errors import NativeError
from rocprofsys_multipass.live import check_device_files
from rocprofsys_multipass.native import find_native
from rocprofsys_multipass.plan import request_plan
from rocprofsys_multipass.run.patterns import PATTERN_OPTIONS, check_pattern
from rocprofsys_multipass.simulate import check_devices


def warnings_of_use(found: SettingsFile, devices: Sequence[str]) -> list[str]:
    """Warnings that a run would give. Counters are looked for on `devices`, else on those that the file simulates.

    Raises:
        ConfigError: a run would refuse a device or a pattern.
    """
    warnings: list[str] = []
    with contextlib.suppress(NativeError):  # without the compiled parts nobody knows
        _refuse(found)
        warnings += _unknown_counters(found, devices)
    warnings += _idle(found)
    if output := found.settings.get("output"):
        warnings += [f"{output.place}: {text}" for text in expand_output(output.value, os.environ)[1]]
    return warnings


def _refuse(found: SettingsFile) -> None:
    native = find_native()
    if simulate := found.settings.get("simulate"):
        source = Source("file", f"{simulate.place}: simulate")
        check_device_files(simulate.value, native, check_devices(simulate.value, native, source), source)
    for name in PATTERN_OPTIONS:
        if pattern := found.settings.get(name):
            check_pattern(pattern.value, native, Source("file", f"{pattern.place}: {RUN_OPTIONS[name].key}"))


def _idle(found: SettingsFile) -> list[str]:
    places = {
        name: (setting.value, f"{setting.place}: {RUN_OPTIONS[name].key}") for name, setting in found.settings.items()
    }
    replay = found.settings.get("replay")
    return idle_options((replay.value, f"replay (line {replay.place.line})"), places) if replay else []


def _unknown_counters(found: SettingsFile, devices: Sequence[str]) -> Iterator[str]:
    """A warning for each name that no device has, in the words of the planner."""
    asked = {name: setting for name, setting in found.settings.items() if name in ("events", "group", "sentinel")}
    simulate = found.settings.get("simulate")
    if not asked or not (devices or simulate):
        return
    plan, _ = request_plan(
        devices,
        asked["events"].value if "events" in asked else "",
        asked["group"].value if "group" in asked else (),
        sentinel=asked["sentinel"].value if "sentinel" in asked else None,
        live=not devices,
        simulate=simulate.value if simulate and not devices else None,
        effort=0,
    )
    unknown = [(asked[one.place].place_of(one.token.partition(":")[0]), one) for one in plan.unknown]
    for place, one in sorted(unknown, key=lambda pair: (pair[0].line, pair[0].column)):
        near = f"; did you mean {one.suggestion}?" if one.suggestion else ""
        yield f"{place}: {RUN_OPTIONS[one.place].key}: '{one.token}' is left out: {one.reason}{near}"
