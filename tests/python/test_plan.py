# SPDX-License-Identifier: MIT
"""Plans: what the planner is asked, and what is made of its answer."""

from __future__ import annotations

import copy
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_native import PLAN, Cli, FakeNative, machine

import rocprofsys_multipass as mp
from rocprofsys_multipass.errors import ConfigError, LaunchError, NativeError, PlanError, UsageError
from rocprofsys_multipass.planned import UnknownCounter


def test_attributes_carry_the_names_and_values_of_the_json(native: FakeNative) -> None:
    plan = mp.plan("gfx942", ["SQ_WAVES"])

    agent = plan.agents[0]
    assert (agent.device, agent.device_index, agent.pass_count, agent.lower_bound) == ("gfx942", 0, 2, 2)
    assert (agent.proven_minimal, agent.proof) == (True, "bound")
    assert agent.passes[1].counters == ("SQ_WAVES", "WRITE_SIZE")
    assert agent.passes[1].sentinel == ("SQ_WAVES",)
    assert agent.passes[0].registers == {"SQ": 1, "TCC": 3}
    assert agent.passes[0].capacity == {"SQ": 8, "TCC": 4}
    assert (agent.groups[0].counters, agent.groups[0].pass_) == (("SQ_WAVES", "WRITE_SIZE"), 1)
    assert agent.partners == (
        mp.PartnersPlacement("hits and misses", ("HIT", "MISS"), None),
        mp.PartnersPlacement("waves and bytes", ("SQ_WAVES", "WRITE_SIZE"), 1),
    )
    assert agent.bounds == mp.PlanBounds(
        "slots",
        (mp.BlockBound("SQ", 1, 1, 8, 1, None, False), mp.BlockBound("TCC", 5, 5, 4, 2, None, True)),  # noqa: FBT003
        (),
        2,
    )
    assert agent.unplaceable[0] == mp.UnplaceableCounter("TOO_BIG", "needs 9 SQ registers of 8", "SQ", 9, 8)
    assert (plan.unknown[0].token, plan.unknown[0].column, plan.unknown[0].suggestion) == ("SQ_WAVE", 22, "SQ_WAVES")
    assert plan.unknown[0].reason == "not a counter of gfx942"
    assert plan.unknown[1].suggestion == ""
    assert plan.warnings == ("SQ_WAVES:device=3 is collected nowhere: there is only GPU 0",)
    assert plan.notes == ("X[99]: no single instance can be chosen",)
    assert plan.duplicates == ("FETCH_SIZE",)
    assert plan.ignored[0].token == "max_engine_clk"
    assert plan.schema == 1
    assert json.loads(plan.json) == PLAN


def test_a_plan_is_shown_in_one_short_line() -> None:
    one = mp.AgentPlan("gfx942", 0, 2, 2, True, "bound", (), (), ())  # noqa: FBT003 - in order of its fields
    assert repr(one) == "<AgentPlan gfx942 (GPU 0): 2 passes, proven minimal>"
    more = replace(one, device="tiny", device_index=1, pass_count=3, proven_minimal=False)
    assert repr(more) == "<AgentPlan tiny (GPU 1): 3 passes, at least 2 are needed>"
    unknown = (UnknownCounter("SQ_WAVE", 1, "SQ_WAVES"),)
    assert repr(mp.Plan((one, more), unknown, (), ())) == (
        "<Plan: gfx942 (GPU 0) 2 passes, tiny (GPU 1) 3 passes; unknown: SQ_WAVE>"
    )


def test_the_effort_of_a_plan_and_a_search_that_was_given_up_are_told(native: FakeNative) -> None:
    given_up = {**PLAN["agents"][0], "search_given_up": True}
    native.answer({**PLAN, "effort": 300_000, "agents": [given_up, {**given_up, "search_given_up": False}]})
    plan = mp.plan("gfx942", "A")
    assert (plan.effort, [agent.search_given_up for agent in plan.agents]) == (300_000, [True, False])


