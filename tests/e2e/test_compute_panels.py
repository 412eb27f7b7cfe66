# SPDX-License-Identifier: MIT
"""All panels of rocprofiler-compute from one run of two processes, against numbers made without the simulator.

The reader is ``tests/tools/compute_reader.py``, the numbers are those of ``expected.py``.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import fmean

import compute_reader
import expected
import pytest
from expected import Device, Launch

import rocprofsys_multipass as mp
from rocprofsys_multipass import Run
from rocprofsys_multipass.metrics import panel_metrics

DEVICE = "gfx942"
XCDS = 8
ROUNDS = 3
ACCUMULATED = "_ACCUM"
HIGH_RES = 4
"""An accumulation counts in single cycles what its level counts in units of four."""


@dataclass(frozen=True)
class Exported:
    """A run, and its directory as ``analyze`` of 3.3 takes it."""

    run: Run
    directory: Path

    @cached_property
    def workload(self) -> compute_reader.Workload:
        return compute_reader.read(self.directory)

    def side(self) -> list[dict[str, str]]:
        with (self.directory / "dispatches.csv").open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def exported(
    build: Callable[[Path], Path], environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Exported:
    """Two processes with the same dispatch ids, six launches of two kernels each."""
    mixed = build(Path(__file__).with_name("mixed.cpp"))
    output = tmp_path_factory.mktemp("panels") / "out"
    run = mp.run(
        ["sh", "-c", f'"$0" {ROUNDS}; "$0" {ROUNDS}', mixed],
        compute_panels="all",
        instances="keep",
        formats=["compute"],
        replay="kernel",
        simulate=DEVICE,
        output=output,
        env=environment,
        capture=True,
    )
    assert (run.exit_code, run.errors) == (0, ())
    return Exported(run, output / "compute" / DEVICE)


@pytest.fixture(scope="module")
def launches() -> list[Launch]:
    """What each number of the directory is: process after process, in order of launch."""
    one = [launch for _, launch in expected.mixed_launches([DEVICE], ROUNDS)]
    return [*one, *one]


def content(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {str(one.relative_to(folder)): one.read_bytes() for one in folder.rglob("*") if one.is_file()}


def by_hand(launch: Launch, counter: str) -> float:
    """Of a counter as the SDK names it, or of an accumulation."""
    if counter.endswith(ACCUMULATED):
        return HIGH_RES * launch.counter(counter.removesuffix(ACCUMULATED), DEVICE)
    return launch.counter(counter, DEVICE)


def test_each_launch_of_both_processes_is_one_dispatch(exported: Exported, launches: list[Launch]) -> None:
    """Two kernels, three launches in each of two processes; nothing is left out."""
    found = exported.workload
    assert [one.kernel for one in found] == [launch.kernel for launch in launches]
    assert {name: count for name, count, _ in found.kernels()} == {launch.kernel: 2 * ROUNDS for launch in launches}
    assert (found.silently_averaged(), {one.repeated for one in found}) == ({}, {frozenset()})
    side = exported.side()
    assert [int(one["Dispatch_ID"]) for one in side] == [one.number for one in found]
    assert [int(one["dispatch_id"]) for one in side] == 2 * list(range(1, 2 * ROUNDS + 1))
    assert len({one["pid"] for one in side}) == 2


def test_the_time_of_a_dispatch_is_that_of_its_pass_0(exported: Exported) -> None:
    """Passes take different times, of which the median would be another one."""
    trace = mp.open_trace(exported.run.output_dir)
    passes = {
        (process.pid, d.dispatch_id): [one.duration_ns for one in d.passes]
        for process in trace.processes
        for d in process.dispatches
    }
    assert all(len(set(times)) > 1 for times in passes.values())
    found = exported.workload
    wanted = [passes[int(one["pid"]), int(one["dispatch_id"])][0] for one in exported.side()]
    assert [one.durations for one in found] == [frozenset({time}) for time in wanted]
    assert sum(total for _, _, total in found.kernels()) == sum(time or 0 for time in wanted)


def test_every_counter_of_every_panel_has_the_value_of_its_launch(exported: Exported, launches: list[Launch]) -> None:
    """Of each metric that the GPU has the counters of. Nothing is an average over passes, or a sum."""
    device = Device.named(DEVICE)
    metrics = [one.base_counters for one in panel_metrics(DEVICE)]
    there = [names for names in metrics if all(name.removesuffix(ACCUMULATED) in device for name in names)]
    wanted = {name for names in there for name in names}
    assert len(wanted) == EXPECTED_COUNTERS
    for one, launch in zip(exported.workload, launches, strict=True):
        assert {name: one.counters.get(name) for name in wanted} == {name: by_hand(launch, name) for name in wanted}


def test_the_channels_of_a_counter_add_up_to_it(exported: Exported, launches: list[Launch]) -> None:
    """128 of them: channel 16 is the first of the second XCD. What does not divide is in the first ones."""
    for one, launch in zip(exported.workload, launches, strict=True):
        for name in ("TCC_HIT", "TCC_MISS", "TCC_REQ"):
            channels = [one.counters[f"{name}[{k}]"] for k in range(128)]
            total = launch.counter(name, DEVICE)
            each, more = divmod(total, 128)
            assert channels == [each + (k < more) for k in range(128)]
            assert f"{name}[128]" not in one.counters


def test_metrics_are_those_of_the_launches(exported: Exported, launches: list[Launch]) -> None:
    """From what each launch does: hits and misses, instructions, waves, cycles of the GPU and of waves."""
    for kernel in {launch.kernel for launch in launches}:
        done = [launch.activity for launch in launches if launch.kernel == kernel]
        issued = [sum(one[name] for name in INSTRUCTIONS) for one in done]
        resident = [one["wave_cycles"] // 4 * 4 for one in done]
        found = exported.workload.metrics(kernel)
        wanted = {
            "L2 hit rate (%)": fmean(100 * one["tcc_hits"] / (one["tcc_hits"] + one["tcc_misses"]) for one in done),
            "Wavefront occupancy": fmean(time / one["cycles"] for time, one in zip(resident, done, strict=True)),
            "Instructions per wave": fmean(all_ / one["waves"] for all_, one in zip(issued, done, strict=True)),
            "Wave cycles per wave": fmean(time / one["waves"] for time, one in zip(resident, done, strict=True)),
        }
        assert {found[name].count for name in wanted} == {2 * ROUNDS}
        assert {name: found[name].mean for name in wanted} == wanted


def test_an_export_again_has_the_same_bytes(exported: Exported, tmp_path: Path) -> None:
    """Of all files of the directory, which holds 24,204 rows."""
    mp.export(exported.run.output_dir, formats=["compute"], output=tmp_path)
    again = content(tmp_path / "compute" / DEVICE)
    assert again == content(exported.directory)
    assert again["pmc_perf.csv"].count(b"\n") == 1 + EXPECTED_ROWS


def test_the_gpu_is_the_one_that_the_simulator_described(exported: Exported) -> None:
    """Of 304 CUs each of 32 shader engines has 9.5, and two share a cache of instructions; an XCD has 16 channels."""
    system = exported.workload.system
    assert {name: system[name] for name in SYSTEM} == SYSTEM


def test_3_9_reads_the_same_launches_from_the_compressed_table(exported: Exported, tmp_path: Path) -> None:
    """Written again from the captures."""
    made = mp.export(exported.run.output_dir, formats=["compute"], compute_release="3.9", output=tmp_path)
    assert made
    newer = compute_reader.read(tmp_path / "compute" / DEVICE, "3.9")
    older = exported.workload
    assert [one.number for one in newer] == [one.number + 1 for one in older]
    assert [(one.kernel, one.duration, one.counters) for one in newer] == [
        (one.kernel, one.duration, one.counters) for one in older
    ]


INSTRUCTIONS = (
    *("insts_valu", "insts_salu", "insts_smem", "insts_vmem_read", "insts_vmem_write", "insts_vmem_atomic"),
    *("insts_lds", "insts_branch"),
)
SYSTEM = {
    "version": "3",
    "gpu_arch": "gfx942",
    "cu_per_gpu": "304",
    "simd_per_cu": "4",
    "se_per_gpu": "32",
    "wave_size": "64",
    "max_waves_per_cu": "32",
    "num_xcd": "8",
    "sqc_per_gpu": "160",
    "total_l2_chan": "128",
    "max_sclk": "2100",
    "cur_sclk": "2100",
    "max_mclk": "1300",
    "cur_mclk": "1300",
    "lds_banks_per_cu": "32",
    "pipes_per_gpu": "4",
    "num_hbm_channels": "128",
    "num_memory_channels": "128",
}
EXPECTED_ROWS = 12 * (225 + 14 * 128)  # launches, counters of panels, channels of panel 18
EXPECTED_COUNTERS = 225  # of 231: five are not to be had on gfx942, one is of use only beside one of these
