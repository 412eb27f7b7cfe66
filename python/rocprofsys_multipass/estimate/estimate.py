# SPDX-License-Identifier: MIT
"""The estimate of a plan: for each GPU the ways side by side, and which to choose."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from rocprofsys_multipass.config import Wording, resolve_options
from rocprofsys_multipass.estimate.advice import Case, choose, warnings_of
from rocprofsys_multipass.estimate.amounts import size_text, time_text
from rocprofsys_multipass.estimate.asked import Reader, Told
from rocprofsys_multipass.estimate.constants import ASSUMED_COPY_RATE, WINDOW_LIMIT_NS
from rocprofsys_multipass.estimate.room import HostRoom, room_of
from rocprofsys_multipass.estimate.ways import Limits, Name, Way, ways_of
from rocprofsys_multipass.estimate.window import measures_rate, window_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocprofsys_multipass.estimate.window import Window, Workload
    from rocprofsys_multipass.planned import AgentPlan

_OPTIONS = ("replay-budget", "max-replays", "unsafe", "host-memory", "warm-up-pass", "timing-pass")


@dataclass(frozen=True, repr=False)
class AgentEstimate:
    """What the plan of one GPU will cost. `ways` is empty where no counter has a pass.

    Attributes:
        window: one replay.
        choice: the name of one of `ways`; None without any.
        reason: why that one, in a sentence.
        warnings: what stands in the way.
    """

    device: str
    device_index: int
    pass_count: int
    window: Window
    ways: tuple[Way, ...]
    choice: Name | None
    reason: str
    warnings: tuple[str, ...]

    def __repr__(self) -> str:
        """What to choose, in a line, with what it takes."""
        takes = [f"{way.name}, {time_text(way.time_ns)}" for way in self.ways if way.name == self.choice]
        return f"<AgentEstimate {self.device} (GPU {self.device_index}): {takes[0] if takes else 'nothing to collect'}>"


@dataclass(frozen=True, repr=False)
class Estimate:
    """What a plan will cost. Arithmetic, not a measurement: `assumptions` says on what.

    `application_ns`: one run without replay. `host_memory`: what a process has for copies.
    """

    workload: Workload
    limits: Limits
    application_ns: int
    host_memory: HostRoom
    assumptions: tuple[str, ...]
    agents: tuple[AgentEstimate, ...]

    def __repr__(self) -> str:
        """The agents, each in a line."""
        return f"<Estimate: {', '.join(repr(agent).removeprefix('<AgentEstimate ')[:-1] for agent in self.agents)}>"

    def to_json(self) -> dict[str, Any]:
        """The member ``estimate`` of the plan's JSON (docs/formats/plan.md)."""
        return asdict(self)


def estimate_plan(
    agents: Sequence[AgentPlan], told: Told, given: Mapping[str, Any], environ: Mapping[str, str], wording: Wording
) -> Estimate:
    """The estimate for the plans of these GPUs, each of which has the workload that is `told`.

    `given`: values of options of a run by their names, ``config`` among them; those that are not come from `environ`.

    Raises:
        UsageError: what is told, or given, cannot be read.
        ConfigError: a value in the environment or in a file cannot.
    """
    reader = Reader(wording)
    work, ranks = reader.workload(told), reader.count("ranks-per-node", told.ranks_per_node)
    option = resolve_options(_OPTIONS, given, environ, wording)
    limits = Limits(
        budget=option["replay-budget"][0],
        max_replays=option["max-replays"][0],
        lifted=option["unsafe"][0],
        further_executions=option["warm-up-pass"][0] + option["timing-pass"][0],
    )
    host_memory, source = option["host-memory"]
    room = room_of(host_memory, source.text, ranks, sum(agent.pass_count > 1 for agent in agents))
    estimates = tuple(_agent(agent, work, limits, room) for agent in agents)
    return Estimate(work, limits, work.application_ns, room, _assumptions(work, len(agents)), estimates)


def _agent(agent: AgentPlan, work: Workload, limits: Limits, room: HostRoom) -> AgentEstimate:
    passes = agent.pass_count
    window = window_of(work, passes + limits.further_executions if passes > 1 else passes)
    head = (agent.device, agent.device_index, passes, window)
    if not passes:
        return AgentEstimate(*head, (), None, "no counter has a pass: nothing is collected", ())
    against = _against(work, window, limits, room) if passes > 1 else ()
    declined = tuple(reason for reason in against if reason not in limits.lifted)
    ways = ways_of(work, window, passes, limits, declined)
    case = Case(work, window, passes, ways, room, against, declined)
    choice, reason = choose(case)
    return AgentEstimate(*head, ways, choice, reason, warnings_of(case, choice))


def _against(work: Workload, window: Window, limits: Limits, room: HostRoom) -> tuple[str, ...]:
    """The reasons against each replay, in the order of the plugin; one that is lifted is, where it really holds."""
    too_long = window.time_ns > WINDOW_LIMIT_NS
    if "window_time" not in limits.lifted:
        too_long |= not measures_rate(work)  # and so never known to be quicker
    holds = {"host_memory": not room.holds(work.footprint), "window_time": too_long}
    return tuple(reason for reason, is_there in holds.items() if is_there)


def _assumptions(work: Workload, gpus: int) -> tuple[str, ...]:
    rate = f"memory is copied at {size_text(work.copy_rate)}/s"
    if work.copy_rate == ASSUMED_COPY_RATE:
        rate += ", as a run assumes before it has measured"
    found = [
        f"{rate}; overheads are left out",
        "kernels are launched equally often, and a replay copies the whole footprint",
    ]
    if gpus > 1:
        found.append("each GPU has this workload; the budget of replays is one for the GPUs of a process")
    return tuple(found)
