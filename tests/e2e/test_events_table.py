# SPDX-License-Identifier: MIT
"""Lists that go wrong with ROCPROFSYS_ROCM_EVENTS: what is collected, what is said, and that nothing else happens.

tests/cpp/events/failure_table_test.cpp has the table of the grammar; here it is seen from outside, by `plan` and `run`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from e2e_tools import Cli, alone, by_hand, counters, probe_counters

import rocprofsys_multipass as mp
from rocprofsys_multipass.native import Native

PROGRAM = "rocprof-sys-multipass: "
NUMBER = "after ':device=' there must be a number and nothing else"
UNKNOWN = "not a counter of gfx942"
LONE = "a qualifier without a counter name: a space ends a token, so it is not part of the name before it"
INSTANCES = "no single instance can be chosen: all instances of the counter are collected"


@dataclass(frozen=True)
class Row:
    """A list, what is collected of it on gfx942, what `run` says of the rest, and what `plan` says."""

    events: str
    collected: tuple[str, ...]
    said: tuple[str, ...]
    unknown: tuple[tuple[str, int, str], ...] = ()  # token, column, suggestion
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    duplicates: tuple[str, ...] = ()


def left_out(token: str, column: int, reason: str, hint: str = "") -> str:
    return f"warning: '{token}' (column {column}) is left out: {reason}" + (f"; did you mean {hint}?" if hint else "")


def one(token: str, reason: str, hint: str = "") -> Row:
    """A token that is left out, behind SQ_WAVES, which is collected."""
    return Row(f"SQ_WAVES,{token}", ("SQ_WAVES",), (left_out(token, 10, reason, hint),), unknown=((token, 10, hint),))


ROWS = {
    "unknown name": one("NO_SUCH_THING", UNKNOWN),
    "a letter wrong": one("SQ_INTS", UNKNOWN, "SQ_INSTS"),
    "letters behind the number": one("SQ_INSTS:device=0test", NUMBER, "SQ_INSTS:device=0"),
    "no number": one("SQ_INSTS:device=", NUMBER),
    "a sign": one("SQ_INSTS:device=-0", NUMBER),
    "two qualifiers": one("SQ_INSTS:device=0:device=0", NUMBER, "SQ_INSTS:device=0"),
    "an index behind": one(
        "SQ_INSTS:device=0[0]",
        "an instance index stands before ':device=', and is not needed: all instances are collected",
        "SQ_INSTS:device=0",
    ),
    "twenty digits": one("SQ_INSTS:device=99999999999999999999", "no GPU has a device number as large as that"),
    "capitals": one("SQ_INSTS:DEVICE=0", "the qualifier is written ':device=' in lower case", "SQ_INSTS:device=0"),
    "small letters": one("sq_insts", UNKNOWN, "SQ_INSTS"),
    "quotes": one(
        '"SQ_INSTS"', "quotes are part of the token here, no counter has them in its name: leave them out", "SQ_INSTS"
    ),
    "the way of PAPI": one(
        "rocm:::SQ_INSTS:device=0",
        "a component prefix such as PAPI's 'rocm:::' is not used here",
        "SQ_INSTS:device=0",
    ),
    "two indices": one("TCC_HIT[1][2]", "only one '[number]' may follow a name, at its end", "TCC_HIT"),
    "no GPU of that number": Row(
        "SQ_WAVES SQ_INSTS:device=99",
        ("SQ_WAVES",),
        ("warning: 'SQ_INSTS:device=99' (column 10) is collected nowhere: there is only GPU 0",),
        warnings=("SQ_INSTS:device=99 is collected nowhere: there is only GPU 0",),
    ),
    "a lone qualifier": Row(
        "SQ_WAVES :device=0",
        ("SQ_WAVES",),
        (left_out(":device=0", 10, LONE, "SQ_WAVES:device=0"),),
        unknown=((":device=0", 10, "SQ_WAVES:device=0"),),
    ),
    "a qualifier in pieces": Row(
        "SQ_WAVES : device = 0",
        ("SQ_WAVES",),
        (left_out(": device = 0", 10, LONE, "SQ_WAVES:device=0"),),
        unknown=((": device = 0", 10, "SQ_WAVES:device=0"),),
    ),
    "empty pieces": Row(",,SQ_WAVES;;SQ_INSTS\t\n", ("SQ_INSTS", "SQ_WAVES"), ()),
    "two instances": Row(
        "TCC_HIT[0] TCC_HIT[1]",
        ("TCC_HIT",),
        (
            f"note: 'TCC_HIT[0]' (column 1), 'TCC_HIT[1]' (column 12): {INSTANCES}",
            "note: asked for more than once, collected once: TCC_HIT",
        ),
        notes=(f"TCC_HIT[0]: {INSTANCES}", f"TCC_HIT[1]: {INSTANCES}"),
        duplicates=("TCC_HIT",),
    ),
    "twice": Row(
        "SQ_WAVES,SQ_WAVES:device=0",
        ("SQ_WAVES",),
        ("note: asked for more than once, collected once: SQ_WAVES:device=0",),
        duplicates=("SQ_WAVES:device=0",),
    ),
}


@pytest.fixture(params=ROWS.values(), ids=ROWS.keys())
def row(request: pytest.FixtureRequest) -> Row:
    found: Row = request.param
    return found


def test_a_plan_names_what_leads_nowhere(row: Row, cli: Cli) -> None:
    planned = cli("plan", "--device", "gfx942", "--events", row.events, "--json")
    assert (planned.returncode, planned.stderr) == (0, "")
    plan = json.loads(planned.stdout)
    placed = [name for one_pass in plan["agents"][0]["passes"] for name in one_pass["counters"]]
    assert sorted(placed) == sorted(row.collected)
    assert [(u["token"], u["column"], u["suggestion"] or "") for u in plan["unknown"]] == list(row.unknown)
    assert (plan["warnings"], plan["notes"]) == (list(row.warnings), list(row.notes))
    assert plan["duplicates"] == list(row.duplicates)


def test_a_run_collects_the_rest_and_harms_nothing(
    row: Row, environment: dict[str, str], probe: Path, tmp_path: Path
) -> None:
    run = mp.run(
        [probe, "exit", "3"],
        events=row.events,
        simulate="gfx942",
        output=tmp_path / "out",
        env=environment,
        capture=True,
    )
    assert (run.exit_code, run.stdout) == (3, "launch 0 correct\n")
    assert run.stderr.splitlines() == [PROGRAM + text for text in row.said]
    assert run.errors == ()
    warnings = [text.removeprefix("warning: ") for text in row.said if text.startswith("warning: ")]
    assert run.summary is not None
    assert run.summary["warnings"] == list(run.warnings) == warnings
    assert counters(mp.open_trace(run.output_dir)) == [probe_counters(1000, row.collected)]


def test_a_quiet_run_keeps_the_notes_to_itself(environment: dict[str, str], probe: Path, tmp_path: Path) -> None:
    run = mp.run(
        [probe, "exit", "0"],
        events="TCC_HIT[0],SQ_WAVEZ",
        simulate="gfx942",
        output=tmp_path / "out",
        quiet=True,
        env=environment,
        capture=True,
    )
    assert run.stderr == PROGRAM + left_out("SQ_WAVEZ", 12, UNKNOWN, "SQ_WAVES") + "\n"


def test_the_plugin_alone_says_the_same(
    native: Native, environment: dict[str, str], probe: Path, tmp_path: Path
) -> None:
    row = ROWS["letters behind the number"]
    env = by_hand(native, environment, tmp_path / "out", ROCPROFSYS_ROCM_EVENTS=row.events)
    application = alone(probe, "exit", "3", env=env)
    assert (application.returncode, application.stdout) == (3, "launch 0 correct\n")
    assert application.stderr.splitlines()[0] == PROGRAM + row.said[0]
    assert counters(mp.open_trace(tmp_path / "out")) == [probe_counters(1000, row.collected)]


def test_a_counter_of_another_architecture_is_collected_where_it_is_one(
    environment: dict[str, str], probe: Path, tmp_path: Path
) -> None:
    run = mp.run(
        [probe, "devices"],
        events="SQ_WAVES,SQ_INSTS_VALU_MFMA_F64:device=1,SQ_INSTS_VALU_MFMA_F64",
        simulate="gfx942,tiny",
        output=tmp_path / "out",
        env=environment,
        capture=True,
    )
    assert (run.exit_code, run.stdout) == (0, "launch 0 correct\nlaunch 1 correct\n")
    assert run.stderr.splitlines() == [
        PROGRAM + left_out("SQ_INSTS_VALU_MFMA_F64:device=1", 10, "not a counter of tiny, but of GPU 0 (gfx942)"),
        f"{PROGRAM}note: SQ_INSTS_VALU_MFMA_F64 is not a counter of GPU 1 (tiny): it is collected on other GPUs only",
    ]
    found = [(d.agent.name, sorted(d.counters)) for d in mp.open_trace(run.output_dir).dispatches()]
    assert found == [("gfx942", ["SQ_INSTS_VALU_MFMA_F64", "SQ_WAVES"]), ("tiny", ["SQ_WAVES"])]
