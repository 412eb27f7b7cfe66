# SPDX-License-Identifier: MIT
"""``counters`` and live plans on simulated GPUs: what is read from the SDK is what the shipped catalogues say."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from e2e_tools import ROOT, Cli

import rocprofsys_multipass as mp
from rocprofsys_multipass.demo import DEMO_EVENTS
from rocprofsys_multipass.native import Native

REQUESTS = {
    "gfx942": [
        ["--events", ",".join(DEMO_EVENTS)],
        ["--events", "SQ_WAVES,FETCH_SIZE,WRITE_SIZE", "--group", "FETCH_SIZE,SQ_WAVES"],
        ["--events", "MeanOccupancyPerCU MeanOccupancyPerActiveCU LdsLatency InstrFetchLatency VmemLatency"],
        ["--events", "SQ_WAVS,simd_count,TCC_HIT[3],SQ_WAVES:device=4"],
    ],
    "tiny": [
        ["--events", "SQ_WAVES,SQ_ITEMS,SQ_INSTS_VALU,SQ_INSTS_SALU,TCC_HIT,TCC_MISS,L2HitPercent,MemorySize"],
        ["--events", "MeanOccupancyPerCU,SQ_WAVES", "--group", "SQ_WAVES,SQ_ITEMS"],
    ],
}


@pytest.fixture(scope="module")
def saved(cli: Cli, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The catalogues of both simulated devices, read from the SDK and saved."""
    folder = tmp_path_factory.mktemp("saved")
    for ordinal, device in enumerate(REQUESTS):
        path = folder / f"{device}.json"
        done = cli("counters", "--live", "--simulate", "gfx942,tiny", "--device", str(ordinal), "--save", path)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(f"wrote {path}: ")
    return folder


@pytest.mark.parametrize(
    ("device", "request_words"), [(device, words) for device, all_words in REQUESTS.items() for words in all_words]
)
def test_shipped_saved_and_live_give_the_same_plan(
    cli: Cli, saved: Path, device: str, request_words: list[str]
) -> None:
    shipped = cli("plan", "--json", "--device", device, *request_words)
    from_file = cli("plan", "--json", "--device", saved / f"{device}.json", *request_words)
    live = cli("plan", "--json", "--live", "--simulate", device, *request_words)
    assert shipped.returncode == 0, shipped.stderr
    assert json.loads(shipped.stdout)["agents"][0]["pass_count"] > 0
    assert from_file.stdout == shipped.stdout
    assert live.stdout == shipped.stdout
    assert (from_file.returncode, live.returncode, live.stderr) == (0, 0, "")


def test_a_live_plan_of_several_gpus_is_that_of_the_same_devices(cli: Cli) -> None:
    words = ["--events", "SQ_WAVES,FETCH_SIZE,WRITE_SIZE:device=0,TCC_HIT:device=2"]
    live = cli("plan", "--json", "--live", "--simulate", "gfx942,tiny,gfx942", *words)
    named = cli("plan", "--json", *("--device", "gfx942", "--device", "tiny", "--device", "gfx942"), *words)
    assert live.stdout == named.stdout
    assert [agent["pass_count"] for agent in json.loads(live.stdout)["agents"]] == [2, 1, 1]


@pytest.mark.parametrize("device", list(REQUESTS))
def test_a_saved_catalogue_lists_what_the_shipped_one_does(saved: Path, device: str) -> None:
    """But for expressions, which the shipped ones leave out, and for slots that a trial cannot find."""
    (live,) = mp.counters(saved / f"{device}.json")
    (shipped,) = mp.counters(device)
    assert live.product_name == shipped.product_name
    assert {c.name: (c.kind, c.block, c.instances, c.registers, c.keys, c.description) for c in live.counters} == {
        c.name: (c.kind, c.block, c.instances, c.registers, c.keys, c.description) for c in shipped.counters
    }
    # TCA of gfx942 has two counters: that it has slots for four cannot be seen.
    assert live.slots == shipped.slots | ({"TCA": 2} if device == "gfx942" else {})


def test_live_counters_of_the_api_are_those_of_the_simulated_devices(native: Native) -> None:
    agents = mp.counters(live=True, simulate="tiny,gfx942,tiny", pattern="sq_waves")
    assert [(agent.device, agent.device_index, len(agent.counters)) for agent in agents] == [
        ("tiny", 0, 2),
        ("gfx942", 1, 9),
        ("tiny", 2, 2),
    ]


def test_live_counters_are_a_table_of_each_kind_of_gpu(cli: Cli) -> None:
    done = cli("counters", "--live", "--simulate", "tiny,gfx942,tiny", "*occupancy*")
    assert (done.returncode, done.stderr) == (0, "")
    text = done.stdout.splitlines()
    assert text[0] == "tiny (GPU 0, 2; Simulated tiny device): 1 of 23 counters"
    assert text[1] == "registers per pass: GRBM 2, SQ 2, TCC 2"
    assert [line.split()[:6] for line in text if line.startswith("MeanOccupancyPerCU ")] == [
        ["MeanOccupancyPerCU", "derived", "1", "GRBM", "1,", "SQ"]
    ] * 2
    assert "gfx942 (GPU 1; Simulated gfx942): 3 of 455 counters" in text
    assert max(map(len, text)) <= 100


