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
from rocprofsys_multipass.errors import ConfigError, MultipassError, UsageError

PREFIX = "ROCPROFSYS_MULTIPASS_"
EVENTS_FALLBACK = "ROCPROFSYS_ROCM_EVENTS"
OUTPUT_FALLBACK = "ROCPROFSYS_OUTPUT_PATH"

REPLAY_MODES = ("auto", "kernel", "off")
FORMATS = ("perfetto", "rocpd")
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
    return tuple(names for names in (split_names(part) for part in value.split(";")) if names)


def split_names(value: str) -> tuple[str, ...]:
    """The names in a list with commas or blanks between them."""
    return tuple(value.replace(",", " ").split())


RUN_OPTIONS: dict[str, Option] = {
    option.name: option
    for option in (
        Option("events", "counters, in the grammar of ROCPROFSYS_ROCM_EVENTS", _text),
        Option("output", "folder for the files of the run", _text),
        Option("overwrite", "remove the files of an earlier run in that folder", _flag),
        Option("replay", "auto, kernel or off", _replay),
        Option("simulate", "simulated devices in place of the GPUs", _text),
        Option("format", "output formats", _formats),
        Option("group", "counters that must be read in one pass; ';' between groups", _groups),
        Option("quiet", "only warnings and errors", _flag),
        Option("verbose", "more about what is done", _flag),
    )
}

# Variables of the prefix that are no options of `run`: the hand-over file, the folder of the compiled parts, and
# Perfetto's importer for `verify`.
_OTHER_VARIABLES = ("RESOLVED", "NATIVE", "TRACE_PROCESSOR")


def resolve_run(command: Sequence[str], given: Mapping[str, Any], environ: Mapping[str, str]) -> RunConfig:
    """The configuration of a run of `command`. In `given`, a value of None means "not given here".

    Raises:
        UsageError: a given value is wrong, or there are no events at all.
        ConfigError: a value in the environment is wrong; the message names the variable.
    """

    def value(name: str, default: Any) -> Any:  # noqa: ANN401 - the table decides the type
        if given.get(name) is not None:
            return _given(RUN_OPTIONS[name], given[name])
        return _from_environment(RUN_OPTIONS[name], environ, default)

    output = value("output", "")
    if not output:
        output = environ.get(OUTPUT_FALLBACK, "") or f"{DEFAULT_OUTPUT_FOLDER}/{application_name(command)}"
    return RunConfig(
        events=_events(given.get("events"), environ),
        groups=value("group", ()),
        output=output,
        overwrite=value("overwrite", default=False),
        replay=value("replay", "auto"),
        simulate=value("simulate", ""),
        formats=value("format", FORMATS),
        quiet=value("quiet", default=False),
        verbose=value("verbose", default=False),
    )


def events_from_environment(environ: Mapping[str, str]) -> tuple[str, str]:
    """The list that the environment asks for and the variable that it is from; two empty texts when there is none."""
    for name in (RUN_OPTIONS["events"].variable, EVENTS_FALLBACK):
        if environ.get(name, "").strip(" ,;\t\n"):
            return environ[name], name
    return "", ""


def unknown_variables(environ: Mapping[str, str]) -> list[str]:
    """A warning for each variable of our prefix that nothing reads, with the nearest that is read."""
    known = [option.variable for option in RUN_OPTIONS.values()] + [PREFIX + name for name in _OTHER_VARIABLES]
    warnings = []
    for name in sorted(environ):
        if name.startswith(PREFIX) and name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            warnings.append(f"{name} is not a known variable" + (f"; did you mean {near[0]}?" if near else ""))
    return warnings


def _given(option: Option, value: Any) -> Any:  # noqa: ANN401 - the table decides the type
    if not isinstance(value, str):
        return value
    try:
        return option.parse(value)
    except ValueError as error:
        message = f"--{option.name}: {error}"
        raise UsageError(message) from error


def _from_environment(option: Option, environ: Mapping[str, str], default: Any) -> Any:  # noqa: ANN401
    text = environ.get(option.variable, "")
    if not text:
        return default
    try:
        return option.parse(text)
    except ValueError as error:
        message = f"{option.variable}: {error}"
        raise ConfigError(message) from error


def _events(given: str | None, environ: Mapping[str, str]) -> str:
    """The list, checked: at least one token of it can be used. The plugin names the ones that cannot."""
    kind: type[MultipassError]
    if given is not None:
        text, source, kind = given, "--events", UsageError
    else:
        text, source = events_from_environment(environ)
        kind = ConfigError
    usable, malformed = check_events(text)
    if usable:
        return text
    if malformed:
        faults = "; ".join(f"'{token.token}' (column {token.column}): {token.reason}" for token in malformed)
        message = f"{source} holds no counter that can be used: {faults}"
        raise kind(message)
    message = f"no counters were asked for: use --events LIST, or set {RUN_OPTIONS['events'].variable}"
    near = [name for name in difflib.get_close_matches(EVENTS_FALLBACK, environ, n=2) if name != EVENTS_FALLBACK]
    if near:
        message += f" (the environment has {near[0]}: did you mean {EVENTS_FALLBACK}?)"
    raise UsageError(message)
