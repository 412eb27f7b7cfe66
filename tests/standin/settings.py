# SPDX-License-Identifier: MIT
"""Stands for: how rocprof-sys reads its configuration files.

After ROCm/rocm-systems projects/rocprofiler-systems @1b1610fc, docs/how-to/configuring-runtime-options.rst: text
(``KEY = VALUE``, ``#``, ``$VAR``, ``$env:NAME``, whatever the case of the keys), JSON (``{"rocprof-sys": {"settings":
{NAME: {"value": ...}}}}``), lists of files at ``:`` or ``;``. The environment wins over all of them; a key that is no
setting becomes an environment variable. Which file wins is not told there: here the first that names a key. The presets
of 2026 are JSON of another shape, of which only the part for counters is read here.

Does not: XML, expansion of prefix keys, checks of values.

As a program it prints ``NAME=VALUE`` lines (``export NAME=VALUE`` for keys that are no settings) of the files that the
environment means.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

SETTINGS = frozenset(
    f"ROCPROFSYS_{name}"
    for name in """
        ROCM_EVENTS ROCM_DOMAINS ROCM_GROUP_BY_QUEUE GPU_PERF_COUNTERS PAPI_EVENTS SELECTED_REGIONS TRACE TRACE_LEGACY
        PROFILE FLAT_PROFILE USE_ROCPD USE_ROCM USE_AMD_SMI USE_SAMPLING USE_PROCESS_SAMPLING USE_PID PERFETTO_FILE
        PERFETTO_BUFFER_SIZE_KB PERFETTO_FILL_POLICY PERFETTO_BACKEND PERFETTO_ANNOTATIONS PERFETTO_COMBINE_TRACES
        OUTPUT_PATH OUTPUT_PREFIX TIME_OUTPUT TIME_FORMAT FILE_OUTPUT TMPDIR VERBOSE DEBUG MODE LOG_LEVEL TEXT_OUTPUT
        JSON_OUTPUT COUT_OUTPUT CONFIG_FILE MONOCHROME SAMPLING_FREQ SAMPLING_CPUS SAMPLING_GPUS SAMPLING_DELAY
    """.split()  # noqa: SIM905 - a list literal is five times as long
)

FALSE = frozenset({"0", "off", "false", "no", "n", "f", ""})


def truth(text: str) -> bool:
    """A switch as rocprof-sys reads it."""
    return text.strip().lower() not in FALSE


def _text_file(text: str, environ: Mapping[str, str]) -> dict[str, str]:
    variables: dict[str, str] = {}
    found: dict[str, str] = {}

    def resolve(value: str) -> str:
        if value.lower().startswith("$env:"):
            return environ.get(value[5:], "")
        return variables.get(value.upper(), value) if value.startswith("$") else value

    for raw in text.splitlines():
        line = raw.split("#", 1)[0].strip()
        if not line:
            continue
        key, _, value = line.partition("=") if "=" in line else line.partition(" ")
        key, value = key.strip(), resolve(value.strip())
        if key.lower().startswith("$env:"):
            found[key[5:]] = value
        elif key.startswith("$"):
            variables[key.upper()] = value
        else:
            found[key.upper()] = value
    return found


def _spelled(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _json_file(text: str) -> dict[str, str]:
    root = json.loads(text)
    settings = root.get("rocprof-sys", {}).get("settings", {})
    found = {name.upper(): _spelled(one.get("value", "")) for name, one in settings.items()}
    counters = root.get("hardware_counters")  # a preset of 2026
    if isinstance(counters, dict) and counters.get("enabled", True) and "rocm_events" in counters:
        found["ROCPROFSYS_ROCM_EVENTS"] = _spelled(counters["rocm_events"].get("value", ""))
    return found


def files_of(environ: Mapping[str, str]) -> list[Path]:
    """The files that are read: those named, else the two in the home folder that exist."""
    if truth(environ.get("ROCPROFSYS_SUPPRESS_CONFIG", "")):
        return []
    named = environ.get("ROCPROFSYS_CONFIG_FILE", "")
    if named:
        return [Path(one).expanduser() for one in named.replace(";", ":").split(":") if one]
    home = Path(environ.get("HOME", "/"))
    return [path for path in (home / ".rocprof-sys.cfg", home / ".rocprof-sys.json") if path.is_file()]


def read_files(paths: Iterable[Path], environ: Mapping[str, str]) -> dict[str, str]:
    """What the files say; the first that names a key keeps it. A file that is not there is passed over."""
    found: dict[str, str] = {}
    for path in paths:
        if not path.is_file():
            continue
        text = path.read_text(encoding="utf-8")
        values = _json_file(text) if text.lstrip().startswith("{") else _text_file(text, environ)
        found = values | found
    return found


def main() -> None:
    for name, value in read_files(files_of(os.environ), os.environ).items():
        print(f"{'' if name in SETTINGS else 'export '}{name}={value}")  # noqa: T201 - the client reads it


if __name__ == "__main__":
    sys.exit(main())
