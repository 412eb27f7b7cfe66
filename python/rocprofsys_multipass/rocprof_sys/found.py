# SPDX-License-Identifier: MIT
"""What a command line of rocprof-sys asks for, and where: options, variables and configuration files, by precedence.

rocprof-sys has one value for each setting. Later ones beat earlier ones here: configuration files in their order, the
environment, variables set before the launcher, its options, a preset that is a file, variables set behind it. (The
launcher puts options into the environment, those of a preset last; the environment beats files. ROCm/rocm-systems
projects/rocprofiler-systems/docs/how-to/configuring-runtime-options.rst @1b1610fc.)
"""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rocprofsys_multipass.rocprof_sys.command import CommandLine
from rocprofsys_multipass.rocprof_sys.options import (
    CONFIG,
    DOMAINS,
    EVENTS,
    OUTPUT_PATH,
    OUTPUT_PREFIX,
    PRESET,
    TELLING,
    Given,
    read_options,
)
from rocprofsys_multipass.rocprof_sys.settings import PREFIX, Kind, Setting, items_of, kind_of, read_settings

PRESET_DIR: Final = "ROCPROFSYS_PRESET_DIR"
SUPPRESS: Final = "ROCPROFSYS_SUPPRESS_CONFIG"
DEFAULT_FILES: Final = (".rocprof-sys.cfg", ".rocprof-sys.json")
"""In the home folder."""

DEFAULT_DOMAINS: Final = ("hip_runtime_api", "marker_api", "kernel_dispatch", "memory_copy", "scratch_memory")

_PRESETS = "share/rocprofiler-systems/presets"  # below an installation (docs/how-to/using-preset-profiles.rst of 2026)

_ELEMENT = re.compile(r"[^;:]+")
_EXPANDED = re.compile(r"%env\{([A-Za-z0-9_]+)\}%|\$env\{([A-Za-z0-9_]+)\}")
_TRUE = re.compile(r"(?!0+$|off$|false$|no$|n$|f$).+", re.IGNORECASE)
_MOST_BYTES = 1 << 24  # of a configuration file
_MOST_NESTED = 8  # files that name each other


@dataclass(frozen=True)
class ConfigFile:
    """A configuration file that is read. `fault`: why it cannot be, where that is so."""

    path: Path
    kind: Kind
    text: str
    settings: tuple[Setting, ...]
    fault: str = ""

    def encoded(self, text: str) -> bytes:
        """A text like this file's, as the bytes of a file."""
        return text.encode("utf-8", "surrogateescape")


@dataclass(frozen=True)
class Giving:
    """A value of a setting, and the place that gives it, as messages name it."""

    name: str
    value: str
    place: str


@dataclass(frozen=True)
class Found:
    """What is asked for. `files`: those that are read, by the text that names them."""

    line: CommandLine
    options: tuple[Given, ...]
    files: Mapping[str, ConfigFile]
    givings: tuple[Giving, ...]
    default_files: tuple[str, ...]  # those of `files` that nothing names
    top_files: frozenset[str]  # those that no other file names
    presets: tuple[str, ...]  # names of presets whose files are not known
    counting_presets: tuple[tuple[str, Path], ...]  # names of those that have counters, with their files
    tells: bool  # the launcher tells something and starts nothing

    def effective(self, name: str) -> Giving | None:
        """What decides a setting. An empty value in a file does not, one in the environment does."""
        return next((one for one in reversed(self.givings) if one.name == name), None)


def find_settings(line: CommandLine, environ: Mapping[str, str], folder: Path) -> Found:
    """What a command line that starts rocprof-sys asks for; `folder` is the one that it is started in."""
    return _Finder(line, environ, folder).found()


def is_true(value: str) -> bool:
    """As rocprof-sys reads flags."""
    return _TRUE.fullmatch(value) is not None


