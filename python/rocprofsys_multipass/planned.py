# SPDX-License-Identifier: MIT
"""A plan as values: which counters are read in which pass, read from the planner's JSON (schema 1).

The names of the attributes are the names there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from rocprofsys_multipass.config import PYTHON, given_of
from rocprofsys_multipass.estimate import ASSUMED_COPY_RATE, Amount, Estimate, Told, estimate_plan
from rocprofsys_multipass.programs import parsed
from rocprofsys_multipass.spelling import plural
from rocprofsys_multipass.typed import check_types

PLAN_SCHEMA: Final = 1
PLANNER: Final = "the planner"
"""What made it, in messages."""

# In the planner's warnings (library/apps/plan/plan_request.cpp, library/metrics/panel_texts.cpp, met by tests).
_LOST = (" is collected nowhere: ", "panels is left out: ", "panels are left out: ")
_PANEL = "panel "


@dataclass(frozen=True)
class PassPlan:
    """One pass. `registers` and `capacity` are per hardware block: registers programmed, and slots there are.

    `sentinel`: those of `counters` that are there to compare passes only.
    """

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
class PartnersPlacement:
    """Counters that people divide by one another, and a pass that holds all of them; None when they are apart."""

    name: str
    counters: tuple[str, ...]
    pass_: int | None  # "pass" in the JSON, a keyword in Python


@dataclass(frozen=True)
class PlannedMetric:
    """A metric of a set or panel that was asked for, and the pass that has all its counters; None: no pass has.

    In `formula` names with a capital are the `counters`, the others properties (docs/metrics.md). A metric of a panel
    of rocprofiler-compute has none, `set` is "panel 7" there; it can be in several passes.
    """

    name: str
    set: str
    unit: str
    formula: str
    counters: tuple[str, ...]
    pass_: int | None

    @property
    def panel(self) -> int | None:
        """The number of its panel; None: it is of a set."""
        number = self.set.removeprefix(_PANEL)
        return int(number) if not self.formula and number != self.set and number.isdecimal() else None


@dataclass(frozen=True)
class UnplaceableCounter:
    """A counter that fits no pass of this agent: `block` would need `needs` registers of `limit`.

    Or a group that does not; `counter` is its counters with commas between them, which are planned singly.
    """

    counter: str
    reason: str
    block: str
    needs: int
    limit: int

    @property
    def is_group(self) -> bool:
        """Whether this is a group."""
        return "," in self.counter


@dataclass(frozen=True)
class BlockBound:
    """What one hardware block asks of the passes.

    `registers` it must program in all passes together, at least (one that several passes must have counts for each;
    `distinct` of them are different), `slots` it has in a pass, so `passes` are needed. `searched`: the passes that a
    search of this block alone showed to be needed, where that is more. `binding`: the lower bound is what this block
    needs.
    """

    block: str
    registers: int
    distinct: int
    slots: int
    passes: int
    searched: int | None
    binding: bool


@dataclass(frozen=True)
class PlanBounds:
    """Why fewer passes than `AgentPlan.lower_bound` are impossible.

    `decided_by`: "slots" of the binding blocks, a "clique" of counters and groups of which no two fit one pass, or a
    "block_search". `passes_without_groups`: what the same counters take without groups; None where there are none.
    """

    decided_by: Literal["slots", "clique", "block_search"]
    blocks: tuple[BlockBound, ...]
    clique: tuple[tuple[str, ...], ...]
    passes_without_groups: int | None


@dataclass(frozen=True, repr=False)
class AgentPlan:
    """The passes of one agent. `lower_bound`: fewer passes than this are impossible.

    `search_given_up`: the search for fewer took too long, and these are the passes without a search.
    """

    device: str
    device_index: int
    pass_count: int
    lower_bound: int
    proven_minimal: bool
    proof: Literal["bound", "search", "none"]
    passes: tuple[PassPlan, ...]
    groups: tuple[GroupPlacement, ...]
    unplaceable: tuple[UnplaceableCounter, ...]
    partners: tuple[PartnersPlacement, ...] = ()
    metrics: tuple[PlannedMetric, ...] = ()
    bounds: PlanBounds | None = None
    search_given_up: bool = False

    def __repr__(self) -> str:
        """What it comes to, in a line; the passes are an attribute."""
        least = "proven minimal" if self.proven_minimal else f"at least {self.lower_bound} are needed"
        lost = f", {plural(len(self.unplaceable), 'counter')} in no pass" if self.unplaceable else ""
        return f"<AgentPlan {self.device} (GPU {self.device_index}): {plural(self.pass_count, 'pass')}, {least}{lost}>"


@dataclass(frozen=True)
class UnknownCounter:
    """A token that names no counter. `suggestion` is empty when nothing is near.

    `column` is 1-based in the list that `place` names: "events", "sentinel", or "group", where it is 0.
    """

    token: str
    column: int
    suggestion: str
    reason: str = ""
    place: str = "events"


@dataclass(frozen=True)
class IgnoredToken:
    """A part of the list that needs no pass or cannot be used, and why."""

    token: str
    reason: str


@dataclass(frozen=True, repr=False)
class Plan:
    """The plan of one request, for each agent. `json` is the planner's own text, the same on every machine.

    `warnings`: what will not be as it was asked for. `notes`: what was understood in another way than it may be meant.
    `effort`: placements that the search for fewer passes could try, for each agent; None: an older planner did not say.
    """

    agents: tuple[AgentPlan, ...]
    unknown: tuple[UnknownCounter, ...]
    duplicates: tuple[str, ...]
    ignored: tuple[IgnoredToken, ...]
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    effort: int | None = None
    schema: int = PLAN_SCHEMA
    json: str = field(default="", repr=False, compare=False)

    def __repr__(self) -> str:
        """What it comes to, in a line; `agents` have the passes."""
        agents = ", ".join(f"{a.device} (GPU {a.device_index}) {plural(a.pass_count, 'pass')}" for a in self.agents)
        unknown = f"; unknown: {', '.join(one.token for one in self.unknown)}" if self.unknown else ""
        return f"<Plan: {agents or 'no GPU'}{unknown}>"

    def estimate(  # noqa: PLR0913 - what can be told of a run
        self,
        *,
        footprint: Amount,
        dispatches: int | str,
        kernel_time: Amount,
        kernels: int | str = 1,
        startup: Amount = 0,
        copy_rate: Amount = ASSUMED_COPY_RATE,
        ranks_per_node: int | str = 1,
        host_memory: str | None = None,
        replay_budget: str | Sequence[str] | None = None,
        max_replays: str | int | None = None,
        unsafe: str | Sequence[str] | None = None,
        warm_up_pass: bool | None = None,
        timing_pass: bool | None = None,
    ) -> Estimate:
        """What this plan will cost in a run, before it: arithmetic, not a measurement.

        Amounts are texts with a unit, as on the command line, or numbers.

        Args:
            footprint: device memory that the application has allocated on each GPU; bytes.
            dispatches: launches on each GPU whose counters are wanted.
            kernel_time: of each of them; seconds.
            kernels: how many kernels these are, or launch shapes (a kernel's grid and work-group).
            startup: time of the application beside them, such as its start; seconds.
            copy_rate: bytes a second between GPU and host.
            ranks_per_node: processes that share this machine's memory.
            host_memory: as for `run`; None: what this machine has left.
            replay_budget: as for `run`, as are all that follow; variables and files are not looked at.
            max_replays: of each kernel.
            unsafe: reasons for which no replay is declined.
            warm_up_pass: an execution more.
            timing_pass: an execution more.

        Raises:
            UsageError: a value is wrong; the message says what is allowed.
        """
        told = Told(footprint, dispatches, kernel_time, kernels, startup, copy_rate, ranks_per_node)
        given = given_of(
            {
                "host_memory": host_memory,
                "replay_budget": replay_budget,
                "max_replays": max_replays,
                "unsafe": unsafe,
                "warm_up_pass": warm_up_pass,
                "timing_pass": timing_pass,
            }
        )
        return estimate_plan(self.agents, told, given, {}, PYTHON)

    @property
    def is_whole(self) -> bool:
        """Whether all that was asked for is in a pass, or needs none, on every device: what ``--strict`` wants."""
        lost = any(agent.unplaceable for agent in self.agents) or any(
            words in text for text in self.warnings for words in _LOST
        )
        return not self.unknown and not lost


def parse_plan(text: str) -> Plan:
    """The plan that a JSON text holds. Members that are not known are skipped.

    Raises:
        NativeError: the text is no plan of schema 1: planner and package are of different versions.
    """
    return replace(parsed(text, PLAN_SCHEMA, PLANNER, _plan), json=text)


def _plan(data: dict[str, Any]) -> Plan:
    plan = Plan(
        agents=tuple(_agent(agent) for agent in data["agents"]),
        unknown=tuple(
            UnknownCounter(
                u["token"],
                u["column"],
                u.get("suggestion") or "",
                u.get("reason") or "",
                u.get("place") or ("events" if u["column"] else "group"),
            )
            for u in data["unknown"]
        ),
        duplicates=tuple(data["duplicates"]),
        ignored=tuple(IgnoredToken(i["token"], i["reason"]) for i in data["ignored"]),
        warnings=tuple(data.get("warnings", ())),
        notes=tuple(data.get("notes", ())),
        effort=data.get("effort"),
    )
    check_types(plan, Plan)
    return plan


def _bounds(data: dict[str, Any]) -> PlanBounds:
    return PlanBounds(
        decided_by=data["decided_by"],
        blocks=tuple(
            BlockBound(b["block"], b["registers"], b["distinct"], b["slots"], b["passes"], b["searched"], b["binding"])
            for b in data["blocks"]
        ),
        clique=tuple(tuple(item) for item in data["clique"]),
        passes_without_groups=data["passes_without_groups"],
    )


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
        bounds=_bounds(data["bounds"]) if "bounds" in data else None,
        search_given_up=data.get("search_given_up", False),
        partners=tuple(PartnersPlacement(p["name"], tuple(p["counters"]), p["pass"]) for p in data.get("partners", ())),
        metrics=tuple(
            PlannedMetric(m["name"], m["set"], m["unit"], m["formula"], tuple(m["counters"]), m["pass"])
            for m in data.get("metrics", ())
        ),
    )
