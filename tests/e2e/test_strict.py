# SPDX-License-Identifier: MIT
"""The strict layout of the database: asked for in every place, read as the canonical one, converted without loss."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from e2e_tools import Cli, by_hand

import rocprofsys_multipass as mp
from rocprofsys_multipass import Run
from rocprofsys_multipass.demo import DEMO_EVENTS
from rocprofsys_multipass.errors import OutputError
from rocprofsys_multipass.native import Native

EVENTS = (
    "SQ_WAVES,GRBM_COUNT,SQ_INSTS_VALU,SQ_INSTS_SALU,SQ_INSTS_LDS,SQ_INSTS_SMEM,SQ_BUSY_CYCLES,SQ_WAVE_CYCLES,SQ_ITEMS"
)


def contents(path: Path) -> dict[str, object]:
    """Every object of a file and every row of it."""
    with closing(sqlite3.connect(path)) as db:
        objects = db.execute(
            "SELECT name, type, sql FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite%'"
        ).fetchall()
        return {name: (kind, sql, db.execute(f'SELECT * FROM "{name}"').fetchall()) for name, kind, sql in objects}


def readings(path: Path) -> list[tuple[object, ...]]:
    frame = mp.open_trace(path).to_pandas()
    return sorted(map(tuple, frame.astype(str).to_numpy().tolist()))


@pytest.fixture(scope="module")
def strict_run(native: Native, environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The bundled application, asked for the strict layout in a file."""
    folder = tmp_path_factory.mktemp("strict")
    config = folder / "m.yaml"
    config.write_text("layout: strict\nformat: rocpd\n", encoding="utf-8")
    return mp.run(
        [native.demo],
        config=config,
        events=DEMO_EVENTS,
        replay="kernel",
        simulate="gfx942",
        output=folder / "out",
        env=environment,
        capture=True,
    )


def pair(folder: Path) -> tuple[Path, Path]:
    (sidecar,) = folder.glob("*-replay.db")
    return sidecar.with_name(sidecar.name.replace("-replay", "")), sidecar


def test_a_run_leaves_a_pair_that_its_summary_names(strict_run: Run) -> None:
    assert strict_run.errors == ()
    main, sidecar = pair(strict_run.output_dir)
    assert {main, sidecar} <= set(strict_run.files)
    files = strict_run.summaries[0]["files"]
    assert (files["rocpd"], files["rocpd_replay"]) == (str(main), str(sidecar))


def test_the_pair_has_every_reading_of_the_journal(strict_run: Run) -> None:
    main, _ = pair(strict_run.output_dir)
    assert readings(main) == readings(main.with_suffix(".journal"))
    assert [one for one in mp.verify(strict_run.output_dir) if one.severity == "error"] == []


def test_there_and_back_is_the_file_that_the_journal_gives(strict_run: Run, tmp_path: Path) -> None:
    main, sidecar = pair(strict_run.output_dir)
    mp.export(main.with_suffix(".journal"), "rocpd", output=tmp_path / "a", layout="canonical")
    (whole,) = mp.export(main, output=tmp_path / "b", layout="canonical")
    again = mp.export(whole, output=tmp_path / "c", layout="strict")
    assert [path.name for path in again] == [main.name, sidecar.name]
    assert contents(again[0]) == contents(main)
    assert contents(again[1]) == contents(sidecar)
    direct, converted = contents(tmp_path / "a" / main.name), contents(whole)
    apart = {name for name in direct | converted if direct.get(name) != converted.get(name)}
    assert [name for name in apart if not name.startswith("rocpd_metadata")] == []  # these say when it was written


