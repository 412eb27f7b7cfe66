# SPDX-License-Identifier: MIT
"""One table gives every place that an option is named in, and the order of the places that its value is from."""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocprofsys_multipass as mp
from rocprofsys_multipass.cli.commands.run import add_run_options, given_options
from rocprofsys_multipass.config import (
    PYTHON,
    RUN_OPTIONS,
    Option,
    RunConfig,
    find_option,
    given_of,
    handover_document,
    resolve_plan_request,
    resolve_run,
)
from rocprofsys_multipass.config import docs as config_docs
from rocprofsys_multipass.config.option import PREFIX
from rocprofsys_multipass.config.schema import OTHER_VARIABLES
from rocprofsys_multipass.errors import ConfigError, UsageError

PAGE = Path(__file__).parents[2] / "docs/formats/config.md"

# Per option: the member of RunConfig, and for each place a text of its own. The last one is the fallback's, where the
# option has one.
CASES: dict[str, tuple[str, list[str]]] = {
    "events": ("events", ["A", "B,C", "D:device=1", "E"]),
    "group": ("groups", ["A,B", "C,D;E,F", "G,H"]),
    "set": ("sets", ["memory", "cache,lds", "compute"]),
    "compute-panels": ("compute_panels", ["2", "7,17", "all"]),
    "instances": ("instances", ["keep", "sum", "keep"]),
    "kernel-include": ("kernel_include", ["a+", "b|c", "^d"]),
    "kernel-exclude": ("kernel_exclude", ["a+", "b|c", "^d"]),
    "range": ("range", ["1", "2-3", "4,6"]),
    "gpus": ("gpus", ["0", "1-2", "3,5"]),
    "ranks": ("ranks", ["0", "1-2", "3,5"]),
    "roctx": ("roctx", ["on", "off", "on"]),
    "roctx-include": ("roctx_include", ["a+", "b|c", "^d"]),
    "roctx-exclude": ("roctx_exclude", ["a+", "b|c", "^d"]),
    "selected-regions": ("selected_regions", ["on", "off", "on"]),
    "no-replay": ("no_replay", ["a+", "b|c", "^d"]),
    "replay-everything": ("replay_everything", ["on", "off", "on"]),
    "max-replays": ("max_replays", ["1", "none", "300"]),
    "replay-budget": ("replay_budget", ["90s", "none", "5m,10%"]),
    "unsafe": ("unsafe", ["managed_memory", "all", "budget,collectives"]),
    "host-memory": ("host_memory", ["64GB", "512MB", "1TiB"]),
    "warm-up-pass": ("warm_up_pass", ["on", "off", "on"]),
    "timing-pass": ("timing_pass", ["on", "off", "on"]),
    "permute-groups": ("permute_groups", ["on", "off", "on"]),
    "replay": ("replay", ["kernel", "off", "rotate"]),
    "sentinel": ("sentinel", ["none", "A,B", "auto"]),
    "simulate": ("simulate", ["gfx942", "gfx90a,tiny", "tiny"]),
    "output": ("output", ["a", "b/c", "d", "e"]),
    "overwrite": ("overwrite", ["on", "off", "on"]),
    "force": ("force", ["on", "off", "on"]),
    "strict": ("strict", ["on", "off", "on"]),
    "no-merge": ("no_merge", ["on", "off", "on"]),
    "format": ("formats", ["rocpd", "perfetto", "rocpd,perfetto"]),
    "trace-counters": ("trace_counters", ["none", "all", "none"]),
    "compute-release": ("compute_release", ["3.6", "3.3", "3.9"]),
    "layout": ("layout", ["strict", "canonical", "strict"]),
    "quiet": ("quiet", ["on", "off", "on"]),
    "verbose": ("verbose", ["on", "off", "on"]),
}
FILE_OPTIONS = [option for option in RUN_OPTIONS.values() if option.in_file]


def text_of(option: Option, place: int) -> str:
    return CASES[option.name][1][place]


def resolve(places: set[str], option: Option, folder: Path) -> RunConfig:
    """The configuration where the option is set in these places: call, variable, file, fallback."""
    events = {} if option.name == "events" else {"events": "X"}
    given: dict[str, Any] = dict(events)
    environ = {}
    file = folder / "m.yaml"
    file.write_text(f"{option.key}: '{text_of(option, 2)}'\n" if "file" in places else "", encoding="utf-8")
    given["config"] = str(file)
    if "call" in places:
        given[option.name] = text_of(option, 0)
    if "variable" in places:
        environ[option.variable] = text_of(option, 1)
    if option.fallback and "fallback" in places:
        environ[option.fallback] = text_of(option, 3)
    return resolve_run(["app"], given, environ)


