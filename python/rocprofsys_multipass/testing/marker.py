# SPDX-License-Identifier: MIT
"""The options of a run as tests give them, in the marker `multipass` or in a call: what is wrong with them, in words.

Plain functions, without pytest. Nothing is run: what is asked for is read as a run would read it, and planned where the
GPUs are simulated ones.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rocprofsys_multipass.config import PYTHON, RUN_OPTIONS, given_of, has_token, resolve_run
from rocprofsys_multipass.errors import MultipassError, NativeError, UsageError
from rocprofsys_multipass.native import find_native
from rocprofsys_multipass.plan import request_plan
from rocprofsys_multipass.simulate import check_devices
from rocprofsys_multipass.spelling import nearest

if TYPE_CHECKING:
    from rocprofsys_multipass.config import RunConfig

_OF_THE_FIXTURE: Final = {
    "command": "it is given where the fixture multipass_run is called",
    "output": "each run has a folder of its own in the test's tmp_path (--multipass-keep keeps all of them)",
    "overwrite": "each run has a folder of its own",
    "capture": "what the application prints is always captured, see `.run.stdout` of the trace",
}
_PLACES: Final = {"group": "groups"}  # of the plan's messages, as keywords
_STAND_IN: Final = "SQ_WAVES"
_BESIDE: Final = ("config", "simulate")  # options that may name files beside the test
_MORE: Final[dict[str, tuple[type, str]]] = {
    "cwd": (os.PathLike, "a path"),
    "empty_ok": (bool, "True or False"),
    "env": (Mapping, "a mapping of texts, the whole environment"),
    "exit_code": (int, "a whole number"),
}
KEYWORDS: Final = tuple(
    sorted({option.python for option in RUN_OPTIONS.values()} - _OF_THE_FIXTURE.keys() | _MORE.keys())
)
"""What the marker and the fixture take: the options of a run, and those of `collect`."""


@dataclass(frozen=True, slots=True)
class Examined:
    """What is to be said of the options of a test: `problems`; and the GPUs to simulate, empty for real ones."""

    problems: tuple[str, ...]
    simulate: str = ""


def examine(options: Mapping[str, object], folder: Path) -> Examined:
    """Everything that is wrong with the options of a test whose file is in `folder`, as far as that needs no GPU."""
    found = [*_wrong_words(options)] or [*_wrong_types(options)]
    if found:
        return Examined(tuple(found))
    given_environ = options.get("env")
    environ = given_environ if isinstance(given_environ, Mapping) else os.environ
    asked = {name: value for name, value in beside(options, folder).items() if name not in _MORE}
    try:
        config, has_counters = _resolved(given_of(asked), environ)
        problems = _unplannable(config, environ, has_counters=has_counters) if config.simulate else ()
    except MultipassError as error:
        return Examined(tuple(error.messages))
    return Examined(problems, config.simulate)


def beside(options: Mapping[str, object], folder: Path) -> dict[str, Any]:
    """The options with the paths of files that are beside the test: a settings file, and files of simulated devices."""
    found = dict(options)
    for name in _BESIDE:
        value = found.get(name)
        if isinstance(value, str):
            found[name] = ",".join(_path(part.strip(), folder) for part in value.split(","))
        elif isinstance(value, os.PathLike):
            found[name] = _path(os.fspath(value), folder)
        elif isinstance(value, (list, tuple)):
            found[name] = [_path(part, folder) if isinstance(part, str) else part for part in value]
    return found


def _path(name: str, folder: Path) -> str:
    return str(folder / name) if name and os.path.isfile(folder / name) else name  # noqa: PTH113 - no name is too long


def _wrong_words(options: Mapping[str, object]) -> Iterator[str]:
    for name in options:
        if name in _OF_THE_FIXTURE:
            yield f"{name} cannot be given: {_OF_THE_FIXTURE[name]}"
        elif name not in KEYWORDS:
            near = nearest(name, KEYWORDS)
            hint = f"did you mean {near}?" if near else f"known are {', '.join(KEYWORDS)}"
            yield f"{name!r} is no option: {hint}"


def _wrong_types(options: Mapping[str, object]) -> Iterator[str]:
    for name, (kind, wanted) in _MORE.items():
        value = options.get(name)
        right = isinstance(value, kind) or (name == "cwd" and isinstance(value, str))
        if value is not None and (not right or (kind is int and isinstance(value, bool))):
            yield f"{name}: {value!r} is of the wrong type: pass {wanted}"
    env = options.get("env")
    for name, value in env.items() if isinstance(env, Mapping) else ():
        if not (isinstance(name, str) and isinstance(value, str)):
            yield f"env: {name!r}: {value!r} is of the wrong type: pass {_MORE['env'][1]}"
    for option in RUN_OPTIONS.values():
        if option.kind != "flag" and isinstance(options.get(option.python), bool):
            yield f"{option.python}: {options[option.python]!r} is of the wrong type: pass {option.allowed}"


def _resolved(given: Mapping[str, Any], environ: Mapping[str, str]) -> tuple[RunConfig, bool]:
    """What a run would make of the options, and whether counters are among them: they may come with the call.

    Raises:
        UsageError, ConfigError: something is wrong.
    """
    command = ["application"]
    if given["events"] is not None and not has_token(given["events"]) and not given["set"]:
        message = "events: no counter is in it: name one, such as events=['SQ_WAVES'], or leave it to the call"
        raise UsageError(message)
    try:
        return resolve_run(command, given, environ, PYTHON), True
    except UsageError:
        if given["events"] is not None or given["set"]:
            raise
        return resolve_run(command, {**given, "events": _STAND_IN}, environ, PYTHON), False


def _unplannable(config: RunConfig, environ: Mapping[str, str], *, has_counters: bool) -> tuple[str, ...]:
    """What is wrong with simulated GPUs, and what of the counters cannot be read on them.

    Raises:
        UsageError, ConfigError: there is no such device.
    """
    try:
        native = find_native(environ)
        check_devices(config.simulate, native, config.source("simulate"))
        catalogues = native.catalogues
    except NativeError:
        return ()  # a package without compiled parts cannot plan; a run says what is missing
    return _unread(config, tuple(catalogues)) if has_counters else ()


@cache
def _unread(config: RunConfig, catalogues: Sequence[str]) -> tuple[str, ...]:
    """What of the counters is in no pass on any simulated GPU. Many tests ask for the same: a plan takes 0.05 s."""
    devices = [name.strip() for name in config.simulate.split(",")]
    on_paper = set(devices).issubset(catalogues)
    plan, code = request_plan(
        devices if on_paper else (),
        config.events,
        config.groups,
        sets=config.sets,
        sentinel=config.sentinel,
        live=not on_paper,
        simulate=None if on_paper else config.simulate,
        effort=0,
        wording=PYTHON,
    )
    found = [
        f"{_PLACES.get(one.place, one.place)}: {one.token!r}: {one.reason or 'not known'}"
        + (f"; did you mean {one.suggestion}?" if one.suggestion else "")
        for one in plan.unknown
    ]
    unknown = {one.token for one in plan.unknown}
    refused = [{u.counter: u for u in agent.unplaceable} for agent in plan.agents]
    for counter, one in (refused[0] if refused else {}).items():
        if all(counter in others for others in refused) and unknown.isdisjoint(counter.split(",")):
            found.append(
                f"{'groups' if one.is_group else 'events'}: {counter} fits no pass: {one.reason.partition('; ')[0]}"
            )
    if code and not found:
        found.append(f"events: none of the counters can be read on {config.simulate}")
    return tuple(found)
