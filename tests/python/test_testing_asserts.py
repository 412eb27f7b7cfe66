# SPDX-License-Identifier: MIT
"""The assertions: what holds, what does not, and what is said then."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trace_tools as tools

import rocprofsys_multipass as mp
from rocprofsys_multipass.errors import UsageError
from rocprofsys_multipass.testing import DOUBLE_COUNT_CHECKS, check_counter, launch, trace
from rocprofsys_multipass.verify import CHECKS

AXPY = "axpy(float*, int)"


def good() -> mp.Trace:
    """Two dispatches of two passes, with a sentinel."""
    passes = ({"SQ_WAVES": 512, "GRBM_COUNT": 900}, {"SQ_WAVES": 512, "TCC_HIT": 300})
    return trace(launch(AXPY, *passes), launch(AXPY, *passes), sentinels=["SQ_WAVES"])


def mixed() -> mp.Trace:
    """One dispatch as `good` has them, one whose passes differ, one declined, one filtered."""
    return trace(
        launch(AXPY, {"SQ_WAVES": 512, "GRBM_COUNT": 900}, {"SQ_WAVES": 512, "TCC_HIT": 300}),
        launch(AXPY, {"SQ_WAVES": 480, "GRBM_COUNT": 900}, {"SQ_WAVES": 500, "TCC_HIT": 300}),
        launch("init(int*)", {"SQ_WAVES": 64, "GRBM_COUNT": 70}, outcome="declined", reason="graph"),
        launch("init(int*)", outcome="filtered", reason="range"),
        sentinels=["SQ_WAVES"],
    )


def written(tmp_path: Path, run: tools.Run, **files: tuple[str, ...]) -> Path:
    return tools.write_run(tmp_path / "out", run, **files)


def sample() -> tools.Run:
    """Every outcome, a capture that was cut, and a counter that fits no pass."""
    return replace(tools.sample_run(), closed=False, unplaceable=(("TOO_BIG", "needs 9 SQ registers, a pass has 8"),))


def doubled(tmp_path: Path) -> Path:
    """A run whose database shows each reading of one counter to those who know nothing of passes."""
    run = replace(tools.sample_run(), launches=tools.sample_run().launches[:2], warnings=())
    folder = written(tmp_path, run, files=("journal",))
    then = "UPDATE rocpd_pmc_event~ SET value = value * 2 WHERE id = 1;"
    tools.write_database(folder / f"multipass-{run.pid}.db", run, then=then)
    return folder


# ---------------------------------------------------------------------------------------------------------------------
# What holds


@pytest.mark.parametrize(
    ("counter", "expected", "options"),
    [
        ("SQ_WAVES", 512, {}),
        ("TCC_HIT", 303, {"rel": 0.01}),
        ("TCC_HIT", (300, None), {"dispatch": 2}),
        ("GRBM_COUNT", lambda value: value > 0, {"device": 0}),
        ("GRBM_COUNT", 900, {"device": "gfx942"}),
    ],
)
def test_a_counter_that_is_as_expected_holds(counter: str, expected: Any, options: dict[str, Any]):
    mp.assert_counter(good(), "axpy", counter, expected, **options)


def test_a_run_that_is_whole_holds_from_its_folder_and_from_each_file(tmp_path: Path):
    run = replace(tools.sample_run(), launches=tools.sample_run().launches[:1], warnings=())
    folder = written(tmp_path, run)
    name = f"multipass-{run.pid}"
    for source in (folder, str(folder), *(folder / f"{name}.{end}" for end in ("journal", "db", "pftrace"))):
        mp.assert_counter(source, "axpy", "TCC_HIT", 300)
        mp.assert_complete(source)
        mp.assert_passes(source, 2)
        mp.assert_no_double_count(source)


def test_a_trace_in_memory_is_looked_at_as_one_from_a_file():
    mp.assert_complete(good())
    mp.assert_no_double_count(good())
    mp.assert_verified(good())


def test_a_finding_about_a_trace_in_memory_says_what_to_do():
    made = trace(launch(AXPY, {"SQ_WAVES": 64}, workgroup=(2048, 1, 1)))
    with pytest.raises(mp.CheckError) as caught:
        mp.assert_verified(made)
    assert str(caught.value) == (
        "not verified: 1 error\n"
        "\n"
        "  error [geometry] multipass-1.journal: dispatch 1\n"
        "    a work-group has 2048 work-items, a GPU takes 1024\n"
        f"    {CHECKS['geometry'].remedy}"
    )


def test_dispatches_that_a_filter_left_out_do_not_count():
    passes = ({"SQ_WAVES": 512},)
    made = trace(launch(AXPY, *passes), launch(AXPY, outcome="filtered", reason="range"))
    mp.assert_counter(made, AXPY, "SQ_WAVES", 512)
    mp.assert_complete(made)
    mp.assert_passes(made, 1)


def test_a_reading_may_be_missing_where_that_is_said_as_long_as_there_is_one():
    mp.assert_counter(mixed(), None, "TCC_HIT", 300, missing_ok=True)
    with pytest.raises(mp.CheckError, match="without a value in 1 of 1 dispatch"):
        mp.assert_counter(mixed(), "init", "TCC_HIT", 300, missing_ok=True)


def test_outcomes_and_reasons_can_be_allowed():
    for allowed in (["declined"], ("graph",), {"graph", "range"}):
        mp.assert_complete(mixed(), allow=allowed)
    with pytest.raises(mp.CheckError):
        mp.assert_complete(mixed(), allow=["incomplete"])


def test_passes_that_do_the_same_work_hold_and_a_kernel_of_one_pass_does():
    made = trace(launch(AXPY, {"SQ_INSTS_VALU": 5, "A": 1}, {"SQ_INSTS_VALU": 5, "B": 1}), launch("b()", {"A": 1}))
    mp.assert_same_work(made)


def test_work_that_is_not_known_holds_only_where_that_is_said():
    mp.assert_same_work(good(), unknown_ok=True)
    with pytest.raises(mp.CheckError, match="not known of 1 kernel whether its passes did the same work"):
        mp.assert_same_work(good())


def test_checks_of_verify_can_be_ignored_and_warnings_be_errors(tmp_path: Path):
    run = replace(tools.sample_run(), launches=tools.sample_run().launches[:1])
    run = tools.with_execution(run, 0, 1, values={"SQ_WAVES": 500, "TCC_HIT": 300})
    folder = written(tmp_path, run, files=("journal",))
    mp.assert_verified(folder)
    with pytest.raises(mp.CheckError) as caught:
        mp.assert_verified(folder, strict=True)
    checks = {failure.message.partition("[")[2].partition("]")[0] for failure in caught.value.failures}
    mp.assert_verified(folder, strict=True, ignore=checks)


def test_the_checks_of_double_counting_are_checks_of_verify():
    assert CHECKS.keys() >= DOUBLE_COUNT_CHECKS


def rates() -> mp.Trace:
    """Hits and misses in one pass, in two, and without a miss in the file."""
    return trace(
        launch(AXPY, {"TCC_HIT_sum": 75, "TCC_MISS_sum": 25}, {"SQ_WAVES": 1}),
        launch("apart()", {"TCC_HIT_sum": 75}, {"TCC_MISS_sum": 25}),
        launch("hits()", {"TCC_HIT_sum": 75}),
        launch("idle()", {"TCC_HIT_sum": 0, "TCC_MISS_sum": 0}),
    )


def test_a_metric_that_is_as_expected_holds():
    mp.assert_metric(rates(), "axpy", "l2_hit_rate", 75)
    mp.assert_metric(rates(), None, "l2_hit_rate", (70, None), missing_ok=True)


# ---------------------------------------------------------------------------------------------------------------------
# What does not hold, as data


def test_a_check_returns_what_its_assertion_raises():
    failed = check_counter(mixed(), "axpy", "SQ_WAVES", 512)
    assert failed is not None
    with pytest.raises(mp.CheckError) as caught:
        mp.assert_counter(mixed(), "axpy", "SQ_WAVES", 512)
    assert caught.value.failed == failed
    assert str(caught.value) == str(failed)
    assert check_counter(mixed(), "axpy", "TCC_HIT", 300) is None


def test_a_failure_has_what_was_expected_and_what_was_read():
    with pytest.raises(AssertionError) as caught:
        mp.assert_counter(mixed(), "axpy", "SQ_WAVES", 512)
    assert isinstance(caught.value, mp.CheckError)
    (failure,) = caught.value.failures
    assert (failure.process, failure.dispatch_id, failure.kernel, failure.agent) == (1, 2, AXPY, "GPU 0 [gfx942]")
    assert (failure.counter, failure.expected, failure.got, failure.read_in) == ("SQ_WAVES", "512", 480.0, "pass 0")


def test_a_plan_of_one_pass_has_no_groups_to_read_from():
    alone = trace(launch(AXPY, {"FETCH_SIZE": 2048.125}))
    failed = check_counter(alone, None, "FETCH_SIZE", 2000)
    assert failed is not None
    assert failed.failures[0].read_in == "single pass"
    assert "1  single pass     2,000  2,048.125  +48.125 (+2.41 %)" in str(failed)
    declined = check_counter(mixed(), "init", "SQ_WAVES", 1)
    assert declined is not None
    assert declined.failures[0].read_in == "group 0"


def test_a_failure_survives_being_sent_to_another_process():
    with pytest.raises(mp.CheckError) as caught:
        mp.assert_passes(mixed(), 3)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.failures) == (str(caught.value), caught.value.failures)


def test_a_dispatch_is_named_with_its_process_where_there_are_several():
    made = trace(launch(AXPY, {"SQ_WAVES": 1}), pid=7).processes + trace(launch(AXPY, {"SQ_WAVES": 1}), pid=8).processes
    with pytest.raises(mp.CheckError, match="1 of process 8"):
        mp.assert_counter(mp.Trace(made), "axpy", "SQ_WAVES", 2)


def test_of_many_failures_the_first_are_shown_and_the_others_counted():
    made = trace(*(launch(AXPY, {"SQ_WAVES": n}) for n in range(20)))
    with pytest.raises(mp.CheckError) as caught:
        mp.assert_counter(made, "axpy", "SQ_WAVES", -1)
    assert len(caught.value.failures) == 20
    assert "and 12 more" in str(caught.value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mp.assert_passes(good(), 0), "n is 0"),
        (
            lambda: mp.assert_passes(good(), 1, kernel="axpi"),
            "passes of kernel 'axpi': no dispatch of it was recorded\n",
        ),
        (
            lambda: mp.assert_passes(good(), 1, device=7),
            "passes of every kernel: no dispatch of it was recorded on GPU 7",
        ),
        (lambda: mp.assert_same_work(good(), kernel="axpi"), "(?s)work of kernel 'axpi': .*did you mean 'axpy'"),
        (lambda: mp.assert_metric(good(), "axpy", "l2_hitrate", 1), "no metric: did you mean l2_hit_rate"),
        (lambda: mp.assert_complete(good(), allow="declined"), r"such as \('declined',\)"),
        (lambda: mp.assert_verified(good(), ignore=["outlier"]), "did you mean outliers"),
        (lambda: mp.assert_verified(good(), ignore="outliers"), r"such as \('outliers',\)"),
        (lambda: mp.assert_counter(good(), "axpy(", "SQ_WAVES", -1), "not -1 in 2 of 2"),
        (lambda: mp.assert_counter(good(), "nothing(", "SQ_WAVES", -1), "no regular expression"),
    ],
)
def test_a_wrong_call_is_told(call: Callable[[], None], message: str):
    with pytest.raises((UsageError, mp.CheckError), match=message):
        call()


# ---------------------------------------------------------------------------------------------------------------------
# What does not hold, as text: tests/golden/testing


FAILING: dict[str, Callable[[Path], None]] = {
    "counter-value": lambda _: mp.assert_counter(mixed(), "axpy", "SQ_WAVES", 512, rel=0.01),
    "counter-range": lambda _: mp.assert_counter(mixed(), None, "SQ_WAVES", (100, 500)),
    "counter-function": lambda _: mp.assert_counter(mixed(), "axpy", "SQ_WAVES", lambda value: value > 500),
    "counter-not-read": lambda _: mp.assert_counter(mixed(), None, "TCC_HIT", 300),
    "counter-unknown": lambda _: mp.assert_counter(mixed(), "axpy", "TCC_HITS", 300),
    "counter-kernel": lambda _: mp.assert_counter(mixed(), "axpi", "TCC_HIT", 300),
    "counter-dispatch": lambda _: mp.assert_counter(mixed(), "axpy", "TCC_HIT", 300, dispatch=3),
    "counter-device": lambda _: mp.assert_counter(mixed(), "axpy", "TCC_HIT", 300, device=1),
    "counter-filtered": lambda _: mp.assert_counter(mixed(), "init", "TCC_HIT", 300, dispatch=4),
    "counter-of-run": lambda path: mp.assert_counter(written(path, sample()), AXPY, "TCC_HIT", 300),
    "metric": lambda _: mp.assert_metric(rates(), None, "l2_hit_rate", (80, None)),
    "complete": lambda path: mp.assert_complete(written(path, sample())),
    "complete-nothing": lambda _: mp.assert_complete(trace(launch("init(int*)", outcome="filtered", reason="range"))),
    "passes": lambda _: mp.assert_passes(mixed(), 1),
    "same-work": lambda _: mp.assert_same_work(mixed()),
    "same-work-unknown": lambda _: mp.assert_same_work(good()),
    "double-count": lambda path: mp.assert_no_double_count(doubled(path)),
    "verified": lambda path: mp.assert_verified(mp.open_trace(doubled(path))),
}


@pytest.mark.parametrize("name", FAILING)
def test_what_does_not_hold_is_told_readably(name: str, tmp_path: Path, golden: Callable[[str, str], None]):
    with pytest.raises(mp.CheckError) as caught:
        FAILING[name](tmp_path)
    golden(f"testing/{name}.txt", str(caught.value).replace(str(tmp_path), "/tests"))
