# SPDX-License-Identifier: MIT
"""Sets of metrics from end to end: each GPU collects what its own formulas need; values are worked out again."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping
from functools import cache
from math import isclose
from pathlib import Path
from statistics import median

import pytest
from e2e_tools import ROOT, Cli, Outputs, by_hand
from expected import Launch
from expected_examples import APPLICATIONS, two_gpus_launches

import rocprofsys_multipass as mp
from rocprofsys_multipass import Run
from rocprofsys_multipass.native import Native
from rocprofsys_multipass.trace import Dispatch

EXAMPLES = ROOT / "examples"
SETS = ("memory", "cache", "occupancy", "compute", "stall", "lds")


@pytest.fixture(scope="session")
def two_gpus(build: Callable[[Path], Path]) -> Path:
    return build(EXAMPLES / "two_gpus" / "two_gpus.cpp")


Runs = Callable[..., Run]


@pytest.fixture(scope="session")
def runs(build: Callable[[Path], Path], environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """An example with all sets on a device, without a list of counters."""

    @cache
    def run(example: str, device: str = "gfx942") -> Run:
        program = build(EXAMPLES / APPLICATIONS[example].source)
        output = tmp_path_factory.mktemp(example) / "out"
        return mp.run(
            [program], sets=SETS, replay="kernel", simulate=device, output=output, env=environment, capture=True
        )

    return run


@pytest.fixture(scope="session")
def mixed_run(two_gpus: Path, environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Run:
    """All sets on a gfx942 and a gfx1100, without a list of counters."""
    output = tmp_path_factory.mktemp("sets") / "out"
    return mp.run([two_gpus], sets=SETS, simulate="gfx942,gfx1100", output=output, env=environment, capture=True)


def duration(dispatch: Dispatch, counter: str) -> float:
    """Of the only pass that read a counter, ns."""
    ((one, _),) = dispatch.by_counter[counter]
    assert one.duration_ns
    return one.duration_ns


def on_gfx942(launch: Launch, dispatch: Dispatch) -> dict[str, float]:
    """Each metric from what the kernel did (docs/simulator.md): 64 B for each request, no other size; 304 CUs."""
    a = launch.activity
    vmem = a["insts_vmem_read"] + a["insts_vmem_write"] + a["insts_vmem_atomic"]
    requests = a["tcp_reads"] + a["tcp_writes"] + a["tcp_atomics"]
    fetches = (a["insts_valu"] + a["insts_salu"] + a["insts_smem"] + vmem + a["insts_lds"] + a["insts_branch"]) // 8
    found = {
        "read_bandwidth": 64 * a["ea_reads_64b"] / duration(dispatch, "TCC_BUBBLE_sum"),
        "write_bandwidth": 64 * a["ea_writes_64b"] / duration(dispatch, "TCC_EA0_WRREQ_64B_sum"),
        "read_bytes": 64 * a["ea_reads_64b"],
        "write_bytes": 64 * a["ea_writes_64b"],
        "read_request_size": 64,
        "write_request_size": 64,
        "dram_read_share": 100,
        "dram_write_share": 100,
        "l2_hit_rate": 100 * a["tcc_hits"] / (a["tcc_hits"] + a["tcc_misses"]),
        "l1_hit_rate": 100 * (1 - requests / requests),  # the vector cache of the model keeps nothing
        "instruction_cache_hit_rate": 100 * fetches / (fetches + a["waves"]),
        "translation_hit_rate": 100,
        "waves_per_cu": a["wave_cycles"] / (a["cycles"] * 304),
        "occupancy": 100 * a["wave_cycles"] / (a["cycles"] * 304 * 32),
        "waves_per_active_cu": a["wave_cycles"] / (a["cycles"] * 304),
        "wave_life": a["wave_cycles"] / a["waves"],
        "vmem_per_wave": vmem / a["waves"],
        "branch_per_wave": a["insts_branch"] / a["waves"],
        "mfma_per_wave": 0,
        "active_lanes": a["lanes_valu"] / a["insts_valu"],
        "valu_utilization": 100 * a["lanes_valu"] / a["insts_valu"] / 64,
        "valu_busy": 100 * a["insts_valu"] / (a["cycles"] * 304),
        "mfma_busy": 0,
        "matrix_rate": 0,
        "wait_share": 100 * 64 * a["waves"] / a["wave_cycles"],
        "issue_wait_share": 100 * 32 * a["waves"] / a["wave_cycles"],
        "lds_busy": 100 * a["insts_lds"] / (a["cycles"] * 304),
    }
    for kind in ("valu", "salu", "smem", "lds"):
        found[f"{kind}_per_wave"] = a[f"insts_{kind}"] / a["waves"]
    for size in (16, 32, 64):
        add, mul, fma, trans = (a[f"insts_valu_{op}_f{size}"] for op in ("add", "mul", "fma", "trans"))
        found[f"fp{size}_share"] = 100 * (add + mul + fma + trans) / a["insts_valu"]
        time = duration(dispatch, f"SQ_INSTS_VALU_FMA_F{size}")
        found[f"fp{size}_rate"] = 64 * (add + mul + 2 * fma + trans) / time
    if a["insts_smem"]:  # every eighth request misses
        found["scalar_cache_hit_rate"] = 100 * (a["insts_smem"] - a["insts_smem"] // 8) / a["insts_smem"]
    if a["insts_lds"]:
        found["lds_conflict_share"] = 100 * (a["insts_lds"] // 8) / a["insts_lds"]
    found["int_share"] = 100 * (a["insts_valu_int32"] + a["insts_valu_int64"]) / a["insts_valu"]
    return found


def on_gfx1100(launch: Launch, dispatch: Dispatch) -> dict[str, float]:
    """The same on gfx1100: another block for L2, 48 CUs."""
    a = launch.activity
    found = {
        "read_bandwidth": 64 * a["ea_reads_64b"] / duration(dispatch, "GL2C_EA_RDREQ_96B_sum"),
        "write_bandwidth": 64 * a["ea_writes_64b"] / duration(dispatch, "GL2C_MC_WRREQ_sum"),
        "read_bytes": 64 * a["ea_reads_64b"],
        "write_bytes": 64 * a["ea_writes_64b"],
        "read_request_size": 64,
        "write_request_size": 64,
        "l2_hit_rate": 100 * a["tcc_hits"] / (a["tcc_hits"] + a["tcc_misses"]),
        "waves_per_cu": a["wave_cycles"] / (a["cycles"] * 48),
        "occupancy": 100 * a["wave_cycles"] / (a["cycles"] * 48 * 32),
        "wait_share": 100 * 64 * a["waves"] / a["wave_cycles"],
        "issue_wait_share": 100 * 32 * a["waves"] / a["wave_cycles"],
    }
    for kind in ("valu", "salu", "smem", "lds"):
        found[f"{kind}_per_wave"] = a[f"insts_{kind}"] / a["waves"]
    return found


def differing(found: Mapping[str, float], wanted: dict[str, float]) -> dict[str, tuple[float | None, float | None]]:
    return {
        name: (found.get(name), wanted.get(name))
        for name in found.keys() | wanted.keys()
        if name not in found
        or name not in wanted
        or not isclose(found[name], wanted[name], rel_tol=1e-12, abs_tol=1e-12)
    }


def files_of(run: Run) -> list[Path]:
    outputs = Outputs.of(run.output_dir)
    return [outputs.journal, outputs.trace, outputs.database]


@pytest.mark.parametrize("kind", range(3), ids=["journal", "trace", "database"])
@pytest.mark.parametrize("example", ["matmul", "counter_variable", "histogram"])
def test_every_metric_of_an_example_is_what_its_kernels_did(runs: Runs, example: str, kind: int) -> None:
    run = runs(example)
    assert (run.exit_code, run.stdout) == (0, APPLICATIONS[example].output)
    trace = mp.open_trace(files_of(run)[kind])
    launches = APPLICATIONS[example].launches("gfx942")
    dispatches = trace.dispatches()
    assert [d.kernel for d in dispatches] == [launch.kernel for launch in launches]
    for dispatch, launch in zip(dispatches, launches, strict=True):
        assert differing(mp.metric_values(dispatch, SETS), on_gfx942(launch, dispatch)) == {}


@pytest.mark.parametrize("kind", range(3), ids=["journal", "trace", "database"])
def test_each_gpu_of_a_mixed_run_has_the_metrics_of_its_architecture(mixed_run: Run, kind: int) -> None:
    assert mixed_run.exit_code == 0
    trace = mp.open_trace(files_of(mixed_run)[kind])
    assert trace.processes[0].sets == SETS
    for device, expected in (("gfx942", on_gfx942), ("gfx1100", on_gfx1100)):
        dispatches, launches = trace.dispatches(agent=device), two_gpus_launches(device, 20_000)
        for dispatch, launch in zip(dispatches, launches, strict=True):
            assert differing(mp.metric_values(dispatch, SETS), expected(launch, dispatch)) == {}


def test_times_of_axpy_are_those_worked_out_by_hand(runs: Runs) -> None:
    """1564 waves: 1563 issue 8 instructions, 4 of them VALU, and the last, out of range, 3 and 2.

    These are 12507 instructions in 1000 + 12507 / 1216, so 1011 cycles; the waves live 64 * 1564 + 4 * 12507 = 150124.
    """
    first = mp.open_trace(files_of(runs("axpy"))[0]).dispatches()[0]
    read = {name: readings[0][1] for name, readings in first.by_counter.items()}
    assert read["GRBM_GUI_ACTIVE"] == 8 * 1011  # each of 8 XCCs has a clock
    assert read["SQ_WAVE_CYCLES"] == 150124 / 4  # and waves are timed in units of 4 cycles
    assert read["SQ_BUSY_CU_CYCLES"] == 1011 * 304 / 4
    values = mp.metric_values(first, SETS)
    assert values["wave_life"] == pytest.approx(95.9872, abs=1e-4)  # 150124 / 1564
    assert values["waves_per_cu"] == pytest.approx(0.488456, abs=1e-6)  # 150124 / (1011 * 304)
    assert values["waves_per_active_cu"] == pytest.approx(0.488456, abs=1e-6)
    assert values["occupancy"] == pytest.approx(1.526424, abs=1e-6)  # of 32
    assert values["valu_busy"] == pytest.approx(2.034853, abs=1e-6)  # 6254 / (1011 * 304)


@pytest.mark.parametrize("device", ["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"])
@pytest.mark.parametrize("example", APPLICATIONS)
def test_percentages_are_between_0_and_100(runs: Runs, example: str, device: str) -> None:
    percentages = {m.name for m in mp.plan(device, sets=SETS).agents[0].metrics if m.unit == "%"}
    dispatches = mp.open_trace(files_of(runs(example, device))[0]).dispatches()
    assert dispatches
    for dispatch in dispatches:
        found = {name: value for name, value in mp.metric_values(dispatch, SETS).items() if name in percentages}
        assert {"l2_hit_rate", "wait_share", "issue_wait_share"} <= found.keys()
        assert {name: value for name, value in found.items() if not 0 <= value <= 100} == {}


def test_a_run_with_sets_has_no_findings(mixed_run: Run) -> None:
    assert [f for f in mp.verify(mixed_run.output_dir) if f.severity != "info"] == []


def test_the_counters_of_each_metric_are_whole_in_a_pass_of_the_run(mixed_run: Run) -> None:
    for agent in mp.open_trace(files_of(mixed_run)[0]).agents:
        for metric in mp.plan(agent.name, sets=SETS).agents[0].metrics:
            assert any(set(metric.counters) <= set(planned.counters) for planned in agent.passes), metric.name
    assert mixed_run.summary is not None
    assert mixed_run.summary["sets"] == list(SETS)
    assert [agent["pass_count"] for agent in mixed_run.summary["agents"]] == [6, 2]


def test_the_report_shows_the_medians(mixed_run: Run, cli: Cli) -> None:
    done = cli("report", mixed_run.output_dir, "--json")
    (process,) = json.loads(done.stdout)["processes"]
    trace = mp.open_trace(files_of(mixed_run)[0])
    for kernel, name in zip(sorted(process["kernels"], key=lambda k: k["agent"]), ("gfx942", "gfx1100"), strict=True):
        values = [mp.metric_values(d) for d in trace.dispatches(agent=name)]
        for metric, row in kernel["metrics"].items():
            found = [v[metric] for v in values if metric in v]
            assert row["median"] == (median(found) if found else None), metric
    shown = cli("report", mixed_run.output_dir).stdout
    assert "l2_hit_rate " in shown
    assert shown.count("\nMetrics ") == 2


def test_sets_of_the_command_line_and_a_list_are_collected_together(cli: Cli, two_gpus: Path, tmp_path: Path) -> None:
    words = (
        "--simulate",
        "gfx942",
        "--set",
        "cache,lds",
        "--set",
        "stall",
        "--events",
        "SQ_IFETCH",
        "-o",
        tmp_path / "o",
    )
    done = cli("run", *words, "--", two_gpus)
    assert done.returncode == 0, done.stderr
    (dispatch, *_) = mp.open_trace(tmp_path / "o").dispatches()
    assert {"SQ_IFETCH", "TCC_HIT_sum", "SQ_LDS_IDX_ACTIVE", "SQ_WAIT_ANY"} <= dispatch.counters.keys()
    assert mp.open_trace(tmp_path / "o").processes[0].sets == ("cache", "stall", "lds")


def test_the_variable_is_enough_for_the_plugin_alone(
    native: Native, environment: dict[str, str], two_gpus: Path, tmp_path: Path
) -> None:
    environ = by_hand(native, environment, tmp_path, ROCPROFSYS_MULTIPASS_SET="cache, memroy")
    done = subprocess.run([two_gpus], env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "set left out: 'memroy' is not a set of metrics; did you mean memory?" in done.stderr
    (process,) = mp.open_trace(tmp_path).processes
    assert process.sets == ("cache",)
    assert mp.metric_values(process.dispatches[0])["l2_hit_rate"] > 0


def test_a_set_without_a_metric_on_a_gpu_is_a_warning_and_the_others_go_on(
    environment: dict[str, str], two_gpus: Path, tmp_path: Path
) -> None:
    devices = "gfx942,gfx1201"
    run = mp.run([two_gpus], sets="occupancy", simulate=devices, output=tmp_path / "o", env=environment, capture=True)
    assert run.exit_code == 0
    assert "set occupancy has no metric for GPU 1 (gfx1201)" in run.warnings
    first, last = (run_of(tmp_path / "o", name) for name in ("gfx942", "gfx1201"))
    assert {d.outcome for d in last} == {"filtered"}
    assert all(mp.metric_values(d).keys() >= {"occupancy", "wave_life"} for d in first)


def run_of(folder: Path, name: str) -> list[Dispatch]:
    return mp.open_trace(folder).dispatches(agent=name)


def test_a_metric_that_fits_no_pass_is_told_with_its_set_and_its_counters_are_read(
    environment: dict[str, str], cli: Cli, two_gpus: Path, native: Native, tmp_path: Path
) -> None:
    text = (native.root / "sim" / "devices" / "gfx942.json").read_text(encoding="utf-8")
    small = tmp_path / "small.json"
    small.write_text(text.replace('"TCC": 4', '"TCC": 2', 1), encoding="utf-8")
    run = mp.run(
        [two_gpus], sets="memory", simulate=f"{small},{small}", output=tmp_path / "o", env=environment, capture=True
    )
    counters = "TCC_BUBBLE_sum,TCC_EA0_RDREQ_32B_sum,TCC_EA0_RDREQ_sum"
    assert run.exit_code == 0
    (told,) = (one for one in run.warnings if one.startswith(f"GPU 0 (gfx942): {counters} "))
    reason = "they need 3 TCC registers, a pass has 2; they are planned singly"
    assert told.startswith(f"GPU 0 (gfx942): {counters} are not in one pass: {reason}; the metrics ")
    assert "read_bytes of set memory" in told
    (dispatch, *_) = run_of(tmp_path / "o", "gfx942")
    assert set(counters.split(",")) <= set(dispatch.counters)
    assert "read_bytes" not in mp.metric_values(dispatch)
    head = cli("report", tmp_path / "o").stdout.partition("Kernels")[0]
    assert f"{counters} was not read" not in head
    assert counters in head, "the warning says it"


def test_an_unknown_set_is_refused_before_anything_starts(cli: Cli, two_gpus: Path, tmp_path: Path) -> None:
    done = cli("run", "--set", "memroy", "-o", tmp_path / "o", "--", two_gpus)
    assert done.returncode == 2
    assert (
        "--set: 'memroy' is not one of memory, cache, occupancy, compute, stall, lds; did you mean memory?"
        in done.stderr
    )
    done = cli("run", "-o", tmp_path / "o", "--", two_gpus, env={"ROCPROFSYS_MULTIPASS_SET": "memroy"})
    assert done.returncode == 3
    assert "ROCPROFSYS_MULTIPASS_SET: 'memroy' is not one of" in done.stderr
    assert not (tmp_path / "o").exists()


def test_a_file_of_options_may_ask_for_sets_alone(environment: dict[str, str], two_gpus: Path, tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_text("set: [stall, lds]\nsimulate: gfx942\n", encoding="utf-8")
    run = mp.run([two_gpus], config=tmp_path / "m.yaml", output=tmp_path / "o", env=environment, capture=True)
    assert run.exit_code == 0
    assert mp.open_trace(tmp_path / "o").processes[0].sets == ("stall", "lds")
