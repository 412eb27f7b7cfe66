# SPDX-License-Identifier: MIT
"""Faults of the summary and of the tables of readings of a run."""

from __future__ import annotations

from broken_run import BrokenRun, faults

FAULTS, fault = faults()


def line_of(rows: list[dict[str, str]], dispatch: int, index: int, counter: str) -> dict[str, str]:
    wanted = (str(dispatch), str(index), counter)
    (found,) = (row for row in rows if (row["dispatch_id"], row["pass"], row["counter"]) == wanted)
    return found


@fault(
    """
    error tables csv: dispatch 4, pass 2, TCC_HIT
    """
)
def a_value_is_another_in_the_csv(run: BrokenRun) -> None:
    with run.csv() as rows:
        line_of(rows, 4, 2, "TCC_HIT")["value"] = "1"


@fault(
    """
    error tables csv: dispatch 4, pass 2, TCC_HIT
    """
)
def a_line_is_gone_from_the_csv(run: BrokenRun) -> None:
    with run.csv() as rows:
        rows.remove(line_of(rows, 4, 2, "TCC_HIT"))


@fault(
    """
    error tables csv: dispatch 4, pass 2, TCC_HIT
    """
)
def a_line_is_twice_in_the_csv(run: BrokenRun) -> None:
    with run.csv() as rows:
        rows.append(line_of(rows, 4, 2, "TCC_HIT"))


@fault(
    """
    error tables csv: dispatch 4, canonical, SQ_INSTS_VALU
    """
)
def every_line_of_the_csv_is_canonical(run: BrokenRun) -> None:
    with run.csv() as rows:
        line_of(rows, 4, 2, "SQ_INSTS_VALU")["canonical"] = "true"


@fault(
    """
    error tables csv: dispatch 4, kernel
    """
)
def a_kernel_has_another_name_in_the_csv(run: BrokenRun) -> None:
    with run.csv() as rows:
        for row in rows:
            if row["dispatch_id"] == "4":
                row["kernel"] = "other"


@fault(
    """
    error tables csv
    """
)
def the_csv_is_cut(run: BrokenRun) -> None:
    run.bytes_changed("csv", lambda data: data[:-40])


@fault(
    """
    error tables readings: dispatch 4, pass 2, TCC_HIT
    """
)
def a_value_is_another_in_the_readings(run: BrokenRun) -> None:
    with run.json(run.readings) as content:
        content["processes"][0]["dispatches"][3]["passes"][2]["counters"]["TCC_HIT"] += 1


@fault(
    """
    error tables readings: dispatch 4
    """
)
def a_dispatch_is_gone_from_the_readings(run: BrokenRun) -> None:
    with run.json(run.readings) as content:
        del content["processes"][0]["dispatches"][3]


@fault(
    """
    error tables readings
    """
)
def the_readings_are_of_a_newer_schema(run: BrokenRun) -> None:
    with run.json(run.readings) as content:
        content["schema"] = 2


@fault(
    """
    error summary json: dispatches
    """
)
def the_summary_counts_a_dispatch_too_many(run: BrokenRun) -> None:
    with run.json(run.path("json")) as content:
        content["dispatches"]["seen"] += 1


@fault(
    """
    error summary json: dispatches
    error summary json: kernels_agreement
    """
)
def the_summary_says_another_outcome(run: BrokenRun) -> None:
    with run.json(run.path("json")) as content:
        content["dispatches"]["replayed"] -= 1
        content["dispatches"]["declined"] += 1


@fault(
    """
    error summary json: agents[0]
    """
)
def the_summary_has_another_plan(run: BrokenRun) -> None:
    with run.json(run.path("json")) as content:
        content["agents"][0]["passes"][2].remove("TCC_HIT")


@fault(
    """
    error verdicts json: kernels_agreement, kernel 1 of agent 1, work
    """
)
def the_summary_has_another_verdict(run: BrokenRun) -> None:
    with run.json(run.path("json")) as content:
        content["kernels_agreement"][0]["work"]["verdict"] = "not"


@fault(
    """
    error summary json: schema
    """
)
def the_summary_is_of_a_newer_schema(run: BrokenRun) -> None:
    with run.json(run.path("json")) as content:
        content["schema"] = 2


@fault(
    """
    error readable json
    """
)
def the_summary_is_cut(run: BrokenRun) -> None:
    run.bytes_changed("json", lambda data: data[:-40])


@fault(
    """
    error files json: files
    """
)
def the_summary_names_a_file_that_is_gone(run: BrokenRun) -> None:
    run.path("db").unlink()
