# SPDX-License-Identifier: MIT
"""The command line, environment and configuration files with which rocprof-sys counts nothing itself.

Its list of counters is taken out wherever it could see one, and kernel dispatches out of its domains, since it would
record each pass of a replayed launch as a launch. All else stays byte for byte. The user's configuration files are not
touched: rocprof-sys is given copies.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rocprofsys_multipass.errors import ConfigError
from rocprofsys_multipass.rocprof_sys.found import DEFAULT_DOMAINS, ConfigFile, Found, renamed
from rocprofsys_multipass.rocprof_sys.options import CONFIG, DOMAINS, EVENTS, PRESET, STREAMED, Given
from rocprofsys_multipass.rocprof_sys.settings import Setting, changed, items_of

KERNELS: Final = "kernel_dispatch"
LEAST_DOMAIN: Final = "marker_api"
"""In place of a list that would be empty, for which rocprof-sys may take its default list."""

PRESETS_WITH_COUNTERS: Final = ("trace-hw-counters",)

_SHORT_KERNELS = ("kernel", "kernels", KERNELS)  # as the option --rocm has it
_DOMAIN = re.compile(r"[^ ,;:\t\n]+")
_MARK = "# taken by rocprof-sys-multipass: "
_BREAKS_LISTS = ",;:"  # characters at which rocprof-sys divides a list of configuration files; in one, blanks too
_EXPORT = re.compile(rf"--export=(?:.*,)?{EVENTS}=")  # of srun
_XML_EVENTS = re.compile(rf"<{EVENTS}>(?:(?!</{EVENTS}>).)*?<value>(.*?)</value>", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True)
class Copy:
    """A configuration file for rocprof-sys in place of the user's."""

    path: Path
    source: Path
    content: bytes


@dataclass(frozen=True)
class Takeover:
    """What is started in place of the user's command line, and the files to be written before."""

    command: tuple[str, ...]
    environ: Mapping[str, str]
    copies: tuple[Copy, ...]


def take_over(
    found: Found, environ: Mapping[str, str], name_copy: Callable[[int, str], Path], *, kernels: bool = True
) -> Takeover:
    """Take counters from rocprof-sys, and with `kernels` its kernel dispatches, which a process without replay keeps.

    Args:
        found: what it is asked for, and where.
        environ: the environment of the command line.
        name_copy: the file for a copy, by number and suffix.
        kernels: as above.

    Raises:
        ConfigError: rocprof-sys cannot be given a file of that name.
    """
    return _Rewriter(found, environ, name_copy, kernels=kernels).result()


def refuse_streamed(found: Found) -> None:
    """Refuse counters that rocprof-sys reads as a stream (SPM): it ends the application when another tool counts.

    Raises:
        ConfigError: naming them.
    """
    giving = found.effective(STREAMED)
    if giving is not None and items_of(giving.value):
        message = (
            f"{giving.place}: rocprof-sys streams {giving.value} (SPM), which no process can do while counters of "
            "launches are collected, and it ends the application where that is tried: take them out for this run, and "
            "stream them in another one; nothing was started"
        )
        raise ConfigError(message)


def refuse_unreadable(found: Found) -> None:
    """Refuse what has counters for rocprof-sys that cannot be taken from it.

    Raises:
        ConfigError: naming it.
    """
    for name, path in found.counting_presets:
        message = (
            f"--preset {name}: it has counters of its own, so that rocprof-sys would count too: name its file, from "
            f"which they are taken (--preset={path})"
        )
        raise ConfigError(message)
    flags = [given.text for given in found.options if given.name in PRESETS_WITH_COUNTERS]
    for preset in [*flags, *(f"--preset {name}" for name in found.presets if name in PRESETS_WITH_COUNTERS)]:
        message = (
            f"{preset}: it has counters of its own, which cannot be read here or taken from rocprof-sys, so that both "
            "would count: leave it out, and give the list with --events"
        )
        raise ConfigError(message)
    words = found.line.words[: found.line.application]
    exports = (f"{one}={two}" if one == "--export" else one for one, two in zip(words, (*words[1:], ""), strict=False))
    if exported := next(filter(_EXPORT.match, exports), ""):
        message = f"{exported}: it sets {EVENTS}, and is not rewritten here: set that variable before srun"
        raise ConfigError(message)
    for name, file in found.files.items():
        if file.kind == "xml" and (events := _XML_EVENTS.search(file.text)) and items_of(events[1]):
            message = (
                f"{name}: it sets {EVENTS}, and XML is not rewritten here, so that rocprof-sys would count too: take "
                "the list out of it and give it with --events, or write the file as text "
                "(rocprof-sys-avail -G FILE -F txt)"
            )
            raise ConfigError(message)


def without_kernels(value: str, kernels: Sequence[str] = (KERNELS,)) -> str:
    """A list of domains without kernel dispatches; as it is where it has none."""
    domains = _DOMAIN.findall(value)
    left = [domain for domain in domains if domain not in kernels]
    return value if left == domains else ",".join(left)