def test_a_planner_that_tells_neither_gave_up_nothing_as_far_as_is_known(native: FakeNative) -> None:
    plan = mp.plan("gfx942", "A")
    assert (plan.effort, plan.agents[0].search_given_up) == (None, False)


def test_a_list_is_handed_on_as_one_text(native: FakeNative) -> None:
    mp.plan("gfx942", ["SQ_WAVES", "FETCH_SIZE:device=1"], groups=[["A", "B"], "C,D"])
    assert native.planner_arguments == [
        *("--device", "gfx942"),
        *("--events", "SQ_WAVES,FETCH_SIZE:device=1"),
        *("--group", "A,B"),
        *("--group", "C,D"),
    ]


def test_sets_are_handed_on_one_by_one_and_need_no_counters(native: FakeNative) -> None:
    mp.plan("gfx942", sets=["memory", "cache"])
    assert native.planner_arguments == ["--device", "gfx942", "--set", "memory", "--set", "cache"]
    mp.plan("gfx942", sets="lds, stall")
    assert native.planner_arguments == ["--device", "gfx942", "--set", "lds", "--set", "stall"]


@pytest.mark.parametrize(
    ("panels", "asked"),
    [("17,2", "2,17"), (7, "7"), ([2, "7"], "2,7"), ("all", "2,3,5,6,7,10,11,12,13,14,15,16,17,18")],
)
def test_panels_are_handed_on_by_number_and_need_no_counters(native: FakeNative, panels: Any, asked: str) -> None:
    """In whatever form they are given."""
    mp.plan("gfx942", compute_panels=panels)
    assert native.planner_arguments == ["--device", "gfx942", "--compute-panels", asked]


def test_kept_instances_are_handed_on(native: FakeNative) -> None:
    """And what is the default is not."""
    mp.plan("gfx942", "A", instances="keep")
    assert native.planner_arguments[-2:] == ["--instances", "keep"]
    mp.plan("gfx942", "A", instances="sum")
    assert native.planner_arguments[-2:] == ["--events", "A"]


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"compute_panels": "4"}, "compute_panels: '4' is no panel: give all, or some of 2, 3, 5, 6, 7, 10, 11, 12,"),
        ({"compute_panels": []}, "compute_panels: it is empty: give all, or panels by number"),
        ({"compute_panels": True}, "compute_panels: True is of the wrong type: pass a text or a list"),
        ({"compute_panels": 2.0}, "compute_panels: 2.0 is of the wrong type: pass a text or a list"),
        ({"events": "A", "instances": "all"}, "instances: 'all'"),
    ],
)
def test_panels_and_instances_that_are_none_are_refused(
    native: FakeNative, keywords: dict[str, Any], message: str
) -> None:
    """Before the planner is asked."""
    with pytest.raises(UsageError, match=re.escape(message)):
        mp.plan("gfx942", **keywords)


def with_panels() -> dict[str, Any]:
    """The answer with a metric of a panel in a pass, one in two passes, and one with a counter that has no place."""
    of_panel = {"set": "panel 12", "unit": "", "formula": ""}
    whole = {"name": "12.1 Utilization", **of_panel, "counters": ["SQ_WAVES", "WRITE_SIZE"], "pass": 1}
    spread = {"name": "12.2 Accesses", **of_panel, "counters": ["FETCH_SIZE", "WRITE_SIZE"], "pass": None}
    lost = {"name": "12.2 Latency", **of_panel, "counters": ["SQ_WAVES", "TOO_BIG"], "pass": None}
    answer = copy.deepcopy(PLAN)
    answer["agents"][0]["metrics"] = [whole, spread, lost]
    return answer


