# SPDX-License-Identifier: MIT
"""Simulated GPUs other than the demo's: lists over all of their blocks, value by value against the model."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import expected
import pytest
from e2e_tools import Outputs, counters, database, outcomes

import rocprofsys_multipass as mp
from rocprofsys_multipass import Run
from rocprofsys_multipass.native import Native

# Counters of every block, derived ones over several blocks, an accumulation, a ratio, and some without a meaning.
COMMON = (
    "SQ_WAVES",
    "SQ_INSTS",
    "SQ_INSTS_VALU",
    "SQ_INSTS_LDS",
    "SQ_INSTS_VMEM_RD",
    "SQ_WAVE_CYCLES",
    "SQ_BUSY_CU_CYCLES",
    "SQ_INSTS_VALU_FMA_F32",
    "SQC_ICACHE_HITS",
    "TCC_REQ",
    "TCC_HIT_sum",
    "TCC_MISS",
    "TCC_ATOMIC",
    "TCC_TAG_STALL",
    "FETCH_SIZE",
    "WRITE_SIZE",
    "TCP_TOTAL_ACCESSES_sum",
    "TCP_TCC_READ_REQ",
    "TCP_TCC_READ_REQ_LATENCY",
    "TCP_TCP_LATENCY",
    "TA_TOTAL_WAVEFRONTS",
    "TA_BUSY_max",
    "TD_LOAD_WAVEFRONT",
    "TCA_BUSY",
    "SPI_CSN_WAVE",
    "SPI_RA_LDS_CU_FULL_CSN",
    "CPC_CPC_STAT_BUSY",
    "CPF_CPF_STAT_BUSY",
    "GRBM_COUNT",
    "GRBM_GUI_ACTIVE",
    "MeanOccupancyPerCU",
    "OccupancyPercent",
    "VmemLatency",
    "TOTAL_32_OPS",
)
OWN = {
    "gfx90a": (
        "TCC_EA_RDREQ",
        "TCC_EA_WRREQ_64B_sum",
        "TCC_EA_RDREQ_DRAM",
        "TCC_EA_WRREQ_STALL",
        "EaRdLatency",
        "L2CacheHit",
        "VALUInsts",
        "ValuIops",
        "vL1dWriteToL2Latency",
    ),
    "gfx950": (
        "TCC_EA0_RDREQ_DRAM_32B",
        "TCC_EA0_WRREQ_WRITE_DRAM_sum",
        "TCC_READ_SECTORS",
        "TCC_IB_STALL",
        "SQ_INSTS_LDS_LOAD",
        "SQ_INSTS_VALU_FLOPS_FP32",
        "SPI_CS0_NUM_THREADGROUPS",
        "CPC_TG_SEND",
        "TCP_TAGRAM0_REQ",
        "BANDWIDTH_EA",
    ),
}
BLOCKS = {"SQ", "TCC", "TCP", "TA", "TD", "TCA", "SPI", "CPC", "CPF", "GRBM"}


@pytest.fixture(scope="module", params=sorted(OWN))
def device(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def events(device: str) -> tuple[str, ...]:
    return COMMON + OWN[device]


@pytest.fixture(scope="module")
def run(
    device: str,
    events: tuple[str, ...],
    native: Native,
    environment: dict[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Run:
    """The bundled application on the device."""
    output = tmp_path_factory.mktemp(device) / "out"
    return mp.run(
        [native.demo], events=events, replay="kernel", simulate=device, output=output, env=environment, capture=True
    )


@pytest.fixture(scope="module")
def wanted(device: str, events: tuple[str, ...]) -> list[dict[str, float]]:
    """Each counter of each launch, by the model."""
    launches = expected.demo_launches(device)
    return [{name: launch.counter(name, device) for name in events} for launch in launches]


def test_the_list_spans_every_block(device: str, events: tuple[str, ...]) -> None:
    assert len(set(events)) == len(events) >= 40
    assert expected.Device.named(device).blocks(events) == BLOCKS


def test_the_run_takes_several_passes_and_complains_of_nothing(device: str, run: Run) -> None:
    assert (run.exit_code, run.errors, run.warnings) == (0, (), ())
    assert run.summary is not None
    (agent,) = run.summary["agents"]
    assert agent["name"] == device
    assert agent["pass_count"] >= 2
    assert agent["pass_count"] >= agent["lower_bound"] >= 2
    trace = mp.open_trace(Outputs.of(run.output_dir).journal)
    assert [outcome for _, _, outcome in outcomes(trace)] == ["replayed"] * 12


@pytest.mark.parametrize("kind", ["journal", "trace", "database"])
def test_each_value_in_each_file_is_what_the_kernels_did(kind: str, run: Run, wanted: list[dict[str, float]]) -> None:
    found = counters(mp.open_trace(getattr(Outputs.of(run.output_dir), kind)))
    assert len(found) == len(wanted) == 12
    for got, want in zip(found, wanted, strict=True):
        assert got.keys() == want.keys()
        # Whole numbers exactly, ratios but for the last digits: instances are summed in another order.
        assert got == {name: pytest.approx(value, rel=1e-12, abs=0) for name, value in want.items()}
        whole = [name for name, value in want.items() if value == int(value)]
        assert {name: got[name] for name in whole} == {name: want[name] for name in whole}


def test_the_counters_say_something(wanted: list[dict[str, float]]) -> None:
    """A counter that is zero for every launch would hide a reading that is missing."""
    assert sorted(name for name in wanted[0] if not any(launch[name] for launch in wanted)) == []


def test_the_database_shows_each_counter_once_per_dispatch(run: Run, events: tuple[str, ...]) -> None:
    with database(Outputs.of(run.output_dir).database) as db:
        shown = Counter(tuple(row) for row in db.execute("SELECT dispatch_id, counter_name FROM counters_collection"))
    assert shown == Counter({(dispatch, name): 1 for dispatch in range(1, 13) for name in events})


def test_the_files_hold_together(run: Run) -> None:
    assert [finding for finding in mp.verify(run.output_dir) if finding.severity != "info"] == []


def test_two_kinds_of_gpu_go_together(native: Native, environment: dict[str, str], tmp_path: Path) -> None:
    """The application runs on the first; each has a plan of its own."""
    run = mp.run(
        [native.demo],
        events=["SQ_WAVES", "FETCH_SIZE", "WRITE_SIZE"],
        replay="kernel",
        simulate=["gfx950", "gfx90a"],
        output=tmp_path / "out",
        env=environment,
        capture=True,
    )
    assert (run.exit_code, run.errors) == (0, ())
    assert run.summary is not None
    assert {agent["name"]: agent["pass_count"] for agent in run.summary["agents"]} == {"gfx950": 2, "gfx90a": 1}
    launches = expected.demo_launches("gfx950")
    names = ("SQ_WAVES", "FETCH_SIZE", "WRITE_SIZE")
    found = counters(mp.open_trace(Outputs.of(run.output_dir).journal))
    assert found == [{name: launch.counter(name, "gfx950") for name in names} for launch in launches]


def test_a_derived_counter_without_a_formula_is_planned_and_read(
    native: Native, environment: dict[str, str], tmp_path: Path
) -> None:
    document = json.loads((expected.DEVICES / "tiny.json").read_text(encoding="utf-8"))
    document["counters"] += [
        {"id": 100, "name": "Mystery", "registers": ["TCC_HIT", "SQ_LEVEL_WAVES@HIGH_RES"]},
        {"id": 101, "name": "PerChannel", "shape": "l2", "registers": ["TCC_MISS", "TCC_EA0_RDREQ"]},
    ]
    path = tmp_path / "own.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    run = mp.run(
        [native.demo],
        events=["Mystery", "PerChannel", "SQ_WAVES"],
        sentinel="none",
        replay="kernel",
        simulate=str(path),
        output=tmp_path / "out",
        env=environment,
        capture=True,
    )
    assert (run.exit_code, run.errors, run.warnings) == (0, (), ())
    assert run.summary is not None
    (agent,) = run.summary["agents"]
    # An accumulation takes both SQ registers, the hidden one too; the three of TCC do not fit two.
    assert agent["passes"] == [["Mystery"], ["PerChannel", "SQ_WAVES"]]
    launches = expected.demo_launches(str(path))
    names = ("Mystery", "PerChannel", "SQ_WAVES")
    found = counters(mp.open_trace(Outputs.of(run.output_dir).journal))
    assert found == [{name: launch.counter(name, str(path)) for name in names} for launch in launches]
