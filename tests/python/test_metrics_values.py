# SPDX-License-Identifier: MIT
"""Values of metrics: what readings make of them, and that all of a value is of one pass."""

from __future__ import annotations

from dataclasses import replace

import pytest

import rocprofsys_multipass as mp
from rocprofsys_multipass.errors import UsageError
from rocprofsys_multipass.metrics import metrics_on, values_of
from rocprofsys_multipass.trace.agent import Agent, PlannedPass
from rocprofsys_multipass.trace.model import Dispatch, Kernel, Pass, Reading

GPU = (("cu_count", 304), ("simd_count", 1216), ("simd_per_cu", 4), ("wave_front_size", 64), ("num_xcc", 8))
GPU = (*GPU, ("max_waves_per_simd", 8))


def one_pass(index: int | None, counters: dict[str, float], *, group: int | None = None, ns: int = 1000) -> Pass:
    readings = tuple(Reading(name, value) for name, value in counters.items())
    return Pass(index, (index or 0) if group is None else group, 5000, 5000 + ns, readings)


def dispatch(*passes: Pass, architecture: str = "gfx942", properties: tuple[tuple[str, int], ...] = GPU) -> Dispatch:
    agent = Agent(index=1, device=0, name=architecture, properties=properties)
    return Dispatch(
        process=1,
        dispatch_id=1,
        agent=agent,
        symbol=Kernel(id=1, name="k", demangled="k"),
        outcome="replayed",
        passes=passes,
    )


def value(name: str, counters: dict[str, float], architecture: str = "gfx942", *, ns: int = 1000) -> float | None:
    return mp.metric_values(dispatch(one_pass(0, counters, ns=ns), architecture=architecture)).get(name)


# Ten requests of each size that an architecture tells apart; the bytes are added up by hand.
@pytest.mark.parametrize(
    ("architecture", "counters", "read", "requests"),
    [
        # 10 of 32 bytes, the other 20 of 64.
        ("gfx90a", {"TCC_EA_RDREQ_sum": 30, "TCC_EA_RDREQ_32B_sum": 10}, 320 + 1280, 30),
        # 10 of 32, 10 of 128, the other 10 of 64.
        (
            "gfx942",
            {"TCC_EA0_RDREQ_sum": 30, "TCC_EA0_RDREQ_32B_sum": 10, "TCC_BUBBLE_sum": 10},
            320 + 640 + 1280,
            30,
        ),
        (
            "gfx950",
            {"TCC_EA0_RDREQ_32B_sum": 10, "TCC_EA0_RDREQ_64B_sum": 10, "TCC_EA0_RDREQ_128B_sum": 10},
            320 + 640 + 1280,
            30,
        ),
        (
            "gfx1100",
            {f"GL2C_EA_RDREQ_{size}B_sum": 10 for size in (32, 64, 96, 128)},
            320 + 640 + 960 + 1280,
            40,
        ),
        ("gfx1201", {f"GL2C_EA_RDREQ_{size}B_sum": 10 for size in (32, 64, 128)}, 320 + 640 + 1280, 30),
    ],
)
def test_reads_are_counted_by_their_size(
    architecture: str, counters: dict[str, float], read: float, requests: float
) -> None:
    assert value("read_bytes", counters, architecture) == read
    assert value("read_request_size", counters, architecture) == pytest.approx(read / requests, rel=1e-15)
    assert value("read_bandwidth", counters, architecture, ns=4000) == read / 4000  # bytes per ns are GB/s


@pytest.mark.parametrize(
    ("architecture", "all_writes", "of_64"),
    [
        ("gfx908", "TCC_EA_WRREQ_sum", "TCC_EA_WRREQ_64B_sum"),
        ("gfx90a", "TCC_EA_WRREQ_sum", "TCC_EA_WRREQ_64B_sum"),
        ("gfx942", "TCC_EA0_WRREQ_sum", "TCC_EA0_WRREQ_64B_sum"),
        ("gfx950", "TCC_EA0_WRREQ_sum", "TCC_EA0_WRREQ_64B_sum"),
        ("gfx1030", "GL2C_MC_WRREQ_sum", "GL2C_EA_WRREQ_64B_sum"),
        ("gfx1100", "GL2C_MC_WRREQ_sum", "GL2C_EA_WRREQ_64B_sum"),
    ],
)
def test_writes_that_are_not_of_64_bytes_are_of_32(architecture: str, all_writes: str, of_64: str) -> None:
    counters = {all_writes: 30.0, of_64: 20.0}
    assert value("write_bytes", counters, architecture) == 10 * 32 + 20 * 64
    assert value("write_bandwidth", counters, architecture, ns=16) == 100