class _Finder:
    def __init__(self, line: CommandLine, environ: Mapping[str, str], folder: Path) -> None:
        self._line = line
        self._folder = folder
        self._files: dict[str, ConfigFile] = {}
        self._presets: list[str] = []
        self._counting_presets: list[tuple[str, Path]] = []
        self._defaults: list[str] = []
        self._nested: set[str] = set()
        self._stopped = False
        words, launchers = line.words, line.launchers
        self._options = [given for one in launchers for given in read_options(words, one.options)]
        begin = launchers[0].index if launchers else 0
        assignments = [one for one in line.assignments if one.value is not None]
        self._before = [one for one in assignments if one.start < begin]
        self._behind = [one for one in assignments if one.start >= begin]
        self._environ = dict(environ) | {one.name: one.value or "" for one in assignments}
        self._given = environ

    def found(self) -> Found:
        files = [] if is_true(self._environ.get(SUPPRESS, "")) else self._of_files()
        variables = [Giving(name, value, name) for name, value in self._given.items() if name.startswith(PREFIX)]
        before = [Giving(one.name, one.value or "", f"{one.name} (in the command line)") for one in self._before]
        behind = [Giving(one.name, one.value or "", f"{one.name} (in the command line)") for one in self._behind]
        options = self._of_options()
        presets = self._of_presets()
        return Found(
            line=self._line,
            options=tuple(self._options),
            files=self._files,
            givings=(*files, *variables, *before, *options, *presets, *behind),
            default_files=tuple(self._defaults),
            top_files=frozenset(self._files) - self._nested,
            presets=tuple(self._presets),
            counting_presets=tuple(self._counting_presets),
            tells=any(given.name in TELLING for given in self._options),
        )

    def _of_options(self) -> list[Giving]:
        values: dict[str, list[str]] = {}
        places: dict[str, str] = {}
        launchers = self._line.launchers
        for given in self._options:
            if given.sets == OUTPUT_PATH and given.word not in launchers[0].options:
                continue  # of another program behind ":", which has a folder of its own
            if given.sets and given.sets != PRESET:
                values.setdefault(given.sets, []).extend(value for _, _, value in given.values)
                places.setdefault(given.sets, given.text)
        if DOMAINS in values and not values[DOMAINS]:  # --rocm alone
            values[DOMAINS] = list(DEFAULT_DOMAINS)
        if prefix := values.get(OUTPUT_PATH, [])[1:]:  # -o PATH PREFIX
            values |= {OUTPUT_PATH: values[OUTPUT_PATH][:1], OUTPUT_PREFIX: prefix}
            places.setdefault(OUTPUT_PREFIX, places[OUTPUT_PATH])
        return [
            Giving(name, (":" if name == CONFIG else ",").join(found), places[name])
            for name, found in values.items()
            if found
        ]

    def _of_files(self) -> list[Giving]:
        named = next((one.value for one in reversed(self._of_options()) if one.name == CONFIG), "")
        if named or CONFIG in self._environ:
            named = named or self._environ[CONFIG]
            return [giving for name in _ELEMENT.findall(named) for giving in self._of_file(name)]
        home = self._environ.get("HOME", "")
        defaults = [f"{home}/{name}" for name in DEFAULT_FILES if home]
        defaults = [name for name in defaults if os.path.lexists(name)]
        found = [giving for name in defaults for giving in self._of_file(name)]
        self._defaults = [name for name in defaults if name in self._files]
        return found

    def _of_file(self, name: str, depth: int = 0) -> list[Giving]:
        if self._stopped or name in self._files or depth > _MOST_NESTED:
            return []
        file = _read(name, self._environ, self._folder)
        self._files[name] = file
        if depth:
            self._nested.add(name)
        found = []
        for setting in file.settings:
            if setting.name == CONFIG:
                found += [
                    giving
                    for one in items_of(setting.value.replace(":", ",").replace(";", ","))
                    for giving in self._of_file(one, depth + 1)
                ]
            elif items_of(setting.value):
                found.append(Giving(setting.name, setting.value, f"{file.path}:{setting.line}"))
                self._stopped |= setting.name == SUPPRESS and is_true(setting.value)
        return found

    def _of_presets(self) -> list[Giving]:
        found = []
        for given in self._options:
            for _, _, name in given.values if given.sets == PRESET else ():
                if "/" not in name and not name.endswith(".json"):
                    self._look_into_preset(name)
                else:
                    file = _read(name, self._environ, self._folder, kind="json")
                    self._files[name] = file
                    found += [
                        Giving(one.name, one.value, f"{file.path}:{one.line}")
                        for one in file.settings
                        if items_of(one.value)
                    ]
        return found

    def _look_into_preset(self, name: str) -> None:
        """Whether a preset has counters. It stays a name, since rocprof-sys may do more for one than its file says."""
        word = self._line.words[self._line.launchers[0].index]
        launcher = Path(self._folder, shutil.which(word, path=self._environ.get("PATH")) or word)
        folders = [
            self._environ.get(PRESET_DIR, ""),
            *(f"{path.parent.parent}/{_PRESETS}" for path in (launcher, launcher.resolve())),
            f"{self._environ.get('ROCM_PATH', '')}/{_PRESETS}",
        ]
        for folder in filter(None, folders):
            file = _read(f"{folder}/{name}.json", self._environ, self._folder)
            if not file.fault:
                counts = any(one.name == EVENTS and items_of(one.value) for one in file.settings)
                self._counting_presets += [(name, file.path)] if counts else []
                return
        self._presets.append(name)


def _read(name: str, environ: Mapping[str, str], folder: Path, kind: Kind | None = None) -> ConfigFile:
    """The file of this name."""
    expanded = _EXPANDED.sub(lambda match: environ.get(match[1] or match[2], ""), name)
    if expanded.startswith("~/"):
        expanded = environ.get("HOME", "~") + expanded[1:]
    path = folder / expanded

    def unread(why: str) -> ConfigFile:
        return ConfigFile(path, "text", "", (), why)

    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):  # reading a pipe would take its content from rocprof-sys
            return unread("it is no regular file")
        if status.st_size > _MOST_BYTES:
            return unread(f"it has more than {_MOST_BYTES >> 20} MiB")
        text = path.read_bytes().decode("utf-8", "surrogateescape")
    except OSError as error:
        return unread(f"it cannot be read ({error.strerror})")
    except ValueError:  # a name that no file has
        return unread("it cannot be read")
    kind = kind or kind_of(path.name, text)
    try:
        return ConfigFile(path, kind, text, tuple(read_settings(kind, text, environ)))
    except ValueError as error:
        return ConfigFile(path, kind, text, (), f"it is no JSON ({error})")


def renamed(value: str, names: Mapping[str, str]) -> str:
    """A list of configuration files with some of them under other names."""
    return _ELEMENT.sub(lambda match: names.get(match[0], match[0]), value)
