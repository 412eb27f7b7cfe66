# SPDX-License-Identifier: MIT
"""Plans: which counters are read in which pass, made by the planner that the plugin uses too.

The planner is the program ``rocprofsys-multipass-plan``; this module runs it, `planned` has what it answers.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from rocprofsys_multipass.config import (
    COMMAND_LINE,
    PYTHON,
    Wording,
    check_text,
    has_token,
    split_names,
    value_of,
)
from rocprofsys_multipass.config.values import KEEP
from rocprofsys_multipass.config.values import sentinel as sentinel_text
from rocprofsys_multipass.errors import ExitCode, UsageError
from rocprofsys_multipass.live import check_choice, live_catalogues
from rocprofsys_multipass.native import find_native
from rocprofsys_multipass.planned import PLANNER, Plan, parse_plan
from rocprofsys_multipass.programs import ask, device_arguments

MOST_EFFORT = 2**63 - 1


def plan(  # noqa: PLR0913 - what can be asked of the planner
    device: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    events: str | Sequence[str] = (),
    groups: Sequence[str | Sequence[str]] = (),
    *,
    sets: str | Sequence[str] = (),
    compute_panels: str | int | Sequence[str | int] | None = None,
    instances: str | None = None,
    sentinel: str | Sequence[str] | None = None,
    live: bool = False,
    simulate: str | None = None,
    effort: int | None = None,
) -> Plan:
    """Plan `events` for one device or several.

    Args:
        device: names ("gfx942") or catalogue files, a list or with commas; their place is the device's ordinal.
        events: counters, as a list or as one text in the grammar of ``ROCPROFSYS_ROCM_EVENTS``.
        groups: counters that must be read in one pass, each a list or a text "A,B".
        sets: sets of metrics, a list or with commas; their counters are read too, those of each metric in one pass.
        compute_panels: panels of rocprofiler-compute by number, or "all": 2, "2,7,17", [2, 7, 17]; their counters are
            read too, those of each metric in one pass where one has room for them.
        instances: what a run is to record of the instances of a counter: "sum" (as without) or "keep", without which
            panels of single channels stay empty, and a warning says so.
        sentinel: what passes are compared by: "auto", "none", or counters, a list or a text as `events`. None: "auto",
            as for a run.
        live: plan for the GPUs of this machine in place of `device`, with what its SDK lists.
        simulate: with `live`, simulated GPUs in place of real ones: names or device files, with a comma between
            them. None: those that ``ROCPROFSYS_MULTIPASS_SIMULATE`` asks for, if any.
        effort: placements that the search for fewer passes may try, for each GPU, however long that takes; 0 makes
            none. None: the planner's default, which a run uses too, and 10 s at most (see `Plan.warnings`). With more,
            a plan whose `AgentPlan.proof` is "none" may become shorter or be proven minimal.

    Raises:
        UsageError: no device or no counter was given, `compute_panels`, `instances` or `sentinel` cannot be read,
            `effort` is no such number, or the planner does not accept the call.
        ConfigError: a device is neither a known name nor a catalogue file.
        PlanError: with `live`, there is no GPU.
        LaunchError: with `live`, there is no SDK.
        NativeError: a compiled part is missing or failed. Never raised because of a counter: see `Plan.unknown` and
            `AgentPlan.unplaceable`.
    """
    plan, _ = request_plan(
        device,
        events,
        groups,
        sets=sets,
        compute_panels=compute_panels,
        instances=instances,
        sentinel=sentinel,
        live=live,
        simulate=simulate,
        effort=effort,
        wording=PYTHON,
    )
    return plan


def request_plan(  # noqa: PLR0913 - what `plan` takes, and who asks
    device: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    events: str | Sequence[str] = (),
    groups: Sequence[str | Sequence[str]] = (),
    *,
    sets: str | Sequence[str] = (),
    compute_panels: str | int | Sequence[str | int] | None = None,
    instances: str | None = None,
    sentinel: str | Sequence[str] | None = None,
    live: bool = False,
    simulate: str | None = None,
    effort: int | None = None,
    wording: Wording = COMMAND_LINE,
    environ: Mapping[str, str] | None = None,
) -> tuple[Plan, ExitCode]:
    """As `plan`; also whether anything could be placed: `ExitCode.OK` or `ExitCode.PLAN_IMPOSSIBLE`.

    `environ`: the environment in which live GPUs are looked for; None: this process's.
    """
    devices = [device] if isinstance(device, (str, os.PathLike)) else list(device)
    check_choice(devices, live=live, simulate=simulate, wording=wording)
    if not devices and not live:
        message = "no device was given: name one, such as 'gfx942', or a catalogue file, or ask for live GPUs"
        raise UsageError(message)
    request = _request(events, groups, sets, compute_panels)
    if value_of("instances", instances, wording) == KEEP:
        request += ["--instances", KEEP]
    request += [*_sentinel(sentinel), *_effort(effort, wording)]
    if not live:
        return _ask_planner(devices, request)
    with live_catalogues(simulate, wording, environ) as machine:
        return _ask_planner(machine.gpu_catalogues(), request)


def _request(
    events: str | Sequence[str],
    groups: Sequence[str | Sequence[str]],
    sets: str | Sequence[str],
    panels: str | int | Sequence[str | int] | None,
) -> list[str]:
    """The planner's arguments for what is asked for."""
    text = _checked("events", join_events(events))
    arguments = ["--events", text] if has_token(text) else []
    for group in groups:
        arguments += ["--group", _checked("a group", join_events(group, "a group"))]
    for name in split_names(join_events(sets, "sets")):
        arguments += ["--set", _checked("a set", name)]
    if numbers := value_of("compute-panels", panels):
        arguments += ["--compute-panels", ",".join(map(str, numbers))]
    if not arguments:
        message = "no counter was given: pass at least one name, such as 'SQ_WAVES', a set of metrics, or panels"
        raise UsageError(message)
    return arguments


def _sentinel(asked: str | Sequence[str] | None) -> list[str]:
    """The planner's argument for the sentinels; none for its default."""
    if asked is None:
        return []
    try:
        return ["--sentinel", sentinel_text(join_events(asked, "sentinel"))]
    except ValueError as error:
        message = f"sentinel: {error}"
        raise UsageError(message) from error


def _effort(effort: object, wording: Wording) -> list[str]:
    """The planner's argument for the effort; none for its default."""
    if effort is None:
        return []
    if not isinstance(effort, int) or isinstance(effort, bool) or not 0 <= effort <= MOST_EFFORT:
        message = f"{wording.option('effort')}: {effort!r} is no whole number from 0 to {MOST_EFFORT}"
        raise UsageError(message)
    return ["--effort", str(effort)]


def _checked(what: str, text: str) -> str:
    try:
        return check_text(text)
    except ValueError as error:
        message = f"{what}: {error}"
        raise UsageError(message) from error


def join_events(events: object, what: str = "events") -> str:
    """The list as one text: a text as it is, a sequence joined with commas.

    Raises:
        UsageError: it is neither; `what` is its name in the message.
    """
    if isinstance(events, str):
        return events
    names: list[str] = []
    for name in events if isinstance(events, Iterable) else [events]:
        if not isinstance(name, str):
            message = f"{what}: {name!r} is no text: give a list of names, or one text with commas"
            raise UsageError(message)
        names.append(name)
    return ",".join(names)


def _ask_planner(devices: Sequence[str | os.PathLike[str]], request: Sequence[str]) -> tuple[Plan, ExitCode]:
    answer = ask(find_native().planner, PLANNER, [*device_arguments(devices), *request])
    return parse_plan(answer.text), answer.code
