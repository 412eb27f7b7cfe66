# SPDX-License-Identifier: MIT
"""Reads a directory by the rules of rocprofiler-compute's ``analyze``: what it refuses, takes for a dispatch, averages.

Written from what is known of 3.3.0 (ROCm/rocm-systems @1b1610fc; 3.9: PRs 7768 and 10745) and from nothing of the
package, so that what the package writes can be held against it. Where ``analyze`` is silent, this is silent too, and
has a field that says about what. Not modelled: the metrics of the panels but for a few that everybody knows, and two
files that it writes into the directory. Stricter than it: a cell that is no number, or is not finite.

On the directories of ``tests/python/test_compute_reader.py`` ``analyze`` 3.3.0 was run by hand: both end at the
same, and show the same numbers.

Usage::

    python compute_reader.py DIRECTORY [--release 3.3|3.9]
"""

from __future__ import annotations

import argparse
import csv
import fnmatch
import gzip
import io
import math
import statistics
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

RELEASES = ("3.3", "3.9")

KEY = ("Dispatch_ID", "Kernel_Name", "Grid_Size", "Workgroup_Size", "LDS_Per_Workgroup")
"""Rows that agree in these are one dispatch. The process is not among them."""

INTEGERS = (
    *("Dispatch_ID", "GPU_ID", "Kernel_ID", "Grid_Size", "Workgroup_Size", "LDS_Per_Workgroup", "Scratch_Per_Workitem"),
    *("Arch_VGPR", "Accum_VGPR", "SGPR"),
)
TIMES = ("Start_Timestamp", "End_Timestamp")
COLUMNS = (*INTEGERS, *TIMES, "Kernel_Name", "Counter_Name", "Counter_Value")

SYSTEM_INTEGERS = (
    *("cu_per_gpu", "simd_per_cu", "se_per_gpu", "wave_size", "max_waves_per_cu", "num_xcd", "sqc_per_gpu"),
    *("total_l2_chan", "lds_banks_per_cu", "pipes_per_gpu"),
)
MAY_BE_EMPTY = ("num_hbm_channels", "max_sclk", "max_mclk", "cur_sclk", "cur_mclk")
"""A warning then, and what they are for is blank."""

SYSTEM = ("version", "gpu_arch", "ip_blocks", *SYSTEM_INTEGERS, *MAY_BE_EMPTY)
MEMORY_CHANNELS = "num_memory_channels"
"""The name of num_hbm_channels from 3.8 on."""


ARCHITECTURES = ("gfx908", "gfx90a", "gfx940", "gfx941", "gfx942", "gfx950")
"""Those of which there are panels."""

NO_VALUES = (
    *("#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA"),
    *("NULL", "NaN", "None", "n/a", "nan", "null"),
)
"""Texts that pandas takes for an empty cell. Dispatches of a kernel that is called so are gone, without a word."""

WHOLE_BELOW = 2**63 / 100
"""From here on a whole number overflows where it becomes a percentage, unless the column is of floating point."""


class RefusedError(Exception):
    """``analyze`` ends here, or would show something else than what is in the files; the text says at what."""


@dataclass(frozen=True)
class Dispatch:
    """What ``analyze`` takes for one dispatch. Times in ns, sizes in work-items and bytes."""

    number: int  # as it is printed
    gpu: int  # rank of GPU_ID among those that there are
    kernel: str
    launch: Mapping[str, int]  # the columns of INTEGERS, of the first row
    duration: float
    counters: Mapping[str, float]
    durations: frozenset[float]  # of the rows: more than one is a dispatch that was put together of several
    repeated: frozenset[str]  # counters that came more than once: the last value won


@dataclass(frozen=True)
class Value:
    """A metric over dispatches. `count` of them had all its counters; the others are passed over without a word."""

    mean: float
    minimum: float
    maximum: float
    count: int


@dataclass(frozen=True)
class Metric:
    """A ratio: of the counters of a dispatch, and of properties of the GPU."""

    counters: tuple[str, ...]
    above: Callable[[Mapping[str, float], Mapping[str, str]], float]
    below: Callable[[Mapping[str, float], Mapping[str, str]], float]


def _percent_of_hits(hits: str, *misses: str) -> Metric:
    return Metric(
        (hits, *misses),
        lambda values, _: 100 * values[hits],
        lambda values, _: values[hits] + sum(values[name] for name in misses),
    )


def _quotient(above: str, below: str) -> Metric:
    return Metric((above, below), lambda values, _: values[above], lambda values, _: values[below])


