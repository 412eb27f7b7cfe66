# SPDX-License-Identifier: MIT
"""Where the values of a run's options come from.

The call (or command line) beats the variables, these beat the YAML file, that beats the variables of rocprof-sys which
are fallbacks, and these beat the defaults. The options themselves are in `config.schema`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rocprofsys_multipass.config.asked import Elsewhere, Source, check_list, is_set
from rocprofsys_multipass.config.events import has_token
from rocprofsys_multipass.config.limits import Budget
from rocprofsys_multipass.config.option import Option
from rocprofsys_multipass.config.output import DEFAULT_OUTPUT_FOLDER, application_name
from rocprofsys_multipass.config.schema import EVENTS_FALLBACK, RUN_OPTIONS
from rocprofsys_multipass.config.values import COMPUTE_RELEASES, DEFAULT_LAYOUT, INSTANCES
from rocprofsys_multipass.config.wording import COMMAND_LINE, Wording
from rocprofsys_multipass.errors import ConfigFileError

if TYPE_CHECKING:
    from rocprofsys_multipass.config.settings_file import SettingsFile


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
    max_replays: int | None = None  # 0: no limit; None: as `replay` has it
    replay_budget: Budget | None = None  # None: as `replay` has it
    unsafe: tuple[str, ...] = ()
    host_memory: int | None = None  # bytes; None: what is left
    warm_up_pass: bool = False
    timing_pass: bool = False
    permute_groups: bool = False
    sentinel: str = "auto"
    force: bool = False
    strict: bool = False
    no_merge: bool = False
    layout: str = DEFAULT_LAYOUT
    instances: str = INSTANCES[0]
    compute_panels: tuple[int, ...] = ()
    compute_release: str = COMPUTE_RELEASES[0]
    trace_counters: str = "all"
    sources: Mapping[str, Source] = field(default_factory=dict, repr=False, compare=False)

    def source(self, name: str) -> Source:
        """Where the value of an option is from."""
        return self.sources.get(name, _DEFAULT)


@dataclass(frozen=True)
class PlanRequest:
    """What a plan is asked for. `devices` are those to be simulated, none where nothing says so; `source`: who does."""

    events: str
    groups: tuple[tuple[str, ...], ...]
    devices: tuple[str, ...]
    source: Source = _DEFAULT
    sets: tuple[str, ...] = ()
    sentinel: str = "auto"
    compute_panels: tuple[int, ...] = ()
    instances: str = INSTANCES[0]


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
    if has_token(value["events"]) or not (value["set"] or value["compute-panels"]):  # these ask for counters, too
        check_list(value["events"], found["events"][1], environ, wording, elsewhere)
    default_output = f"{DEFAULT_OUTPUT_FOLDER}/{application_name(command)}" if command else ""
    return RunConfig(
        events=value["events"],
        groups=value["group"],
        output=value["output"] or default_output,
        overwrite=value["overwrite"],
        replay=value["replay"],
        simulate=value["simulate"],
        formats=value["format"],
        layout=value["layout"],
        instances=value["instances"],
        compute_panels=value["compute-panels"],
        compute_release=value["compute-release"],
        trace_counters=value["trace-counters"],
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
        replay_budget=value["replay-budget"],
        unsafe=value["unsafe"],
        host_memory=value["host-memory"],
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
    """What a plan is asked for, of the options that say what is counted, ``config`` and ``simulate``.

    As for a run, the values are those of `given`, else of elsewhere.

    Raises:
        UsageError, ConfigError: as `resolve_run`.
    """
    layers = _Layers(given, environ, wording)
    events, listed = layers.find(RUN_OPTIONS["events"])
    groups, _ = layers.find(RUN_OPTIONS["group"])
    sets, _ = layers.find(RUN_OPTIONS["set"])
    panels, _ = layers.find(RUN_OPTIONS["compute-panels"])
    if has_token(events) or not (groups or sets or panels):  # these ask for their counters, too
        check_list(events, listed, environ, wording)
    simulate, source = layers.find(RUN_OPTIONS["simulate"])
    devices = tuple(filter(None, (name.strip() for name in simulate.split(","))))
    sentinel, _ = layers.find(RUN_OPTIONS["sentinel"])
    instances, _ = layers.find(RUN_OPTIONS["instances"])
    return PlanRequest(events, groups, devices, source, sets, sentinel, panels, instances)


def resolve_options(
    names: Iterable[str], given: Mapping[str, Any], environ: Mapping[str, str], wording: Wording = COMMAND_LINE
) -> dict[str, tuple[Any, Source]]:
    """The values of several options, and where they are from, by name; ``config`` may be `given` too.

    Raises:
        UsageError, ConfigError: as `resolve_run`.
    """
    layers = _Layers(given, environ, wording)
    return {name: layers.find(RUN_OPTIONS[name]) for name in names}


def resolve_option(
    name: str,
    given: Any,  # noqa: ANN401 - the table decides the type
    environ: Mapping[str, str],
    wording: Wording = COMMAND_LINE,
    *,
    config: str | None = None,
) -> tuple[Any, Source]:
    """The value of one option, and where it is from. A `given` of None means "not given here".

    `config`: a YAML file, in place of that of the variable.

    Raises:
        UsageError, ConfigError: as `resolve_run`.
    """
    return _Layers({"config": config, name: given}, environ, wording).find(RUN_OPTIONS[name])


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
        if option.fallback and is_set(option.fallback, self._environ):
            return _parsed(option, self._environ[option.fallback], Source("fallback", option.fallback))
        return option.default, _DEFAULT

    def _named(self, option: Option) -> tuple[Any, Source]:
        """The value of the call or of the variable; None where there is none."""
        given = self._given.get(option.name)
        if given is not None and not (option.name == "output" and given == ""):
            return _parsed(option, given, Source("call", self._wording.option(option.name)))
        if is_set(option.variable, self._environ):
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