ORDER = ("call", "variable", "file", "fallback")


@pytest.mark.parametrize("option", FILE_OPTIONS, ids=lambda option: option.name)
@settings(deadline=None)  # other work on the machine is no fault
@given(places=st.sets(st.sampled_from(ORDER)))
def test_the_highest_place_that_sets_an_option_decides(
    option: Option, places: set[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.getbasetemp()
    setting = [place for place in ORDER if place in places and (place != "fallback" or option.fallback)]
    if not setting and option.name == "events":
        with pytest.raises(UsageError, match="no counters were asked for"):
            resolve(places, option, folder)
        return
    config = resolve(places, option, folder)
    found = getattr(config, CASES[option.name][0])
    if setting:
        assert found == option.parse(text_of(option, ORDER.index(setting[0])))
        assert config.source(option.name).kind == setting[0]
    else:
        expected = "rocprof-sys-multipass-output/app" if option.name == "output" else option.default
        assert found == expected
        assert config.source(option.name).kind == "default"


def test_every_option_has_a_case_here_and_a_member_of_the_configuration() -> None:
    assert set(CASES) | {"config"} == set(RUN_OPTIONS)
    members = {field.name for field in dataclasses.fields(RunConfig)} - {"sources"}
    assert members == {member for member, _ in CASES.values()}


def test_every_option_is_one_of_the_command_line() -> None:
    parser = argparse.ArgumentParser()
    add_run_options(parser)
    words = []
    for name, option in RUN_OPTIONS.items():
        words += [f"--{name}"] if option.kind == "flag" else [f"--{name}", f"value of {name}"]
    given_values = given_options(parser.parse_args(words))
    assert given_values == {
        name: True if option.kind == "flag" else f"value of {name}" for name, option in RUN_OPTIONS.items()
    }
    assert given_options(parser.parse_args([])) == dict.fromkeys(RUN_OPTIONS)


def test_groups_of_the_command_line_come_together() -> None:
    parser = argparse.ArgumentParser()
    add_run_options(parser)
    args = parser.parse_args(["--group", "A,B", "--group", "C,D"])
    config = resolve_run(["app"], given_options(args) | {"events": "A"}, {})
    assert config.groups == (("A", "B"), ("C", "D"))


def test_every_option_is_a_keyword_of_the_call() -> None:
    keywords = set(inspect.signature(mp.run).parameters) - {"command", "env", "cwd", "capture"}
    assert keywords == {option.python for option in RUN_OPTIONS.values()}
    documented = re.findall(r"^    (\w+): ", inspect.getdoc(mp.run) or "", re.MULTILINE)
    assert keywords <= set(documented)


def test_values_of_python_are_read_as_their_texts() -> None:
    found = given_of(
        {
            "events": ["A", "B:device=1"],
            "groups": [["A", "B"], "C,D"],
            "range": [1, "4-6"],
            "simulate": ("gfx942", Path("d/tiny.json")),
            "output": Path("o/p"),
            "quiet": False,
            "formats": "rocpd",
        }
    )
    assert {name: value for name, value in found.items() if value is not None} == {
        "events": "A,B:device=1",
        "group": "A,B;C,D",
        "range": "1,4-6",
        "simulate": "gfx942,d/tiny.json",
        "output": "o/p",
        "quiet": False,
        "format": "rocpd",
    }
    assert given_of({"range": 3})["range"] == "3"
    assert given_of({"compute_panels": 7})["compute-panels"] == "7"
    assert given_of({"compute_panels": [2, "7"]})["compute-panels"] == "2,7"
    assert given_of({"gpus": [0, "2-3"], "ranks": [0, 8], "max_replays": 5}) == given_of(
        {"gpus": "0,2-3", "ranks": "0,8", "max_replays": "5"}
    )


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"events": 5}, "events: 5 is of the wrong type: pass a text or a list"),
        ({"events": ["A", None]}, "events: None is of the wrong type: pass a text or a list"),
        ({"replay": ["off"]}, "replay: ['off'] is of the wrong type: pass a text"),
        ({"max_replays": 2.0}, "max_replays: 2.0 is of the wrong type: pass a text or a number"),
        ({"groups": [5]}, "groups: 5 is of the wrong type: pass a list of lists"),
        ({"layout": True}, "layout: True is of the wrong type: pass a text"),
        ({"quiet": 1}, "quiet: 1 is of the wrong type: pass True or False"),
        ({"output": b"out"}, "output: b'out' is of the wrong type: pass a text"),
    ],
)
def test_a_value_of_a_wrong_type_in_a_call_is_misuse(keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=f"^{re.escape(message)}$"):
        given_of(keywords)