METRICS: dict[str, Metric] = {
    "L2 hit rate (%)": _percent_of_hits("TCC_HIT_sum", "TCC_MISS_sum"),
    "sL1D hit rate (%)": _percent_of_hits("SQC_DCACHE_HITS", "SQC_DCACHE_MISSES"),
    "L1I hit rate (%)": _percent_of_hits("SQC_ICACHE_HITS", "SQC_ICACHE_MISSES"),
    "Wavefront occupancy": Metric(
        ("SQ_LEVEL_WAVES_ACCUM", "GRBM_GUI_ACTIVE"),
        lambda values, _: values["SQ_LEVEL_WAVES_ACCUM"],
        lambda values, system: values["GRBM_GUI_ACTIVE"] / int(system["num_xcd"]),
    ),
    "Instructions per wave": _quotient("SQ_INSTS", "SQ_WAVES"),
    "Wave cycles per wave": Metric(  # the counter is of four cycles each
        ("SQ_WAVE_CYCLES", "SQ_WAVES"),
        lambda values, _: 4 * values["SQ_WAVE_CYCLES"],
        lambda values, _: values["SQ_WAVES"],
    ),
}


@dataclass(frozen=True)
class Workload:
    """A directory as it was understood."""

    release: str
    system: Mapping[str, str]
    dispatches: tuple[Dispatch, ...]
    panels: tuple[str, ...] = ()  # filter_blocks; all without any
    warnings: tuple[str, ...] = field(default=())

    def kernels(self) -> list[tuple[str, int, float]]:
        """Top Kernels: name, dispatches, total time; the first is 0 for ``-k``. Those without time are not shown."""
        found = {
            one.kernel: [other.duration for other in self.dispatches if other.kernel == one.kernel] for one in self
        }
        rows = [(name, len(times), sum(times)) for name, times in found.items() if sum(times) > 0]
        return sorted(rows, key=lambda row: -row[2])

    def __iter__(self) -> Iterator[Dispatch]:
        return iter(self.dispatches)

    def metrics(self, kernel: str | None = None) -> dict[str, Value]:
        """Those of METRICS that any dispatch (of `kernel`) has the counters of, the channels and "Kernel time (ns)"."""
        chosen = [one for one in self.dispatches if kernel in (None, one.kernel)]
        if not chosen:
            return {}
        times = [one.duration for one in chosen]
        found = {"Kernel time (ns)": Value(statistics.fmean(times), min(times), max(times), len(times))}
        channels = [f"[{number}]" for number in range(int(self.system["total_l2_chan"]))]
        hits = {f"L2 hit rate{one} (%)": _percent_of_hits(f"TCC_HIT{one}", f"TCC_MISS{one}") for one in channels}
        for name, metric in {**METRICS, **hits}.items():
            value = self._over(chosen, metric)
            if value is not None:
                found[name] = value
        return found

    def _over(self, dispatches: Iterable[Dispatch], metric: Metric) -> Value | None:
        """To 3.6 the mean of the ratios, from 3.7 on the ratio of the sums."""
        pairs = [
            (metric.above(one.counters, self.system), metric.below(one.counters, self.system))
            for one in dispatches
            if all(name in one.counters for name in metric.counters)
        ]
        ratios = [above / below for above, below in pairs if below != 0]
        if not ratios:
            return None
        mean = statistics.fmean(ratios)
        if self.release != "3.3":
            mean = sum(above for above, _ in pairs) / sum(below for _, below in pairs)
        return Value(mean, min(ratios), max(ratios), len(ratios))

    def silently_averaged(self) -> dict[str, int]:
        """The counters that some dispatches have and others lack, with the number of those that have them."""
        names = {name for one in self.dispatches for name in one.counters}
        having = {name: sum(name in one.counters for one in self.dispatches) for name in names}
        return {name: count for name, count in sorted(having.items()) if count < len(self.dispatches)}


def read(directory: Path, release: str = "3.3") -> Workload:
    """What `release` makes of a directory.

    Raises:
        RefusedError: it would end with an error, or take rows for what they are not.
    """
    if release not in RELEASES:
        raise RefusedError(f"release {release}: known are {', '.join(RELEASES)}")
    if ".." in str(directory):
        raise RefusedError(f"path {directory}: '..' is not taken")
    if not directory.is_dir():
        raise RefusedError(f"path {directory}: no directory")
    if release == "3.3":
        _walk(directory)
    system, warnings = _system(directory / "sysinfo.csv", release)
    panels = _configuration(directory / "profiling_config.yaml")
    dispatches = _dispatches(_rows(directory, release), release)
    _comparable(dispatches)
    return Workload(release, system, dispatches, panels, warnings)


