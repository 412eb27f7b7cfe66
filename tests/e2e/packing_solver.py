# SPDX-License-Identifier: MIT
"""Whether items can be packed into so many passes, by the integer programming solver HiGHS.

For every pass: an integer variable for each item, 1 when it is there; a continuous one for each register, not below
those of the items that need it; and one for the hidden register of each counter that is accumulated, not below what
the accumulation has and the plain register lacks. A block has slots for its registers, hidden ones included.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from enum import Enum

import highspy
import numpy as np
from packing_model import Registers, Slots, accumulated, block_of, fits, largest

TIME_LIMIT = 300.0
"""Seconds for one question. What takes a second here may take long on a busy machine; nothing is measured with it."""

Terms = list[tuple[int, float]]


class Answer(Enum):
    """What the solver found."""

    POSSIBLE = "possible"
    IMPOSSIBLE = "impossible"
    UNDECIDED = "undecided"


def can_pack(items: Sequence[Registers], slots: Slots, passes: int) -> Answer:
    """Whether `passes` passes can hold all items; UNDECIDED after TIME_LIMIT seconds.

    What is impossible for the registers of one block is impossible, and that is a smaller question, so it comes first.
    """
    if passes == 0:
        return Answer.IMPOSSIBLE if items else Answer.POSSIBLE
    for block in sorted({block_of(register) for item in items for register in item}):
        inside = largest(frozenset(register for register in item if block_of(register) == block) for item in items)
        if _decide(inside, slots, passes) is Answer.IMPOSSIBLE:
            return Answer.IMPOSSIBLE
    return _decide(items, slots, passes)


def _decide(items: Sequence[Registers], slots: Slots, passes: int) -> Answer:
    rivals = _rivals(items, slots)
    if len(rivals) > passes:  # no two of them share a pass
        return Answer.IMPOSSIBLE
    return _Program(items, slots, passes, rivals).solve()


def _rivals(items: Sequence[Registers], slots: Slots) -> list[int]:
    """Items of which no two share a pass: the longest list of those that begin with each item in turn."""
    against = [[not fits(one | other, slots) if one is not other else False for other in items] for one in items]
    by_rivals = sorted(range(len(items)), key=lambda i: -sum(against[i]))
    best: list[int] = []
    for first in range(len(items)):
        chosen = [first]
        for i in by_rivals:
            if all(against[i][j] for j in chosen):
                chosen.append(i)
        best = max(best, chosen, key=len)
    return best


class _Program:
    """The integer program. Variables are numbered: (what, pass) -> column."""

    def __init__(self, items: Sequence[Registers], slots: Slots, passes: int, rivals: Sequence[int]) -> None:
        self._items = items
        self._slots = slots
        self._passes = passes
        self._registers = sorted(frozenset().union(*items))
        self._plains = sorted({plain for register in self._registers if (plain := accumulated(register))})
        self._column: dict[tuple[str, int | str, int], int] = {}
        self._rows: list[tuple[float, float, Terms]] = []
        for kind, names in (("item", range(len(items))), ("register", self._registers), ("hidden", self._plains)):
            for name in names:
                for index in range(passes):
                    self._column[kind, name, index] = len(self._column)
        self._every_item_is_somewhere()
        for index in range(passes):
            self._registers_follow_items(index)
            self._hidden_follow_accumulations(index)
            self._blocks_have_room(index)
        # Passes are alike: each of the rivals, which are in different ones, may have the one of its number.
        self._fixed = {self._column["item", item, index] for index, item in enumerate(rivals)}
        for index in range(passes):  # implied by the rest; says it to the linear relaxation
            self._row(0, 1, [(self._column["item", item, index], 1) for item in rivals])

    def _row(self, low: float, high: float, terms: Terms) -> None:
        self._rows.append((low, high, terms))

    def _every_item_is_somewhere(self) -> None:
        for item in range(len(self._items)):
            self._row(1, 1, [(self._column["item", item, index], 1) for index in range(self._passes)])

    def _registers_follow_items(self, index: int) -> None:
        for item, registers in enumerate(self._items):
            for register in sorted(registers):
                above = (self._column["register", register, index], 1.0)
                self._row(0, highspy.kHighsInf, [above, (self._column["item", item, index], -1)])

    def _hidden_follow_accumulations(self, index: int) -> None:
        ways = defaultdict(list)
        for register in self._registers:
            if plain := accumulated(register):
                ways[plain].append((self._column["register", register, index], 1.0))
        for plain, accumulations in ways.items():
            self._row(0, 1, accumulations)  # never together
            served = self._column.get(("register", plain, index))
            terms = [(self._column["hidden", plain, index], 1.0)] + ([(served, 1.0)] if served is not None else [])
            self._row(0, highspy.kHighsInf, [*terms, *((column, -1.0) for column, _ in accumulations)])

    def _blocks_have_room(self, index: int) -> None:
        used: dict[str, Terms] = defaultdict(list)
        for kind, names in (("register", self._registers), ("hidden", self._plains)):
            for name in names:
                used[block_of(name)].append((self._column[kind, name, index], 1))
        for block, terms in used.items():
            self._row(0, self._slots[block], terms)

    def solve(self) -> Answer:
        columns = len(self._column)
        low = np.zeros(columns)
        low[list(self._fixed)] = 1
        solver = highspy.Highs()
        for option, value in (("output_flag", False), ("threads", 1), ("random_seed", 1), ("time_limit", TIME_LIMIT)):
            solver.setOptionValue(option, value)
        none = np.zeros(0, dtype=np.int32)
        solver.addCols(columns, np.zeros(columns), low, np.ones(columns), 0, none, none, np.zeros(0))
        integers = len(self._items) * self._passes
        solver.changeColsIntegrality(
            integers, np.arange(integers, dtype=np.int32), np.full(integers, highspy.HighsVarType.kInteger)
        )
        terms = [term for _, _, row in self._rows for term in row]
        starts = np.cumsum([0, *(len(row) for _, _, row in self._rows)], dtype=np.int32)
        solver.addRows(
            len(self._rows),
            np.array([low for low, _, _ in self._rows], dtype=float),
            np.array([high for _, high, _ in self._rows], dtype=float),
            len(terms),
            starts[:-1],
            np.array([column for column, _ in terms], dtype=np.int32),
            np.array([factor for _, factor in terms], dtype=float),
        )
        solver.run()
        status = solver.getModelStatus()
        if status == highspy.HighsModelStatus.kOptimal:
            return Answer.POSSIBLE
        if status == highspy.HighsModelStatus.kInfeasible:
            return Answer.IMPOSSIBLE
        return Answer.UNDECIDED