def test_a_flag_is_no_text() -> None:
    with pytest.raises(UsageError, match=r"^replay: True is no text$"):
        resolve_run(["app"], {"events": "A", "replay": True}, {}, PYTHON)


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("range", "0", "'0' is not a range: there is no launch 0"),
        ("gpus", "-1", "'-1' is not a list of GPUs: '-1' is neither a number nor two with '-' between them"),
        ("ranks", "1-", "'1-' is not a list of ranks: '1-' is neither a number nor two with '-' between them"),
        ("max-replays", "0", "'0' is neither a number from 1 to 4294967295 nor none: to replay nothing, use 'replay"),
        ("replay-budget", "90", "'90' has no unit: write a duration such as 500ms, 90s, 5m or 1h"),
        ("unsafe", "managed-memory", "'managed-memory' is not one of virtual_memory, managed_memory, pool_memory"),
        (
            "host-memory",
            "64G",
            "'64G' has the unit 'G', not one of B, KB, MB, GB, TB, KiB, MiB, GiB, TiB: write a size",
        ),
        ("no-replay", "a(", "'a(' is not a regular expression"),
        ("kernel-include", "a(", "'a(' is not a regular expression"),
        ("kernel-exclude", "[", "'[' is not a regular expression"),
    ],
)
def test_a_wrong_filter_is_told_where_it_is_given(name: str, text: str, reason: str) -> None:
    with pytest.raises(UsageError, match=re.escape(f"--{name}: {reason}")):
        resolve_run(["app"], {"events": "A", name: text}, {})
    with pytest.raises(UsageError, match=re.escape(f"{name.replace('-', '_')}: {reason}")):
        resolve_run(["app"], {"events": "A", name: text}, {}, PYTHON)
    variable = RUN_OPTIONS[name].variable
    with pytest.raises(ConfigError, match=re.escape(f"{variable}: {reason}")):
        resolve_run(["app"], {"events": "A"}, {variable: text})


def test_filters_are_handed_over_when_they_are_given() -> None:
    given_values = {"events": "A", "kernel-include": "a|b", "kernel-exclude": "^c", "range": "[2-3]"}
    config = resolve_run(["app"], given_values, {})
    document = handover_document(config, Path("/o"), host="h", spawn_exporter=False)
    assert {name: document[name] for name in ("kernel_include", "kernel_exclude", "range")} == {
        "kernel_include": "a|b",
        "kernel_exclude": "^c",
        "range": "2-3",
    }
    bare = handover_document(resolve_run(["app"], {"events": "A"}, {}), Path("/o"), host="h", spawn_exporter=False)
    assert not {"kernel_include", "kernel_exclude", "range"} & set(bare)


def test_limits_of_replay_are_handed_over_when_they_are_given() -> None:
    given_values = {"events": "A", "gpus": "2-3,0", "ranks": "8,0,1", "no-replay": "^s", "max-replays": "07"}
    given_values["replay-everything"] = True
    config = resolve_run(["app"], given_values, {})
    document = handover_document(config, Path("/o"), host="h", spawn_exporter=False)
    limits = {"gpus": "0,2-3", "ranks": "0-1,8", "no_replay": "^s", "replay_everything": True, "max_replays": 7}
    assert {name: document[name] for name in limits} == limits
    bare = handover_document(resolve_run(["app"], {"events": "A"}, {}), Path("/o"), host="h", spawn_exporter=False)
    assert not set(limits) & set(bare)


