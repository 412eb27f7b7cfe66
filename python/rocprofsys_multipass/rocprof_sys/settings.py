# SPDX-License-Identifier: MIT
"""Configuration files of rocprof-sys: the settings in them with their places, so that a copy can differ in those alone.

Text has ``KEY = VALUE`` lines, ``#`` comments, variables (``$NAME = ...``, used as ``$NAME``) and ``$env:NAME``; values
are lists between blanks, commas and semicolons; case of keys does not matter (ROCm/timemory
source/timemory/settings/settings.cpp @200cd69d). JSON has ``{"rocprof-sys": {"settings": {KEY: {"value": ...}}}}``
(ROCm/rocm-systems projects/rocprofiler-systems/docs/how-to/configuring-runtime-options.rst @1b1610fc), or, as presets
of 2026, ``hardware_counters``, ``domains`` and ``output``, where a list stands for its parts with commas between them
(source/lib/common/json_config.hpp). XML is recognised and not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from rocprofsys_multipass.rocprof_sys.json_places import Place, json_places
from rocprofsys_multipass.rocprof_sys.options import DOMAINS, EVENTS

Kind = Literal["text", "json", "xml"]

PREFIX: Final = "ROCPROFSYS_"

# The key is the first word before "="; without one, the first of the line.
_LINE = re.compile(r"\s*(?P<key>[^\s#=,;][^\s=]*)(?:[^=\n]*=|[\t,; ]+)\s*(?P<data>.*)")
_COMMENT = re.compile(r"(?:^|(?<=[\s,;]))#")
_SEPARATOR = re.compile(r"[\n\t\r,; ]+")
_ENVIRONMENT = re.compile(r"\$env:([A-Z][A-Z0-9_]+)")
_SCHEMA = {  # members of presets, by their path, and the setting that each is
    ("hardware_counters", "rocm_events"): EVENTS,
    ("output", "path"): "ROCPROFSYS_OUTPUT_PATH",
    ("output", "time_output", "enabled"): "ROCPROFSYS_TIME_OUTPUT",
}
_API_DOMAINS = ("domains", "rocm", "api_domains")
_MOST_EXPANSIONS = 100  # of variables that name each other


@dataclass(frozen=True)
class Setting:
    """A setting in a file. `name` is the variable of the same meaning.

    `start` and `stop` are where its value is in the text; `line` is 1-based. `begin`: where its line begins; None in
    JSON, where the value is a JSON text.
    """

    name: str
    value: str
    line: int
    start: int
    stop: int
    begin: int | None = None


def kind_of(name: str, text: str) -> Kind:
    """How a file is written, by its name, as rocprof-sys decides it."""
    lowered = name.lower()
    if ".json" in lowered:
        return "json"
    return "xml" if ".xml" in lowered or text.lstrip().startswith("<?xml") else "text"


def read_settings(kind: Kind, text: str, environ: Mapping[str, str]) -> list[Setting]:
    """The settings of a file, in order.

    Raises:
        ValueError: it is no JSON.
    """
    if kind == "json":
        return _of_json(text)
    return _of_text(text, environ) if kind == "text" else []


def changed(text: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """The text with parts of it (start, stop) replaced."""
    for start, stop, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[stop:]
    return text


def variable_of(key: str) -> str:
    """The variable that a key means: ``rocm_events`` and ``ROCPROFSYS_ROCM_EVENTS`` are one."""
    upper = key.lstrip("-").replace("-", "_").upper()
    return upper if upper.startswith(PREFIX) else PREFIX + upper


def items_of(value: str) -> list[str]:
    """The parts of a list."""
    return [item for item in _SEPARATOR.split(value) if item]


def _of_text(text: str, environ: Mapping[str, str]) -> list[Setting]:
    found = []
    variables: dict[str, str] = {}
    begin = 0
    for number, line in enumerate(text.split("\n"), 1):
        if match := _LINE.match(line):
            key, data = match["key"], _COMMENT.split(match["data"], maxsplit=1)[0].rstrip()
            value = ",".join(_resolved(item, variables, environ) for item in items_of(data))
            if key.startswith("$"):
                variables.setdefault(key.removeprefix("$env:").removeprefix("$"), value)
            if not key.startswith("$") or key.startswith("$env:"):
                name = variable_of(key.removeprefix("$env:"))
                start = begin + match.start("data")
                found.append(Setting(name, ",".join(items_of(value)), number, start, start + len(data), begin))
        begin += len(line) + 1
    return found


def _resolved(item: str, variables: Mapping[str, str], environ: Mapping[str, str]) -> str:
    for _ in range(_MOST_EXPANSIONS):
        before = item
        item = _ENVIRONMENT.sub(lambda match: environ.get(match[1], variables.get(match[1], "")), item, count=1)
        for name in sorted(variables, key=len, reverse=True):
            item = item.replace(f"${{{name}}}", variables[name]).replace(f"${name}", variables[name])
        if item == before:
            break
    return item


def _of_json(text: str) -> list[Setting]:
    places = json_places(text)
    off = any(place.path == ("hardware_counters", "enabled") and place.value is not True for place in places)
    has_counters = any(place.path == ("hardware_counters", "enabled") for place in places)
    found = []
    for place in places:
        name = _name_of(place)
        if not name or (name == EVENTS and place.path[0] == "hardware_counters" and (off or not has_counters)):
            continue
        line = text.count("\n", 0, place.start) + 1
        found.append(Setting(name, _as_text(place.value), line, place.start, place.stop))
    return found


def _name_of(place: Place) -> str:
    """The setting that a scalar is the value of; empty where it is none."""
    path = place.path
    if path[1:2] == ("settings",) and path[3:] == ("value",):
        return variable_of(path[2])
    if path[-1:] == ("value",):
        path = path[:-1]
    if path[:-2] == _API_DOMAINS and path[-1] == "enabled" and place.value is True:
        return f"{DOMAINS}:{path[-2]}"
    return _SCHEMA.get(path, "")


def _as_text(value: object) -> str:
    if isinstance(value, list):
        return ",".join(map(_as_text, value))
    return str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)
