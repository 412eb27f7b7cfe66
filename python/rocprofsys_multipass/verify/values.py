# SPDX-License-Identifier: MIT
"""Checks of the values: what a person would doubt when looking at them."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from statistics import median
from typing import Final

from rocprofsys_multipass.metrics import metrics_on, panel_metrics
from rocprofsys_multipass.spelling import first_of
from rocprofsys_multipass.trace.model import Dispatch, Process
from rocprofsys_multipass.verify.evidence import Evidence
from rocprofsys_multipass.verify.finding import Finding
from rocprofsys_multipass.verify.places import at, place
from rocprofsys_multipass.verify.registry import check

OUTLIER_MINIMUM: Final = 5  # dispatches of the same kernel and grid, fewer have no median worth the name
OUTLIER_DURATION_NS: Final = 50_000.0  # median; a kernel of microseconds is delayed tenfold by anything

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
_DURATION: Final = "duration in ns"
_HUNDRED_PERCENT: Final = 100.0
_OF_ADDING: Final = 1e-9  # relative; the sum of doubles depends on their order
_NAMED: Final = 12  # of the counters of metrics that are 0; all panels ask for more than anybody reads in a line
_TOO_MUCH: Final = 2.0**63  # what counts up to that in ns takes 292 years


@check("possible-values", "warning", remedy="do not use the value: the driver or the file is wrong")
def possible_values(evidence: Evidence) -> Iterator[Finding]:
    """A counter is a number from 0 on, and below 2^63.

    A register that is not there reads as ones alone, which is 2^64 - 1.
    """
    for process in evidence.best:
        for d in process.dispatches:
            for p in d.passes:
                for r in p.readings:
                    if not 0 <= r.value < _TOO_MUCH:
                        hint = "no counter can be that: the driver or the file is wrong"
                        message = f"the value is {r.value:.15g}"
                        yield Finding("warning", "possible-values", place(process, d, p, r.counter), message, hint)


@check(
    "instances", "error", remedy="do not use the single instances: the capture is damaged, or another program wrote it"
)
def instances(evidence: Evidence) -> Iterator[Finding]:
    """The values of the single instances of a counter, where a journal has them, add up to its reading."""
    for process in evidence.best:
        for d in process.dispatches:
            for p in d.passes:
                kept = p.instances or {}
                for r in p.readings:
                    of_counter = kept.get(r.counter)
                    if not of_counter or (d.agent.device, r.counter) in process.not_numbers:
                        continue
                    total = math.fsum(of_counter.values())
                    if not math.isclose(total, r.value, rel_tol=_OF_ADDING):
                        message = (
                            f"{len(of_counter)} instances add up to {total:.15g}, and the reading is {r.value:.15g}"
                        )
                        yield Finding("error", "instances", place(process, d, p, r.counter), message)


def _of_counter(process: Process) -> dict[tuple[int | None, str], list[tuple[Dispatch, float]]]:
    found: dict[tuple[int | None, str], list[tuple[Dispatch, float]]] = defaultdict(list)
    for d in process.dispatches:
        for counter, value in d.counters.items():
            found[d.agent.device, counter].append((d, value))
    return found


def _always_zero(counter: str, values: list[tuple[Dispatch, float]]) -> bool:
    """Whether no pass read anything else either: with caches warm, the canonical one may have had nothing to count."""
    return not any(v or any(one for _, one in d.by_counter.get(counter, ())) for d, v in values)


@check(
    "zeros",
    "warning",
    "info",
    remedy="find out whether the kernels use that unit, and whether the counter works on this GPU and driver",
)
def zeros(evidence: Evidence) -> Iterator[Finding]:
    """No counter is 0 in every pass of every dispatch of a GPU while others are not; nor are all counters of a block.

    Those that are there for a set of metrics or a panel are told in one finding, as information: these ask for units
    that a kernel need not use.
    """
    for process in evidence.best:
        found = _of_counter(process)
        devices = sorted({device for device, _ in found}, key=str)
        for device in devices:
            counters = {name: values for (of, name), values in found.items() if of == device}
            zero = sorted(name for name, values in counters.items() if _always_zero(name, values))
            where = at(process, f"GPU {device}")
            if zero and len(zero) == len(counters):
                hint = (
                    _SIMULATED
                    if process.simulated
                    else "check that the kernels ran on this GPU, and the driver's power profile (rocm-smi)"
                )
                yield Finding("warning", "zeros", where, f"all {len(zero)} counters are 0 in every dispatch", hint)
                continue
            of_metrics = sorted(counters_of_metrics(process, device).intersection(zero))
            if of_metrics:
                message = f"of the metrics that were asked for 0 in every dispatch: {first_of(of_metrics, _NAMED)}"
                yield Finding("info", "zeros", where, message, "the kernels may not use those units")
            rest = [name for name in zero if name not in of_metrics]
            hint = "the kernels may not use that unit; else " + (
                f"the work that uses it is not stated: {_SIMULATED}"
                if process.simulated
                else "the counter may not work on this GPU or driver"
            )
            for block, names in _whole_blocks(process, device, list(counters), rest):
                rest = [name for name in rest if name not in names]
                message = f"all {len(names)} counters of block {block} are 0 in every dispatch: {', '.join(names)}"
                yield Finding("warning", "zeros", f"{where}, {block}", message, hint)
            for name in rest:
                count = len(counters[name])
                dispatches = f"{count} dispatches" if count > 1 else "the only dispatch"
                yield Finding("warning", "zeros", f"{where}, {name}", f"0 in {dispatches}", hint)


def _whole_blocks(
    process: Process, device: int | None, counters: list[str], zero: list[str]
) -> Iterator[tuple[str, list[str]]]:
    """Blocks of which two counters or more were read, and all were 0; derived counters are of none."""
    blocks = {c.name: c.block for agent in process.gpus if agent.device == device for c in agent.counters}
    of_block: dict[str, list[str]] = defaultdict(list)
    for name in counters:
        of_block[blocks.get(name, "")].append(name)
    for block, names in sorted(of_block.items()):
        if block and len(names) > 1 and set(names) <= set(zero):
            yield block, sorted(names)


def counters_of_metrics(process: Process, device: int | None) -> frozenset[str]:
    """The counters on a GPU that the run's sets of metrics and panels need, without those that its list names too."""
    needed: set[str] = set()
    for gpu in process.gpus:
        if gpu.device != device:
            continue
        if process.sets:
            needed.update(c for metric in metrics_on(gpu.name, process.sets) for c in metric.counters)
        if process.compute_panels:
            chosen = panel_metrics(gpu.name, process.compute_panels)
            needed.update(c for metric in chosen for c in metric.base_counters)
    return frozenset(needed).difference(re.split(r"[ ,;\t\n]+", process.events))