def test_a_file_takes_its_own_place_only_when_asked(strict_run: Run, cli: Cli, tmp_path: Path) -> None:
    shutil.copytree(strict_run.output_dir, tmp_path, dirs_exist_ok=True)
    main, sidecar = pair(tmp_path)
    summary = main.with_suffix(".json")
    told = summary.read_text(encoding="utf-8").replace(str(strict_run.output_dir), str(tmp_path))
    summary.write_text(told, encoding="utf-8")
    before = readings(main)
    with pytest.raises(OutputError, match=f"{main} is there already and was not replaced"):
        mp.export(main, layout="canonical")
    done = cli("export", main, "--layout", "canonical", "--overwrite")
    assert (done.returncode, done.stderr, sidecar.exists()) == (0, "", False)
    assert readings(main) == before
    assert [one for one in mp.verify(tmp_path) if one.severity == "error"] == []
    with pytest.raises(OutputError, match=f"{main}: its layout is canonical/1 already; nothing was written"):
        mp.export(main, overwrite=True, layout="canonical")
    mp.export(main, overwrite=True, layout="strict")
    assert summary.read_text(encoding="utf-8") == told


def test_a_database_of_another_tool_is_refused_with_its_name(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE things (id)")
    done = cli("export", path, "--layout", "strict", "-o", tmp_path / "out")
    assert done.returncode == 7
    assert f"{path}: it has no rocpd_metadata, so it is no rocpd database" in done.stderr
    assert list((tmp_path / "out").iterdir()) == []


def test_recover_makes_what_the_run_was_asked_for(strict_run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    shutil.copytree(strict_run.output_dir, folder)
    main, sidecar = pair(folder)
    assert [one.state for one in mp.recover(folder)] == ["complete"]
    sidecar.unlink()
    (done,) = mp.recover(folder)
    assert (done.state, sidecar in done.files) == ("recovered", True)
    assert readings(main) == readings(strict_run.output_dir)


def test_the_plugin_alone_reads_the_variable(native: Native, environment: dict[str, str], tmp_path: Path) -> None:
    asked = {"ROCPROFSYS_MULTIPASS_EVENTS": "SQ_WAVES", "ROCPROFSYS_MULTIPASS_LAYOUT": "strict"}
    env = by_hand(native, environment, tmp_path / "out", **asked)
    subprocess.run([native.demo], env=env, capture_output=True, check=True)
    main, _ = pair(tmp_path / "out")
    assert readings(main) == readings(main.with_suffix(".journal"))


def test_combined_with_others_it_has_its_passes(strict_run: Run, tmp_path: Path) -> None:
    mp.combine(strict_run.output_dir, output=tmp_path / "all")
    assert sorted(path.name for path in (tmp_path / "all").iterdir()) == ["rocpd.db"]
    assert readings(tmp_path / "all" / "rocpd.db") == readings(strict_run.output_dir)


def test_the_command_names_both_files(strict_run: Run, cli: Cli, tmp_path: Path) -> None:
    main, sidecar = pair(strict_run.output_dir)
    journal, out = main.with_suffix(".journal"), tmp_path / "out"
    done = cli("export", journal, "--format", "rocpd", "-o", out)  # as the run was asked
    assert done.returncode == 0, done.stderr
    assert f"{out / sidecar.name} (" in done.stdout
    assert f"): the readings of passes of {main.name}, to be kept beside it" in done.stdout


def test_the_views_of_passes_are_made_by_what_the_sidecar_holds(strict_run: Run) -> None:
    main, sidecar = pair(strict_run.output_dir)
    with closing(sqlite3.connect(main)) as db:
        db.execute("ATTACH ? AS replay", (str(sidecar),))
        ((script,),) = db.execute("SELECT value FROM replay.rocpd_metadata WHERE tag = 'replay_views'")
        db.executescript(script)
        shown = db.execute("SELECT COUNT(*), COUNT(DISTINCT replay_pass) FROM replay_kernels").fetchone()
        read = db.execute("SELECT COUNT(*) FROM replay_counters_collection").fetchone()
    summary = strict_run.summaries[0]
    passes = summary["agents"][0]["pass_count"]
    assert shown == (passes * summary["dispatches"]["replayed"], passes)
    assert read == (summary["readings"],)
