# SPDX-License-Identifier: MIT
"""What GPUs can count: how the planner and the reader of counters are asked, what is made of it, what is saved."""

from __future__ import annotations

import copy
import os
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest
from fake_native import COUNTERS, FakeNative, machine

import rocprofsys_multipass as mp
from rocprofsys_multipass.counters import matches, nearest, save_catalogue
from rocprofsys_multipass.errors import LaunchError, NativeError, OutputError, PlanError, UsageError


def names(agent: mp.AgentCounters) -> list[str]:
    return [counter.name for counter in agent.counters]


def test_attributes_carry_the_names_and_values_of_the_json(native: FakeNative) -> None:
    (agent,) = mp.counters("gfx942")
    assert (agent.device, agent.device_index, agent.product_name, agent.reason) == ("gfx942", 0, "MI300X", "")
    assert agent.slots == {"SQ": 8, "TCC": 4}
    assert names(agent) == ["FETCH_SIZE", "LostSum", "SQ_WAVES", "simd_count"]
    fetch, lost, waves, constant = agent.counters
    assert waves == mp.CounterInfo("SQ_WAVES", "base", "SQ", 32, {"SQ": 1}, ("SQ:SQ_WAVES",), (), "Waves launched", "")
    assert (fetch.kind, fetch.registers) == ("derived", {"TCC": 3})
    assert (lost.registers, lost.unknown, lost.expression) == (None, ("GONE",), "SQ_WAVES + GONE")
    assert (constant.kind, constant.registers) == ("constant", {})


def test_what_is_returned_cannot_be_changed(native: FakeNative) -> None:
    (agent,) = mp.counters("gfx942")
    with pytest.raises(FrozenInstanceError):
        agent.device = "x"  # type: ignore[misc]


def test_devices_keep_their_order_and_may_be_files(native: FakeNative, tmp_path: Path) -> None:
    agents = mp.counters(["gfx942", tmp_path / "mine.json"])
    assert native.planner_arguments == ["--device", "gfx942", "--device", str(tmp_path / "mine.json"), "--list"]
    assert [(agent.device, agent.device_index) for agent in agents] == [("gfx942", 0), ("mine", 1)]


def test_without_a_device_every_known_one_is_listed(native: FakeNative) -> None:
    mp.counters()
    assert native.planner_arguments == ["--list"]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("", ["FETCH_SIZE", "LostSum", "SQ_WAVES", "simd_count"]),
        ("siz", ["FETCH_SIZE"]),
        ("S", ["FETCH_SIZE", "LostSum", "SQ_WAVES", "simd_count"]),
        ("sq_*", ["SQ_WAVES"]),
        ("*s*m*", ["LostSum", "simd_count"]),
        ("s?_waves", ["SQ_WAVES"]),
        ("[fs]*e*", ["FETCH_SIZE", "SQ_WAVES"]),
        ("waves*", []),
        ("nothing", []),
    ],
)
def test_a_pattern_is_a_part_of_the_name_or_a_glob_of_all_of_it(
    native: FakeNative, pattern: str, found: list[str]
) -> None:
    (agent,) = mp.counters("gfx942", pattern=pattern)
    assert names(agent) == found
    assert agent.slots == {"SQ": 8, "TCC": 4}


def test_dots_and_brackets_alone_are_no_regular_expression() -> None:
    assert not matches("SQ_WAVES", ".")
    assert not matches("SQ_WAVES", "SQ_WAVES[")
    assert matches("a.b", "A.B")


def test_the_nearest_names_are_offered_the_likest_first(native: FakeNative) -> None:
    agents = mp.counters("gfx942")
    assert nearest("fetchsize", agents) == ["FETCH_SIZE"]
    assert nearest("sq_wave*", agents) == ["SQ_WAVES"]
    assert nearest("zzzzzz", agents) == []


def test_live_gpus_carry_their_ordinals_and_their_reasons(native: FakeNative) -> None:
    native.be(machine("gfx942", None, "gfx90a", "gfx942"))
    agents = mp.counters(live=True, pattern="waves")
    assert [(agent.device, agent.device_index, names(agent), agent.reason) for agent in agents] == [
        ("gfx942", 0, ["SQ_WAVES"], ""),
        ("gfx000", 1, [], "gfx000 has no counters that this SDK can read"),
        ("gfx90a", 2, ["SQ_WAVES"], ""),
        ("gfx942", 3, ["SQ_WAVES"], ""),
    ]
    # Each kind is asked about once.
    assert [Path(word).name for word in native.planner_arguments] == [
        *("--device", "gfx942.json", "--device", "gfx90a.json", "--list")
    ]


@pytest.mark.parametrize(("device", "found"), [(2, [2]), ("2", [2]), ([2, 0, 2], [2, 0])])
def test_live_gpus_are_chosen_by_ordinal(native: FakeNative, device: int | str | list[int], found: list[int]) -> None:
    native.be(machine("gfx942", None, "gfx90a"))
    assert [agent.device_index for agent in mp.counters(device, live=True)] == found