@check("ratios", "warning", remedy="read both counters in one pass: --group PART,WHOLE")
def ratios(evidence: Evidence) -> Iterator[Finding]:
    """No part is larger than the whole it is a part of, and no percentage is over 100."""
    for process in evidence.best:
        found: dict[tuple[str, str, str], list[tuple[float, Dispatch]]] = defaultdict(list)
        for d in process.dispatches:
            for part, value in d.counters.items():
                whole = _whole_of(part)
                of = _HUNDRED_PERCENT if _is_percentage(part) else d.counters.get(whole)
                if of is not None and value > of * (1 + evidence.limits.ratio):
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
    if of_part.mixed or of_whole.mixed:
        hint = "they may be of different passes, which the file does not tell apart"
    percent = "more than nothing" if math.isinf(worst) else f"{100 * worst:.4g} %"
    message = f"{part} ({of_part.label}) is {percent} of {whole} ({of_whole.label}){others}"
    return Finding("warning", "ratios", where, message, hint)


@check("outliers", "warning", remedy="run again, or leave that launch out")
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
                yield from _outliers(process, quantity, values, evidence.limits.outlier)


def _outliers(
    process: Process, quantity: str, values: list[tuple[Dispatch, float]], factor: float
) -> Iterator[Finding]:
    middle = median(value for _, value in values)
    least = OUTLIER_DURATION_NS if quantity == _DURATION else 0
    if len(values) < OUTLIER_MINIMUM or middle <= 0 or middle < least:
        return
    for d, value in values:
        if value > factor * middle:
            message = f"{value:.15g} is {value / middle:.3g} times the median of {len(values)} equal launches"
            hint = "another process on the GPU, a page fault or a clock change; run again, or leave this launch out"
            yield Finding("warning", "outliers", place(process, d, None, quantity), message, hint)