def test_the_table_has_a_line_for_each_panel(cli: Cli, native: FakeNative) -> None:
    """Panel 12 has 14 metrics: 11 of them are not in the plan at all, and lost."""
    native.answer(with_panels())
    code, out, _ = cli("plan", "--device", "gfx942", "--compute-panels", "12", "--instances", "keep", "--explain")
    lines = [re.sub(r" +", " ", line).strip() for line in out.splitlines()]
    assert code == 0
    assert native.planner_arguments[2:6] == ["--compute-panels", "12", "--instances", "keep"]
    table = lines.index("panel title metrics in one pass in several lost")
    assert lines[table + 1] == "12 Local Data Share (LDS) 14 1 1 12"
    assert "- 12.2 Accesses has counters that no pass takes together: they are in passes 0, 1" in lines
    assert not any(line.startswith(("set metric", "group")) for line in lines)
    assert not any("waves and bytes" in line for line in lines)


@pytest.mark.parametrize(
    ("warning", "whole"),
    [
        ("GPU 0 (gfx942): 1 metric of rocprofiler-compute's panels is left out: the SDK does not list X", False),
        ("GPU 0 (gfx942): 3 metrics of rocprofiler-compute's panels are left out: the SDK does not list X", False),
        ("the channel tables of panel 18 will be empty: what single channels count is recorded with", True),
    ],
)
def test_a_plan_is_whole_when_every_metric_of_its_panels_is(*, native: FakeNative, warning: str, whole: bool) -> None:
    """Also when some are in several passes."""
    answer = with_panels()
    answer |= {"unknown": [], "warnings": [warning]}
    answer["agents"][0]["unplaceable"] = []
    native.answer(answer)
    assert mp.plan("gfx942", compute_panels=12).is_whole is whole


def test_the_words_of_metrics_that_are_left_out_are_those_of_the_planner() -> None:
    """By which a plan is not whole."""
    source = (Path(__file__).parents[2] / "library/metrics/panel_texts.cpp").read_text(encoding="utf-8")
    assert "rocprofiler-compute's panels\"" in source
    assert '" is left out: ' in source
    assert '" are left out: ' in source


def with_metrics() -> dict[str, Any]:
    """The answer with a metric that is in a pass, and one that is in none."""
    ratio = {"set": "memory", "unit": "KB/wave", "formula": "WRITE_SIZE / SQ_WAVES"}
    placed = {"name": "written", **ratio, "counters": ["SQ_WAVES", "WRITE_SIZE"], "pass": 1}
    lost = {"name": "lost", **ratio, "set": "cache", "counters": ["A", "B"], "pass": None}
    answer = copy.deepcopy(PLAN)
    answer["agents"][0]["metrics"] = [placed, lost]
    return answer


def test_metrics_have_their_counters_and_the_pass_that_reads_them(native: FakeNative) -> None:
    native.answer(with_metrics())
    assert mp.plan("gfx942", sets="memory").agents[0].metrics == (
        mp.PlannedMetric("written", "memory", "KB/wave", "WRITE_SIZE / SQ_WAVES", ("SQ_WAVES", "WRITE_SIZE"), 1),
        mp.PlannedMetric("lost", "cache", "KB/wave", "WRITE_SIZE / SQ_WAVES", ("A", "B"), None),
    )


def test_an_answer_without_metrics_is_read(native: FakeNative) -> None:
    assert "metrics" not in PLAN["agents"][0]
    assert mp.plan("gfx942", "A").agents[0].metrics == ()


def test_the_table_has_a_line_for_each_metric_in_place_of_its_group(cli: Cli, native: FakeNative) -> None:
    native.answer(with_metrics())
    code, out, _ = cli("plan", "--device", "gfx942", "--set", "memory,cache")
    lines = [re.sub(r" +", " ", line).strip() for line in out.splitlines()]
    assert code == 0
    assert native.planner_arguments[-6:] == ["--set", "memory", "--set", "cache", "--sentinel", "auto"]
    table = lines.index("set metric unit pass counters")
    assert lines[table : table + 3] == [
        "set metric unit pass counters",
        "memory written KB/wave 1 SQ_WAVES, WRITE_SIZE",
        "cache lost KB/wave none A, B",
    ]
    assert not any(line.startswith("group") for line in lines)