def test_what_makes_replay_stop_is_handed_over_as_numbers_and_names() -> None:
    given_values = {
        "events": "A",
        "replay-budget": "90s,2.5%",
        "unsafe": "budget,managed_memory",
        "host-memory": "64GB",
    }
    config = resolve_run(["app"], given_values, {})
    document = handover_document(config, Path("/o"), host="h", spawn_exporter=False)
    assert {name: document[name] for name in ("replay_budget", "unsafe", "host_memory")} == {
        "replay_budget": {"seconds": 90.0, "share": 0.025},
        "unsafe": ["managed_memory", "budget"],
        "host_memory": 64_000_000_000,
    }


def test_no_limit_is_handed_over_as_0_and_a_limit_of_the_mode_not_at_all() -> None:
    config = resolve_run(["app"], {"events": "A", "replay-budget": "none", "max-replays": "none"}, {})
    document = handover_document(config, Path("/o"), host="h", spawn_exporter=False)
    assert (document["replay_budget"], document["max_replays"]) == ({"seconds": 0, "share": 0}, 0)
    bare = handover_document(resolve_run(["app"], {"events": "A"}, {}), Path("/o"), host="h", spawn_exporter=False)
    assert not {"replay_budget", "max_replays", "unsafe", "host_memory"} & set(bare)


def test_what_replayed_launches_run_more_is_handed_over_when_it_is_asked_for() -> None:
    config = resolve_run(["app"], {"events": "A", "warm-up-pass": True, "permute-groups": True}, {})
    document = handover_document(config, Path("/o"), host="h", spawn_exporter=False)
    wanted = {"warm_up_pass", "timing_pass", "permute_groups"} & set(document)
    assert {name: document[name] for name in wanted} == {"warm_up_pass": True, "permute_groups": True}


def test_a_plan_is_asked_for_by_the_same_file(tmp_path: Path) -> None:
    file = tmp_path / "m.yaml"
    file.write_text("events: [A, B]\ngroup: [[A, B]]\nsimulate: [gfx942, tiny]\nreplay: off\n", encoding="utf-8")
    request = resolve_plan_request({"config": str(file)}, {})
    assert (request.events, request.groups, request.devices) == ("A,B", (("A", "B"),), ("gfx942", "tiny"))
    assert resolve_plan_request({"config": str(file), "events": "C"}, {}).events == "C"
    assert resolve_plan_request({}, {"ROCPROFSYS_ROCM_EVENTS": "D"}).devices == ()


@pytest.mark.parametrize("option", RUN_OPTIONS.values(), ids=lambda option: option.name)
def test_an_option_is_found_by_each_of_its_names(option: Option) -> None:
    for word in (option.name, f"--{option.name}", option.key, option.python, option.variable):
        assert find_option(word) is option


def test_an_unknown_option_is_told_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"^'kernel-incl' is no option of a run: did you mean kernel-include"):
        find_option("kernel-incl")
    with pytest.raises(UsageError, match=r"^'nothing' is no option of a run: known are events, set, compute-panels"):
        find_option("nothing")


def test_the_table_of_the_page_is_that_of_the_schema() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert config_docs.PART.put_into(page) == page, "python -m rocprofsys_multipass.config.docs --write"


def test_the_plugin_on_its_own_knows_the_same_variables() -> None:
    source = (PAGE.parents[2] / "library/tool/variables.cpp").read_text(encoding="utf-8")
    listed = re.findall(r'"(\w+)"', source.partition("kVariables{")[2].partition("};")[0])
    options = [option.variable.removeprefix(PREFIX) for option in RUN_OPTIONS.values()]
    assert sorted(listed) == sorted([*options, *OTHER_VARIABLES])


def test_a_stale_table_is_told_and_can_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{config_docs.PART.begin}\nold\n{config_docs.PART.end}\nafter\n", encoding="utf-8")
    assert config_docs.PART.main([str(page)]) == 3
    assert "use --write" in capsys.readouterr().err
    assert config_docs.PART.main([str(page), "--write"]) == 0
    assert config_docs.PART.main([str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"before\n{config_docs.PART.begin}\n| option |")
    assert text.endswith(f"\n{config_docs.PART.end}\nafter\n")


def test_a_page_without_the_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="are missing"):
        config_docs.PART.put_into("no marks")


def test_the_reader_of_yaml_is_loaded_only_for_a_file() -> None:
    code = (
        "import sys; from rocprofsys_multipass.config import resolve_run; "
        "resolve_run(['app'], {'events': 'A'}, {}); print('yaml' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], env=os.environ, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
