# SPDX-License-Identifier: MIT
"""Plans: which counters are read in which pass, made by the planner that the plugin uses too.

The planner is the program ``rocprofsys-multipass-plan``; this module runs it and gives its answer types. The names of
the attributes are the names in the plan's JSON (schema 1).
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from rocprofsys_multipass.config import check_text
from rocprofsys_multipass.errors import ConfigError, ExitCode, NativeError, UsageError
from rocprofsys_multipass.native import find_native, read_messages

PLAN_SCHEMA = 1


@dataclass(frozen=True)
class PassPlan:
    """One pass. `registers` and `capacity` are per hardware block: registers programmed, and slots there are."""

    index: int
    counters: tuple[str, ...]
    sentinel: tuple[str, ...]
    registers: dict[str, int]
    capacity: dict[str, int]


@dataclass(frozen=True)
class GroupPlacement:
    """Counters that were asked for together, and a pass that holds all of them."""

    counters: tuple[str, ...]
    pass_: int  # "pass" in the JSON, a keyword in Python


@dataclass(frozen=True)
class UnplaceableCounter:
    """A counter that fits no pass of this agent: `block` would need `needs` registers of `limit`."""

    counter: str
    reason: str
    block: str
    needs: int
    limit: int


@dataclass(frozen=True)
class AgentPlan:
    """The passes of one agent. `lower_bound`: fewer passes than this are impossible."""

    device: str
    device_index: int
    pass_count: int
    lower_bound: int
    proven_minimal: bool
    proof: Literal["bound", "search", "none"]
    passes: tuple[PassPlan, ...]
    groups: tuple[GroupPlacement, ...]
    unplaceable: tuple[UnplaceableCounter, ...]


@dataclass(frozen=True)
class UnknownCounter:
    """A token that names no counter. `column` is 1-based in the list; `suggestion` is empty when nothing is near."""

    token: str
    column: int
    suggestion: str
    reason: str = ""


@dataclass(frozen=True)
class IgnoredToken:
    """A part of the list that needs no pass or cannot be used, and why."""

    token: str
    reason: str


@dataclass(frozen=True)
class Plan:
    """The plan of one request, for each agent. `json` is the planner's own text, the same on every machine.

    `warnings`: what will not be as it was asked for. `notes`: what was understood in another way than it may be meant.
    """

    agents: tuple[AgentPlan, ...]
    unknown: tuple[UnknownCounter, ...]
    duplicates: tuple[str, ...]
    ignored: tuple[IgnoredToken, ...]
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    schema: int = PLAN_SCHEMA
    json: str = field(default="", repr=False, compare=False)


def plan(
    device: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    events: str | Sequence[str],
    groups: Sequence[str | Sequence[str]] = (),
) -> Plan:
    """Plan `events` for one device or several.

    Args:
        device: names ("gfx942") or catalogue files; the position in the list is the device's ordinal.
        events: counters, as a list or as one text in the grammar of ``ROCPROFSYS_ROCM_EVENTS``.
        groups: counters that must be read in one pass, each a list or a text "A,B".

    Raises:
        UsageError: no device or no counter was given, or the planner does not accept the call.
        ConfigError: a device is neither a known name nor a catalogue file.
        NativeError: the planner is missing or failed. Never raised because of a counter: see `Plan.unknown` and
            `AgentPlan.unplaceable`.
    """
    return request_plan(device, events, groups)[0]


def request_plan(
    device: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    events: str | Sequence[str],
    groups: Sequence[str | Sequence[str]] = (),
) -> tuple[Plan, ExitCode]:
    """As `plan`; also whether anything could be placed: `ExitCode.OK` or `ExitCode.PLAN_IMPOSSIBLE`."""
    devices = [device] if isinstance(device, (str, os.PathLike)) else list(device)
    if not devices:
        message = "no device was given: name one, such as 'gfx942', or a catalogue file"
        raise UsageError(message)
    text = _checked("events", join_events(events))
    if not text.strip(" ,;\t\n"):
        message = "no counter was given: pass at least one name, such as 'SQ_WAVES'"
        raise UsageError(message)
    command = [str(find_native().planner)]
    for one in devices:
        command += ["--device", os.fspath(one)]
    command += ["--events", text]
    for group in groups:
        command += ["--group", _checked("a group", join_events(group))]
    return _ask(command)


def _checked(what: str, text: str) -> str:
    try:
        return check_text(text)
    except ValueError as error:
        message = f"{what}: {error}"
        raise UsageError(message) from error


def join_events(events: str | Sequence[str]) -> str:
    """The list as one text: a text as it is, a sequence joined with commas."""
    return events if isinstance(events, str) else ",".join(events)


def _ask(command: list[str]) -> tuple[Plan, ExitCode]:
    answer = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", errors="replace", check=False)
    if answer.returncode == ExitCode.USAGE:
        raise UsageError(_message(answer.stderr))
    if answer.returncode == ExitCode.CONFIG:
        raise ConfigError(_message(answer.stderr))
    if answer.returncode not in (ExitCode.OK, ExitCode.PLAN_IMPOSSIBLE):
        message = f"the planner failed ({command[0]}, exit code {answer.returncode}): {_message(answer.stderr)}"
        raise NativeError(message)
    return parse_plan(answer.stdout), ExitCode(answer.returncode)


def _message(stderr: str) -> str:
    messages = read_messages(stderr)
    return "; ".join((*messages.errors, *messages.warnings)) or "the planner gave no reason"


def parse_plan(text: str) -> Plan:
    """The plan that a JSON text holds. Members that are not known are skipped.

    Raises:
        NativeError: the text is no plan of schema 1: planner and package are of different versions.
    """
    try:
        data = json.loads(text)
        schema = data["schema"]
        if schema != PLAN_SCHEMA:
            message = f"the planner answered with schema {schema}, this package reads {PLAN_SCHEMA}: install it again"
            raise NativeError(message)
        return Plan(
            agents=tuple(_agent(agent) for agent in data["agents"]),
            unknown=tuple(
                UnknownCounter(u["token"], u["column"], u.get("suggestion") or "", u.get("reason") or "")
                for u in data["unknown"]
            ),
            duplicates=tuple(data["duplicates"]),
            ignored=tuple(IgnoredToken(i["token"], i["reason"]) for i in data["ignored"]),
            warnings=tuple(data.get("warnings", ())),
            notes=tuple(data.get("notes", ())),
            json=text,
        )
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        message = f"the planner's answer is not a plan ({error!r}): install the package again"
        raise NativeError(message) from error


def _agent(data: dict[str, Any]) -> AgentPlan:
    return AgentPlan(
        device=data["device"],
        device_index=data["device_index"],
        pass_count=data["pass_count"],
        lower_bound=data["lower_bound"],
        proven_minimal=data["proven_minimal"],
        proof=data["proof"],
        passes=tuple(
            PassPlan(p["index"], tuple(p["counters"]), tuple(p["sentinel"]), p["registers"], p["capacity"])
            for p in data["passes"]
        ),
        groups=tuple(GroupPlacement(tuple(g["counters"]), g["pass"]) for g in data["groups"]),
        unplaceable=tuple(
            UnplaceableCounter(
                u["counter"], u["reason"], u.get("block") or "", u.get("needs") or 0, u.get("limit") or 0
            )
            for u in data["unplaceable"]
        ),
    )
