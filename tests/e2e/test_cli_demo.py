# SPDX-License-Identifier: MIT
"""The command line on the bundled demonstration, and on what becomes of its files when they are damaged."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import expected
import pytest
from e2e_tools import Cli, Finished, Outputs, outcomes

import rocprofsys_multipass as mp
from rocprofsys_multipass import Run
from rocprofsys_multipass.demo import DEMO_EVENTS

KERNELS = (
    "axpy(float*, float const*, float, float, unsigned long)",
    "transpose(unsigned int*, unsigned int const*, unsigned int)",
    "histogram(unsigned int*, unsigned int const*, unsigned long)",
)


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo") / "out"


@pytest.fixture(scope="module")
def demo(cli: Cli, output: Path) -> Finished:
    """The command ``demo``."""
    return cli("demo", "-o", output)


@pytest.fixture
def damaged(demo_run: Run, tmp_path: Path) -> Outputs:
    """Copies of the files of a run, to be damaged."""
    folder = tmp_path / "damaged"
    shutil.copytree(demo_run.output_dir, folder)
    return Outputs.of(folder)


def findings(cli: Cli, path: Path) -> tuple[int, list[dict[str, str]]]:
    """Exit code and errors of ``verify``."""
    answer = cli("verify", "--json", path)
    return answer.returncode, [one for one in json.loads(answer.stdout) if one["severity"] == "error"]


# ---------------------------------------------------------------------------------------------------------------------
# demo


def test_the_demo_works(demo: Finished) -> None:
    assert (demo.returncode, demo.stderr) == (0, "")


def test_the_demo_tells_how_many_passes_it_needs_and_that_fewer_are_impossible(demo: Finished) -> None:
    lines = re.findall(r"^gfx942 \(GPU 0\): (\d+) passes \(lower bound (\d+)", demo.stdout, re.MULTILINE)
    assert len(lines) == 1
    count, bound = map(int, lines[0])
    assert count >= bound >= 5


def test_the_demo_lets_the_application_speak(demo: Finished, demo_alone: Finished) -> None:
    assert demo_alone.stdout in demo.stdout


def test_the_demo_lists_its_dispatches(demo: Finished, output: Path) -> None:
    time, extent = r"[\d.]+ (?:ns|µs|ms|s)", r"[\d.]+(?:-[\d.]+)? (?:ns|µs|ms|s)"
    rows = re.findall(rf"^ *(\d+) +(\d+) +({time}) +{extent} +replayed +(\S.*?) *$", demo.stdout, re.MULTILINE)
    dispatches = mp.open_trace(output).dispatches()
    assert [(int(row[0]), int(row[1]), row[3]) for row in rows] == [
        (d.dispatch_id, len(d.passes), d.kernel) for d in dispatches
    ]
    units = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}
    shown = [float(number) * units[unit] for number, unit in (row[2].split() for row in rows)]
    assert shown == pytest.approx([d.duration_ns for d in dispatches], rel=1e-3)  # four digits
    assert len(rows) == 12


def test_the_demo_names_its_files(demo: Finished, output: Path) -> None:
    named = re.findall(r"^  (/.*?) \(", demo.stdout, re.MULTILINE)
    assert sorted(map(Path, named)) == sorted(vars(Outputs.of(output)).values())


def test_the_demo_replaces_its_own_earlier_outputs(cli: Cli) -> None:
    first, second = cli("demo"), cli("demo")
    assert (first.returncode, second.returncode) == (0, 0), second.stderr
    named = re.findall(r"^  (/.*?journal) \(", second.stdout, re.MULTILINE)
    assert [str(path) for path in Path(named[0]).parent.glob("*.journal")] == named


def test_the_demo_names_the_report_once(demo: Finished, output: Path) -> None:
    lines = re.findall(r"^all counters of each kernel: .*", demo.stdout, re.MULTILINE)
    assert len(lines) == 1
    assert lines[0].endswith(f" report {output}; as a page: --html FILE")


def test_the_demo_verifies_itself(demo: Finished) -> None:
    assert re.search(r"^verified: 0 errors, 0 warnings, \d+ notes?$", demo.stdout, re.MULTILINE)


# ---------------------------------------------------------------------------------------------------------------------
# plan, report, verify


def test_verify_accepts_the_demo(cli: Cli, demo_run: Run) -> None:
    assert findings(cli, demo_run.output_dir) == (0, [])


@pytest.mark.parametrize("kind", ["trace", "database", "journal"])
def test_verify_accepts_each_file_alone(cli: Cli, demo_run: Run, kind: str, tmp_path: Path) -> None:
    copied = shutil.copy(getattr(Outputs.of(demo_run.output_dir), kind), tmp_path)
    assert findings(cli, copied) == (0, [])


def test_report_shows_each_kernel(cli: Cli, demo_run: Run) -> None:
    answer = cli("report", demo_run.output_dir)
    assert (answer.returncode, answer.stderr) == (0, "")
    assert [kernel for kernel in KERNELS if kernel not in answer.stdout] == []


def test_plan_tells_that_two_sizes_need_two_passes(cli: Cli) -> None:
    answer = cli("plan", "--device", "gfx942", "--events", "FETCH_SIZE,WRITE_SIZE")
    assert answer.returncode == 0
    assert "2 passes (lower bound 2, proven minimal)" in answer.stdout


def test_the_plan_of_the_command_is_the_plan_of_the_run(cli: Cli, demo_run: Run) -> None:
    answer = cli("plan", "--device", "gfx942", "--json", "--events", " ".join(reversed(DEMO_EVENTS)))
    (planned,) = json.loads(answer.stdout)["agents"]
    assert demo_run.summary is not None
    (used,) = demo_run.summary["agents"]
    assert [one["counters"] for one in planned["passes"]] == used["passes"]


# ---------------------------------------------------------------------------------------------------------------------
# Damage


def test_verify_names_a_value_that_was_changed(cli: Cli, damaged: Outputs) -> None:
    with closing(sqlite3.connect(damaged.database)) as db, db:
        (event,) = db.execute("SELECT event_id FROM rocpd_kernel_dispatch WHERE dispatch_id = 7").fetchone()
        (table,) = db.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'rocpd_pmc_event_%'"
        ).fetchone()
        changed = db.execute(
            f'UPDATE "{table}" SET value = value + 1 WHERE event_id = ? '
            "AND pmc_id = (SELECT id FROM rocpd_info_pmc WHERE name = 'TCC_HIT')",
            (event,),
        )
        assert changed.rowcount == 1
    code, errors = findings(cli, damaged.database.parent)
    assert code == 6
    named = [one["where"] for one in errors if "dispatch 7" in one["where"] and "TCC_HIT" in one["where"]]
    assert named != []
    assert [one["where"] for one in errors if one["where"] not in named] == []


def test_verify_refuses_a_trace_that_was_cut(cli: Cli, damaged: Outputs) -> None:
    content = damaged.trace.read_bytes()
    damaged.trace.write_bytes(content[: len(content) * 2 // 3])
    code, errors = findings(cli, damaged.trace.parent)
    assert code == 6
    assert any(damaged.trace.name in one["where"] for one in errors)


def test_verify_refuses_a_database_that_was_cut(cli: Cli, damaged: Outputs) -> None:
    content = damaged.database.read_bytes()
    damaged.database.write_bytes(content[: len(content) // 2])
    code, errors = findings(cli, damaged.database.parent)
    assert code == 6
    assert any(damaged.database.name in one["where"] for one in errors)


def test_verify_notices_a_dispatch_that_was_taken_out_of_the_database(cli: Cli, damaged: Outputs) -> None:
    with closing(sqlite3.connect(damaged.database)) as db, db:
        for base, column in (
            ("rocpd_replay_pmc", "replay_pass_id IN (SELECT id FROM rocpd_replay_pass WHERE dispatch_id = 5)"),
            ("rocpd_replay_pass", "dispatch_id = 5"),
            ("rocpd_pmc_event", "event_id = (SELECT event_id FROM rocpd_kernel_dispatch WHERE dispatch_id = 5)"),
            ("rocpd_kernel_dispatch", "dispatch_id = 5"),
        ):
            (table,) = db.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE ?", (base + "_0%",)
            ).fetchone()
            assert db.execute(f'DELETE FROM "{table}" WHERE {column}').rowcount > 0
    code, errors = findings(cli, damaged.database.parent)
    assert code == 6
    assert any("dispatch 5" in one["where"] for one in errors)


def test_a_journal_that_was_cut_still_gives_outputs(
    cli: Cli, demo_run: Run, demo_launches: list[expected.Launch], tmp_path: Path
) -> None:
    """What is whole is exported; the rest is missing, and said to be."""
    content = Outputs.of(demo_run.output_dir).journal.read_bytes()
    journal = tmp_path / "multipass-1.journal"
    journal.write_bytes(content[: len(content) * 3 // 4])
    answer = cli("export", tmp_path)
    assert answer.returncode == 0, answer.stderr
    outputs = Outputs.of(tmp_path)
    whole = mp.open_trace(outputs.journal)
    assert 0 < len(whole.dispatches()) < 12
    for path in (outputs.trace, outputs.database):
        trace = mp.open_trace(path)
        assert outcomes(trace) == outcomes(whole)
        for dispatch in trace.dispatches():
            launch = demo_launches[dispatch.dispatch_id - 1]
            assert dispatch.counters == {name: launch.counter(name) for name in DEMO_EVENTS}
    assert findings(cli, tmp_path) == (0, [])


def test_export_writes_the_same_again(cli: Cli, demo_run: Run, damaged: Outputs) -> None:
    for path in (damaged.trace, damaged.database, damaged.summary):
        path.unlink()
    assert cli("export", damaged.journal).returncode == 0
    before = Outputs.of(demo_run.output_dir)
    assert damaged.trace.read_bytes() == before.trace.read_bytes()
    one, other = (json.loads(path.read_text()) for path in (damaged.summary, before.summary))
    assert {**one, "files": None} == {**other, "files": None}
    assert outcomes(mp.open_trace(damaged.database)) == outcomes(mp.open_trace(before.database))