def test_every_counter_is_listed_in_100_columns(cli: Cli) -> None:
    done = cli("counters", "--device", "gfx942")
    names = [line.split()[0] for line in done.stdout.splitlines()[3:] if not line.startswith(" ")]
    assert len(set(names)) >= 455
    assert {"FETCH_SIZE", "SQ_WAVES", "TCP_TCC_READ_REQ"} <= set(names)
    assert max(map(len, done.stdout.splitlines())) <= 100


def test_the_known_devices_are_those_that_can_be_simulated_and_two_more(cli: Cli, native: Native) -> None:
    done = cli("counters")
    assert done.returncode == 0
    known = {"gfx90a": "509", "gfx942": "455", "gfx950": "664", "gfx1100": "116", "gfx1201": "94", "tiny": "23"}
    on_paper = {"gfx908": "420", "gfx1030": "124"}
    assert dict(line.split()[:2] for line in done.stdout.splitlines()[1:-1]) == known | on_paper
    assert native.catalogues == sorted([*known, *on_paper])
    assert native.simulated_devices == sorted([*known, "gfx1036"]), "which has no counters to list"


def test_an_unknown_device_is_answered_with_the_known_ones(cli: Cli) -> None:
    for words in (["counters"], ["plan", "--events", "A"]):
        done = cli(*words, "--device", "gfx000")
        assert (done.returncode, done.stdout) == (3, "")
        assert done.stderr == (
            'rocprof-sys-multipass: error: there is no catalogue "gfx000": known devices are gfx1030, gfx1100, '
            "gfx1201, gfx908, gfx90a, gfx942, gfx950, tiny; or name a catalogue file, as 'counters --live --save FILE' "
            "writes it\n"
        )


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("{", "not valid JSON"),
        ('{"schema": 2}', "schema: must be 1"),
        ('{"schema": 1, "agent": {}, "slots": {}, "counters": []}', 'agent: "name" is missing'),
        ('{"schema": 1, "agent": {"name": "x"}, "slots": {"SQ": -1}, "counters": []}', "slots.SQ: must be"),
        ('{"schema": 1, "agent": {"name": "x"}, "slots": {}, "counters": [{"name": 3}]}', "counters[0].name: must be"),
    ],
)
def test_a_broken_catalogue_is_named_with_its_member(cli: Cli, tmp_path: Path, text: str, place: str) -> None:
    path = tmp_path / "broken.json"
    path.write_text(text, encoding="utf-8")
    for words in (["counters"], ["plan", "--events", "A"]):
        done = cli(*words, "--device", path)
        assert (done.returncode, done.stdout) == (3, "")
        assert done.stderr.startswith(f"rocprof-sys-multipass: error: {path}: {place}")


def test_the_catalogue_in_the_documentation_can_be_used(tmp_path: Path) -> None:
    page = (ROOT / "docs/formats/catalogue.md").read_text(encoding="utf-8")
    (tmp_path / "documented.json").write_text(page.split("```json\n")[1].partition("```")[0], encoding="utf-8")
    (agent,) = mp.counters(tmp_path / "documented.json")
    assert [(c.name, c.kind, c.registers, c.keys) for c in agent.counters] == [
        ("Level", "derived", {"SQ": 2}, ("SQ:SQ_LEVEL_WAVES@HIGH_RES",)),
        ("SQ_LEVEL_WAVES", "base", {"SQ": 1}, ("SQ:SQ_LEVEL_WAVES",)),
        ("num_xcc", "constant", {}, ()),
    ]


def test_a_gpu_without_counters_keeps_its_place_in_a_live_plan(cli: Cli, native: Native, tmp_path: Path) -> None:
    bare = json.loads((native.simulator / "devices" / "tiny.json").read_text(encoding="utf-8"))
    bare["agent"]["name"] = "bare"
    bare["counters"] = []
    (tmp_path / "bare.json").write_text(json.dumps(bare), encoding="utf-8")
    done = cli("plan", "--json", "--live", "--simulate", f"{tmp_path}/bare.json,tiny", "--events", "SQ_WAVES")
    assert done.returncode == 0, done.stderr
    plan = json.loads(done.stdout)
    assert [(a["device"], a["device_index"], a["pass_count"]) for a in plan["agents"]] == [
        ("bare", 0, 0),
        ("tiny", 1, 1),
    ]
    listed = cli("counters", "--live", "--simulate", f"{tmp_path}/bare.json,tiny", "waves")
    first = listed.stdout.splitlines()[0]
    assert first == "bare (GPU 0; Simulated tiny device): no counters: the SDK lists no counters for bare"


def test_a_device_file_that_cannot_be_read_is_refused_with_its_fault(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    for words in (["counters"], ["plan", "--events", "A"]):
        done = cli(*words, "--live", "--simulate", tmp_path / "broken.json")
        assert (done.returncode, done.stdout) == (2, "")
        assert f"error: --simulate: rocprofiler-sdk (simulated): {tmp_path}/broken.json: " in done.stderr


def test_a_machine_without_the_sdk_is_said_to_have_none(native: Native, environment: dict[str, str]) -> None:
    """Without --live nothing needs it; the program that does is asked for a library that is on no machine."""
    reader = native.counter_reader
    done = subprocess.run(
        [reader, "--sdk", "/nowhere/librocprofiler-sdk.so.1"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (5, "")
    assert done.stderr.startswith("rocprof-sys-multipass: error: rocprofiler-sdk cannot be loaded: /nowhere/")
    assert "LD_LIBRARY_PATH" in done.stderr
