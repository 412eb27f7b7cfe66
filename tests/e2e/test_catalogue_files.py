# SPDX-License-Identifier: MIT
"""Catalogues that were saved where a GPU is, used elsewhere under other names; and lists that are hard to plan."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from e2e_tools import Cli

import rocprofsys_multipass as mp
from rocprofsys_multipass.counters import save_catalogue
from rocprofsys_multipass.native import Native

EVENTS = ["SQ_WAVES", "FETCH_SIZE", "WRITE_SIZE"]


@pytest.fixture(scope="module")
def saved(native: Native, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a simulated gfx942 can count."""
    path = tmp_path_factory.mktemp("saved") / "mi300x.json"
    save_catalogue(path, simulate="gfx942")
    return path


@pytest.mark.parametrize("name", ["other.json", "no-suffix", "a,b.json", "with space.txt", "gfx1030.json"])
def test_a_saved_file_plans_under_any_name_from_where_it_lies(
    saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / "below").mkdir()
    shutil.copy(saved, tmp_path / name)
    shutil.copy(saved, tmp_path / "below" / name)
    monkeypatch.chdir(tmp_path)
    shipped = mp.plan("gfx942", EVENTS)
    for device in (name, f"./{name}", f"below/{name}", str(tmp_path / name), Path(name)):
        assert mp.plan(device, EVENTS).json == shipped.json


def test_a_saved_file_of_an_architecture_that_nobody_knows_is_planned_by_what_it_says(
    cli: Cli, saved: Path, tmp_path: Path
) -> None:
    catalogue = json.loads(saved.read_text(encoding="utf-8"))
    catalogue["agent"]["name"] = "gfx1103"
    (tmp_path / "apu.json").write_text(json.dumps(catalogue), encoding="utf-8")
    done = cli("plan", "--json", "--device", tmp_path / "apu.json", "--device", "gfx942", "--events", ",".join(EVENTS))
    assert (done.returncode, done.stderr) == (0, "")
    apu, known = json.loads(done.stdout)["agents"]
    assert (apu["device"], apu["passes"]) == ("gfx1103", known["passes"])
    listed = cli("counters", "--device", tmp_path / "apu.json", "SQ_WAVES")
    assert listed.stdout.startswith("gfx1103: 9 of 455 counters\n")


def test_a_file_that_may_not_be_read_is_named_with_the_reason(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "link.json").symlink_to(tmp_path / "gone.json")
    done = cli("plan", "--device", tmp_path / "link.json", "--events", "A")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == (
        f"rocprof-sys-multipass: error: {tmp_path}/link.json: cannot be read: No such file or directory\n"
    )


def test_a_list_of_five_hundred_names_is_planned_and_every_name_answered(native: Native) -> None:
    names = [counter.name for counter in mp.counters("gfx950")[0].counters][:500]
    plan = mp.plan("gfx942", [name + ("[3]" if i % 9 == 0 else "") for i, name in enumerate(names)])
    (agent,) = plan.agents
    planned = {counter for one in agent.passes for counter in one.counters if counter not in one.sentinel}
    ignored = {one.token for one in plan.ignored}
    unknown = {one.token.partition("[")[0] for one in plan.unknown}
    assert sorted([*planned, *ignored, *unknown]) == sorted(names)
    assert len(plan.notes) == 56
    assert agent.proven_minimal


def test_one_good_name_among_two_hundred_unknown_ones_stays_in_view(cli: Cli) -> None:
    done = cli("plan", "--device", "gfx942", "--events", ",".join(["SQ_WAVES", *(f"NAME_{i}" for i in range(200))]))
    lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr, len(lines)) == (0, "", 24)
    assert lines[0] == "gfx942 (GPU 0): 1 pass (lower bound 1, proven minimal)"
    assert lines[3] == "unknown: NAME_0 (column 10): not a counter of gfx942"
    assert lines[-1] == "unknown: 180 more; --json has all of them"
