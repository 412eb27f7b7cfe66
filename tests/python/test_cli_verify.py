# SPDX-License-Identifier: MIT
"""The command ``verify``: what it prints, which checks it runs, what it ends with."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import trace_tools as tools

from rocprofsys_multipass.cli.main import main
from rocprofsys_multipass.verify import CHECKS
from rocprofsys_multipass.verify.docs import PART
from rocprofsys_multipass.verify.parity import HINT

RUN = tools.sample_run()
GOOD = replace(RUN, warnings=(), launches=RUN.launches[:2])
NAME = f"multipass-{tools.PID}"


@pytest.fixture(autouse=True)
def no_trace_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ROCPROFSYS_MULTIPASS_TRACE_PROCESSOR", raising=False)


def altered(folder: Path) -> Path:
    """A journal beside a database with another value."""
    tools.write_run(folder, GOOD, files=("journal",))
    tools.write_database(folder / f"{NAME}.db", GOOD, then="UPDATE rocpd_replay_pmc~ SET value = 1 WHERE id = 2")
    return folder


def many_passes_gone(folder: Path, *, rank: int | None = None, dispatches: int = 50) -> Path:
    """A journal whose dispatches lack their second pass."""
    launches = (tools.replayed(n, 1000 * n) for n in range(1, dispatches + 1))
    broken = tuple(replace(d, executions=d.executions[:1]) for d in launches)
    return tools.write_run(folder, replace(GOOD, launches=broken, rank=rank), files=("journal",))


def verify(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, list[str]]:
    code = main(["verify", *map(str, words)])
    return code, capsys.readouterr().out.splitlines()


def test_of_a_good_file_one_line_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tools.write_run(tmp_path, GOOD, files=("journal",))
    assert verify(capsys, tmp_path) == (0, ["verified: 0 errors, 0 warnings, 0 notes"])


def test_findings_stand_below_their_file_and_check_with_what_to_do_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    altered(tmp_path)
    code, lines = verify(capsys, "--check", "parity,rocpd-no-double-count", tmp_path)
    assert code == 6
    assert lines == [
        f"{tmp_path / NAME}.db: 3 errors",
        "  error rocpd-no-double-count",
        "    counters_collection, dispatch 1, GRBM_COUNT: shows 100.5, the canonical reading is 1",
        "    pmc_events, dispatch 1, GRBM_COUNT: shows 100.5, the canonical reading is 1",
        "    -> write the database again with `rocprof-sys-multipass export`",
        "  error parity",
        f"    dispatch 1, pass 0, GRBM_COUNT: value is 1 in {NAME}.db, 100.5 in {NAME}.journal",
        f"    -> {HINT}",
        "verified: 3 errors, 0 warnings, 0 notes",
    ]


def test_what_is_said_of_every_trace_takes_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tools.write_run(tmp_path, GOOD, files=("journal", "pftrace"))
    assert verify(capsys, tmp_path)[1] == [
        "note: not looked at with Perfetto's own importer (verify --explain perfetto-stats)",
        "verified: 0 errors, 0 warnings, 1 note",
    ]
    _, lines = verify(capsys, "--all", tmp_path)
    assert "get.perfetto.dev/trace_processor" in lines[-2]
    _, lines = verify(capsys, "--explain", "perfetto-stats")
    assert "get.perfetto.dev/trace_processor" in " ".join(lines)


def test_of_many_findings_the_first_are_shown_and_all_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    many_passes_gone(tmp_path)
    _, lines = verify(capsys, "--check", "complete", tmp_path)
    assert [line for line in lines if "more" in line] == ["    ... and 44 more; --all shows them"]
    assert (len(lines), lines[-1]) == (11, "verified: 50 errors, 0 warnings, 0 notes")
    _, lines = verify(capsys, "--all", "--check", "complete", tmp_path)
    assert (len(lines), lines[-1]) == (54, "verified: 50 errors, 0 warnings, 0 notes")


def test_of_many_files_the_worst_are_shown_and_all_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for rank in range(12):
        many_passes_gone(tmp_path, rank=rank, dispatches=1)
    _, lines = verify(capsys, "--check", "complete", tmp_path)
    assert sum(line.endswith(".journal: 1 error") for line in lines) == 10
    assert lines[-2:] == ["2 more files with findings; --all shows them", "verified: 12 errors, 0 warnings, 0 notes"]


def test_files_that_are_given_singly_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    altered(tmp_path)
    one, other = (tmp_path / f"{NAME}.{ending}" for ending in ("journal", "db"))
    assert verify(capsys, "--check", "parity", one)[0] == 0
    assert verify(capsys, "--check", "parity", one, other)[0] == 6


def test_the_path_of_a_finding_tells_runs_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folders = [altered(tmp_path / name) for name in ("a", "b")]
    main(["verify", "--json", "--check", "parity", *map(str, folders)])
    found = json.loads(capsys.readouterr().out)
    assert [one["path"] for one in found] == [str(folder / f"{NAME}.db") for folder in folders]
    assert {one["where"] for one in found} == {f"{NAME}.db: dispatch 1, pass 0, GRBM_COUNT"}


def test_checks_can_be_skipped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    altered(tmp_path)
    main(["verify", "--json", "--skip", "parity", "--skip", "rocpd-passes, rocpd-conflicts", str(tmp_path)])
    assert {one["check"] for one in json.loads(capsys.readouterr().out)} == {"rocpd-no-double-count"}


@pytest.mark.parametrize("option", ["--check", "--skip", "--explain"])
def test_an_unknown_check_is_refused_with_the_nearest(capsys: pytest.CaptureFixture[str], option: str) -> None:
    assert main(["verify", option, "pairty", "."]) == 2
    assert "there is no check 'pairty'; did you mean 'parity'?" in capsys.readouterr().err


def test_without_a_path_there_is_nothing_to_verify(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify"]) == 2
    assert "no PATH is given; give the directory that `run --output` named" in capsys.readouterr().err


def test_the_checks_are_listed_with_what_they_find(capsys: pytest.CaptureFixture[str]) -> None:
    code, lines = verify(capsys, "--list")
    assert code == 0
    assert [line.split()[0] for line in lines] == list(CHECKS)
    assert all(CHECKS[line.split()[0]].description in line for line in lines)


def test_a_check_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    _, lines = verify(capsys, "--explain", "queue-order")
    assert lines[0] == "queue-order (warning)"
    assert lines[1].startswith("  Dispatches of a queue start in the order of their launches")
    assert lines[2].startswith("  A replay begins when its queue is drained")
    assert lines[3].startswith("  what to do: the times of one of the two dispatches are another's")


def test_the_list_is_data_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--list", "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["schema"] == 1
    assert {one["id"]: tuple(one["severities"]) for one in content["checks"]} == {
        check.id: check.severities for check in CHECKS.values()
    }


def test_every_check_says_what_to_do() -> None:
    assert [one.id for one in CHECKS.values() if len(one.remedy) < 20] == []
    order = ("error", "warning", "info")
    assert [one.id for one in CHECKS.values() if sorted(one.severities, key=order.index) != list(one.severities)] == []


def test_the_page_has_the_table_of_checks() -> None:
    page = (Path(__file__).parents[2] / "docs" / "formats" / "verify.md").read_text(encoding="utf-8")
    assert PART.put_into(page) == page, "python -m rocprofsys_multipass.verify.docs --write"


def test_an_error_without_a_hint_of_its_own_has_that_of_its_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tools.write_run(tmp_path, tools.with_launch(GOOD, 0, outcome="filtered"), files=("journal",))
    _, lines = verify(capsys, "--check", "outcome", tmp_path)
    assert f"    -> {CHECKS['outcome'].remedy}" in lines


@pytest.mark.parametrize(
    ("limit", "checks"),
    [
        ("work=0.5", ["agreement", "outliers", "ratios"]),
        ("work=1", ["outliers", "ratios"]),
        ("ratio=2.5", ["agreement", "outliers"]),
        ("outlier=20", ["agreement", "ratios"]),
        ("loose=0", ["agreement", "agreement", "outliers", "ratios"]),
    ],
)
def test_a_limit_says_from_where_on_numbers_are_doubted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], limit: str, checks: list[str]
) -> None:
    """Six equal launches, of which one has other work, 15 times the misses, and thrice the hits that there can be."""
    usual = {"SQ_WAVES": 8.0, "TCC_REQ": 100.0, "TCC_HIT": 90.0, "TCC_MISS": 2.0}
    last = usual | {"SQ_WAVES": 2.0, "TCC_HIT": 300.0, "TCC_MISS": 30.0}
    plan = (("SQ_WAVES", "TCC_REQ"), ("SQ_WAVES", "TCC_HIT", "TCC_MISS", "TCC_REQ"))
    launches = [
        tools.Launch(
            n,
            (
                tools.Execution(0, 1000 * n, 1000 * n + 100, {name: usual[name] for name in plan[0]}),
                tools.Execution(1, 1000 * n + 200, 1000 * n + 300, (last if n == 6 else usual) | {"TCC_REQ": 101.0}),
            ),
        )
        for n in range(1, 7)
    ]
    tools.write_run(tmp_path, replace(GOOD, plan=plan, launches=tuple(launches)), files=("journal",))
    main(["verify", "--json", "--limit", limit, "--check", "agreement,ratios,outliers", str(tmp_path)])
    assert sorted(one["check"] for one in json.loads(capsys.readouterr().out)) == checks


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ("wrok=1", "there is no limit 'wrok'; did you mean 'work'?"),
        ("x=1", "there is no limit 'x'; there are work, loose, ratio, outlier"),
        ("work", "limit work: give a number, such as work=0.0006"),
        ("outlier=many", "limit outlier=many: give a number, such as outlier=10"),
        ("loose=-1", "limit loose=-1.0: give a number from 0 on, such as loose=0.25"),
        ("ratio=nan", "limit ratio=nan: give a number from 0 on"),
    ],
)
def test_a_limit_that_is_none_is_refused(capsys: pytest.CaptureFixture[str], limit: str, message: str) -> None:
    assert main(["verify", "--limit", limit, "."]) == 2
    assert message in capsys.readouterr().err
