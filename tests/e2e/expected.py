# SPDX-License-Identifier: MIT
"""What the simulated counters of known kernels must read: a second implementation, for tests.

It shares nothing with the simulator but the documents: the rules of ``library/sim/interface/activity.h`` and of
``docs/formats/simulated-device.md``, and the formulas in ``library/sim/devices/*.json``. Each kernel is written here
again, work-item by work-item, as its source has it: what it states, and which addresses it touches.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import prod
from pathlib import Path

DEVICES = Path(__file__).resolve().parents[2] / "library" / "sim" / "devices"

STATED = ("valu", "salu", "smem", "lds", "branch")
SEGMENT = 64
LINE = 128
TYPES = (
    *(f"{op}_{of}" for op in ("add", "mul", "fma", "trans") for of in ("f16", "f32", "f64")),
    "int32",
    "int64",
    "cvt",
)
WORD = 4  # bytes of a float and of an unsigned
BUFFER = 1 << 24  # buffers are 4 KiB aligned and apart; which address they have does not matter then


@dataclass
class Item:
    """What one work-item states, and the (kind, address) of its accesses to global memory in order."""

    valu: int = 0
    lds: int = 0
    branch: int = 0
    salu: int = 0
    smem: int = 0
    typed: dict[str, int] = field(default_factory=dict)
    accesses: list[tuple[str, int]] = field(default_factory=list)

    def valu_of(self, name: str, count: int) -> None:
        """Vector ALU instructions of a type, which are vector ALU instructions too."""
        self.valu += count
        self.typed[name] = self.typed.get(name, 0) + count

    def load(self, address: int) -> None:
        self.accesses.append(("read", address))

    def store(self, address: int) -> None:
        self.accesses.append(("write", address))

    def atomic(self, address: int) -> None:
        self.accesses.append(("atomic", address))


Block = list[Item]
Activity = dict[str, int]


def activity(blocks: Iterable[Block], *, simds: int, wave_size: int = 64) -> Activity:
    """The activity of one execution, by the rules of activity.h."""
    names = (
        "work_items workgroups waves insts_valu insts_salu insts_smem insts_vmem_read insts_vmem_write "
        "insts_vmem_atomic insts_lds insts_branch lanes_valu tcp_reads tcp_writes tcp_atomics tcc_hits tcc_misses "
        "ea_reads_64b ea_writes_64b cycles wave_cycles"
    )
    found = dict.fromkeys((*names.split(), *(f"insts_valu_{name}" for name in TYPES)), 0)
    touched: set[int] = set()
    written: set[int] = set()
    issued_in_all = 0
    for block in blocks:
        found["workgroups"] += 1
        found["work_items"] += len(block)
        found["lanes_valu"] += sum(item.valu for item in block)
        for first in range(0, len(block), wave_size):
            wave = block[first : first + wave_size]
            instructions = list(_memory_instructions(wave))
            stated = {kind: max(getattr(item, kind) for item in wave) for kind in STATED}
            for kind, count in stated.items():
                found[f"insts_{kind}"] += count
            for name in {name for item in wave for name in item.typed}:
                found[f"insts_valu_{name}"] += max(item.typed.get(name, 0) for item in wave)
            issued = sum(stated.values()) + len(instructions)
            issued_in_all += issued
            found["waves"] += 1
            found["wave_cycles"] += 64 + 4 * issued
            for kind, segments in instructions:
                found[f"insts_vmem_{kind}"] += 1
                _requests(kind, segments, found, touched, written)
    found["ea_writes_64b"] = 2 * len(written)
    found["cycles"] = 1000 + -(-issued_in_all // simds)
    return found


def _memory_instructions(wave: Block) -> Iterator[tuple[str, set[int]]]:
    """The i-th access of a kind of all lanes is one instruction: its kind and the segments it touches."""
    instructions: dict[tuple[str, int], set[int]] = {}
    for item in wave:
        ordinal = {"read": 0, "write": 0, "atomic": 0}
        for kind, address in item.accesses:
            instructions.setdefault((kind, ordinal[kind]), set()).add(address // SEGMENT)
            ordinal[kind] += 1
    for (kind, _), segments in instructions.items():
        yield kind, segments


def _requests(kind: str, segments: set[int], found: Activity, touched: set[int], written: set[int]) -> None:
    found[f"tcp_{kind}s"] += len(segments)
    for line in (segment * SEGMENT // LINE for segment in segments):
        if line in touched:
            found["tcc_hits"] += 1
        else:
            touched.add(line)
            found["tcc_misses"] += 1
            if kind != "write":
                found["ea_reads_64b"] += 2
        if kind != "read":
            written.add(line)


# ---------------------------------------------------------------------------------------------------------------------
# Kernels. Each yields the blocks of one launch.


def axpy(y: list[int], x: list[int], factor: int, limit: int, block: int) -> Iterator[Block]:
    """``y = factor * x + y``, clamped; changes `y`, as the kernel does. Demo and example have the same source."""
    to, source = BUFFER, 2 * BUFFER
    for first in range(0, len(y), block):
        items = []
        for i in range(first, first + block):
            item = Item(valu=2, branch=1)
            if i < len(y):
                item.load(source + WORD * i)
                item.load(to + WORD * i)
                item.valu += 1
                item.valu_of("fma_f32", 1)
                y[i] += factor * x[i]
                if y[i] > limit:
                    item.branch += 1
                    y[i] = limit
                item.store(to + WORD * i)
            items.append(item)
        yield items


def demo_transpose(side: int, tile: int) -> Iterator[Block]:
    """The demo's: whole tiles of `tile` x `tile` work-items, one element each."""
    to, source = BUFFER, 2 * BUFFER
    for block_y in range(side // tile):
        for block_x in range(side // tile):
            items = []
            for y in range(tile):
                for x in range(tile):
                    item = Item(lds=2)
                    item.valu_of("int32", 8)
                    item.load(source + WORD * ((block_y * tile + y) * side + block_x * tile + x))
                    item.store(to + WORD * ((block_x * tile + y) * side + block_y * tile + x))
                    items.append(item)
            yield items


def histogram(size: int, block: int, bins: int) -> Iterator[Block]:
    """Into shared memory with one LDS atomic per value, then one global atomic per bin and block."""
    to, source = BUFFER, 2 * BUFFER
    for first in range(0, size, block):
        items = []
        for thread in range(block):
            item = Item(valu=4, lds=1, branch=2)
            if first + thread < size:
                item.load(source + WORD * (first + thread))
                item.lds += 1
            if thread < bins:
                item.atomic(to + WORD * thread)
            items.append(item)
        yield items


def example_transpose(width: int, height: int, tile: int, rows: int) -> Iterator[Block]:
    """The example's: `tile` x `rows` work-items move a tile in steps; edges do not fill it."""
    to, source = BUFFER, 2 * BUFFER
    for block_y in range(-(-height // tile)):
        for block_x in range(-(-width // tile)):
            items = []
            for y in range(rows):
                for x in range(tile):
                    item = Item(valu=8)
                    for step in range(0, tile, rows):
                        row, column = block_y * tile + y + step, block_x * tile + x
                        item.branch += 1
                        if column < width and row < height:
                            item.load(source + WORD * (row * width + column))
                            item.lds += 1
                    for step in range(0, tile, rows):
                        row, column = block_x * tile + y + step, block_y * tile + x
                        item.branch += 1
                        if column < height and row < width:
                            item.lds += 1
                            item.store(to + WORD * (row * height + column))
                    items.append(item)
            yield items


def mixed_scale(size: int, block: int) -> Iterator[Block]:
    """`scale` of mixed.cpp: in place, some lanes do more than others."""
    for first in range(0, size, block):
        items = []
        for thread in range(block):
            item = Item(branch=1)
            if first + thread < size:
                item.valu = 1 + thread % 3
                item.load(BUFFER + WORD * (first + thread))
                item.store(BUFFER + WORD * (first + thread))
            items.append(item)
        yield items


def mixed_fold(size: int, block: int) -> Iterator[Block]:
    """`fold` of mixed.cpp: into 16 sums, with more LDS instructions in the first 32 work-items of a block."""
    for first in range(0, size, block):
        items = []
        for thread in range(block):
            item = Item(valu=2, lds=2 if thread < 32 else 1)
            if first + thread < size:
                item.load(2 * BUFFER + WORD * (first + thread))
                item.atomic(BUFFER + WORD * (thread % 16))
            items.append(item)
        yield items


def probe(size: int, block: int) -> Iterator[Block]:
    """The kernel of probe.cpp: one instruction, then one load and one store where the index is in range."""
    for first in range(0, size, block):
        items = []
        for i in range(first, first + block):
            item = Item(valu=1)
            if i < size:
                item.load(BUFFER + WORD * i)
                item.store(BUFFER + WORD * i)
            items.append(item)
        yield items


# ---------------------------------------------------------------------------------------------------------------------
# Applications: what each of their launches is, in order of launch.


@dataclass(frozen=True)
class Launch:
    """One launch: the kernel's symbol in the code object, its demangled name, and what it does."""

    symbol: str
    kernel: str
    activity: Activity

    def counter(self, name: str, device: str = "gfx942") -> float:
        """Value of a counter of this launch, summed over its instances. `device`: a name or the path of a file."""
        return Device.named(device).value(name, self.symbol, self.activity)


_AXPY = ("_Z4axpyPfPKfffm.kd", "axpy(float*, float const*, float, float, unsigned long)")


def demo_launches(device: str = "gfx942") -> list[Launch]:
    """The twelve launches of examples/demo/demo.cpp, in order, on a device: its waves and SIMDs decide."""
    size, block, side, does = 65536, 256, 256, Device.named(device).activity
    x = [i % 5 for i in range(size)]
    y = [i % 13 for i in range(size)]
    transposed = Launch(
        "_Z9transposePjPKjj.kd",
        "transpose(unsigned int*, unsigned int const*, unsigned int)",
        does(demo_transpose(side, 16)),
    )
    counted = Launch(
        "_Z9histogramPjPKjm.kd",
        "histogram(unsigned int*, unsigned int const*, unsigned long)",
        does(histogram(size, block, 64)),
    )
    launches = []
    for _ in range(4):
        launches += [Launch(*_AXPY, does(axpy(y, x, 3, 50, block))), transposed, counted]
    return launches


def axpy_example() -> tuple[list[Launch], list[int]]:
    """The five launches of examples/axpy/axpy.cpp, and the vector after them."""
    size, simds = 100_000, Device.named("gfx942").simds
    x = [i % 7 for i in range(size)]
    y = [i % 11 for i in range(size)]
    return [Launch(*_AXPY, activity(axpy(y, x, 2, 40, 256), simds=simds)) for _ in range(5)], y


def transpose_example() -> list[Launch]:
    """The three launches of examples/transpose/transpose.cpp."""
    done = activity(example_transpose(300, 200, 32, 8), simds=Device.named("gfx942").simds)
    name = "transpose(unsigned int*, unsigned int const*, unsigned int, unsigned int)"
    return [Launch("_Z9transposePjPKjjj.kd", name, done)] * 3


def mixed_launches(devices: Sequence[str], rounds: int) -> list[tuple[int, Launch]]:
    """The launches of mixed.cpp on these devices, in order, each with the ordinal of its device."""
    block = 96
    found = []
    for round_ in range(rounds):
        for number, device in enumerate(devices):
            size = 1000 * (number + 1) + 100 * round_
            does = Device.named(device).activity
            scale, fold = does(mixed_scale(size, block)), does(mixed_fold(size, block))
            found.append((number, Launch("_Z5scalePjj.kd", "scale(unsigned int*, unsigned int)", scale)))
            name = "fold(unsigned int*, unsigned int const*, unsigned int)"
            found.append((number, Launch("_Z4foldPjPKjj.kd", name, fold)))
    return found


def probe_launch(size: int, device: str = "gfx942") -> Launch:
    """One launch of the kernel of probe.cpp on `size` elements."""
    done = Device.named(device).activity(probe(size, 64))
    return Launch("_Z5probePjj.kd", "probe(unsigned int*, unsigned int)", done)


def fnv1a(data: bytes, bits: int) -> int:
    """The hash FNV-1a of 32 or 64 bits."""
    value, factor = {32: (2166136261, 16777619), 64: (0xCBF29CE484222325, 0x100000001B3)}[bits]
    for byte in data:
        value = (value ^ byte) * factor % 2**bits
    return value


# ---------------------------------------------------------------------------------------------------------------------
# Counters.

Instances = list[float]


class Device:
    """The counters of a device file."""

    def __init__(self, path: Path) -> None:
        document = json.loads(path.read_text(encoding="utf-8"))
        self.simds: int = document["agent"]["simd_count"]
        self.wave_size: int = document["agent"]["wave_front_size"]
        self._counters = {counter["name"]: counter for counter in document.get("counters", ())}
        self._instances = {
            name: prod(size for _, size in dimensions) for name, dimensions in document.get("shapes", {}).items()
        }

    @staticmethod
    @lru_cache
    def named(name: str) -> Device:
        """The device of library/sim/devices with this name, or that of a file."""
        return Device(Path(name) if name.endswith(".json") else DEVICES / f"{name}.json")

    def blocks(self, names: Iterable[str]) -> set[str]:
        """The blocks whose registers these counters cost."""
        registers = {key.partition("@")[0] for name in names for key in self._counters[name].get("registers", [name])}
        return {self._counters[register]["block"] for register in registers}

    def __contains__(self, counter: str) -> bool:
        return counter in self._counters

    def activity(self, blocks: Iterable[Block]) -> Activity:
        """The activity of one execution on this device."""
        return activity(blocks, simds=self.simds, wave_size=self.wave_size)

    def value(self, name: str, symbol: str, done: Activity) -> float:
        """Value of a counter, summed over its instances, after an execution of the kernel `symbol`."""
        return sum(self._read(name, symbol, done))

    def _read(self, name: str, symbol: str, done: Activity) -> Instances:
        counter = self._counters[name]
        if "constant" in counter:
            return [counter["constant"]]
        if "expression" in counter:
            return self._expression(ast.parse(counter["expression"], mode="eval").body, symbol, done)
        if "total" in counter:
            total = _total(ast.parse(counter["total"], mode="eval").body, done)
        else:
            total = done["waves"] * (1 + fnv1a(f"{name}\n{symbol}".encode(), 32) % 97) + done["workgroups"]
        count = self._instances[counter["shape"]] if "shape" in counter else 1  # without: a derived counter
        if "each" in counter:
            return [_total(ast.parse(counter["each"], mode="eval").body, done)] * count
        each, more = divmod(total, count)
        return [each + (1 if i < more else 0) for i in range(count)]

    def _expression(self, node: ast.expr, symbol: str, done: Activity) -> Instances:
        """Instance by instance; a single number meets every instance."""
        match node:
            case ast.Constant(value=number):
                return [float(number)]
            case ast.Name(id=name):
                return self._read(name, symbol, done)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return [-value for value in self._expression(operand, symbol, done)]
            case ast.Call(func=ast.Name(id="reduce"), args=[operand, ast.Name(id=how)]):
                return [_REDUCTIONS[how](self._expression(operand, symbol, done))]
            case ast.Call(func=ast.Name(id="accumulate"), args=[operand, ast.Name(id=resolution)]):
                factor = {"LOW_RES": 1.0, "HIGH_RES": 4.0}[resolution]
                return [factor * value for value in self._expression(operand, symbol, done)]
            case ast.BinOp(left=left, op=op, right=right):
                one, other = self._expression(left, symbol, done), self._expression(right, symbol, done)
                count = max(len(one), len(other))
                one, other = (values * count if len(values) == 1 else values for values in (one, other))
                return [_FLOAT_OPERATIONS[type(op)](a, b) for a, b in zip(one, other, strict=True)]
        raise AssertionError(ast.dump(node))


def _total(node: ast.expr, done: Activity) -> int:
    """In unsigned integers: no difference is below zero, quotients are rounded down."""
    match node:
        case ast.Constant(value=number):
            return number
        case ast.Name(id=name):
            return done[name]
        case ast.BinOp(left=left, op=op, right=right):
            return _INTEGER_OPERATIONS[type(op)](_total(left, done), _total(right, done))
    raise AssertionError(ast.dump(node))


_REDUCTIONS: dict[str, Callable[[Instances], float]] = {
    "sum": sum,
    "max": max,
    "min": min,
    "avr": lambda values: sum(values) / len(values),
}
_FLOAT_OPERATIONS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b if b else 0.0,
}
_INTEGER_OPERATIONS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: max(a - b, 0),
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a // b if b else 0,
}