def test_an_effort_is_handed_on(native: FakeNative) -> None:
    mp.plan("gfx942", "A", effort=0)
    assert native.planner_arguments[-2:] == ["--effort", "0"]


def test_without_an_effort_the_planner_uses_its_own(native: FakeNative) -> None:
    mp.plan("gfx942", "A")
    assert "--effort" not in native.planner_arguments


@pytest.mark.parametrize(("asked", "text"), [("auto", "auto"), (["A", "B:device=1"], "A,B:device=1"), ("A B", "A B")])
def test_sentinels_are_handed_on(native: FakeNative, asked: str | list[str], text: str) -> None:
    mp.plan("gfx942", "A", sentinel=asked)
    assert native.planner_arguments[-2:] == ["--sentinel", text]


def test_without_sentinels_the_planner_uses_its_own(native: FakeNative) -> None:
    mp.plan("gfx942", "A")
    assert "--sentinel" not in native.planner_arguments


@pytest.mark.parametrize("asked", ["", [], "A,auto", ["None"]])
def test_sentinels_that_cannot_be_read_are_refused(native: FakeNative, asked: str | list[str]) -> None:
    with pytest.raises(UsageError, match=r"^sentinel: "):
        mp.plan("gfx942", "A", sentinel=asked)


def test_the_place_of_an_unknown_token_is_known_of_older_plans_too(native: FakeNative) -> None:
    token = {"token": "B", "suggestion": None, "reason": "not a counter"}
    native.answer({**PLAN, "unknown": [{**token, "column": 3}, {**token, "column": 0}]})
    assert [u.place for u in mp.plan("gfx942", "A").unknown] == ["events", "group"]


@pytest.mark.parametrize("effort", [-1, 2**63, True, 1.5, "10"])
def test_an_effort_that_is_no_number_of_placements_is_refused(native: FakeNative, effort: object) -> None:
    with pytest.raises(UsageError, match=r"^effort: .* is no whole number from 0 to 9223372036854775807$"):
        mp.plan("gfx942", "A", effort=effort)  # type: ignore[arg-type]


def test_a_text_is_handed_on_as_it_is(native: FakeNative) -> None:
    mp.plan("gfx942", " A;;B\t")
    assert native.planner_arguments[3] == " A;;B\t"


def test_devices_keep_their_order_and_may_be_files(native: FakeNative, tmp_path: Path) -> None:
    mp.plan(["gfx942", tmp_path / "mine.json"], "A")
    assert native.planner_arguments[:4] == ["--device", "gfx942", "--device", str(tmp_path / "mine.json")]


def test_several_names_may_stand_in_one_text(native: FakeNative) -> None:
    mp.plan("gfx942, gfx1100", "A")
    assert native.planner_arguments[:4] == ["--device", "gfx942", "--device", "gfx1100"]


def test_a_file_with_a_comma_in_its_name_is_one_device(native: FakeNative, tmp_path: Path) -> None:
    file = tmp_path / "a,b.json"
    file.write_text("{}", encoding="utf-8")
    mp.plan(str(file), "A")
    assert native.planner_arguments[:3] == ["--device", str(file), "--events"]


def test_a_plan_that_places_nothing_is_an_answer_not_an_error(native: FakeNative) -> None:
    empty = copy.deepcopy(PLAN)
    empty["agents"][0].update(pass_count=0, lower_bound=0, passes=[], groups=[])
    native.answer(empty, code=4)
    plan = mp.plan("gfx942", "TOO_BIG")
    assert plan.agents[0].pass_count == 0
    assert plan.agents[0].unplaceable[0].counter == "TOO_BIG"


def test_members_of_a_newer_planner_are_skipped(native: FakeNative) -> None:
    newer = copy.deepcopy(PLAN)
    newer["cost"] = newer["agents"][0]["cost"] = newer["agents"][0]["passes"][0]["cost"] = 1
    native.answer(newer)
    assert mp.plan("gfx942", "A").agents[0].pass_count == 2


