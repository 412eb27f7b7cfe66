# SPDX-License-Identifier: MIT
"""A processor of a run, its counters, and what was planned on it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from rocprofsys_multipass.spelling import plural

PROPERTIES: Final = ("cu_count", "simd_count", "simd_per_cu", "wave_front_size", "num_xcc", "max_waves_per_simd")
"""Members of an agent that formulas of metrics need, which every output has; 0 is unknown."""

CAPTURED: Final = (*PROPERTIES, "max_waves_per_cu", "num_shader_banks", "max_engine_clk_fcompute", "mem_clk_max")
"""Members of an agent that a journal has; clocks in MHz."""


@dataclass(frozen=True, slots=True)
class CounterInfo:
    """What is known of a planned counter; `block` is empty for derived counters and where it is unknown."""

    name: str
    block: str = ""
    description: str = ""
    expression: str = ""
    instances: int = 1
    # Names and sizes, where the values of single instances are kept; the first changes fastest in a position.
    dimensions: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class BlockUse:
    """Counter registers of a hardware block that a planned pass programs, of those that the block has."""

    block: str
    registers: int
    capacity: int


@dataclass(frozen=True, slots=True)
class PlannedPass:
    """The counters of one planned pass; `sentinels` is the part of them that is there to compare passes.

    `blocks`: the registers that it takes; only a journal has them.
    """

    counters: tuple[str, ...]
    sentinels: tuple[str, ...] = ()
    blocks: tuple[BlockUse, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Unplaceable:
    """A counter that was asked for and fits no pass; or the counters of a group, with commas between them."""

    counter: str
    reason: str

    @property
    def is_group(self) -> bool:
        """Whether this is a group: its counters are planned singly."""
        return "," in self.counter


@dataclass(frozen=True, kw_only=True, repr=False)
class Agent:
    """A processor of the run. `device` is the ordinal among GPU agents by SDK node id, None for a CPU."""

    index: int
    device: int | None
    name: str
    gpu: bool = True
    node_id: int | None = None
    product_name: str = ""
    model_name: str = field(default="", compare=False)  # of a journal
    counters: tuple[CounterInfo, ...] = ()
    passes: tuple[PlannedPass, ...] = ()  # the plan; empty where the file does not hold it
    lower_bound: int | None = None
    proof: str = ""
    unplaceable: tuple[Unplaceable, ...] = ()
    without_counters: bool = field(default=False, compare=False)  # in a trace: it was asked for (--trace-counters none)
    # PROPERTIES, of a journal CAPTURED, by the SDK's names, such as cu_count; what is not known is not there.
    properties: tuple[tuple[str, int], ...] = field(default=(), compare=False)
    logical_node_id: int | None = field(default=None, compare=False)  # number among all agents of the process
    logical_node_type_id: int | None = field(default=None, compare=False)  # of a journal: among those of its type
    memory_partition: str = field(default="", compare=False)  # of a journal: NPS1; empty: unknown, or it has none

    def __repr__(self) -> str:
        """What it is and how much is planned on it; counters and passes are attributes."""
        planned = f": {plural(len(self.requested), 'counter')} in {plural(len(self.passes), 'pass')}"
        return f"<Agent {self.label}{planned if self.passes else ''}>"

    @property
    def label(self) -> str:
        """`GPU 0 [gfx942]`, as the Perfetto track of the agent is called; `GPU 0` where the name is not known."""
        if self.device is None:
            return self.name
        return f"GPU {self.device} [{self.name}]" if self.name else f"GPU {self.device}"

    @property
    def unplaceable_counters(self) -> tuple[Unplaceable, ...]:
        """Those of `unplaceable` that are read in no pass: without groups, whose counters are planned singly."""
        return tuple(one for one in self.unplaceable if not one.is_group)

    @cached_property
    def requested(self) -> frozenset[str]:
        """Counters that some pass of the plan reads for their own sake."""
        return frozenset(c for p in self.passes for c in p.counters if c not in p.sentinels)

    @cached_property
    def sentinels_only(self) -> frozenset[str]:
        """Counters that the plan reads as sentinels only: nobody requested them."""
        return frozenset(c for p in self.passes for c in p.sentinels) - self.requested

    def counters_of(self, group: int) -> tuple[str, ...]:
        """Counters of this planned pass, sentinels included; none where the plan has no such pass."""
        return self.passes[group].counters if 0 <= group < len(self.passes) else ()

    def sentinels_of(self, group: int) -> tuple[str, ...]:
        """Counters that this planned pass reads to compare passes only; none where the plan has no such pass."""
        return self.passes[group].sentinels if 0 <= group < len(self.passes) else ()
