# SPDX-License-Identifier: MIT
"""``config init``, ``config check``, ``config explain``."""

from __future__ import annotations

import json
import re
import socket
from pathlib import Path

import pytest
from fake_native import Applications, FakeNative

import rocprofsys_multipass as mp
from rocprofsys_multipass.cli.main import main
from rocprofsys_multipass.config import OTHER_VARIABLES, RUN_OPTIONS, SECTIONS, handover_document, resolve_run
from rocprofsys_multipass.config.settings_file import read_settings_file
from rocprofsys_multipass.config.template import template

Capture = pytest.CaptureFixture[str]
RESOLVED = ("config", "check", "m.yaml", "--resolved", "o.json")


def test_the_file_of_init_is_right_as_it_is(native: FakeNative, capsys: Capture) -> None:
    assert main(["config", "init", "-o", "m.yaml"]) == 0
    assert capsys.readouterr() == ("", "wrote m.yaml\n")
    assert main(["config", "check", "m.yaml"]) == 0
    assert capsys.readouterr().out == "m.yaml:8:1: events = SQ_WAVES,FETCH_SIZE,WRITE_SIZE\n"


def test_a_dash_is_stdout(native: FakeNative, capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    main(["config", "init"])
    template = capsys.readouterr().out
    assert main(["config", "init", "-o", "-"]) == 0
    assert capsys.readouterr() == (template, "")
    assert not (tmp_path / "-").exists()


def test_the_file_of_init_has_every_key_with_what_is_allowed_and_the_default(native: FakeNative) -> None:
    text = template()
    words = " ".join(text.replace("\n# ", " ").split())
    for option in RUN_OPTIONS.values():
        found = re.search(rf"^#?{option.key}: (.*)$", text, re.MULTILINE)
        assert (found is not None) == option.in_file
        if found:
            assert found[1] == option.example
            assert f"Allowed: {option.allowed}. Default: {option.default_text}." in words


def test_every_line_of_the_file_of_init_is_right_when_it_is_set(native: FakeNative) -> None:
    Path("m.yaml").write_text(re.sub("^#(?=[a-z_]+: )", "", template(), flags=re.MULTILINE), encoding="utf-8")
    found = read_settings_file("m.yaml").settings
    assert set(found) == {option.name for option in RUN_OPTIONS.values() if option.in_file}
    for name in ("replay", "overwrite", "format", "quiet", "verbose"):
        assert found[name].value == RUN_OPTIONS[name].default, "the example is the default where there is one"


def test_init_writes_to_stdout_without_a_file(native: FakeNative, capsys: Capture) -> None:
    assert main(["config", "init"]) == 0
    assert capsys.readouterr() == (template(), "")


def test_init_replaces_a_file_only_when_it_is_forced_to(native: FakeNative, capsys: Capture) -> None:
    file = Path("m.yaml")
    file.write_text("mine")
    assert main(["config", "init", "-o", "m.yaml"]) == 7
    assert capsys.readouterr().err == (
        "rocprof-sys-multipass: error: m.yaml exists, and is left as it is: name another file, or give --force to "
        "replace it\n"
    )
    assert file.read_text() == "mine"
    assert main(["config", "init", "-o", "m.yaml", "--force"]) == 0
    assert file.read_text(encoding="utf-8") == template()


def test_init_tells_why_a_file_cannot_be_written(native: FakeNative, capsys: Capture) -> None:
    assert main(["config", "init", "-o", "nowhere/m.yaml"]) == 7
    assert "nowhere/m.yaml cannot be written (No such file or directory): name a file in" in capsys.readouterr().err


def test_check_tells_every_fault_on_a_line_of_its_own(native: FakeNative, capsys: Capture) -> None:
    Path("m.yaml").write_text("evnts: A\nreplay: of\n")
    assert main(["config", "check", "m.yaml"]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert [line.partition(": error: ")[2][:60] for line in err.splitlines()] == [
        "m.yaml:1:1: evnts: no such option: did you mean events? know"[:60],
        "m.yaml:2:9: replay: 'of' is not one of auto, kernel, rotate, off; did you mean off?"[:60],
    ]


def test_check_tells_what_a_file_sets(native: FakeNative, capsys: Capture) -> None:
    text = "events: |\n  A\n  B:device=x\ngroups: [[A, B], [C, D]]\nquiet: yes\nformat: rocpd\n"
    Path("m.yaml").write_text(text)
    assert main(["config", "check", "m.yaml"]) == 0
    out, err = capsys.readouterr()
    assert out == (
        "m.yaml:1:1: events = A B:device=x \nm.yaml:4:1: group = A,B; C,D\nm.yaml:5:1: quiet = on\n"
        "m.yaml:6:1: format = rocpd\n"
    )
    assert err == (
        "rocprof-sys-multipass: warning: m.yaml:1:9: events: 'B:device=x' is left out: 'x' after ':device=' is not a "
        "number\n"
    )


def test_check_shows_limits_in_the_form_in_which_they_are_written(native: FakeNative, capsys: Capture) -> None:
    Path("m.yaml").write_text("max_replays: none\nreplay_budget: [60s, 10%]\nhost_memory: 1.5GiB\nunsafe: budget\n")
    assert main(["config", "check", "m.yaml"]) == 0
    assert [line.partition(": ")[2] for line in capsys.readouterr().out.splitlines()] == [
        "max_replays = none",
        "replay_budget = 60s,10%",
        "host_memory = 1.5GiB",
        "unsafe = budget",
    ]


@pytest.mark.parametrize(("written", "shown"), [("7", "7"), ("[7, 2]", "2,7"), ("2,7", "2,7")])
def test_check_shows_panels_by_number(native: FakeNative, capsys: Capture, written: str, shown: str) -> None:
    Path("m.yaml").write_text(f"compute_panels: {written}\ninstances: keep\ncompute_release: 3.9\n")
    assert main(["config", "check", "m.yaml"]) == 0
    assert [line.partition(": ")[2] for line in capsys.readouterr().out.splitlines()] == [
        f"compute_panels = {shown}",
        "instances = keep",
        "compute_release = 3.9",
    ]


def test_check_tells_what_a_run_would_say_of_devices_and_folders(native: FakeNative, capsys: Capture) -> None:
    Path("m.yaml").write_text("simulate: gfx943")
    assert main(["config", "check", "m.yaml"]) == 3
    assert "error: m.yaml:1:1: simulate: 'gfx943' is no device that can be simulated" in capsys.readouterr().err
    Path("m.yaml").write_text("simulate: gfx942\noutput: out/%size%")
    assert main(["config", "check", "m.yaml"]) == 0
    assert "warning: m.yaml:2:1: output folder: %size% is not known and stays as it is" in capsys.readouterr().err


def test_check_tells_what_has_no_effect_beside_another_option(native: FakeNative, capsys: Capture) -> None:
    Path("m.yaml").write_text("replay: rotate\nmax_replays: 3\nwarm_up_pass: off\ntiming_pass: on\nsentinel: none\n")
    assert main(["config", "check", "m.yaml"]) == 0
    reason = "it has no effect with replay (line 1) rotate, which runs each launch once: leave one of them out"
    assert capsys.readouterr().err.splitlines() == [
        f"rocprof-sys-multipass: warning: m.yaml:{place}: {reason}"
        for place in ("2:1: max_replays", "4:1: timing_pass")
    ]


def test_check_of_a_file_with_a_name_that_is_no_text_says_so_readably(native: FakeNative, capsys: Capture) -> None:
    assert main(["config", "check", "m\udcff.yaml"]) == 3
    assert "error: m\\xff.yaml: there is no such file" in capsys.readouterr().err


def test_check_of_an_empty_file_says_so(native: FakeNative, capsys: Capture) -> None:
    Path("m.yaml").write_text("")
    assert main(["config", "check", "m.yaml"]) == 0
    assert capsys.readouterr().out == "m.yaml: it is well formed, and sets nothing\n"


def test_a_resolved_file_is_what_the_plugin_reads_without_a_wrapper(native: FakeNative, capsys: Capture) -> None:
    Path("m.yaml").write_text("events: [A, B]\nrange: 1\noutput: out/%hostname%\nreplay: off\nsimulate: gfx942\n")
    assert main([*RESOLVED]) == 0
    config = resolve_run((), {"config": "m.yaml"}, {})
    output = Path.cwd() / "out" / socket.gethostname()
    wanted = handover_document(config, output, host=socket.gethostname(), spawn_exporter=True)
    assert json.loads(Path("o.json").read_text()) == wanted
    assert (wanted["range"], wanted["run_token"], wanted["spawn_exporter"]) == ("1", "", True)
    assert not output.exists()
    assert capsys.readouterr().out.splitlines()[-5:] == [
        "wrote o.json; without 'run', start the application with",
        f"export ROCPROFSYS_MULTIPASS_RESOLVED={Path.cwd() / 'o.json'}",
        f"export ROCP_TOOL_LIBRARIES={native.root / 'lib/librocprofsys-multipass.so'}",
        "export ROCPROFSYS_MULTIPASS_SIMULATE=gfx942",
        f"export LD_LIBRARY_PATH={native.root / 'sim'}",
    ]


def test_the_variables_that_are_printed_keep_what_was_there(
    native: FakeNative, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", "/opt/mine")
    monkeypatch.setenv("ROCP_TOOL_LIBRARIES", "/opt/tool.so")
    Path("m.yaml").write_text("events: [A]\noutput: out\nsimulate: gfx942\n")
    assert main([*RESOLVED]) == 0
    out = capsys.readouterr().out.splitlines()
    assert f"export LD_LIBRARY_PATH={native.root / 'sim'}:/opt/mine" in out
    plugin = native.root / "lib/librocprofsys-multipass.so"
    assert f"export ROCP_TOOL_LIBRARIES={plugin}:/opt/tool.so:{plugin.parent}/./{plugin.name}" in out


def test_variables_beat_the_file_in_a_resolved_file(native: FakeNative, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("m.yaml").write_text("events: A\noutput: out\n")
    monkeypatch.setenv("ROCPROFSYS_MULTIPASS_EVENTS", "B")
    monkeypatch.setenv("ROCPROFSYS_MULTIPASS_CONFIG", "/nowhere")
    assert main([*RESOLVED]) == 0
    assert json.loads(Path("o.json").read_text())["events"] == "B"


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("events: A", 3, "--resolved: no output folder is set, and its default is named after the application"),
        ("events: A\noutput: o/%pid%", 3, "m.yaml:2:1: output: 'o/%pid%' has %pid%, which is known only when"),
        ("events: A\noutput: o/%rank%", 3, "m.yaml:2:1: output: 'o/%rank%' has %rank%, which is known only when"),
        (
            "output: o",
            2,
            "no counters were asked for: use --events LIST, --set NAME or --compute-panels N, or set ",
        ),
    ],
)
def test_what_cannot_be_resolved_before_the_run_is_refused(
    native: FakeNative, capsys: Capture, text: str, code: int, message: str
) -> None:
    Path("m.yaml").write_text(text)
    assert main([*RESOLVED]) == code
    assert f"rocprof-sys-multipass: error: {message}" in capsys.readouterr().err
    assert not Path("o.json").exists()


def test_an_overwrite_that_nobody_does_is_told(native: FakeNative, capsys: Capture) -> None:
    Path("m.yaml").write_text("events: A\noutput: o\noverwrite: on")
    assert main([*RESOLVED]) == 0
    assert "m.yaml:3:1: overwrite: only 'run' removes the files of an earlier run" in capsys.readouterr().err
    assert main([*RESOLVED]) == 7
    assert "o.json exists, and is left as it is" in capsys.readouterr().err
    assert main([*RESOLVED, "--force"]) == 0


def test_explain_tells_all_about_an_option(capsys: Capture) -> None:
    assert main(["config", "explain", "ROCPROFSYS_MULTIPASS_RANGE"]) == 0
    assert capsys.readouterr().out == (
        "option:       --range R\n"
        "meaning:      count only in these launches of each kernel\n"
        "type:         a text, or a list\n"
        "allowed:      numbers from 1 and spans of them: 1, [1-3] or 1,4-6\n"
        "default:      every launch\n"
        "unit:         launches of one kernel, from 1\n"
        "YAML:         range, such as range: 1,4-6\n"
        "variable:     ROCPROFSYS_MULTIPASS_RANGE\n"
        "Python:       rocprofsys_multipass.run(..., range=...)\n"
        "read by:      wrapper, plugin\n"
        "precedence:   command line, variable, YAML file\n"
    )


@pytest.mark.parametrize(
    ("key", "lines"),
    [
        ("group", ["option:       --group A,B, may be given several times", "YAML:         group or groups, such as"]),
        ("output", ["option:       --output DIR or -o DIR", "variable:     ROCPROFSYS_MULTIPASS_OUTPUT, else ROCPROF"]),
        ("config", ["YAML:         cannot stand in a file"]),
        (
            "max-replays",
            ["no effect:    with replay rotate or off, and on an SDK without kernel replay:"],
        ),
    ],
)
def test_explain_tells_what_is_peculiar(capsys: Capture, key: str, lines: list[str]) -> None:
    assert main(["config", "explain", key]) == 0
    out = capsys.readouterr().out
    for line in lines:
        assert line in out


def test_explain_without_a_key_lists_every_option(capsys: Capture) -> None:
    assert main(["config", "explain"]) == 0
    first = [line.split()[0] for line in capsys.readouterr().out.splitlines() if not line.startswith(" ")]
    assert first == ["key", *(RUN_OPTIONS[name].key for names in SECTIONS.values() for name in names)]


@pytest.mark.parametrize("name", RUN_OPTIONS)
def test_explain_tells_of_every_option_its_type_places_default_and_an_example(capsys: Capture, name: str) -> None:
    assert main(["config", "explain", name]) == 0
    out = capsys.readouterr().out
    assert [line for line in out.splitlines() if len(line) > 100] == []
    option = RUN_OPTIONS[name]
    words = " ".join(out.split())
    for label in ("option", "meaning", "type", "allowed", "default", "YAML", "variable", "Python", "read by"):
        assert f" {label}: " in f" {words}"
    for known in (option.summary, option.allowed, option.default_text, option.variable, option.python):
        assert " ".join(known.split()) in words
    assert not option.in_file or f"such as {option.key}: {option.example}" in words
    assert ("no effect: with replay rotate or off" in words) == option.needs_replay


@pytest.mark.parametrize("name", OTHER_VARIABLES)
def test_explain_tells_of_variables_that_are_no_options(capsys: Capture, name: str) -> None:
    assert main(["config", "explain", f"ROCPROFSYS_MULTIPASS_{name}"]) == 0
    assert capsys.readouterr().out.startswith(f"variable:     ROCPROFSYS_MULTIPASS_{name}\nmeaning:      ")


def test_explain_of_an_unknown_key_is_misuse(capsys: Capture) -> None:
    assert main(["config", "explain", "kernel_includes"]) == 2
    assert "'kernel_includes' is no option of a run: did you mean kernel-include?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "no action was given: one of init, check, explain"),
        (["chek"], "invalid choice: 'chek'"),
        (["check"], "the following arguments are required: FILE"),
        (["init", "--forc"], "unrecognized arguments: --forc; did you mean --force?"),
    ],
)
def test_a_wrong_call_is_misuse_with_the_way_to_the_help(capsys: Capture, words: list[str], message: str) -> None:
    assert main(["config", *words]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert "--help" in err


def test_run_takes_its_options_of_the_file(
    native: FakeNative, applications: Applications, capfd: pytest.CaptureFixture[str]
) -> None:
    Path("m.yaml").write_text("events: A\nkernel_include: a|b\nrange: [2]\nquiet: on\noutput: o\nreplay: off\n")
    assert main(["run", "--config", "m.yaml", "--replay", "kernel", "--", applications.profiled(warnings=())]) == 0
    out, err = capfd.readouterr()
    config = json.loads(out)["config"]
    assert [config[name] for name in ("events", "kernel_include", "range", "replay", "quiet")] == [
        "A",
        "a|b",
        "2",
        "kernel",
        True,
    ]
    assert err == "", "quiet holds for the command too"


def test_a_call_in_python_takes_its_options_of_the_file(native: FakeNative, applications: Applications) -> None:
    Path("m.yaml").write_text("events: A\nkernel_exclude: a|b\nreplay: off\n")
    run = mp.run([applications.profiled()], config="m.yaml", range=[1, "4-6"], replay="auto", output="o", capture=True)
    config = json.loads(run.stdout)["config"]
    assert [config[name] for name in ("events", "kernel_exclude", "range", "replay")] == ["A", "a|b", "1,4-6", "auto"]


def test_run_tells_every_fault_of_the_file_and_starts_nothing(
    native: FakeNative, applications: Applications, capsys: Capture
) -> None:
    Path("m.yaml").write_text("event: A\nrange: 0\nsimulate: x\n")
    assert main(["run", "--config", "m.yaml", "--", applications.make("open('started', 'w')")]) == 3
    assert len(capsys.readouterr().err.splitlines()) == 2
    assert not Path("started").exists()


def test_a_device_that_cannot_be_simulated_is_told_where_it_is_named(
    native: FakeNative, applications: Applications, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("m.yaml").write_text("events: A\nsimulate: gfx943\n")
    application = applications.make("")
    assert main(["run", "--config", "m.yaml", "--", application]) == 3
    reason = "'gfx943' is no device that can be simulated: did you mean gfx942? known are gfx90a, gfx942"
    assert f"error: m.yaml:2:1: simulate: {reason}" in capsys.readouterr().err
    monkeypatch.setenv("ROCPROFSYS_MULTIPASS_SIMULATE", "gfx943")
    assert main(["run", "--events", "A", "--", application]) == 3
    assert f"error: ROCPROFSYS_MULTIPASS_SIMULATE: {reason}" in capsys.readouterr().err
    assert main(["run", "--events", "A", "--simulate", "gfx943", "--", application]) == 2
    assert f"error: --simulate: {reason}" in capsys.readouterr().err