@pytest.mark.parametrize("events", ["", " ,; \n", []])
def test_an_empty_list_is_misuse(native: FakeNative, events: str | list[str]) -> None:
    with pytest.raises(UsageError, match="no counter was given"):
        mp.plan("gfx942", events)


def test_no_device_is_misuse(native: FakeNative) -> None:
    with pytest.raises(UsageError, match="no device was given"):
        mp.plan([], "A")


@pytest.mark.parametrize(("code", "kind"), [(2, UsageError), (3, ConfigError), (1, NativeError), (139, NativeError)])
def test_a_refusal_is_raised_with_the_planners_words(native: FakeNative, code: int, kind: type[Exception]) -> None:
    native.answer("", code=code, err="gfx9999 is not known\n")
    with pytest.raises(kind, match="gfx9999 is not known"):
        mp.plan("gfx9999", "A")


@pytest.mark.parametrize(("code", "kind"), [(2, UsageError), (3, ConfigError)])
def test_a_refusal_has_no_prefix_of_the_planner(native: FakeNative, code: int, kind: type[Exception]) -> None:
    native.answer("", code=code, err="rocprof-sys-multipass: error: gfx9999 is not known\nsee gfx942\n")
    with pytest.raises(kind, match=r"^gfx9999 is not known; see gfx942$"):
        mp.plan("gfx9999", "A")


def test_a_plan_of_an_older_planner_has_no_notes(native: FakeNative) -> None:
    older = {name: value for name, value in PLAN.items() if name not in ("warnings", "notes")}
    older["unknown"] = [{"token": "A", "column": 1, "suggestion": None}]
    native.answer(older)
    plan = mp.plan("gfx942", "A")
    assert (plan.warnings, plan.notes, plan.unknown[0].reason) == ((), (), "")


@pytest.mark.parametrize("text", ["", "[]", '{"schema": 1}', '{"schema": 2}', "{"])
def test_an_answer_that_is_no_plan_is_reported(native: FakeNative, text: str) -> None:
    native.answer(text)
    with pytest.raises(NativeError, match="install"):
        mp.plan("gfx942", "A")


def test_a_missing_planner_is_named(native: FakeNative) -> None:
    planner = native.root / "bin/rocprofsys-multipass-plan"
    planner.unlink()
    with pytest.raises(NativeError, match=str(planner)):
        mp.plan("gfx942", "A")


