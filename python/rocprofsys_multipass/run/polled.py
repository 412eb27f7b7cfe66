# SPDX-License-Identifier: MIT
"""Counters that rocprof-sys polls, in a run that it is left alone in: the plugin, which checks them, is not there.

rocprof-sys never divides them into passes: what does not fit one is not polled at all. Grammar and words are those of
the plugin (library/tool/polled.cpp).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from rocprofsys_multipass.errors import MultipassError
from rocprofsys_multipass.plan import request_plan
from rocprofsys_multipass.planned import AgentPlan, Plan

if TYPE_CHECKING:
    from rocprofsys_multipass.config import Wording

_TOKEN: Final = re.compile(r"\w+(?::device=\d+)?", re.ASCII)
_NOWHERE: Final = " is collected nowhere: "


def check_polled(
    listed: str, place: str, simulate: str | None, wording: Wording, environ: Mapping[str, str]
) -> list[str]:
    """What of the list is not polled, and why; nothing where no GPU can be asked.

    Args:
        listed: the list, names with ``,`` or ``;`` between them.
        place: where it is given.
        simulate: simulated GPUs in place of real ones.
        wording: the words of the caller.
        environ: the environment in which GPUs are looked for.
    """
    tokens = [token for part in re.split("[,;]", listed) if (token := part.strip(" \t\n"))]
    names = [token for token in tokens if _TOKEN.fullmatch(token)]
    said = [
        f"{place}: '{token}' is not polled: rocprof-sys looks for a counter of this very name"
        for token in tokens
        if token not in names
    ]
    if not names:
        return said
    try:
        plan, _ = request_plan(
            events=",".join(names),
            live=True,
            simulate=simulate,
            sentinel="none",
            effort=0,  # whether it is one pass shows without a search
            wording=wording,
            environ=environ,
        )
    except MultipassError:
        return said
    return [*said, *_not_found(plan, place), *(text for agent in plan.agents if (text := _excess(agent, place)))]


def _not_found(plan: Plan, place: str) -> list[str]:
    unknown = [
        f"{place}: '{one.token}' is not polled: {one.reason}"
        + (f"; did you mean {one.suggestion}?" if one.suggestion else "")
        for one in plan.unknown
    ]
    ignored = [f"{place}: '{one.token}' is not polled: {one.reason}" for one in plan.ignored]
    nowhere = [
        f"{place}: {text.replace(_NOWHERE, ' is polled nowhere: ')}" for text in plan.warnings if _NOWHERE in text
    ]
    return unknown + ignored + nowhere


def _excess(agent: AgentPlan, place: str) -> str:
    """What exceeds which block of the GPU; empty where the list fits one pass."""
    if agent.pass_count <= 1 and not agent.unplaceable:
        return ""
    over = [
        f"{one.counter} alone needs {one.needs} registers of block {one.block}, which has {one.limit}"
        for one in agent.unplaceable
    ]
    if agent.bounds is not None:
        over += [
            f"block {block.block} has {block.slots} registers where {block.registers} are needed"
            for block in agent.bounds.blocks
            if block.registers > block.slots
        ]
    what = "; ".join(over) or f"it takes {agent.pass_count}"
    return (
        f"GPU {agent.device_index} ({agent.device}): rocprof-sys polls nothing here: {place} must fit one pass, but "
        f"{what}. Leave some out, or collect them per launch with --events"
    )
