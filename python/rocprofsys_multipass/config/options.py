# SPDX-License-Identifier: MIT
"""Where the values of a run's options come from.

The call (or command line) beats the variables, these beat the YAML file, that beats the variables of rocprof-sys which
are fallbacks, and these beat the defaults. The options themselves are in `config.schema`.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from rocprofsys_multipass.config.events import check_events, has_token
from rocprofsys_multipass.config.option import PREFIX, Option
from rocprofsys_multipass.config.output import DEFAULT_OUTPUT_FOLDER, application_name
from rocprofsys_multipass.config.schema import EVENTS_FALLBACK, OTHER_VARIABLES, RUN_OPTIONS
from rocprofsys_multipass.config.text import check_text
from rocprofsys_multipass.config.wording import COMMAND_LINE, Wording
from rocprofsys_multipass.errors import ConfigError, ConfigFileError, MultipassError, UsageError
from rocprofsys_multipass.spelling import nearest

if TYPE_CHECKING:
    from rocprofsys_multipass.config.settings_file import SettingsFile


@dataclass(frozen=True)
class Source:
    """Where a value comes from. `text` names the place, as messages do."""

    kind: Literal["call", "variable", "file", "fallback", "default"]
    text: str

    def error(self, reason: str) -> MultipassError:
        """The exception for a wrong value from here."""
        kind: type[MultipassError] = UsageError if self.kind == "call" else ConfigError
        return kind(f"{self.text}: {reason}")


_DEFAULT = Source("default", "the default")


@dataclass(frozen=True)
class RunConfig:
    """How a command is to be run. `output` is still a template, see `config.output`.

    `sources` tells where each option's value is from, by its name in `config.RUN_OPTIONS`.
    """

    events: str
    groups: tuple[tuple[str, ...], ...]
    output: str
    overwrite: bool
    replay: str
    simulate: str
    formats: tuple[str, ...]
    quiet: bool
    verbose: bool
    sets: tuple[str, ...] = ()
    kernel_include: str = ""
    kernel_exclude: str = ""
    range: str = ""
    gpus: str = ""
    ranks: str = ""
    roctx: bool = False
    roctx_include: str = ""
    roctx_exclude: str = ""
    selected_regions: bool = False
    no_replay: str = ""
    replay_everything: bool = False
    max_replays: int = 0  # 0: no limit
    warm_up_pass: bool = False
    timing_pass: bool = False
    permute_groups: bool = False
    sentinel: str = "auto"
    force: bool = False
    strict: bool = False
    no_merge: bool = False
    sources: Mapping[str, Source] = field(default_factory=dict, repr=False, compare=False)

    def source(self, name: str) -> Source:
        """Where the value of an option is from."""
        return self.sources.get(name, _DEFAULT)


@dataclass(frozen=True)
class Elsewhere:
    """A list of counters that was given to rocprof-sys, and the place; empty where it was given none.

    `hint`: what to say where nobody names a counter. `needed`: whether a run needs any.
    """

    events: str
    place: str
    hint: str = ""
    needed: bool = True


@dataclass(frozen=True)
class PlanRequest:
    """What a plan is asked for. `devices` are those to be simulated, none where nothing says so; `source`: who does."""

    events: str
    groups: tuple[tuple[str, ...], ...]
    devices: tuple[str, ...]
    source: Source = _DEFAULT
    sets: tuple[str, ...] = ()
    sentinel: str = "auto"


_LISTS = (RUN_OPTIONS["events"].variable, EVENTS_FALLBACK)
_NEAR = 0.9  # of EVENTS_FALLBACK: other variables of rocprof-sys are alike in their prefix


def resolve_run(
    command: Sequence[str],
    given: Mapping[str, Any],
    environ: Mapping[str, str],
    wording: Wording = COMMAND_LINE,
    *,
    elsewhere: Elsewhere | None = None,
) -> RunConfig:
    """The configuration of a run of `command`. In `given`, a value of None means "not given here".

    With an empty command `output` stays empty where nothing names a folder. `elsewhere`: the list of counters of a
    launcher of rocprof-sys, in place of that in its variable.

    Raises:
        UsageError: a given value is wrong, or there are no events at all.
        ConfigError: a value in the environment or in the YAML file is wrong; the message names the place.
    """
    layers = _Layers(given, environ, wording, elsewhere)
    found = {name: layers.find(option) for name, option in RUN_OPTIONS.items() if option.in_file}
    value = {name: one[0] for name, one in found.items()}
    if has_token(value["events"]) or not value["set"]:  # a set asks for its counters, too
        _check_list(value["events"], found["events"][1], environ, wording, elsewhere)
    default_output = f"{DEFAULT_OUTPUT_FOLDER}/{application_name(command)}" if command else ""
    return RunConfig(
        events=value["events"],
        groups=value["group"],
        output=value["output"] or default_output,
        overwrite=value["overwrite"],
        replay=value["replay"],
        simulate=value["simulate"],
        formats=value["format"],
        quiet=value["quiet"],
        verbose=value["verbose"],
        sets=value["set"],
        kernel_include=value["kernel-include"],
        kernel_exclude=value["kernel-exclude"],
        range=value["range"],
        gpus=value["gpus"],
        ranks=value["ranks"],
        roctx=value["roctx"],
        roctx_include=value["roctx-include"],
        roctx_exclude=value["roctx-exclude"],
        selected_regions=value["selected-regions"],
        no_replay=value["no-replay"],
        replay_everything=value["replay-everything"],
        max_replays=value["max-replays"],
        warm_up_pass=value["warm-up-pass"],
        timing_pass=value["timing-pass"],
        permute_groups=value["permute-groups"],
        sentinel=value["sentinel"],
        force=value["force"],
        strict=value["strict"],
        no_merge=value["no-merge"],
        sources={name: one[1] for name, one in found.items()},
    )


def resolve_plan_request(
    given: Mapping[str, Any], environ: Mapping[str, str], wording: Wording = COMMAND_LINE
) -> PlanRequest:
    """What a plan is asked for, of ``config``, ``events``, ``group``, ``set``, ``sentinel`` and ``simulate``.

    As for a run, the values are those of `given`, else of elsewhere.

    Raises:
        UsageError, ConfigError: as `resolve_run`.
    """
    layers = _Layers(given, environ, wording)
    events, listed = layers.find(RUN_OPTIONS["events"])
    groups, _ = layers.find(RUN_OPTIONS["group"])
    sets, _ = layers.find(RUN_OPTIONS["set"])
    if has_token(events) or not (groups or sets):  # these ask for their counters, too
        _check_list(events, listed, environ, wording)
    simulate, source = layers.find(RUN_OPTIONS["simulate"])
    devices = tuple(filter(None, (name.strip() for name in simulate.split(","))))
    sentinel, _ = layers.find(RUN_OPTIONS["sentinel"])
    return PlanRequest(events, groups, devices, source, sets, sentinel)


def resolve_option(
    name: str,
    given: Any,  # noqa: ANN401 - the table decides the type
    environ: Mapping[str, str],
    wording: Wording = COMMAND_LINE,
) -> tuple[Any, Source]:
    """The value of one option, and where it is from. A `given` of None means "not given here".

    Raises:
        UsageError, ConfigError: as `resolve_run`.
    """
    return _Layers({name: given}, environ, wording).find(RUN_OPTIONS[name])


def events_from_environment(environ: Mapping[str, str]) -> tuple[str, str]:
    """The list that the environment asks for and the variable that it is from; two empty texts when there is none."""
    for name in _LISTS:
        if _is_set(name, environ):
            return environ[name], name
    return "", ""


def unknown_variables(environ: Mapping[str, str]) -> list[str]:
    """A warning for each variable of our prefix that nothing reads, with the nearest that is read."""
    return [
        f"{name} is not a known variable" + (f"; did you mean {near}?" if near else "")
        for name, near in _mistyped(environ)
    ]


class _Layers:
    """The four places of values, in their order."""

    def __init__(
        self,
        given: Mapping[str, Any],
        environ: Mapping[str, str],
        wording: Wording,
        elsewhere: Elsewhere | None = None,
    ) -> None:
        self._elsewhere = elsewhere
        self._given = given
        self._environ = environ
        self._wording = wording
        self._file: SettingsFile | None = None
        path, source = self._named(RUN_OPTIONS["config"])
        if path is not None:
            self._file = _read_file(path, source)

    def find(self, option: Option) -> tuple[Any, Source]:
        """The value of an option, and where it is from."""
        value, source = self._named(option)
        if value is not None:
            return value, source
        if self._file and (setting := self._file.settings.get(option.name)):
            return setting.value, Source("file", f"{setting.place}: {option.key}")
        if option.fallback == EVENTS_FALLBACK and self._elsewhere is not None:
            return self._elsewhere.events, Source("fallback", self._elsewhere.place)
        if option.fallback and _is_set(option.fallback, self._environ):
            return _parsed(option, self._environ[option.fallback], Source("fallback", option.fallback))
        return option.default, _DEFAULT

    def _named(self, option: Option) -> tuple[Any, Source]:
        """The value of the call or of the variable; None where there is none."""
        given = self._given.get(option.name)
        if given is not None and not (option.name == "output" and given == ""):
            return _parsed(option, given, Source("call", self._wording.option(option.name)))
        if _is_set(option.variable, self._environ):
            return _parsed(option, self._environ[option.variable], Source("variable", option.variable))
        return None, _DEFAULT


def _parsed(option: Option, value: object, source: Source) -> tuple[Any, Source]:
    if option.kind == "flag" and isinstance(value, bool):
        return value, source
    if not isinstance(value, str):
        raise source.error(f"{value!r} is no {'flag: True or False' if option.kind == 'flag' else 'text'}")
    try:
        return option.parse(value), source
    except ValueError as error:
        raise source.error(str(error)) from error


def _read_file(path: str, source: Source) -> SettingsFile:
    from rocprofsys_multipass.config.settings_file import read_settings_file  # loads the YAML reader

    try:
        return read_settings_file(path)
    except ConfigFileError as error:
        if source.kind == "call":
            raise
        problems = [*error.messages]
        problems[0] += f" (the file that {source.text} names)"
        raise ConfigFileError(problems) from error


def _is_set(name: str, environ: Mapping[str, str]) -> bool:
    """An empty variable counts as not set; so does a list without a token."""
    value = environ.get(name, "")
    return has_token(value) if name in _LISTS else bool(value)


def _mistyped(environ: Mapping[str, str]) -> list[tuple[str, str]]:
    """Variables of our prefix that nothing reads, each with the nearest that is read, or an empty text."""
    known = [option.variable.removeprefix(PREFIX) for option in RUN_OPTIONS.values()] + list(OTHER_VARIABLES)
    found = []
    for name in sorted(environ):
        own = name.removeprefix(PREFIX)
        if name.startswith(PREFIX) and own not in known:
            near = nearest(own, known)  # the prefix is no likeness
            found.append((name, PREFIX + near if near else ""))
    return found


def _check_list(
    events: str,
    source: Source,
    environ: Mapping[str, str],
    wording: Wording,
    elsewhere: Elsewhere | None = None,
) -> None:
    """See that at least one token of the list can be used. The plugin names the ones that cannot."""
    if elsewhere is not None and not elsewhere.needed:
        return
    try:
        usable, malformed = check_events(check_text(events))
    except ValueError as error:
        raise source.error(str(error)) from error
    if usable:
        return
    if malformed:
        faults = "; ".join(f"'{token.token}' (column {token.column}): {token.reason}" for token in malformed)
        kind: type[MultipassError] = type(source.error(""))
        message = f"{source.text} holds no counter that can be used: {faults}; write NAME or NAME:device=N"
        raise kind(message)
    variables = [RUN_OPTIONS[name].variable for name in ("events", "set")]
    message = f"no counters were asked for: {wording.give_events}, or set {' or '.join(variables)}"
    ours = [(name, near) for name, near in _mistyped(environ) if near in variables]
    theirs = [
        name for name in difflib.get_close_matches(EVENTS_FALLBACK, environ, n=2, cutoff=_NEAR) if name not in _LISTS
    ]
    if ours or theirs:
        name, meant = ours[0] if ours else (theirs[0], EVENTS_FALLBACK)
        message += f" (the environment has {name}: did you mean {meant}?)"
    if elsewhere is not None and elsewhere.hint:
        message += f"; {elsewhere.hint}"
    raise UsageError(message)
