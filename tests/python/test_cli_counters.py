# SPDX-License-Identifier: MIT
"""The command ``counters``: tables, JSON, what is said when nothing is found, and misuse."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from fake_native import COUNTERS, Cli, FakeNative, machine


def lines(out: str) -> list[str]:
    return [re.sub(r" +", " ", line).strip() for line in out.splitlines()]


def test_without_anything_the_known_devices_are_listed(cli: Cli) -> None:
    code, out, err = cli("counters")
    assert (code, err) == (0, "")
    assert lines(out) == [
        "device counters registers per pass",
        "gfx942 4 SQ 8, TCC 4",
        "counters of one: rocprof-sys-multipass counters --device NAME; of this machine: --live",
    ]


def test_a_device_has_a_table_of_its_counters(cli: Cli) -> None:
    code, out, err = cli("counters", "--device", "gfx942")
    assert (code, err) == (0, "")
    assert lines(out) == [
        "gfx942: 4 counters",
        "registers per pass: SQ 8, TCC 4",
        "name block kind instances registers description",
        "FETCH_SIZE derived 1 TCC 3 Kilobytes read",
        "LostSum derived 1 not known: GONE",
        "SQ_WAVES SQ base 32 SQ 1 Waves launched",
        "simd_count constant 1",
    ]
    assert max(map(len, out.splitlines())) <= 100


def test_a_long_name_stays_whole_in_100_columns(cli: Cli, native: FakeNative) -> None:
    long = json.loads(json.dumps(COUNTERS))
    name = "TCP_TCP_TA_DATA_STALL_CYCLES_OF_FORTYFIVE_SUM"
    long["agents"][0]["counters"][0].update(name=name, description="word " * 40, registers={"GRBM": 1, "TCC": 4})
    native.list(long)
    _, out, _ = cli("counters", "--device", "gfx942")
    assert name in out
    assert max(map(len, out.splitlines())) <= 100


def test_a_pattern_leaves_out_what_does_not_match(cli: Cli) -> None:
    code, out, err = cli("counters", "--device", "gfx942", "wAv")
    assert (code, err) == (0, "")
    assert lines(out)[:2] == ["gfx942: 1 of 4 counters", "registers per pass: SQ 8, TCC 4"]
    assert lines(out)[3:] == ["SQ_WAVES SQ base 32 SQ 1 Waves launched"]


def test_a_pattern_without_a_device_is_looked_for_in_each(cli: Cli, native: FakeNative) -> None:
    code, out, _ = cli("counters", "wav")
    assert code == 0
    assert native.planner_arguments == ["--list"]
    assert "SQ_WAVES" in out


def test_nothing_found_is_no_error_and_names_what_is_near(cli: Cli) -> None:
    code, out, err = cli("counters", "--device", "gfx942", "SQ_WAVS")
    assert code == 0
    assert lines(out) == ["gfx942: 0 of 4 counters", "registers per pass: SQ 8, TCC 4"]
    assert err == "rocprof-sys-multipass: no counter matches 'SQ_WAVS'; near: SQ_WAVES\n"
    assert cli("counters", "--device", "gfx942", "zzzzz")[2] == ("rocprof-sys-multipass: no counter matches 'zzzzz'\n")
    assert "matches '\N{SYMBOL FOR ESCAPE}[31m'" in cli("counters", "--device", "gfx942", "\x1b[31m")[2]


def test_the_json_has_every_member_of_the_answer(cli: Cli) -> None:
    code, out, err = cli("counters", "--device", "gfx942", "--json")
    assert (code, err) == (0, "")
    agent = COUNTERS["agents"][0]
    assert json.loads(out) == {"schema": 1, "agents": [{**agent, "reason": ""}]}


def test_the_json_of_nothing_found_is_whole(cli: Cli) -> None:
    code, out, err = cli("counters", "--device", "gfx942", "zzzzz", "--json")
    assert code == 0
    assert json.loads(out)["agents"][0]["counters"] == []
    assert "no counter matches" in err


def test_live_gpus_of_one_kind_are_one_table(cli: Cli, native: FakeNative) -> None:
    native.be(machine("gfx942", None, "gfx942"))
    code, out, _ = cli("counters", "--live", "waves")
    assert code == 0
    assert lines(out) == [
        "gfx942 (GPU 0, 2; MI300X): 1 of 4 counters",
        "registers per pass: SQ 8, TCC 4",
        "name block kind instances registers description",
        "SQ_WAVES SQ base 32 SQ 1 Waves launched",
        "gfx000 (GPU 1): no counters: gfx000 has no counters that this SDK can read",
    ]


def test_save_writes_the_file_and_says_how_to_use_it(cli: Cli, tmp_path: Path) -> None:
    code, out, err = cli("counters", "--live", "--simulate", "gfx942", "--save", "mine")
    assert (code, err) == (0, "")
    assert out == ("wrote mine: 4 counters of gfx942; rocprof-sys-multipass plan --device ./mine plans with it\n")
    assert (tmp_path / "mine").read_text(encoding="utf-8") == '{"catalogue of": "gfx942"}'


@pytest.mark.parametrize(
    ("argv", "code", "message"),
    [
        (["--save", "x.json"], 2, "--save is for --live"),
        (["--live", "--save", "x.json", "--json"], 2, "--save writes a whole catalogue"),
        (["--live", "--save", "x.json", "waves"], 2, "--save writes a whole catalogue"),
        (["--simulate", "gfx942"], 2, "--simulate is for --live"),
        (["--live", "--device", "7"], 2, "--device: there is no GPU '7' on this machine, only 0 (gfx942)"),
        (["--live", "--save", "none/x.json"], 7, "none/x.json could not be written: No such file"),
        (["A", "B"], 2, "unrecognized arguments: B"),
    ],
)
def test_misuse_is_one_line_on_stderr(cli: Cli, argv: list[str], code: int, message: str) -> None:
    found, out, err = cli("counters", *argv)
    assert (found, out) == (code, "")
    assert err.startswith(f"rocprof-sys-multipass: error: {message}")
    assert err.count("\n") == 1


@pytest.mark.parametrize(("machine_code", "code"), [(5, 5), (7, 7), (134, 5)])
def test_the_exit_code_of_the_reader_is_kept(cli: Cli, native: FakeNative, machine_code: int, code: int) -> None:
    native.be(machine(), code=machine_code, err="rocprof-sys-multipass: error: why\n")
    found, out, err = cli("counters", "--live")
    assert (found, out) == (code, "")
    assert err.startswith("rocprof-sys-multipass: error: ")
    assert "why" in err


def test_a_live_plan_names_the_place_of_a_device_that_cannot_be_simulated(
    cli: Cli, native: FakeNative, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("mine.yaml").write_text("simulate: gfx8\n", encoding="utf-8")
    code, out, err = cli("plan", "--live", "--config", "mine.yaml", "--events", "A")
    assert (code, out) == (3, "")
    assert err.startswith("rocprof-sys-multipass: error: mine.yaml:1:1: simulate: 'gfx8' is no device")
    monkeypatch.setenv("ROCPROFSYS_MULTIPASS_SIMULATE", "gfx9")
    code, out, err = cli("plan", "--live", "--events", "A")
    assert (code, out) == (3, "")
    assert err.startswith("rocprof-sys-multipass: error: ROCPROFSYS_MULTIPASS_SIMULATE: 'gfx9' is no device")


def test_a_live_plan_without_a_gpu_is_exit_code_4(cli: Cli, native: FakeNative) -> None:
    native.be(machine())
    code, out, err = cli("plan", "--live", "--events", "A")
    assert (code, out) == (4, "")
    assert "lists no GPU on this machine" in err


def test_sets_are_listed_with_the_formulas_of_a_device(cli: Cli, native: FakeNative) -> None:
    code, out, err = cli("counters", "--sets", "--device", "gfx1201", "stall")
    assert (code, err) == (0, "")
    assert lines(out) == [
        "stall: What waves wait for",
        "metric unit formula",
        "wait_share % 100 * SQ_WAIT_ANY / SQ_WAVE_CYCLES",
        "issue_wait_share % 100 * SQ_WAIT_INST_ANY / SQ_WAVE_CYCLES",
    ]


def test_sets_without_a_device_say_where_each_formula_holds(cli: Cli) -> None:
    code, out, _ = cli("counters", "--sets", "mfma_busy")
    assert code == 0
    assert lines(out)[2:] == [
        "mfma_busy % gfx90a 100 * SQ_VALU_MFMA_BUSY_CYCLES / (GRBM_GUI_ACTIVE * simd_count)",
        "gfx942, gfx950 100 * SQ_VALU_MFMA_BUSY_CYCLES * num_xcc / (GRBM_GUI_ACTIVE * simd_count)",
    ]


def test_sets_as_json_have_counters_and_descriptions(cli: Cli) -> None:
    code, out, _ = cli("counters", "--sets", "--device", "gfx90a", "--json", "L2_HIT")
    data = json.loads(out)
    assert (code, data["schema"]) == (0, 1)
    assert [one["name"] for one in data["sets"]] == ["memory", "cache", "occupancy", "compute", "stall", "lds"]
    assert data["sets"][1]["metrics"] == [
        {
            "name": "l2_hit_rate",
            "unit": "%",
            "description": "Requests that the L2 cache answers itself",
            "architectures": ["gfx908", "gfx90a", "gfx942", "gfx950"],
            "formula": "100 * TCC_HIT_sum / (TCC_HIT_sum + TCC_MISS_sum)",
            "counters": ["TCC_HIT_sum", "TCC_MISS_sum"],
        }
    ]
    assert all(not one["metrics"] for one in data["sets"] if one["name"] != "cache")


def test_sets_of_a_catalogue_are_those_of_its_architecture(cli: Cli, native: FakeNative) -> None:
    code, out, _ = cli("counters", "--sets", "l2_hit_rate", "--device", "./gfx942.json")
    assert code == 0
    assert lines(out)[2:] == ["l2_hit_rate % 100 * TCC_HIT_sum / (TCC_HIT_sum + TCC_MISS_sum)"]
    assert native.planner_arguments == ["--device", "./gfx942.json", "--list"]


def test_a_metric_that_is_not_there_is_said_on_stderr(cli: Cli) -> None:
    code, out, err = cli("counters", "--sets", "--device", "gfx942", "nothing")
    assert (code, out) == (0, "")
    assert err == "rocprof-sys-multipass: no metric matches 'nothing' for gfx942\n"
