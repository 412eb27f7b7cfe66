# SPDX-License-Identifier: MIT
"""Metrics of rocprofiler-compute's panels are exact by hand on the simulator: no number here is of a device file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from e2e_tools import counters

import rocprofsys_multipass as mp

Values = Mapping[str, float]
CUS = {"gfx90a": 104, "gfx942": 304}
XCDS = {"gfx90a": 1, "gfx942": 8}
FABRIC = {"gfx90a": "TCC_EA", "gfx942": "TCC_EA0"}
WAVES_PER_CU = 4
LIFE = 64 + 4 * 312  # cycles of a wave
assert LIFE == 1000 + 312, "and of the launch: a wave on each SIMD, an instruction each cycle"

COUNTS_PER_WAVE = {
    "SQ_WAVES": 1,
    "SQ_INSTS": 312,
    "SQ_INSTS_VALU": 256,
    "SQ_INSTS_VALU_ADD_F32": 64,
    "SQ_INSTS_VALU_FMA_F32": 64,
    "SQ_INSTS_SALU": 24,
    "SQ_INSTS_SMEM": 16,
    "SQ_INSTS_LDS": 8,
    "SQ_INSTS_BRANCH": 4,
    "SQ_INSTS_VMEM": 4,
    "TA_FLAT_READ_WAVEFRONTS_sum": 2,
    "TA_FLAT_WRITE_WAVEFRONTS_sum": 1,
    "TA_FLAT_ATOMIC_WAVEFRONTS_sum": 1,
    "TD_LOAD_WAVEFRONT_sum": 4,
    "TCP_TCC_READ_REQ_sum": 8,
    "TCP_TCC_WRITE_REQ_sum": 4,
    "TCP_TCC_ATOMIC_WITHOUT_RET_REQ_sum": 4,
    "TCC_REQ_sum": 16,
    "TCC_HIT_sum": 8,
    "TCC_MISS_sum": 8,
    "SQC_ICACHE_REQ": 312 / 8 + 1,
    "SQC_DCACHE_REQ": 16,
    "SPI_CSN_WAVE": 1,
}

Ratio = tuple[str, Callable[[Values], float], float]
RATIOS: tuple[Ratio, ...] = (
    ("instructions per wave", lambda v: v["SQ_INSTS"] / v["SQ_WAVES"], 312),
    ("cycles of a wave", lambda v: 4 * v["SQ_WAVE_CYCLES"] / v["SQ_WAVES"], 1312),
    ("L2 hit rate", lambda v: 100 * v["TCC_HIT_sum"] / (v["TCC_HIT_sum"] + v["TCC_MISS_sum"]), 50),
    (
        "vL1D hit rate",
        lambda v: 100 - 100 * sum(v[name] for name in L2_REQUESTS) / v["TCP_TOTAL_CACHE_ACCESSES_sum"],
        0,
    ),
    (
        "vL1D coalescing",
        lambda v: 100 * 64 * v["TA_TOTAL_WAVEFRONTS_sum"] / (4 * v["TCP_TOTAL_ACCESSES_sum"]),
        80,
    ),
    (
        "sL1D hit rate",
        lambda v: 100 * v["SQC_DCACHE_HITS"] / (v["SQC_DCACHE_HITS"] + v["SQC_DCACHE_MISSES"]),
        87.5,
    ),
    (
        "L1I hit rate",
        lambda v: 100 * v["SQC_ICACHE_HITS"] / (v["SQC_ICACHE_HITS"] + v["SQC_ICACHE_MISSES"]),
        97.5,
    ),
    ("translation hit rate", lambda v: 100 * v["TCP_UTCL1_TRANSLATION_HIT_sum"] / v["TCP_UTCL1_REQUEST_sum"], 100),
    ("VMEM latency", lambda v: v["SQ_INST_LEVEL_VMEM_ACCUM"] / v["SQ_INSTS_VMEM"], 400),
    ("SMEM latency", lambda v: v["SQ_INST_LEVEL_SMEM_ACCUM"] / v["SQ_INSTS_SMEM"], 200),
    ("LDS latency", lambda v: v["SQ_INST_LEVEL_LDS_ACCUM"] / v["SQ_INSTS_LDS"], 64),
    ("instruction fetch latency", lambda v: v["SQ_IFETCH_LEVEL_ACCUM"] / v["SQ_IFETCH"], 40),
    ("LDS bank conflicts", lambda v: 100 * v["SQ_LDS_BANK_CONFLICT"] / v["SQ_LDS_IDX_ACTIVE"], 12.5),
    ("VALU active threads", lambda v: v["SQ_THREAD_CYCLES_VALU"] / v["SQ_ACTIVE_INST_VALU"], 64),
)
L2_REQUESTS = ("TCP_TCC_READ_REQ_sum", "TCP_TCC_WRITE_REQ_sum", "TCP_TCC_ATOMIC_WITHOUT_RET_REQ_sum")

# Shares that panels print: no more than the whole.
PARTS = (
    *((f"{unit}_STAT_STALL", f"{unit}_STAT_BUSY") for unit in ("CPC_CPC", "CPF_CPF")),
    *((f"{unit}_STALL", f"{unit}_BUSY") for unit in ("CPC_CPC_UTCL2IU", "CPF_CPF_TCIU")),
    ("CPC_ME1_BUSY_FOR_PACKET_DECODE", "CPC_CPC_STAT_BUSY"),
    ("CPC_ME1_DC0_SPI_BUSY", "CPC_CPC_STAT_BUSY"),
    ("GRBM_SPI_BUSY", "GRBM_GUI_ACTIVE"),
    *((f"TA_{data}_STALLED_BY_TC_CYCLES_sum", "TA_TA_BUSY_sum") for data in ("ADDR", "DATA")),
    *((f"TD_{by}_STALL_sum", "TD_TD_BUSY_sum") for by in ("TC", "SPI")),
    ("TCP_GATE_EN2_sum", "TCP_GATE_EN1_sum"),
    *(
        (f"TCP_{stall}_STALL_CYCLES_sum", "TCP_GATE_EN1_sum")
        for stall in ("PENDING", "TCR_TCP", "TD_TCP", "READ_TAGCONFLICT", "WRITE_TAGCONFLICT", "ATOMIC_TAGCONFLICT")
    ),
    ("TCC_TOO_MANY_EA_WRREQS_STALL_sum", "TCC_BUSY_sum"),
    ("SQ_WAIT_ANY", "SQ_WAVE_CYCLES"),
    ("SQ_WAIT_INST_ANY", "SQ_WAVE_CYCLES"),
    ("SQ_ACTIVE_INST_ANY", "SQ_WAVE_CYCLES"),
)
# Of the cycles of all compute units; the panel gives those of LDS, barriers and work-groups four times.
OF_CUS = {
    "TA_TA_BUSY_sum": 1,
    "TD_TD_BUSY_sum": 1,
    **{f"SPI_RA_{what}_SIMD_FULL_CSN": 1 for what in ("WAVE", "VGPR", "SGPR")},
    **{f"SPI_RA_{what}_CU_FULL_CSN": 4 for what in ("LDS", "BAR", "TGLIM")},
    **{f"SQ_ACTIVE_INST_{what}": 1 for what in ("VALU", "SCA", "VMEM", "LDS")},
}


def fabric(device: str) -> tuple[str, ...]:
    """Requests at the memory of this device, and how many there are of them in each moment."""
    return tuple(f"{FABRIC[device]}_{way}REQ{level}_sum" for way in ("RD", "WR") for level in ("", "_LEVEL"))


OTHERS = (
    *("SQ_LEVEL_WAVES_ACCUM", "SQ_INST_LEVEL_VMEM_ACCUM", "SQ_INST_LEVEL_SMEM_ACCUM", "SQ_INST_LEVEL_LDS_ACCUM"),
    *("SQ_IFETCH_LEVEL_ACCUM", "SQ_IFETCH", "SQ_WAVE_CYCLES", "SQ_BUSY_CU_CYCLES", "SQ_THREAD_CYCLES_VALU"),
    *("SQC_DCACHE_HITS", "SQC_DCACHE_MISSES", "SQC_ICACHE_HITS", "SQC_ICACHE_MISSES"),
    *("SQ_LDS_BANK_CONFLICT", "SQ_LDS_IDX_ACTIVE", "TA_TOTAL_WAVEFRONTS_sum"),
    *("TCP_TOTAL_CACHE_ACCESSES_sum", "TCP_TOTAL_ACCESSES_sum"),
    *("TCP_UTCL1_REQUEST_sum", "TCP_UTCL1_TRANSLATION_HIT_sum", "SPI_CSN_NUM_THREADGROUPS"),
)


@pytest.fixture(scope="module", params=sorted(CUS))
def device(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def values(
    device: str,
    build: Callable[[Path], Path],
    environment: dict[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Values:
    """All counters of the one launch of full.cpp, collected in passes."""
    names = {*COUNTS_PER_WAVE, *OTHERS, *OF_CUS, *fabric(device), *(name for pair in PARTS for name in pair)}
    run = mp.run(
        [build(Path(__file__).with_name("full.cpp"))],
        events=sorted(names),
        sentinel="none",
        replay="kernel",
        simulate=device,
        formats=["csv"],
        output=tmp_path_factory.mktemp(device) / "out",
        env=environment,
        capture=True,
    )
    assert (run.exit_code, run.errors, run.warnings) == (0, (), ())
    (journal,) = run.output_dir.glob("multipass-*.journal")
    (found,) = counters(mp.open_trace(journal))
    assert found.keys() == names
    return found


def test_each_count_is_that_of_a_wave_times_the_waves(device: str, values: Values) -> None:
    waves = WAVES_PER_CU * CUS[device]
    assert {name: values[name] for name in COUNTS_PER_WAVE} == {
        name: waves * count for name, count in COUNTS_PER_WAVE.items()
    }
    assert values["SPI_CSN_NUM_THREADGROUPS"] == CUS[device]


@pytest.mark.parametrize(("formula", "wanted"), [row[1:] for row in RATIOS], ids=[row[0] for row in RATIOS])
def test_ratios_are_exact(formula: Callable[[Values], float], wanted: float, values: Values) -> None:
    assert formula(values) == wanted


def test_all_waves_are_there_all_the_time(device: str, values: Values) -> None:
    """Mean waves in flight, as panels 2 and 7 have it, and compute units at work."""
    cycles = values["GRBM_GUI_ACTIVE"] / XCDS[device]
    assert cycles == LIFE
    assert values["SQ_LEVEL_WAVES_ACCUM"] / cycles == WAVES_PER_CU * CUS[device]
    assert 4 * values["SQ_BUSY_CU_CYCLES"] / cycles == CUS[device]


def test_requests_at_the_memory_take_a_whole_number_of_cycles(device: str, values: Values) -> None:
    reads, read_level, writes, write_level = (values[name] for name in fabric(device))
    waves = WAVES_PER_CU * CUS[device]
    assert (reads, writes) == (12 * waves, 8 * waves), "two for each missed line that is read, and each written"
    assert (read_level / reads, write_level / writes) == (600, 300)


@pytest.mark.parametrize(("part", "whole"), PARTS)
def test_a_part_is_something_and_not_more_than_the_whole(part: str, whole: str, values: Values) -> None:
    assert 0 < values[part] <= values[whole]


def test_no_share_of_the_compute_units_is_above_all(device: str, values: Values) -> None:
    cycles = values["GRBM_GUI_ACTIVE"] / XCDS[device] * CUS[device]
    shares = {name: 100 * times * values[name] / cycles for name, times in OF_CUS.items()}
    assert all(0 < share <= 100 for share in shares.values()), shares
