# SPDX-License-Identifier: MIT
"""What fits a pass, read from tests/data/packing as its members say it. Nothing here knows how the planner works.

A register is a text ``BLOCK:COUNTER`` or ``BLOCK:COUNTER@FLAG``, as in the files.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from e2e_tools import ROOT

ARCHITECTURES = ("gfx908", "gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201")

Registers = frozenset[str]
Slots = Mapping[str, int]


@dataclass(frozen=True)
class Wanted:
    """A request: counters, some of them in groups that must each be whole in one pass."""

    arch: str
    id: str
    counters: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...] = ()

    def __str__(self) -> str:
        return f"{self.arch}-{self.id.replace(' ', '-')}"


@dataclass(frozen=True)
class Facts:
    """What one architecture can count: slots of its blocks, registers of its counters.

    Constants of the agent cost nothing and are not in the files: they are the names in small letters.
    """

    slots: Slots
    registers: Mapping[str, Registers]

    def of(self, counters: Iterable[str]) -> Registers:
        """The registers of counters together, without hidden ones."""
        counted = [counter for counter in counters if not counter.islower()]
        return frozenset(register for counter in counted for register in self.registers[counter])

    def fit(self, counters: Iterable[str]) -> bool:
        """Whether one pass can hold these counters."""
        return fits(self.of(counters), self.slots)


def facts(arch: str) -> Facts:
    """The facts in tests/data/packing, and the two accumulators of SQ, which are not in the files either."""
    data = _packing(arch)
    accumulators = {name: [f"SQ:{name}"] for name in ("SQ_ACCUM_PREV", "SQ_ACCUM_PREV_HIRES")}
    counters = data["counters"] | accumulators
    return Facts(data["slots"], {counter: frozenset(keys) for counter, keys in counters.items()})


def catalogue(arch: str) -> dict[str, Any]:
    """The counters of tests/data/packing as a catalogue file has them (docs/formats/catalogue.md)."""
    data = _packing(arch)
    counters = [{"name": name, "registers": keys} for name, keys in data["counters"].items()]
    return {"schema": 1, "agent": {"name": arch}, "slots": data["slots"], "counters": counters}


def packing_requests(arch: str) -> list[Wanted]:
    """The requests of tests/data/packing."""
    return [
        Wanted(arch, request["id"], tuple(request["counters"]), tuple(map(tuple, request["groups"])))
        for request in _packing(arch)["requests"]
    ]


def realistic_requests(arch: str) -> Iterator[tuple[Wanted, int]]:
    """The requests of tests/data/minimal-sets, with the fewest passes that each can have."""
    data = json.loads((ROOT / f"tests/data/minimal-sets/{arch}.json").read_text(encoding="utf-8"))
    for request in data["requests"]:
        yield Wanted(arch, request["id"], tuple(data["names"][i] for i in request["counters"])), request["minimum"]


def block_of(register: str) -> str:
    """``SQ`` of ``SQ:SQ_WAVES``."""
    return register.partition(":")[0]


def accumulated(register: str) -> str | None:
    """``SQ:SQ_LEVEL_WAVES`` of ``SQ:SQ_LEVEL_WAVES@HIGH_RES``; None of a register that accumulates nothing."""
    plain, at, _ = register.partition("@")
    return plain if at else None


def fits(registers: Registers, slots: Slots) -> bool:
    """The rule of the files: slots for all, hidden ones included, and one way of accumulating each counter."""
    flags = Counter(plain for register in registers if (plain := accumulated(register)))
    needed = Counter(map(block_of, registers))
    for plain, count in flags.items():
        needed[block_of(plain)] += count - (plain in registers)  # the plain register serves one of them
    return max(flags.values(), default=0) <= 1 and all(count <= slots[block] for block, count in needed.items())


def items(wanted: Wanted, known: Facts) -> list[Registers]:
    """What must each be whole in a pass: groups, and counters of no group.

    Left out is what comes for nothing: counters without registers, and an item whose registers another has too.
    """
    grouped = {counter for group in wanted.groups for counter in group}
    alone = [(counter,) for counter in wanted.counters if counter not in grouped]
    return largest(known.of(counters) for counters in (*wanted.groups, *alone))


def largest(costs: Iterable[Registers]) -> list[Registers]:
    """Those that are not part of another one, each once, those with most registers first."""
    distinct = set(costs) - {frozenset()}
    kept = [cost for cost in distinct if not any(cost < other for other in distinct)]
    return sorted(kept, key=lambda cost: (-len(cost), sorted(cost)))


def fewest_by_trial(parts: Sequence[Registers], slots: Slots) -> int:
    """The fewest passes for a few items, each of which fits alone: every partition is looked at."""
    best = len(parts)

    def place(rest: Sequence[Registers], passes: list[Registers]) -> None:
        nonlocal best
        if len(passes) >= best:
            return
        if not rest:
            best = len(passes)
            return
        for i, registers in enumerate(passes):
            if fits(registers | rest[0], slots):
                place(rest[1:], [*passes[:i], registers | rest[0], *passes[i + 1 :]])
        place(rest[1:], [*passes, rest[0]])

    place(parts, [])
    return best


def _packing(arch: str) -> dict[str, Any]:
    return json.loads((ROOT / f"tests/data/packing/{arch}.json").read_text(encoding="utf-8"))