def _walk(directory: Path) -> None:
    """Other tables below are loaded too, and that ends it."""
    for path in sorted(directory.rglob("*")):
        if fnmatch.fnmatchcase(path.name, "SQ*.csv"):
            raise RefusedError(f"{path.relative_to(directory)}: taken for a table of an accumulated counter")
        if path.name == "pmc_perf.csv" and path.parent != directory:
            raise RefusedError(f"{path.relative_to(directory)}: a second pmc_perf.csv")


def _table(path: Path, text: str, columns: Iterable[str]) -> list[dict[str, str]]:
    rows = list(csv.reader(io.StringIO(text, newline="")))
    if not rows:
        raise RefusedError(f"{path.name}: empty")
    header = rows[0]
    for name in columns:
        if header.count(name) != 1:
            raise RefusedError(f"{path.name}: KeyError: {name!r}: there {header.count(name)} times")
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(header):
            raise RefusedError(f"{path.name}: line {number}: {len(row)} cells of {len(header)}")
    return [dict(zip(header, row, strict=True)) for row in rows[1:]]


def _text(path: Path) -> str:
    if not path.is_file():
        raise RefusedError(f"{path.name}: not there")
    raw = path.read_bytes()
    return (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()


def _system(path: Path, release: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """One row describes one GPU."""
    memory = (MEMORY_CHANNELS,) if release == "3.9" else ()
    rows = _table(path, _text(path), (*SYSTEM, *memory))
    if len(rows) != 1:
        raise RefusedError(f"sysinfo.csv: {len(rows)} rows, one is read")
    (row,) = rows
    for name in (*SYSTEM_INTEGERS, *memory):
        if not row[name].isdecimal() or int(row[name]) == 0:
            raise RefusedError(f"sysinfo.csv: {name}: {row[name]!r} is no number of anything")
    for name in ("gpu_arch", "ip_blocks"):
        if not row[name]:
            raise RefusedError(f"sysinfo.csv: {name}: empty")
    if row["gpu_arch"] not in ARCHITECTURES:
        raise RefusedError(f"sysinfo.csv: gpu_arch: ModuleNotFoundError: soc_{row['gpu_arch']}")
    warnings = [f"sysinfo.csv: {name}: not known" for name in MAY_BE_EMPTY if not row[name]]
    if row["version"].partition(".")[0] != "3":
        warnings.append(f"sysinfo.csv: version {row['version']!r}, not 3")
    return row, tuple(warnings)


def _configuration(path: Path) -> tuple[str, ...]:
    """Without the file, or the word rocpd in it, 3.3 takes every row of a counter for a dispatch, and ends with 0."""
    if not path.exists():
        raise RefusedError("profiling_config.yaml: not there: each row would be a dispatch")
    found = yaml.safe_load(_text(path))
    if not isinstance(found, dict):
        raise RefusedError("profiling_config.yaml: holds nothing")
    said = found.get("format_rocprof_output")
    if said != "rocpd":
        raise RefusedError(f"profiling_config.yaml: format_rocprof_output is {said!r}: each row would be a dispatch")
    if "iteration_multiplexing" in found:
        raise RefusedError("profiling_config.yaml: iteration_multiplexing: gaps would be filled")
    panels = tuple(found.get("filter_blocks") or ())
    if not all(isinstance(one, str) for one in panels):
        raise RefusedError(f"profiling_config.yaml: filter_blocks: {panels} are not all text")
    return panels


def _rows(directory: Path, release: str) -> list[dict[str, str]]:
    path = directory / ("pmc_perf.csv" if release == "3.3" else "pmc_perf.csv.gz")
    rows = _table(path, _text(path), COLUMNS)
    if not rows:
        raise RefusedError(f"{path.name}: no rows")
    for number, row in enumerate(rows, 2):
        for name in COLUMNS:
            _cell(f"{path.name}: line {number}: {name}", row[name])
        for name in INTEGERS:
            if not row[name].removeprefix("-").isdecimal():
                raise RefusedError(f"{path.name}: line {number}: {name}: {row[name]!r} is no whole number")
        try:
            values = [float(row[name]) for name in (*TIMES, "Counter_Value")]
        except ValueError as error:
            raise RefusedError(f"{path.name}: line {number}: {error}") from None
        if not all(map(math.isfinite, values)):
            raise RefusedError(f"{path.name}: line {number}: a number without end")
    _columns(path, rows)
    return rows


def _cell(place: str, text: str) -> None:
    if not text:
        raise RefusedError(f"{place}: empty")
    if text in NO_VALUES or "\r" in text or "\0" in text:
        raise RefusedError(f"{place}: {text!r} is not read as it is")


def _columns(path: Path, rows: list[dict[str, str]]) -> None:
    """pandas gives a whole column one type."""
    texts = [row["Counter_Value"] for row in rows]
    whole = all(text.removeprefix("-").isdecimal() for text in texts)
    if whole and max(abs(int(text)) for text in texts) > WHOLE_BELOW:
        raise RefusedError(f"{path.name}: Counter_Value: whole numbers that overflow")
    if not any(map(_is_name, {row["Kernel_Name"] for row in rows})):
        raise RefusedError(f"{path.name}: Kernel_Name: a column of numbers")


def _is_name(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return text.lower() not in ("true", "false")
    return False


def _number(text: str) -> float:
    """Whole numbers exactly: a time of 8.1097E+14 has lost what tells start from end."""
    return int(text) if text.removeprefix("-").isdecimal() else float(text)


def _dispatches(rows: Iterable[Mapping[str, str]], release: str) -> tuple[Dispatch, ...]:
    groups: dict[tuple[int | str, ...], list[Mapping[str, str]]] = {}
    for row in rows:
        key = tuple(row[name] if name == "Kernel_Name" else int(row[name]) for name in KEY)
        groups.setdefault(key, []).append(row)
    rank = {gpu: number for number, gpu in enumerate(sorted({int(own[0]["GPU_ID"]) for own in groups.values()}))}
    first = 0 if release == "3.3" else 1
    return tuple(_dispatch(number, groups[key], rank, release) for number, key in enumerate(sorted(groups), first))


def _dispatch(number: int, rows: list[Mapping[str, str]], rank: Mapping[int, int], release: str) -> Dispatch:
    """3.3 takes the median of the rows' durations, in which a pass with many counters weighs more; newer the first."""
    durations = [_number(row["End_Timestamp"]) - _number(row["Start_Timestamp"]) for row in rows]
    names = [row["Counter_Name"] for row in rows]
    launch = {name: int(rows[0][name]) for name in INTEGERS}
    return Dispatch(
        number=number,
        gpu=rank[launch["GPU_ID"]],
        kernel=rows[0]["Kernel_Name"],
        launch=launch,
        duration=statistics.median(durations) if release == "3.3" else durations[0],
        counters={row["Counter_Name"]: float(row["Counter_Value"]) for row in rows},
        durations=frozenset(durations),
        repeated=frozenset(name for name in names if names.count(name) > 1),
    )


def _comparable(dispatches: Iterable[Dispatch]) -> None:
    """What the whole analysis ends at, whatever the panel."""
    together = ("GRBM_GUI_ACTIVE", "SQ_BUSY_CU_CYCLES")
    present = [{name for name in together if name in one.counters} for one in dispatches]
    for one in dispatches:
        if one.counters.get("GRBM_GUI_ACTIVE") == 0:
            raise RefusedError(f"dispatch {one.number}: GRBM_GUI_ACTIVE is 0")
    if set(together) == set().union(*present) and set(together) not in present:
        raise RefusedError(f"{' and '.join(together)} are never in one dispatch: cannot convert float NaN to integer")


def main() -> int:
    """Prints kernels, dispatches and metrics; 1 where the directory would be refused."""
    parser = argparse.ArgumentParser(description="Read a directory as rocprof-compute analyze would.")
    parser.add_argument("directory", type=Path)
    parser.add_argument("--release", default="3.3", choices=RELEASES)
    given = parser.parse_args()
    try:
        found = read(given.directory, given.release)
    except RefusedError as error:
        sys.stderr.write(f"refused: {error}\n")
        return 1
    lines = [f"warning: {warning}" for warning in found.warnings]
    lines += [
        f"kernel {rank}: {count} x, {total:g} ns: {name}" for rank, (name, count, total) in enumerate(found.kernels())
    ]
    lines += [
        f"dispatch {one.number}: GPU {one.gpu}, {one.duration:g} ns, {len(one.counters)} counters" for one in found
    ]
    lines += [
        f"{name}: {value.mean:.6g} ({value.minimum:.6g} to {value.maximum:.6g}, {value.count} dispatches)"
        for name, value in found.metrics().items()
    ]
    lines += [
        f"only in {count} of {len(found.dispatches)} dispatches: {name}"
        for name, count in found.silently_averaged().items()
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