@pytest.mark.parametrize(
    ("name", "counters", "expected"),
    [
        ("l2_hit_rate", {"TCC_HIT_sum": 30, "TCC_MISS_sum": 10}, 75),
        # 100 accesses; 20 loads, 15 stores and 5 atomics go to L2.
        (
            "l1_hit_rate",
            {
                "TCP_TOTAL_CACHE_ACCESSES_sum": 100,
                "TCP_TCC_READ_REQ_sum": 20,
                "TCP_TCC_WRITE_REQ_sum": 15,
                "TCP_TCC_ATOMIC_WITHOUT_RET_REQ_sum": 5,
            },
            60,
        ),
        (
            "scalar_cache_hit_rate",
            {"SQC_DCACHE_HITS": 80, "SQC_DCACHE_MISSES": 15, "SQC_DCACHE_MISSES_DUPLICATE": 5},
            80,
        ),
        # 8 XCCs of 1000 cycles each; waves are there for 4 x 608,000 cycles, on 304 CUs: 8 each, of 32.
        ("waves_per_cu", {"SQ_WAVE_CYCLES": 608_000, "GRBM_GUI_ACTIVE": 8000}, 8),
        ("occupancy", {"SQ_WAVE_CYCLES": 608_000, "GRBM_GUI_ACTIVE": 8000}, 25),
        ("wave_life", {"SQ_WAVE_CYCLES": 608_000, "SQ_WAVES": 1000}, 2432),
        # 1000 cycles, 4 SIMDs in each of 304 CUs; an instruction occupies a SIMD for 4 cycles: half of the time.
        ("valu_busy", {"SQ_ACTIVE_INST_VALU": 152_000, "GRBM_GUI_ACTIVE": 8000}, 50),
        ("mfma_busy", {"SQ_VALU_MFMA_BUSY_CYCLES": 304_000, "GRBM_GUI_ACTIVE": 8000}, 25),
        ("valu_utilization", {"SQ_THREAD_CYCLES_VALU": 3200, "SQ_ACTIVE_INST_VALU": 100}, 50),
        ("active_lanes", {"SQ_THREAD_CYCLES_VALU": 3200, "SQ_ACTIVE_INST_VALU": 100}, 32),
        # 64 lanes, 1 + 2 + 2 x 3 + 4 operations for each, in 1000 ns.
        (
            "fp32_rate",
            {f"SQ_INSTS_VALU_{op}_F32": n for n, op in enumerate(("ADD", "MUL", "FMA", "TRANS"), 1)},
            64 * 13 / 1000,
        ),
        (
            "matrix_rate",
            {f"SQ_INSTS_VALU_MFMA_MOPS_{of}": 1000.0 for of in ("F8", "F16", "BF16", "F32", "F64")},
            5 * 512,
        ),
    ],
)
def test_a_metric_is_what_it_says(name: str, counters: dict[str, float], expected: float) -> None:
    assert value(name, counters) == pytest.approx(expected, rel=1e-15)


HITS = {"TCC_HIT_sum": 30.0}
MISSES = {"TCC_MISS_sum": 10.0}


def test_readings_of_two_passes_are_never_put_together() -> None:
    assert mp.metric_values(dispatch(one_pass(0, HITS), one_pass(1, MISSES))) == {}


def test_of_several_passes_that_have_all_counters_the_lowest_counts() -> None:
    split = one_pass(0, HITS)
    first, second = one_pass(1, {**HITS, **MISSES}), one_pass(2, {"TCC_HIT_sum": 10.0, "TCC_MISS_sum": 30.0})
    (one,) = values_of(dispatch(split, first, second), metrics_on("gfx942", ("cache",)))
    assert (one.metric.name, one.value, one.group) == ("l2_hit_rate", 75, 1)


def planned(*passes: Pass, sentinels: tuple[tuple[str, ...], ...]) -> Dispatch:
    """A dispatch on a GPU whose plan reads in each pass what was read there, some of it as sentinels."""
    made = dispatch(*passes)
    plan = tuple(
        PlannedPass(tuple(r.counter for r in one.readings), guests)
        for one, guests in zip(passes, sentinels, strict=True)
    )
    return replace(made, agent=replace(made.agent, passes=plan))


FIRST = one_pass(0, {**HITS, **MISSES})  # 75 %
SECOND = one_pass(1, {"TCC_HIT_sum": 10.0, "TCC_MISS_sum": 30.0})  # 25 %


@pytest.mark.parametrize(
    ("sentinels", "expected"),
    [
        (((), ()), (75, 0)),
        ((("TCC_HIT_sum", "TCC_MISS_sum"), ()), (25, 1)),
        ((("TCC_MISS_sum",), ()), (25, 1)),
        ((("TCC_HIT_sum",), ("TCC_MISS_sum",)), (75, 0)),
    ],
    ids=["own twice", "both are sentinels", "one is a sentinel", "each pass has a sentinel"],
)
def test_the_pass_that_reads_the_counters_for_their_own_sake_counts(
    sentinels: tuple[tuple[str, ...], ...], expected: tuple[float, int]
) -> None:
    (one,) = values_of(planned(FIRST, SECOND, sentinels=sentinels), metrics_on("gfx942", ("cache",)))
    assert (one.value, one.group) == expected


