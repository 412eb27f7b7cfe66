# SPDX-License-Identifier: MIT
"""Options of a run: one table of names, and the rule where values come from (call or command line, then environment).

An option ``--name`` has the variable ``ROCPROFSYS_MULTIPASS_NAME``.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rocprofsys_multipass.config.events import check_events
from rocprofsys_multipass.config.output import DEFAULT_OUTPUT_FOLDER, application_name
from rocprofsys_multipass.config.text import check_text
from rocprofsys_multipass.config.wording import COMMAND_LINE, Wording
from rocprofsys_multipass.errors import ConfigError, MultipassError, UsageError

PREFIX = "ROCPROFSYS_MULTIPASS_"
EVENTS_FALLBACK = "ROCPROFSYS_ROCM_EVENTS"
OUTPUT_FALLBACK = "ROCPROFSYS_OUTPUT_PATH"

REPLAY_MODES = ("auto", "kernel", "off")
FORMATS = ("perfetto", "rocpd", "csv", "json")
DEFAULT_FORMATS = FORMATS[:2]
TABLES = FORMATS[2:]  # those that this package writes; the exporter writes the others
_TRUE = ("on", "yes", "true", "1")
_FALSE = ("off", "no", "false", "0")


@dataclass(frozen=True)
class Option:
    """One option of a run. `parse` makes a value of the text of a variable, or raises ValueError with a reason."""

    name: str
    help: str
    parse: Callable[[str], Any]

    @property
    def variable(self) -> str:
        """The environment variable of this option."""
        return PREFIX + self.name.upper().replace("-", "_")


@dataclass(frozen=True)
class RunConfig:
    """How a command is to be run. `output` is still a template, see `config.output`."""

    events: str
    groups: tuple[tuple[str, ...], ...]
    output: str
    overwrite: bool
    replay: str
    simulate: str
    formats: tuple[str, ...]
    quiet: bool
    verbose: bool


def _text(value: str) -> str:
    return value


def _flag(value: str) -> bool:
    lowered = value.strip().lower()
    if lowered in _TRUE:
        return True
    if lowered in _FALSE:
        return False
    reason = f"'{value}' is neither on nor off"
    raise ValueError(reason)


def _replay(value: str) -> str:
    if value not in REPLAY_MODES:
        reason = f"'{value}' is not one of {', '.join(REPLAY_MODES)}"
        raise ValueError(reason)
    return value


def _formats(value: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(split_names(value)))
    wrong = [name for name in names if name not in FORMATS]
    if wrong or not names:
        reason = f"'{wrong[0] if wrong else value}' is not one of {', '.join(FORMATS)}"
        raise ValueError(reason)
    return names


def _groups(value: str) -> tuple[tuple[str, ...], ...]:
    parts = check_text(value).split(";")
    return tuple(names for names in map(split_names, parts) if names)


def split_names(value: str) -> tuple[str, ...]:
    """The names in a list with commas or blanks between them."""
    return tuple(value.replace(",", " ").split())


RUN_OPTIONS: dict[str, Option] = {
    option.name: option
    for option in (
        Option(
            "events",
            "counters: NAME, or NAME:device=N for one GPU, with commas, semicolons or blanks between them; "
            f"default: those of {EVENTS_FALLBACK}",
            _text,
        ),
        Option(
            "output",
            f"folder for the files of the run; default: {OUTPUT_FALLBACK}, else {DEFAULT_OUTPUT_FOLDER}/<application>",
            _text,
        ),
        Option(
            "overwrite",
            "remove the files of an earlier run in that folder; default: off, a folder with an earlier run is refused",
            _flag,
        ),
        Option(
            "replay",
            "auto, kernel: each kernel runs once per pass (the two are the same today); "
            "off: it runs once, and only the counters of the first pass are read; default: auto",
            _replay,
        ),
        Option(
            "simulate",
            "simulated GPUs in place of real ones: names such as gfx942, or device files; default: none",
            _text,
        ),
        Option(
            "format",
            "outputs, with commas between them: perfetto (.pftrace), rocpd (.db), csv, json (every reading); "
            "default: perfetto,rocpd",
            _formats,
        ),
        Option(
            "group",
            "counters that must be read in one pass; may be given several times; default: none",
            _groups,
        ),
        Option("quiet", "no summary, only warnings and errors; default: off", _flag),
        Option("verbose", "more about what is done; default: off", _flag),
    )
}

# Variables of the prefix that are no options of `run`: the hand-over file, the folder of the compiled parts, and
# Perfetto's importer for `verify`.
_OTHER_VARIABLES = ("RESOLVED", "NATIVE", "TRACE_PROCESSOR")
_LISTS = (RUN_OPTIONS["events"].variable, EVENTS_FALLBACK)
_NEAR = 0.9  # of EVENTS_FALLBACK: other variables of rocprof-sys are alike in their prefix


def resolve_run(
    command: Sequence[str], given: Mapping[str, Any], environ: Mapping[str, str], wording: Wording = COMMAND_LINE
) -> RunConfig:
    """The configuration of a run of `command`. In `given`, a value of None means "not given here".

    Raises:
        UsageError: a given value is wrong, or there are no events at all.
        ConfigError: a value in the environment is wrong; the message names the variable.
    """

    def value(name: str, default: Any) -> Any:  # noqa: ANN401 - the table decides the type
        return resolve_option(name, given.get(name), environ, default, wording)

    output = value("output", "")
    if not output:
        output = environ.get(OUTPUT_FALLBACK, "") or f"{DEFAULT_OUTPUT_FOLDER}/{application_name(command)}"
    return RunConfig(
        events=_events(given.get("events"), environ, wording),
        groups=value("group", ()),
        output=output,
        overwrite=value("overwrite", default=False),
        replay=value("replay", "auto"),
        simulate=value("simulate", ""),
        formats=value("format", DEFAULT_FORMATS),
        quiet=value("quiet", default=False),
        verbose=value("verbose", default=False),
    )


def resolve_option(
    name: str,
    given: Any,  # noqa: ANN401 - the table decides the type
    environ: Mapping[str, str],
    default: Any,  # noqa: ANN401
    wording: Wording = COMMAND_LINE,
) -> Any:  # noqa: ANN401
    """The value of one option: the given one, else that of its variable, else the default.

    Raises:
        UsageError, ConfigError: as `resolve_run`.
    """
    option = RUN_OPTIONS[name]
    if given is None:
        return _from_environment(option, environ, default)
    if not isinstance(given, str):
        return given
    try:
        return option.parse(given)
    except ValueError as error:
        message = f"{wording.option(name)}: {error}"
        raise UsageError(message) from error


def events_from_environment(environ: Mapping[str, str]) -> tuple[str, str]:
    """The list that the environment asks for and the variable that it is from; two empty texts when there is none."""
    for name in _LISTS:
        if environ.get(name, "").strip(" ,;\t\n"):
            return environ[name], name
    return "", ""


def unknown_variables(environ: Mapping[str, str]) -> list[str]:
    """A warning for each variable of our prefix that nothing reads, with the nearest that is read."""
    return [
        f"{name} is not a known variable" + (f"; did you mean {near}?" if near else "")
        for name, near in _mistyped(environ)
    ]


def _mistyped(environ: Mapping[str, str]) -> list[tuple[str, str]]:
    """Variables of our prefix that nothing reads, each with the nearest that is read, or an empty text."""
    known = [option.variable.removeprefix(PREFIX) for option in RUN_OPTIONS.values()] + list(_OTHER_VARIABLES)
    found = []
    for name in sorted(environ):
        own = name.removeprefix(PREFIX)
        if name.startswith(PREFIX) and own not in known:
            near = difflib.get_close_matches(own, known, n=1)  # the prefix is no likeness
            found.append((name, PREFIX + near[0] if near else ""))
    return found


def _from_environment(option: Option, environ: Mapping[str, str], default: Any) -> Any:  # noqa: ANN401
    text = environ.get(option.variable, "")
    if not text:
        return default
    try:
        return option.parse(text)
    except ValueError as error:
        message = f"{option.variable}: {error}"
        raise ConfigError(message) from error


def _events(given: str | None, environ: Mapping[str, str], wording: Wording) -> str:
    """The list, checked: at least one token of it can be used. The plugin names the ones that cannot."""
    kind: type[MultipassError]
    if given is not None:
        text, source, kind = given, wording.option("events"), UsageError
    else:
        text, source = events_from_environment(environ)
        kind = ConfigError
    try:
        usable, malformed = check_events(check_text(text))
    except ValueError as error:
        message = f"{source}: {error}"
        raise kind(message) from error
    if usable:
        return text
    if malformed:
        faults = "; ".join(f"'{token.token}' (column {token.column}): {token.reason}" for token in malformed)
        message = f"{source} holds no counter that can be used: {faults}"
        raise kind(message)
    variable = RUN_OPTIONS["events"].variable
    message = f"no counters were asked for: {wording.give_events}, or set {variable}"
    ours = [name for name, near in _mistyped(environ) if near == variable]
    theirs = [
        name for name in difflib.get_close_matches(EVENTS_FALLBACK, environ, n=2, cutoff=_NEAR) if name not in _LISTS
    ]
    if ours or theirs:
        name, meant = (ours[0], variable) if ours else (theirs[0], EVENTS_FALLBACK)
        message += f" (the environment has {name}: did you mean {meant}?)"
    raise UsageError(message)
