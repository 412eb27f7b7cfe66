# SPDX-License-Identifier: MIT
"""What the applications below examples/ do, launch by launch, for the model in expected.py: their kernels again.

The activity of a launch depends on the device by the size of its waves and, in the cycles, by the number of its SIMDs
only, so it is worked out once for each wave size.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import expected
from expected import BUFFER, DEVICES, WORD, Activity, Block, Device, Item, Launch, activity

DEVICE_NAMES = tuple(
    sorted(path.stem for path in DEVICES.glob("*.json") if "counters" in json.loads(path.read_text(encoding="utf-8")))
)
"""The simulated devices that have counters."""


def histogram_global(pixels: list[int], block: int) -> Iterator[Block]:
    """One global atomic for each pixel, into the bin of its brightness."""
    to, source = BUFFER, 2 * BUFFER
    for first in range(0, len(pixels), block):
        items = []
        for i in range(first, first + block):
            item = Item(valu=1, branch=1)
            item.load(source + i)
            item.atomic(to + WORD * pixels[i])
            items.append(item)
        yield items


def histogram_shared(pixels: list[int], block: int, per_item: int) -> Iterator[Block]:
    """LDS: the bin set to 0, an atomic for each pixel, the bin read. Then one global atomic for each bin."""
    to, source = BUFFER, 2 * BUFFER
    for first in range(0, len(pixels), block * per_item):
        items = []
        for thread in range(block):
            item = Item(valu=2 + per_item, branch=per_item, lds=1 + per_item + 1)
            for step in range(per_item):
                item.load(source + first + step * block + thread)
            item.atomic(to + WORD * thread)
            items.append(item)
        yield items


def count_multiples(size: int, block: int, divisor: int) -> Iterator[Block]:
    """The values are 0, 1, 2, ...; the counter is a variable of the device, 8 bytes."""
    variable, source = BUFFER, 2 * BUFFER
    for first in range(0, size, block):
        items = []
        for i in range(first, first + block):
            item = Item(valu=1, branch=1)
            if i < size:
                item = Item(valu=9, branch=2, smem=1)
                item.load(source + WORD * i)
                if i % divisor == 0:
                    item.atomic(variable)
            items.append(item)
        yield items


def matmul_naive(side: int, tile: int) -> Iterator[Block]:
    """A row of A and a column of B for each element of C."""
    c, a, b = BUFFER, 2 * BUFFER, 3 * BUFFER
    for row, column in _tiles(side, tile):
        items = []
        for y in range(row, row + tile):
            for x in range(column, column + tile):
                item = Item(valu=4, salu=side, branch=side)
                item.valu_of("fma_f32", side)
                for k in range(side):
                    item.load(a + WORD * (y * side + k))
                    item.load(b + WORD * (k * side + x))
                item.store(c + WORD * (y * side + x))
                items.append(item)
        yield items


def matmul_tiled(side: int, tile: int) -> Iterator[Block]:
    """Each step brings a tile of A and one of B into LDS, and reads both `tile` times."""
    c, a, b = BUFFER, 2 * BUFFER, 3 * BUFFER
    steps = side // tile
    for row, column in _tiles(side, tile):
        items = []
        for y in range(tile):
            for x in range(tile):
                item = Item(valu=4, salu=steps, branch=steps, lds=steps * (2 + 2 * tile))
                item.valu_of("fma_f32", side)
                for step in range(steps):
                    item.load(a + WORD * ((row + y) * side + step * tile + x))
                    item.load(b + WORD * ((step * tile + y) * side + column + x))
                item.store(c + WORD * ((row + y) * side + column + x))
                items.append(item)
        yield items


def _tiles(side: int, tile: int) -> Iterator[tuple[int, int]]:
    """First row and column of each block of a square."""
    for row in range(0, side, tile):
        for column in range(0, side, tile):
            yield row, column


def apply_polynomial(size: int, block: int) -> Iterator[Block]:
    """One element for each work-item, in place."""
    for first in range(0, size, block):
        items = []
        for i in range(first, first + block):
            item = Item(valu=2, branch=1)
            if i < size:
                item.valu += 2
                item.load(BUFFER + WORD * i)
                item.store(BUFFER + WORD * i)
            items.append(item)
        yield items


def vector_add(size: int, block: int) -> Iterator[Block]:
    """``c = a + b``, in blocks that fit."""
    c, a, b = BUFFER, 2 * BUFFER, 3 * BUFFER
    for first in range(0, size, block):
        items = []
        for i in range(first, first + block):
            item = Item(valu=2, branch=1)
            item.load(a + WORD * i)
            item.load(b + WORD * i)
            item.store(c + WORD * i)
            items.append(item)
        yield items


# ---------------------------------------------------------------------------------------------------------------------
# Applications.

Work = tuple[str, str, Activity]  # symbol, demangled name, what it does on a device with one SIMD


@dataclass(frozen=True)
class Application:
    """One example: its source below examples/, what it must print, and its launches for a wave size."""

    source: str
    output: str
    work: Callable[[int], list[Work]]

    def launches(self, device: str) -> list[Launch]:
        """What it does on a device, in order of launch."""
        return [_on(device, *work) for work in _work_of(self, Device.named(device).wave_size)]


@lru_cache
def _work_of(application: Application, wave_size: int) -> list[Work]:
    return application.work(wave_size)


def _on(device: str, symbol: str, kernel: str, done: Activity) -> Launch:
    """With the cycles that the SIMDs of `device` need: they share what is issued."""
    issued = done["cycles"] - 1000
    return Launch(symbol, kernel, {**done, "cycles": 1000 - (-issued // Device.named(device).simds)})


def _does(blocks: Iterator[Block], wave_size: int) -> Activity:
    return activity(blocks, simds=1, wave_size=wave_size)


_AXPY = ("_Z4axpyPfPKfffm.kd", "axpy(float*, float const*, float, float, unsigned long)")
_PARAMETERS_OF_MATMUL = "(float*, float const*, float const*, unsigned int)"
_PARAMETERS_OF_HISTOGRAM = "(unsigned int*, unsigned char const*, unsigned int)"


def _axpy(wave_size: int) -> list[Work]:
    x, y = [i % 7 for i in range(100_000)], [i % 11 for i in range(100_000)]
    return [(*_AXPY, _does(expected.axpy(y, x, 2, 40, 256), wave_size)) for _ in range(5)]


def _counter_variable(wave_size: int) -> list[Work]:
    name = ("_Z15count_multiplesPKjj.kd", "count_multiples(unsigned int const*, unsigned int)")
    return [(*name, _does(count_multiples(20_000, 256, by), wave_size)) for by in (2, 3, 5)]


def _demo(wave_size: int) -> list[Work]:
    x, y = [i % 5 for i in range(65536)], [i % 13 for i in range(65536)]
    transposed = (
        "_Z9transposePjPKjj.kd",
        "transpose(unsigned int*, unsigned int const*, unsigned int)",
        _does(expected.demo_transpose(256, 16), wave_size),
    )
    counted = (
        "_Z9histogramPjPKjm.kd",
        "histogram(unsigned int*, unsigned int const*, unsigned long)",
        _does(expected.histogram(65536, 256, 64), wave_size),
    )
    work: list[Work] = []
    for _ in range(4):
        work += [(*_AXPY, _does(expected.axpy(y, x, 3, 50, 256), wave_size)), transposed, counted]
    return work


def _histogram(wave_size: int) -> list[Work]:
    pixels = [(4 * column + row) % 256 for row in range(192) for column in range(256)] + [0] * (64 * 256)
    by_global = _does(histogram_global(pixels, 256), wave_size)
    by_shared = _does(histogram_shared(pixels, 256, 16), wave_size)
    return [
        ("_Z16histogram_globalPjPKhj.kd", "histogram_global" + _PARAMETERS_OF_HISTOGRAM, by_global),
        ("_Z16histogram_sharedPjPKhj.kd", "histogram_shared" + _PARAMETERS_OF_HISTOGRAM, by_shared),
    ] * 2


def _matmul(wave_size: int) -> list[Work]:
    return [
        (f"_Z12{name}PfPKfS1_j.kd", name + _PARAMETERS_OF_MATMUL, _does(kernel(64, 16), wave_size))
        for name, kernel in (("matmul_naive", matmul_naive), ("matmul_tiled", matmul_tiled))
    ]


def _transpose(wave_size: int) -> list[Work]:
    name = "transpose(unsigned int*, unsigned int const*, unsigned int, unsigned int)"
    return [("_Z9transposePjPKjjj.kd", name, _does(expected.example_transpose(300, 200, 32, 8), wave_size))] * 3


def _vector_add(wave_size: int) -> list[Work]:
    name = "vector_add(float*, float const*, float const*, unsigned int)"
    return [("_Z10vector_addPfPKfS1_j.kd", name, _does(vector_add(16384, 256), wave_size))]


def polynomial_work(size: int, wave_size: int) -> list[Work]:
    """The launches of two_gpus on a GPU that does `size` elements."""
    name = "apply_polynomial(unsigned int*, unsigned long)"
    return [("_Z16apply_polynomialPjm.kd", name, _does(apply_polynomial(size, 256), wave_size))] * 2


def two_gpus_launches(device: str, size: int) -> list[Launch]:
    """The launches of examples/two_gpus on one of its devices, which does `size` of the 40,000 elements."""
    return [_on(device, *work) for work in polynomial_work(size, Device.named(device).wave_size)]


APPLICATIONS = {
    "axpy": Application("axpy/axpy.cpp", "axpy c7dd443c6490ff50\n", _axpy),
    "counter_variable": Application(
        "counter_variable/counter_variable.cpp",
        "counter_variable: 10000 after the multiples of 2, correct\n"
        "counter_variable: 16667 after the multiples of 3, correct\n"
        "counter_variable: 20667 after the multiples of 5, correct\n",
        _counter_variable,
    ),
    "demo": Application(
        "demo/demo.cpp",
        "axpy: sum 1910592\ntranspose: restored the matrix\nhistogram: 262144 values, 2732 in bin 0\n",
        _demo,
    ),
    "histogram": Application(
        "histogram/histogram.cpp",
        "histogram global: fullest bin 0 with 33152, correct\nhistogram shared: fullest bin 0 with 33152, correct\n",
        _histogram,
    ),
    "matmul": Application("matmul/matmul.cpp", "matmul naive 64x64: correct\nmatmul tiled 64x64: correct\n", _matmul),
    "own_source": Application("own_source/vector_add.cpp", "vector_add: 16384 elements correct\n", _vector_add),
    "transpose": Application("transpose/transpose.cpp", "transpose 200x300 correct\n", _transpose),
}