@pytest.mark.parametrize("device", [3, -1, "gfx942", "00", ""])
def test_an_ordinal_that_is_not_there_is_misuse(native: FakeNative, device: int | str) -> None:
    native.be(machine("gfx942", "gfx90a"))
    with pytest.raises(UsageError, match=rf"no GPU '{device}' on this machine, only 0 \(gfx942\), 1 \(gfx90a\)"):
        mp.counters(device, live=True)


def test_simulating_is_for_live_gpus(native: FakeNative) -> None:
    with pytest.raises(UsageError, match=r"^simulate is for live"):
        mp.counters("gfx942", simulate="gfx942")
    with pytest.raises(UsageError, match=r"^simulate: 'gfx943' is no device.*did you mean gfx942"):
        mp.counters(live=True, simulate="gfx943")


def test_errors_of_the_machine_keep_their_words(native: FakeNative) -> None:
    native.be(machine())
    with pytest.raises(PlanError, match="lists no GPU"):
        mp.counters(live=True)
    native.be(machine(), code=5, err="rocprof-sys-multipass: error: no SDK\n")
    with pytest.raises(LaunchError, match=r"^no SDK$"):
        mp.counters(live=True)
    native.be(machine(), code=134, err="")
    with pytest.raises(NativeError, match=r"reader of counters failed .*exit code 134.*gave no reason"):
        mp.counters(live=True)


def test_a_missing_reader_is_named(native: FakeNative) -> None:
    reader = native.root / "bin/rocprofsys-multipass-counters"
    reader.unlink()
    with pytest.raises(NativeError, match=str(reader)):
        mp.counters(live=True)


@pytest.mark.parametrize("change", [{"schema": 2}, {"schema": None}])
def test_a_list_of_another_schema_is_reported(native: FakeNative, change: dict[str, int | None]) -> None:
    native.list(COUNTERS | change)
    with pytest.raises(NativeError, match="install the package again"):
        mp.counters("gfx942")


def test_a_list_without_a_member_is_reported(native: FakeNative) -> None:
    broken = copy.deepcopy(COUNTERS)
    del broken["agents"][0]["counters"][0]["kind"]
    native.list(broken)
    with pytest.raises(NativeError, match=r"kind.*install the package again"):
        mp.counters("gfx942")


def test_a_saved_catalogue_is_the_readers_own_file(native: FakeNative, tmp_path: Path) -> None:
    native.be(machine("gfx942", "gfx942"))
    path = tmp_path / "mine.json"
    path.write_text("an older and longer one, which is replaced", encoding="utf-8")
    saved = save_catalogue(path)
    assert path.read_text(encoding="utf-8") == '{"catalogue of": "gfx942"}'
    assert (saved.device, len(saved.counters)) == ("gfx942", 4)
    assert [entry.name for entry in tmp_path.glob("mine*")] == ["mine.json"]


def test_of_several_kinds_of_gpu_one_must_be_chosen(native: FakeNative, tmp_path: Path) -> None:
    native.be(machine(None, "gfx942", "gfx90a", "gfx942"))
    with pytest.raises(UsageError, match=r"there are 2: choose with device one of 1 \(gfx942\), 2 \(gfx90a\)$"):
        save_catalogue(tmp_path / "mine.json")
    assert not (tmp_path / "mine.json").exists()
    save_catalogue(tmp_path / "mine.json", [2])
    assert (tmp_path / "mine.json").read_text(encoding="utf-8") == '{"catalogue of": "gfx90a"}'


def test_a_gpu_without_counters_has_nothing_to_save(native: FakeNative, tmp_path: Path) -> None:
    native.be(machine("gfx942", None))
    with pytest.raises(OutputError, match="no counters to save: GPU 1: gfx000 has no counters"):
        save_catalogue(tmp_path / "mine.json", [1])


@pytest.mark.parametrize("place", ["none/mine.json", "folder"])
def test_a_file_that_cannot_be_written_leaves_nothing_behind(native: FakeNative, tmp_path: Path, place: str) -> None:
    (tmp_path / "folder").mkdir()
    before = sorted(tmp_path.iterdir())
    with pytest.raises(
        OutputError,
        match=f"{place} could not be written: .* errno .*; (make the folder first|name a file, this is a folder)",
    ):
        save_catalogue(tmp_path / place)
    assert sorted(tmp_path.iterdir()) == before


def test_a_pipe_or_device_is_written_to_and_not_replaced(native: FakeNative, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        save_catalogue(pipe)
        assert os.read(reader, 100) == b'{"catalogue of": "gfx942"}'
    finally:
        os.close(reader)
    assert pipe.is_fifo()


def test_a_link_to_a_catalogue_stays_a_link(native: FakeNative, tmp_path: Path) -> None:
    (tmp_path / "link.json").symlink_to(tmp_path / "mine.json")
    save_catalogue(tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "mine.json").read_text(encoding="utf-8") == '{"catalogue of": "gfx942"}'
