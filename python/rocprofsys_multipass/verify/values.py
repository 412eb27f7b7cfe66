# SPDX-License-Identifier: MIT
"""Checks of the values: what a person would doubt when looking at them."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from statistics import median
from typing import Final

from rocprofsys_multipass.metrics import metrics_on
from rocprofsys_multipass.trace.model import Dispatch, Process
from rocprofsys_multipass.trace.nature import nature_of
from rocprofsys_multipass.verify.evidence import Evidence
from rocprofsys_multipass.verify.finding import Finding
from rocprofsys_multipass.verify.registry import check
from rocprofsys_multipass.verify.structure import place

OUTLIER_FACTOR: Final = 10.0  # of the median
OUTLIER_MINIMUM: Final = 5  # dispatches of the same kernel and grid, fewer have no median worth the name
OUTLIER_DURATION_NS: Final = 50_000.0  # median; a kernel of microseconds is delayed tenfold by anything
AGREEMENT: Final = 0.0006  # relative; public reports of SQ_WAVES on real GPUs differ by up to this, see PAPI issue 92

# A part and the whole that it is a part of, by the hardware's definition. `_sum`, `[n]` and the like follow both.
_PARTS: Final = {
    "TCC_HIT": "TCC_REQ",
    "TCC_MISS": "TCC_REQ",
    "TCC_READ": "TCC_REQ",
    "TCC_WRITE": "TCC_REQ",
    "TCC_EA_RDREQ_32B": "TCC_EA_RDREQ",
    "TCC_EA_RDREQ_DRAM": "TCC_EA_RDREQ",
    "TCC_EA_WRREQ_64B": "TCC_EA_WRREQ",
    "TCC_EA_WRREQ_DRAM": "TCC_EA_WRREQ",
    "TCC_EA0_RDREQ_32B": "TCC_EA0_RDREQ",
    "TCC_EA0_RDREQ_DRAM": "TCC_EA0_RDREQ",
    "TCC_EA0_WRREQ_64B": "TCC_EA0_WRREQ",
    "TCC_EA0_WRREQ_DRAM": "TCC_EA0_WRREQ",
    "GL2C_HIT": "GL2C_REQ",
    "GL2C_MISS": "GL2C_REQ",
    "TCP_TOTAL_READ": "TCP_TOTAL_ACCESSES",
    "TCP_TOTAL_WRITE": "TCP_TOTAL_ACCESSES",
    "GRBM_GUI_ACTIVE": "GRBM_COUNT",
    "GRBM_SPI_BUSY": "GRBM_COUNT",
}
_SUFFIX: Final = re.compile(r"(_sum|_avr)?(\[\d+\])?$")
# Derived metrics of rocprofiler that are percentages.
_PERCENT_NAMES: Final = re.compile(
    r"Percent$|Utilization$|Util$|Stalled$|^(VALU|SALU|MemUnit)Busy$|^L2CacheHit$|^ALUStalledByLDS$|^GPU_UTIL$"
)
_SIMULATED: Final = "a kernel for the simulator states its work with multipass/count.h (docs/simulator.md)"
_PAIR: Final = 2
_DURATION: Final = "duration in ns"
_HUNDRED_PERCENT: Final = 100.0
_LOOSE_AGREEMENT: Final = 0.25  # relative, of time and caches; more is worth knowing, and no fault


_Read = tuple[float, str]  # a value, and the label of its pass


@dataclass
class _Apart:
    """Where passes differ in time or in the caches: how often, and the worst."""

    compared: int = 0
    differ: int = 0
    worst: float = 0
    text: str = ""

    def note(self, apart: float, d: Dispatch, low: _Read, high: _Read) -> None:
        """One dispatch more: its readings lie `apart`, relative to the larger."""
        self.compared += 1
        if apart > _LOOSE_AGREEMENT:
            self.differ += 1
            if apart > self.worst:
                self.worst, self.text = apart, f"dispatch {d.dispatch_id}: {_pair(low, high)}"


@check("agreement")
def agreement(evidence: Evidence) -> Iterator[Finding]:
    """A counter that several passes read has the same value in all of them; all 0 proves nothing."""
    for process in evidence.best:
        loose: dict[tuple[int | None, str], _Apart] = defaultdict(_Apart)
        for d in process.dispatches:
            for counter, every in d.by_counter.items():
                read = [(value, p.label) for p, value in every if p.status != "DISCARDED"]
                if len(read) < _PAIR:
                    continue
                low, high = min(read, key=itemgetter(0)), max(read, key=itemgetter(0))
                size = max(abs(low[0]), abs(high[0]))
                apart = (high[0] - low[0]) / size if size else 0.0
                if nature_of(counter) != "work":
                    loose[d.agent.device, counter].note(apart, d, low, high)
                elif apart > AGREEMENT:
                    hint = (
                        "the passes did not do the same work: memory that is not restored between them, "
                        "or another kernel beside this one; do not combine counters of different passes here"
                    )
                    yield Finding("warning", "agreement", place(process, d, None, counter), _pair(low, high), hint)
        yield from _loosely(process, loose)


def _pair(low: _Read, high: _Read) -> str:
    return f"{low[0]:.15g} in {low[1]}, {high[0]:.15g} in {high[1]}"


def _loosely(process: Process, loose: Mapping[tuple[int | None, str], _Apart]) -> Iterator[Finding]:
    """One finding for all dispatches of a GPU: thousands of short kernels may have no two passes alike."""
    for (device, counter), found in sorted(loose.items(), key=str):
        if not found.differ:
            continue
        where = f"{process.path.name}: GPU {device}, {counter}"
        message = (
            f"it differs by more than a quarter between the passes of {found.differ} of {found.compared} dispatches, "
            f"most in {found.text}"
        )
        hint = "clocks and caches are in another state in each pass; counters of work tell whether it did the same"
        yield Finding("info", "agreement", where, message, hint)


@check("possible-values")
def possible_values(evidence: Evidence) -> Iterator[Finding]:
    """A counter is a number from 0 on."""
    for process in evidence.best:
        for d in process.dispatches:
            for p in d.passes:
                for r in p.readings:
                    if not 0 <= r.value < math.inf:
                        hint = "no counter can be that: the driver or the file is wrong"
                        message = f"the value is {r.value:.15g}"
                        yield Finding("warning", "possible-values", place(process, d, p, r.counter), message, hint)


@check("agreement-at-zero")
def agreement_at_zero(evidence: Evidence) -> Iterator[Finding]:
    """Of the counters that compare passes, one at least is not of time and not 0 in every pass of every dispatch.

    Counters of sets of metrics are in several passes for the sake of several metrics.
    """
    for process in evidence.best:
        compared: dict[tuple[int | None, str], list[float]] = defaultdict(list)
        for d in process.dispatches:
            for counter, read in d.by_counter.items():
                if len(read) >= _PAIR:
                    compared[d.agent.device, counter] += [value for _, value in read]
        proven = {
            device for (device, counter), values in compared.items() if any(values) and nature_of(counter) != "time"
        }
        of_sets = {device: _of_sets(process, device) for device, _ in compared}
        for (device, counter), values in sorted(compared.items(), key=str):
            if any(values) or device in proven or counter in of_sets[device]:
                continue
            where = f"{process.path.name}: GPU {device}, {counter}"
            message = "read in several passes to compare them, and 0 in all"
            hint = "give --sentinel a counter of work that the kernels use, such as one of their instructions"
            yield Finding("warning", "agreement-at-zero", where, message, hint)


def _of_counter(process: Process) -> dict[tuple[int | None, str], list[tuple[Dispatch, float]]]:
    found: dict[tuple[int | None, str], list[tuple[Dispatch, float]]] = defaultdict(list)
    for d in process.dispatches:
        for counter, value in d.counters.items():
            found[d.agent.device, counter].append((d, value))
    return found


@check("zeros")
def zeros(evidence: Evidence) -> Iterator[Finding]:
    """No counter is 0 in every dispatch of a GPU while others are not; nor are all counters of a block.

    Those that are there for a set of metrics are told in one finding, as information: a set asks for units that a
    kernel need not use.
    """
    for process in evidence.best:
        found = _of_counter(process)
        devices = sorted({device for device, _ in found}, key=str)
        for device in devices:
            counters = {name: values for (of, name), values in found.items() if of == device}
            zero = sorted(name for name, values in counters.items() if not any(v for _, v in values))
            where = f"{process.path.name}: GPU {device}"
            if zero and len(zero) == len(counters):
                hint = (
                    _SIMULATED
                    if process.simulated
                    else "check that the kernels ran on this GPU, and the driver's power profile (rocm-smi)"
                )
                yield Finding("warning", "zeros", where, f"all {len(zero)} counters are 0 in every dispatch", hint)
                continue
            of_sets = sorted(_of_sets(process, device).intersection(zero))
            if of_sets:
                message = f"of the sets of metrics 0 in every dispatch: {', '.join(of_sets)}"
                yield Finding("info", "zeros", where, message, "the kernels may not use those units")
            for name in (name for name in zero if name not in of_sets):
                count = len(counters[name])
                dispatches = f"{count} dispatches" if count > 1 else "the only dispatch"
                hint = "the kernels may not use that unit; else " + (
                    f"the work that uses it is not stated: {_SIMULATED}"
                    if process.simulated
                    else "the counter may not work on this GPU or driver"
                )
                yield Finding("warning", "zeros", f"{where}, {name}", f"0 in {dispatches}", hint)


def _of_sets(process: Process, device: int | None) -> frozenset[str]:
    """The counters on a GPU that the run's sets of metrics need, without those that its list names too."""
    named = frozenset(re.split(r"[ ,;\t\n]+", process.events))
    chosen = [m for gpu in process.gpus if gpu.device == device for m in metrics_on(gpu.name, process.sets)]
    return frozenset(c for m in chosen for c in m.counters if process.sets) - named