def test_sentinels_give_a_value_where_the_planned_pass_did_not_deliver() -> None:
    made = planned(FIRST, SECOND, sentinels=(("TCC_HIT_sum", "TCC_MISS_sum"), ()))
    lost = replace(made, passes=(FIRST, replace(SECOND, readings=(), status="PARTIAL")))
    (one,) = values_of(lost, metrics_on("gfx942", ("cache",)))
    assert (one.value, one.group) == (75, 0)


def test_a_rate_divides_by_the_time_of_the_pass_that_its_counters_are_from() -> None:
    writes = {"TCC_EA0_WRREQ_sum": 100.0, "TCC_EA0_WRREQ_64B_sum": 100.0}
    found = mp.metric_values(dispatch(one_pass(0, HITS, ns=1), one_pass(1, writes, ns=64)))
    assert found["write_bandwidth"] == 100


def test_a_pass_that_was_discarded_gives_no_value() -> None:
    whole = one_pass(0, {**HITS, **MISSES})
    assert mp.metric_values(dispatch(replace(whole, status="DISCARDED"))) == {}
    assert mp.metric_values(dispatch(replace(whole, status="PARTIAL"))) == {"l2_hit_rate": 75}


def test_readings_of_executions_that_cannot_be_told_apart_give_no_value() -> None:
    mixed = replace(one_pass(None, {**HITS, **MISSES}), status="PARTIAL", mixed=True)
    assert mp.metric_values(dispatch(one_pass(0, {}), mixed)) == {}


def test_a_group_that_lacks_other_counters_gives_values_outside_a_replay_loop_too() -> None:
    lacking = replace(one_pass(None, {**HITS, **MISSES}), status="PARTIAL")
    assert mp.metric_values(dispatch(lacking)) == {"l2_hit_rate": 75}


def test_outside_a_replay_loop_the_group_that_was_read_gives_values() -> None:
    (one,) = values_of(dispatch(one_pass(None, {**HITS, **MISSES}, group=2)), metrics_on("gfx942"))
    assert (one.value, one.group) == (75, 2)


@pytest.mark.parametrize("times", [(None, None), (0, 0), (9, 5)])
def test_a_pass_without_a_time_has_no_rates(times: tuple[int | None, int | None]) -> None:
    writes = {"TCC_EA0_WRREQ_sum": 100.0, "TCC_EA0_WRREQ_64B_sum": 100.0}
    untimed = replace(one_pass(0, writes), start_ns=times[0], end_ns=times[1])
    assert mp.metric_values(dispatch(untimed)) == {"write_bytes": 6400, "write_request_size": 64}


def test_a_metric_that_needs_what_is_not_known_of_the_gpu_has_no_value() -> None:
    counters = {"SQ_WAVE_CYCLES": 608_000.0, "GRBM_GUI_ACTIVE": 8000.0, "SQ_WAVES": 1000.0}
    assert set(mp.metric_values(dispatch(one_pass(0, counters), properties=()))) == {"wave_life"}
    # Without the SIMDs of a compute unit it is not known how many waves it holds.
    some = tuple(pair for pair in GPU if pair[0] != "simd_per_cu")
    assert set(mp.metric_values(dispatch(one_pass(0, counters), properties=some))) == {"waves_per_cu", "wave_life"}


def test_a_cache_that_was_not_asked_has_no_hit_rate() -> None:
    assert mp.metric_values(dispatch(one_pass(0, {"TCC_HIT_sum": 0.0, "TCC_MISS_sum": 0.0}))) == {}


def test_an_unknown_architecture_has_no_metrics() -> None:
    assert mp.metric_values(dispatch(one_pass(0, {**HITS, **MISSES}), architecture="gfx000")) == {}


def test_only_the_sets_asked_for_are_computed() -> None:
    counters = {**HITS, **MISSES, "SQ_WAVE_CYCLES": 50.0, "SQ_WAVES": 10.0}
    assert mp.metric_values(dispatch(one_pass(0, counters)), ["cache"]) == {"l2_hit_rate": 75}
    assert mp.metric_values(dispatch(one_pass(0, counters)), ["occupancy"]) == {"wave_life": 20}


def test_sets_may_be_one_text_and_an_unknown_one_is_told() -> None:
    one = dispatch(one_pass(0, HITS | MISSES))
    assert mp.metric_values(one, "cache, memory") == mp.metric_values(one, ["cache", "memory"]) == {"l2_hit_rate": 75}
    message = r"^'memroy' is no set of metrics: did you mean memory\? known are memory, cache"
    with pytest.raises(UsageError, match=message):
        mp.metric_values(one, ["memroy"])