def test_a_wrong_folder_in_the_environment_is_named(native: FakeNative, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROCPROFSYS_MULTIPASS_NATIVE", "/nowhere/native")
    with pytest.raises(NativeError, match="ROCPROFSYS_MULTIPASS_NATIVE=/nowhere/native is not a folder"):
        mp.plan("gfx942", "A")


@pytest.mark.parametrize(("events", "groups", "what"), [("A\udcff", (), "events"), ("A", ("A,\udcff",), "a group")])
def test_a_counter_that_is_no_text_is_misuse(
    native: FakeNative, events: str, groups: tuple[str, ...], what: str
) -> None:
    with pytest.raises(UsageError, match=f"{what}: .*is not UTF-8 from column"):
        mp.plan("gfx942", events, groups)


def test_groups_alone_are_a_request(native: FakeNative) -> None:
    mp.plan("gfx942", groups=[["A", "B"]])
    assert native.planner_arguments == ["--device", "gfx942", "--group", "A,B"]


def test_a_live_plan_is_for_each_gpu_of_the_machine(native: FakeNative) -> None:
    native.be(machine("gfx942", None, "gfx90a", "gfx942"))
    mp.plan(live=True, events="A")
    words = native.planner_arguments
    assert words[0::2] == ["--device"] * 4 + ["--events"]
    assert [Path(word).name for word in words[1:8:2]] == ["gfx942.json", "empty-1.json", "gfx90a.json", "gfx942.json"]
    assert native.planner_catalogues == [
        {"catalogue of": "gfx942"},
        {"schema": 1, "agent": {"name": "gfx000"}, "slots": {}, "counters": []},
        {"catalogue of": "gfx90a"},
        {"catalogue of": "gfx942"},
    ]
    assert not Path(words[1]).exists()  # the folder is gone


def test_a_live_plan_takes_simulated_gpus(native: FakeNative, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", "/opt/lib")
    mp.plan(live=True, simulate="gfx90a,gfx942", events="A")
    assert native.reader_environment["ROCPROFSYS_MULTIPASS_SIMULATE"] == "gfx90a,gfx942"
    assert native.reader_environment["LD_LIBRARY_PATH"] == f"{native.root}/sim:/opt/lib"


def test_a_live_plan_takes_the_simulated_gpus_of_the_environment(
    native: FakeNative, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROCPROFSYS_MULTIPASS_SIMULATE", "gfx942")
    mp.plan(live=True, events="A")
    assert native.reader_environment["LD_LIBRARY_PATH"].startswith(f"{native.root}/sim")


def test_real_gpus_are_asked_with_the_environment_as_it_is(native: FakeNative, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", "/opt/lib")
    mp.plan(live=True, events="A")
    assert native.reader_environment["LD_LIBRARY_PATH"] == "/opt/lib"
    assert "ROCPROFSYS_MULTIPASS_SIMULATE" not in native.reader_environment


def test_a_machine_without_a_gpu_is_an_error_with_what_the_sdk_said(native: FakeNative) -> None:
    native.be(machine(), err="no kfd here\n")
    with pytest.raises(PlanError, match=r"rocprofiler-sdk 1\.4\.1 \(/opt/x\.so\) lists no GPU.*: no kfd here"):
        mp.plan(live=True, events="A")


def test_a_machine_without_an_sdk_is_a_launch_error(native: FakeNative) -> None:
    native.be(machine(), code=5, err="rocprof-sys-multipass: error: rocprofiler-sdk cannot be loaded\n")
    with pytest.raises(LaunchError, match=r"^rocprofiler-sdk cannot be loaded$"):
        mp.plan(live=True, events="A")


@pytest.mark.parametrize("index", ["[]", "{}", '{"schema": 2}', '{"schema": 1, "sdk": {}, "agents": []}'])
def test_an_index_that_is_not_understood_is_reported(native: FakeNative, index: str) -> None:
    native.be(machine())
    (native.root / "bin/machine.json").write_text(index, encoding="utf-8")
    (native.root / "bin/rocprofsys-multipass-counters").write_text(f"#!/bin/sh\necho '{index}'\n", encoding="utf-8")
    with pytest.raises(NativeError, match="install the package again"):
        mp.plan(live=True, events="A")


def test_live_and_named_devices_exclude_each_other(native: FakeNative) -> None:
    with pytest.raises(UsageError, match=r"^device and live exclude each other: give one of them$"):
        mp.plan("gfx942", "A", live=True)
    with pytest.raises(UsageError, match=r"^simulate is for live"):
        mp.plan("gfx942", "A", simulate="gfx942")


@pytest.mark.parametrize("events", [5, None, ["SQ_WAVES", 3], {"SQ_WAVES": 1, 3: 4}])
def test_what_is_no_list_of_names_is_told(events: object) -> None:
    with pytest.raises(UsageError, match=r"^events: (5|None|3) is no text: give a list of names"):
        mp.plan("gfx942", events)  # type: ignore[arg-type]


def test_a_list_that_is_too_long_to_pass_on_is_told(native: FakeNative) -> None:
    with pytest.raises(UsageError, match=r"has 200000 bytes, which this system does not pass on: ask for fewer"):
        mp.plan("gfx942", "A" * 200_000)


def test_several_lists_of_events_are_one(cli: Cli, native: FakeNative) -> None:
    code, _, _ = cli("plan", "--device", "gfx942", "--events", "SQ_WAVES", "--events", "TCC_HIT TCC_MISS")
    assert code == 0
    at = native.planner_arguments.index("--events")
    assert native.planner_arguments[at + 1] == "SQ_WAVES,TCC_HIT TCC_MISS"