@check("ratios")
def ratios(evidence: Evidence) -> Iterator[Finding]:
    """No part is larger than the whole it is a part of, and no percentage is over 100."""
    for process in evidence.best:
        found: dict[tuple[str, str, str], list[tuple[float, Dispatch]]] = defaultdict(list)
        for d in process.dispatches:
            for part, value in d.counters.items():
                whole = _whole_of(part)
                of = _HUNDRED_PERCENT if _is_percentage(part) else d.counters.get(whole)
                if of is not None and value > of * (1 + AGREEMENT):
                    found[d.kernel, part, whole].append((value / of if of else math.inf, d))
        for (kernel, part, whole), exceeding in found.items():
            yield _too_much(process, kernel, part, whole, exceeding)


@cache
def _whole_of(part: str) -> str:
    """What the counter is a part of; empty for nothing that is known."""
    suffix = _SUFFIX.search(part)
    ending = suffix[0] if suffix else ""
    whole = _PARTS.get(part.removesuffix(ending))
    return whole + ending if whole else ""


@cache
def _is_percentage(name: str) -> bool:
    return bool(_PERCENT_NAMES.search(name))


def _too_much(process: Process, kernel: str, part: str, whole: str, exceeding: list[tuple[float, Dispatch]]) -> Finding:
    """One finding for all dispatches of a kernel; it names the worst."""
    worst, d = max(exceeding, key=lambda pair: pair[0])
    where = place(process, d, None, part)
    others = f", and too much in {len(exceeding) - 1} more dispatches of {kernel!r}" if len(exceeding) > 1 else ""
    if not whole:
        return Finding("warning", "ratios", where, f"{100 * worst:.6g} %, more than there can be{others}")
    of_part, of_whole = d.canonical_pass[part], d.canonical_pass[whole]
    apart = of_part is not of_whole
    hint = f"read them in one pass: --group {part},{whole}" if apart else "the two counters contradict each other"
    percent = "more than nothing" if math.isinf(worst) else f"{100 * worst:.4g} %"
    message = f"{part} ({of_part.label}) is {percent} of {whole} ({of_whole.label}){others}"
    return Finding("warning", "ratios", where, message, hint)


