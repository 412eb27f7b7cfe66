# SPDX-License-Identifier: MIT
"""What values may be like without being doubted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import trace_tools as tools
from verify_tools import (
    GOOD,
    compared,
    journal,
    nothing_delivered,
    read_outside,
    single_pass,
    with_values,
    without_sentinels,
)

from rocprofsys_multipass.verify import verify


@pytest.fixture(autouse=True)
def no_trace_processor(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("ROCPROFSYS_MULTIPASS_TRACE_PROCESSOR", raising=False)


@pytest.mark.parametrize("values", [(1000.0,) * 9 + (9999.0,), (1.0, 65000.0, 1.0, 1.0), (0.0,) * 9 + (5.0,)])
def test_values_within_ten_medians_or_without_a_median_are_no_outliers(tmp_path: Path, values: tuple[float, ...]):
    journal(tmp_path, with_values(*values))
    assert [f for f in verify(tmp_path) if f.check == "outliers"] == []


@pytest.mark.parametrize(
    ("values", "of_hardware"), [({"SQ_WAVES": 0}, "power profile"), ({"SQ_WAVES": 1, "TCC_HIT": 0}, "GPU or driver")]
)
def test_zeros_on_a_simulated_gpu_are_not_blamed_on_the_hardware(
    tmp_path: Path, values: dict[str, float], of_hardware: str
):
    zero = replace(GOOD, launches=(tools.Launch(1, (tools.Execution(0, 1, 2, values),)),))
    hints = {}
    for simulated in (True, False):
        folder = tmp_path / str(simulated)
        folder.mkdir()
        journal(folder, replace(zero, simulated=simulated))
        hints[simulated] = next(f.hint for f in verify(folder) if f.check == "zeros")
    assert "a kernel for the simulator states its work with multipass/count.h (docs/simulator.md)" in hints[True]
    assert of_hardware not in hints[True]
    assert of_hardware in hints[False]


@pytest.mark.parametrize(("waves", "found"), [(512.3, 0), (513, 1)])
def test_passes_agree_within_six_in_ten_thousand(tmp_path: Path, waves: float, found: int):
    run = tools.with_execution(GOOD, 0, 1, values={"SQ_WAVES": waves, "TCC_HIT": 300})
    journal(tmp_path, run)
    assert sum(f.check == "agreement" for f in verify(tmp_path)) == found


@pytest.mark.parametrize("counter", ["SQ_WAVES", "TCC_REQ"])
def test_a_value_that_is_infinite_agrees_with_no_other(tmp_path: Path, counter: str):
    tools.write_database(tmp_path / "x.db", compared({counter: (512, float("inf"))}))
    found = [f.message for f in verify(tmp_path) if f.check == "agreement"]
    assert len(found) == 1
    assert "512 in pass 0, inf in pass 1" in found[0]


@pytest.mark.parametrize("counter", ["GRBM_GUI_ACTIVE", "SQ_BUSY_CYCLES", "TCC_REQ", "GL2C_HIT", "VALUBusy"])
def test_time_and_caches_may_differ_between_passes_by_a_quarter(tmp_path: Path, counter: str):
    journal(tmp_path, compared({counter: (75, 100)}))
    assert [f for f in verify(tmp_path) if f.check == "agreement"] == []


@pytest.mark.parametrize("counter", ["GRBM_GUI_ACTIVE", "TCC_REQ"])
def test_more_than_a_quarter_is_told_once_for_a_gpu_and_is_no_fault(tmp_path: Path, counter: str):
    journal(tmp_path, compared({counter: (70, 100)}, {counter: (40, 100)}, {counter: (90, 100)}))
    (found,) = (f for f in verify(tmp_path) if f.check == "agreement")
    assert found.severity == "info"
    assert found.where.endswith(f"GPU 0, {counter}")
    assert "2 of 3 dispatches, most in dispatch 2: 40 in pass 0, 100 in pass 1" in found.message


def test_a_counter_of_work_beside_them_still_tells_that_memory_was_not_restored(tmp_path: Path):
    journal(tmp_path, compared({"GRBM_GUI_ACTIVE": (100, 400), "SQ_INSTS_VALU": (100, 200)}))
    found = {f.severity: f.where for f in verify(tmp_path) if f.check == "agreement"}
    assert found["warning"].endswith("dispatch 1, SQ_INSTS_VALU")
    assert found["info"].endswith("GPU 0, GRBM_GUI_ACTIVE")


def zeros_of(folder: Path) -> list[str]:
    return [f.where.rpartition(", ")[2] for f in verify(folder) if f.check == "agreement-at-zero"]


def test_one_counter_of_work_that_is_not_zero_is_enough_to_compare(tmp_path: Path):
    journal(tmp_path, compared({"GRBM_GUI_ACTIVE": (9, 9), "SQ_INSTS_VALU": (5, 5), "TCC_REQ": (0, 0)}))
    assert zeros_of(tmp_path) == []


def test_a_counter_that_another_pass_read_is_not_called_zero(tmp_path: Path):
    """With caches warm after pass 0, or cold in it, the reading that stands for the dispatch may be 0 by right."""
    journal(tmp_path / "other", compared({"SQ_WAVES": (5, 5), "TCC_MISS": (0, 7)}))
    journal(tmp_path / "none", compared({"SQ_WAVES": (5, 5), "TCC_MISS": (0, 0)}))
    found = {name: [f.where for f in verify(tmp_path / name) if f.check == "zeros"] for name in ("other", "none")}
    assert (len(found["other"]), len(found["none"])) == (0, 1)
    assert found["none"][0].endswith("GPU 0, TCC_MISS")


def test_time_alone_does_not_prove_that_passes_did_the_same(tmp_path: Path):
    journal(tmp_path, compared({"GRBM_GUI_ACTIVE": (9, 9), "SQ_INSTS_VALU": (0, 0), "TCC_REQ": (0, 0)}))
    assert zeros_of(tmp_path) == ["SQ_INSTS_VALU", "TCC_REQ"]


def test_another_sentinel_is_advised_that_tells_whether_passes_did_the_same(tmp_path: Path):
    journal(tmp_path, compared({"GRBM_GUI_ACTIVE": (9, 9), "SQ_INSTS_VALU": (0, 0)}))
    (found,) = (f for f in verify(tmp_path) if f.check == "agreement-at-zero")
    assert found.hint == "give --sentinel a counter of work that the kernels use, such as one of their instructions"


def of_durations(*durations: int, simulated: bool) -> tools.Run:
    launches = tuple(
        tools.Launch(n, (tools.Execution(0, 10**7 * n, 10**7 * n + d, {"SQ_WAVES": 512}),))
        for n, d in enumerate(durations, 1)
    )
    return replace(GOOD, launches=launches, plan=(("SQ_WAVES",),), simulated=simulated)


@pytest.mark.parametrize(
    ("median", "simulated", "found"), [(50_000, False, 1), (49_999, False, 0), (50_000, True, 0), (3_000, False, 0)]
)
def test_durations_are_compared_on_hardware_where_kernels_last(
    tmp_path: Path, median: int, *, simulated: bool, found: int
):
    journal(tmp_path, of_durations(*[median] * 9, 11 * median, simulated=simulated))
    assert sum(f.check == "outliers" for f in verify(tmp_path)) == found


def read_twice(**options: object) -> tools.Run:
    """TCC_MISS_sum is read in both passes and 0, TCC_HIT_sum in the first; SQ_WAVES is not 0."""
    waves, hits, misses = ({"SQ_WAVES": 9.0}, {"TCC_HIT_sum": 0.0}, {"TCC_MISS_sum": 0.0})
    launch = tools.Launch(
        1, (tools.Execution(0, 1, 2, {**waves, **hits, **misses}), tools.Execution(1, 3, 4, {**waves, **misses}))
    )
    plan = (("SQ_WAVES", "TCC_HIT_sum", "TCC_MISS_sum"), ("SQ_WAVES", "TCC_MISS_sum"))
    return replace(GOOD, launches=(launch,), plan=plan, **options)  # type: ignore[arg-type]


def findings_of_zeros(folder: Path, run: tools.Run) -> list[tuple[str, str, str]]:
    journal(folder, run)
    found = [f for f in verify(folder) if f.check in ("zeros", "agreement-at-zero")]
    return [(f.severity, f.where.rpartition(": ")[2], f.message) for f in found]


def test_counters_that_a_set_needs_may_be_zero(tmp_path: Path):
    assert findings_of_zeros(tmp_path, read_twice(sets=("cache", "compute"))) == [
        ("info", "GPU 0", "of the metrics that were asked for 0 in every dispatch: TCC_HIT_sum, TCC_MISS_sum")
    ]


def test_counters_that_a_panel_needs_may_be_zero_and_those_of_other_panels_not(tmp_path: Path):
    wanted = ("info", "GPU 0", "of the metrics that were asked for 0 in every dispatch: TCC_HIT_sum, TCC_MISS_sum")
    assert findings_of_zeros(tmp_path / "17", read_twice(compute_panels=(17,))) == [wanted]
    assert {severity for severity, _, _ in findings_of_zeros(tmp_path / "7", read_twice(compute_panels=(7,)))} == {
        "warning"
    }


def test_of_many_counters_of_a_panel_that_are_zero_twelve_are_named_and_the_rest_counted(tmp_path: Path):
    names = [f"SQ_INSTS_VALU_MFMA_MOPS_{of}" for of in ("BF16", "F16", "F32", "F64", "F8", "I8")]
    names += [f"SQ_INSTS_VALU_{of}_{kind}" for of in ("ADD", "FMA", "MUL", "TRANS") for kind in ("F16", "F32", "F64")]
    first = "ADD_F16, ADD_F32, ADD_F64, FMA_F16, FMA_F32, FMA_F64, MFMA_MOPS_BF16, MFMA_MOPS_F16, MFMA_MOPS_F32"
    twelve = [f"SQ_INSTS_VALU_{one}" for one in (*first.split(", "), "MFMA_MOPS_F64", "MFMA_MOPS_F8", "MFMA_MOPS_I8")]
    for count, more in ((18, " and 6 more"), (12, "")):
        read = sorted(names)[:count]
        one = tools.Launch(1, (tools.Execution(0, 1, 2, {"SQ_WAVES": 9.0, **dict.fromkeys(read, 0.0)}),))
        run = replace(GOOD, launches=(one,), plan=(("SQ_WAVES", *read),), compute_panels=(2,))
        message = f"of the metrics that were asked for 0 in every dispatch: {', '.join(twelve)}{more}"
        assert findings_of_zeros(tmp_path / str(count), run) == [("info", "GPU 0", message)]


def test_counters_of_other_sets_are_doubted_as_ever(tmp_path: Path):
    found = findings_of_zeros(tmp_path, read_twice(sets=("memory",)))
    # That the passes agree on them at 0 is no finding: they agree on SQ_WAVES.
    message = "all 2 counters of block TCC are 0 in every dispatch: TCC_HIT_sum, TCC_MISS_sum"
    assert found == [("warning", "GPU 0, TCC", message)]


def test_a_counter_that_the_list_names_is_doubted_though_a_set_needs_it_too(tmp_path: Path):
    found = findings_of_zeros(tmp_path, read_twice(sets=("cache",), events="SQ_WAVES, TCC_MISS_sum"))
    assert sorted((severity, where) for severity, where, _ in found) == [
        ("info", "GPU 0"),
        ("warning", "GPU 0, TCC_MISS_sum"),
    ]


def said_of(folder: Path, check: str) -> list[tuple[str, str, str]]:
    return [(f.where.rpartition(": ")[2], f.message, f.hint) for f in verify(folder) if f.check == check]


def test_passes_that_nothing_compares_are_told_once_for_a_gpu_with_the_option_that_helps(tmp_path: Path):
    journal(tmp_path, without_sentinels())
    ((where, _, hint),) = said_of(tmp_path, "compared")
    assert (where, hint) == ("GPU 0", "leave the sentinels to the tool: --sentinel auto")


@pytest.mark.parametrize(
    "run",
    [
        without_sentinels("SQ_WAVES"),
        single_pass("off"),
        read_outside("declined", {"SQ_WAVES": 1, "GRBM_COUNT": 2}, mode="rotate"),
        with_values(1, 2),
    ],
    ids=["sentinel of work", "off", "rotate", "planned twice"],
)
def test_passes_that_work_compares_or_that_are_not_replayed_need_no_sentinel(tmp_path: Path, run: tools.Run):
    journal(tmp_path, run)
    assert said_of(tmp_path, "compared") == []


def test_a_reading_of_a_pass_that_was_discarded_compares_nothing(tmp_path: Path):
    spoil = "UPDATE rocpd_replay_pass~ SET status = 'DISCARDED' WHERE replay_pass = 1"
    tools.write_database(tmp_path / "multipass-1.db", with_values(5, 6), then=spoil)
    assert [message.partition(":")[0] for _, message, _ in said_of(tmp_path, "compared")] == [
        "no counter is read in two passes"
    ]


@pytest.mark.parametrize("run", [nothing_delivered(3, planned=False), nothing_delivered(0)], ids=["no plan", "idle"])
def test_where_nothing_was_to_be_counted_nothing_is_missed(tmp_path: Path, run: tools.Run):
    journal(tmp_path, run)
    assert said_of(tmp_path, "delivered") == []


def test_launches_that_a_filter_left_out_are_not_missed(tmp_path: Path):
    filtered = tools.Launch(1, (tools.Execution(None, 1, 2, {}),), outcome="filtered", reason="range")
    journal(tmp_path, replace(GOOD, launches=(filtered,)))
    assert said_of(tmp_path, "delivered") == []


def test_one_dispatch_with_a_counter_is_no_total_loss(tmp_path: Path):
    run = nothing_delivered(3)
    journal(tmp_path, replace(run, launches=(*run.launches, tools.replayed(9, 9000))))
    assert said_of(tmp_path, "delivered") == []