class _Rewriter:
    def __init__(
        self, found: Found, environ: Mapping[str, str], name_copy: Callable[[int, str], Path], *, kernels: bool
    ) -> None:
        self._found = found
        self._kernels = kernels
        self._environ = dict(environ)
        self._name_copy = name_copy
        self._words: dict[int, str | None] = {}  # by index; None: taken out
        self._copies: dict[str, Copy] = {}

    def result(self) -> Takeover:
        self._copy_files()
        for given in self._found.options:
            self._change_option(given)
        self._change_assignments()
        self._change_environment()
        words = [self._words.get(at, word) for at, word in enumerate(self._found.line.words)]
        return Takeover(
            command=tuple(word for word in words if word is not None),
            environ=self._environ,
            copies=tuple(self._copies.values()),
        )

    @property
    def _names(self) -> dict[str, str]:
        """Names of copies, by those of the user's files."""
        return {name: str(copy.path) for name, copy in self._copies.items()}

    def _copy_files(self) -> None:
        """A copy of each file that has counters or kernel dispatches, and of those that name such a file."""
        for name, file in reversed(list(self._found.files.items())):  # a file comes before those that it names
            edits = [edit for setting in file.settings if (edit := self._edit(file, setting))]
            if not edits:
                continue
            suffix = ".json" if file.kind == "json" else ".cfg"
            path = self._name_copy(len(self._copies) + 1, suffix)
            breaks = _BREAKS_LISTS if name in self._found.top_files else f"{_BREAKS_LISTS} "
            if any(letter in str(path) for letter in breaks):
                message = (
                    f"output folder {path.parent}: rocprof-sys takes no configuration file from a folder with one of "
                    f"'{breaks}' in its name, and it needs a copy of {file.path} without the counters: give another "
                    "folder with --output"
                )
                raise ConfigError(message)
            self._copies[name] = Copy(path, file.path, file.encoded(changed(file.text, edits)))

    def _change_option(self, given: Given) -> None:
        if given.sets == EVENTS:
            self._words[given.word] = None
            self._words.update((at, None) for at, _, _ in given.values)
        elif given.sets == DOMAINS and self._kernels:
            self._change_domains(given)
        elif given.sets in (CONFIG, PRESET):
            self._words.update((at, prefix + renamed(value, self._names)) for at, prefix, value in given.values)

    def _change_domains(self, given: Given) -> None:
        short = given.name == "rocm"
        if not given.values:
            alike = [one for one in self._found.options if one.name == given.name]
            if short and alike[0] is given and not any(one.values for one in alike):  # it means the default list
                self._words[given.word] = f"--rocm={without_kernels(','.join(DEFAULT_DOMAINS))}"
            return
        kernels = _SHORT_KERNELS if short else (KERNELS,)
        left = [(at, prefix, without_kernels(value, kernels)) for at, prefix, value in given.values]
        if not any(value for _, _, value in left):
            left[0] = (*left[0][:2], LEAST_DOMAIN)
        self._words.update((at, prefix + value if prefix or value else None) for at, prefix, value in left)

    def _change_assignments(self) -> None:
        for one in self._found.line.assignments:
            if one.name == EVENTS:
                self._words.update((at, None) for at in range(one.start, one.stop))
            elif one.value is not None and one.name in (DOMAINS, CONFIG):
                self._words[one.stop - 1] = one.prefix + self._changed(one.name, one.value)

    def _change_environment(self) -> None:
        self._environ.pop(EVENTS, None)
        for name in (DOMAINS, CONFIG):
            if self._environ.get(name):
                self._environ[name] = self._changed(name, self._environ[name])
        if self._names.keys() & set(self._found.default_files):
            self._environ[CONFIG] = ":".join(self._names.get(name, name) for name in self._found.default_files)
        if not self._kernels:
            return
        given = {one.name for one in self._found.givings if one.name.partition(":")[0] == DOMAINS}
        if not given:
            self._environ[DOMAINS] = without_kernels(",".join(DEFAULT_DOMAINS))
        elif given == {f"{DOMAINS}:{KERNELS}"}:  # a preset that then has no domain, and sets none
            self._environ[DOMAINS] = LEAST_DOMAIN

    def _changed(self, name: str, value: str) -> str:
        if name == CONFIG:
            return renamed(value, self._names)
        return without_kernels(value) or LEAST_DOMAIN if self._kernels else value

    def _edit(self, file: ConfigFile, setting: Setting) -> tuple[int, int, str] | None:
        if not self._kernels and setting.name.partition(":")[0] == DOMAINS:
            return None
        return _edit(file, setting, self._names)


def _edit(file: ConfigFile, setting: Setting, names: Mapping[str, str]) -> tuple[int, int, str] | None:
    """What is to be changed for a setting: from where to where, and the new text."""
    raw = file.text[setting.start : setting.stop]
    if setting.name == EVENTS and items_of(setting.value):
        return (setting.start, setting.stop, '""') if setting.begin is None else (setting.begin, setting.begin, _MARK)
    if setting.name == f"{DOMAINS}:{KERNELS}":
        return setting.start, setting.stop, "false"
    if setting.name == DOMAINS and KERNELS in _DOMAIN.findall(setting.value):
        value = without_kernels(setting.value) or LEAST_DOMAIN
    elif setting.name == CONFIG and names.keys() & set(items_of(raw)):
        value = " ".join(names.get(name, name) for name in items_of(raw))
    else:
        return None
    return setting.start, setting.stop, json.dumps(value) if setting.begin is None else value