@check("outliers")
def outliers(evidence: Evidence) -> Iterator[Finding]:
    """Launches of one kernel with one grid have comparable durations and values."""
    for process in evidence.best:
        alike: dict[tuple[object, ...], list[Dispatch]] = defaultdict(list)
        for d in process.dispatches:
            alike[d.kernel, d.grid, d.workgroup, d.agent.device].append(d)
        for dispatches in alike.values():
            if len(dispatches) < OUTLIER_MINIMUM:
                continue
            quantities: dict[str, list[tuple[Dispatch, float]]] = defaultdict(list)
            for d in dispatches:
                if d.duration_ns is not None and not process.simulated:
                    quantities[_DURATION].append((d, float(d.duration_ns)))
                for counter, value in d.counters.items():
                    quantities[counter].append((d, value))
            for quantity, values in quantities.items():
                yield from _outliers(process, quantity, values)


def _outliers(process: Process, quantity: str, values: list[tuple[Dispatch, float]]) -> Iterator[Finding]:
    middle = median(value for _, value in values)
    least = OUTLIER_DURATION_NS if quantity == _DURATION else 0
    if len(values) < OUTLIER_MINIMUM or middle <= 0 or middle < least:
        return
    for d, value in values:
        if value > OUTLIER_FACTOR * middle:
            message = f"{value:.15g} is {value / middle:.3g} times the median of {len(values)} equal launches"
            hint = "another process on the GPU, a page fault or a clock change; run again, or leave this launch out"
            yield Finding("warning", "outliers", place(process, d, None, quantity), message, hint)
