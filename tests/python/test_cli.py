# SPDX-License-Identifier: MIT
"""The command line: help, errors, what goes to which stream."""

from __future__ import annotations

import copy
import io
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from fake_native import PLAN, Applications, Cli, FakeNative

from rocprofsys_multipass.cli import main
from rocprofsys_multipass.cli.main import parse
from rocprofsys_multipass.cli.messages import invocation
from rocprofsys_multipass.demo import DEMO_EVENTS
from rocprofsys_multipass.opening import readable_size


def test_the_help_of_run_shows_keys_as_they_are_written(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["run", "--help"])
    out = capsys.readouterr().out
    assert "%pid% %ppid% %rank% %hostname% %env{NAME}% are expanded" in " ".join(out.split())
    assert "%%" not in out


def test_the_version_is_printed(cli: Cli) -> None:
    version = (Path(__file__).parents[2] / "VERSION").read_text(encoding="utf-8").strip()
    assert cli("--version") == (0, f"rocprof-sys-multipass {version}\n", "")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "no command was given: one of demo, doctor,"),
        (["frobnicate"], "no such command: 'frobnicate': known are demo, doctor,"),
        (["reprot", "out"], "no such command: 'reprot': did you mean 'report'? known are demo, doctor,"),
        (
            ["run", "--event", "A", "--", "x"],
            "unrecognized arguments: --event; did you mean --events? (see: R run --help)",
        ),
        (["run", "--outptu=x", "--", "x"], "--outptu=x; did you mean --output? (see: R run --help)"),
        (["plan", "--zzz", "--device", "x"], "unrecognized arguments: --zzz (see: R plan --help)"),
        (["--zzz"], "unrecognized arguments: --zzz (see: R --help)"),
        (["run", "--events"], "--events: expected one argument (see: R run --help)"),
        (["run", "--events", "A"], "no application was given"),
        (["run", "--events", "A", "--"], "no application was given"),
        (
            ["run", "--", "/bin/true"],
            "no counters were asked for: use --events LIST, --set NAME or --compute-panels N, or set ",
        ),
        (["run", "--events", "A", "--replay", "spin", "--", "/bin/true"], "off (see: R run --help)"),
        (["plan", "--events", "A"], "no device was given: use --device NAME or FILE, or --live"),
        (["plan", "--device", "gfx942", "--live", "--events", "A"], "--device and --live exclude each other"),
        (["plan", "--device", "gfx942", "--simulate", "gfx942", "--events", "A"], "--simulate is for --live"),
        (["plan", "--live", "--simulate", "gfx9", "--events", "A"], "--simulate: 'gfx9' is no device that can be"),
        (["plan", "--device", "gfx942"], "no counters were asked for"),
        (
            ["plan", "--device", "gfx942", "--events", "A", "--effort", "-1"],
            "--effort: -1 is no whole number from",
        ),
        (["plan", "--device", "gfx942", "--events", "A", "--effort", "much"], "argument --effort: invalid int value"),
        (["plan", "--device", "gfx942", "--events", "A", "--", "x"], "plan takes no command line after '--'"),
        (["export", "nowhere"], "nowhere does not exist"),
        (["recover", "nowhere"], "nowhere does not exist"),
        (["report", "nowhere"], "nowhere does not exist"),
        (["verify", ".", "nowhere"], "nowhere does not exist"),
        (["export", ".", "--format", "pdf"], "--format: 'pdf' is not one of perfetto, rocpd"),
    ],
)
def test_misuse_is_one_line_on_stderr_and_exit_code_2(cli: Cli, argv: list[str], message: str) -> None:
    code, out, err = cli(*argv)
    assert (code, out) == (2, "")
    assert err.startswith("rocprof-sys-multipass: error: ")
    assert message.replace("R ", "rocprof-sys-multipass ") in err
    assert err.count("\n") == 1
    assert err.count("(see: ") == 1


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["run", "--", "app", "--events", "x"], ["app", "--events", "x"]),
        (["run", "app", "-x", "--", "y"], ["app", "-x", "--", "y"]),
        (["run", "--quiet", "app", "--quiet"], ["app", "--quiet"]),
        (["run", "--", "app", "--", "y"], ["app", "--", "y"]),
    ],
)
def test_the_command_line_of_the_application_is_never_parsed(argv: list[str], words: list[str]) -> None:
    from rocprofsys_multipass.cli.commands.run import command_words

    args = parse(argv)
    assert command_words(args) == words
    assert args.events is None


def test_run_leaves_stdout_to_the_application(cli: Cli, applications: Applications) -> None:
    program = applications.profiled("print('result')")
    code, out, err = cli("run", "--events", "A", "-o", "out", "--", program)
    assert code == 0
    assert out.endswith("\nresult\n")
    assert len(out.splitlines()) == 2
    assert "gfx942 (GPU 0): 2 passes (lower bound 2, proven minimal)" in err
    assert err.startswith("rocprof-sys-multipass: warning: from the plugin\n")
    assert "\n1 warning, see above\n" in err
    assert "0 dispatches" in err
    assert re.search(r"out/multipass-\d+\.pftrace \(\d+ bytes\): rocprof-sys-multipass open /\S+\.pftrace\n", err)
    assert re.search(r"multipass-\d+\.db \(\d+ bytes\): sqlite3 \S+\.db 'SELECT \* FROM top_kernels'", err)


def test_what_is_counted_as_a_warning_was_shown(cli: Cli, applications: Applications) -> None:
    program = applications.profiled(exporter_warnings=("the capture ends early",))
    _, _, err = cli("run", "--events", "A", "-o", "out", "--", program)
    before, _, after = err.partition("\n2 warnings, see above\nfiles:\n")
    lines = [line for line in before.splitlines() if line.startswith("rocprof-sys-multipass: warning: ")]
    assert [line.rpartition(": ")[2] for line in lines] == ["from the plugin", "the capture ends early"]
    assert "warning: " not in after
    assert len(after.splitlines()) == 4


def test_a_quiet_run_says_nothing_of_a_success(cli: Cli, applications: Applications) -> None:
    code, _, err = cli("run", "--events", "A", "--quiet", "--", applications.profiled(warnings=()))
    assert (code, err) == (0, "")


def test_a_run_is_quiet_by_its_variable_too(
    cli: Cli, applications: Applications, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROCPROFSYS_MULTIPASS_QUIET", "1")
    code, _, err = cli("run", "--events", "A", "--", applications.profiled(warnings=()))
    assert (code, err) == (0, "")


def test_a_run_that_collected_nothing_says_so_and_offers_nothing(cli: Cli, applications: Applications) -> None:
    code, _, err = cli("run", "--events", "TYPO", "-o", "out", "--", applications.profiled(passes=0))
    assert code == 4
    assert "rocprof-sys-multipass: error: nothing was collected: none of the counters" in err
    assert "gfx942 (GPU 0): nothing to collect\n" in err
    assert "proven" not in err
    assert "0 dispatches" not in err
    assert " open " not in err
    assert "sqlite3" not in err
    assert re.search(r"out/multipass-\d+\.pftrace \(\d+ bytes\)\n", err)


def test_a_killed_application_is_called_killed(cli: Cli, applications: Applications) -> None:
    code, _, err = cli("run", "--events", "A", "--", applications.profiled("os.kill(os.getpid(), 9)"))
    assert code == 137
    assert "the application was killed by SIGKILL\n" in err


def test_a_failed_application_is_called_failed(cli: Cli, applications: Applications) -> None:
    _, _, err = cli("run", "--events", "A", "--", applications.profiled("sys.exit(137)"))
    assert "the application ended with exit code 137\n" in err
    assert "killed" not in err


def test_a_second_run_is_told_how_to_go_on(cli: Cli, applications: Applications) -> None:
    words = ("run", "--events", "A", "--", applications.profiled())
    assert cli(*words)[0] == 0
    code, _, err = cli(*words)
    assert code == 7
    assert "holds an earlier run (multipass-" in err
    assert "--overwrite" in err
    assert "-o DIR" in err
    assert "overwrite=True" not in err


def test_run_ends_with_the_code_of_the_application(cli: Cli, applications: Applications) -> None:
    assert cli("run", "--events", "A", "--", applications.profiled("sys.exit(33)"))[0] == 33


def test_a_missing_application_is_exit_code_5(cli: Cli, tmp_path: Path) -> None:
    code, out, err = cli("run", "--events", "A", "--", "./missing")
    assert (code, out) == (5, "")
    reason = f"./missing does not exist in {tmp_path}: name a program that can be started; nothing was started"
    assert err == f"rocprof-sys-multipass: error: {reason}\n"


def test_an_unusable_output_folder_is_exit_code_7(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    code, _, err = cli("run", "--events", "A", "-o", "file", "--", "/bin/true")
    assert code == 7
    assert "file cannot be written" in err


def test_a_wrong_variable_is_exit_code_3(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROCPROFSYS_MULTIPASS_REPLAY", "sometimes")
    code, _, err = cli("run", "--events", "A", "--", "/bin/true")
    assert code == 3
    assert "ROCPROFSYS_MULTIPASS_REPLAY: 'sometimes' is not one of" in err


def test_a_mistyped_variable_is_a_warning(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROCPROFSYS_MULTIPASS_OUTPUTS", "x")
    code, _, err = cli("run", "--events", "A", "--quiet", "--", "/bin/true")
    assert code == 0
    assert err.startswith(
        "rocprof-sys-multipass: warning: ROCPROFSYS_MULTIPASS_OUTPUTS is not a known variable; "
        "did you mean ROCPROFSYS_MULTIPASS_OUTPUT?\n"
    )


def test_plan_prints_a_table_and_what_could_not_be_planned(cli: Cli) -> None:
    code, out, err = cli("plan", "--device", "gfx942", "--events", "FETCH_SIZE,WRITE_SIZE")
    assert (code, err) == (0, "")
    assert [re.sub(r" +", " ", line).strip() for line in out.splitlines()] == [
        "gfx942 (GPU 0): 2 passes (lower bound 2, proven minimal)",
        "pass counters registers",
        "0 FETCH_SIZE SQ 1 of 8, TCC 3 of 4",
        "sentinels: SQ_WAVES",
        "1 WRITE_SIZE SQ 1 of 8, TCC 2 of 4",
        "sentinels: SQ_WAVES",
        "group SQ_WAVES, WRITE_SIZE: pass 1",
        "hits and misses are in different passes: HIT, MISS; --group HIT,MISS keeps them together",
        "cannot be placed: TOO_BIG: needs 9 SQ registers of 8",
        "unknown: SQ_WAVE (column 22): not a counter of gfx942; did you mean SQ_WAVES?",
        "unknown: FOO[ (column 31): only one '[number]' may follow a name",
        "asked for twice, read once: FETCH_SIZE",
        "ignored: max_engine_clk: a constant of the agent",
        "warning: SQ_WAVES:device=3 is collected nowhere: there is only GPU 0",
        "note: X[99]: no single instance can be chosen",
    ]


def test_plan_names_a_group_without_a_pass_and_the_metrics_that_are_lost(cli: Cli, native: FakeNative) -> None:
    group = {"counter": "A,B", "reason": "they need 9 SQ registers", "block": "SQ", "needs": 9, "limit": 8}
    lost = {"name": "ratio", "set": "cache", "unit": "", "formula": "A / B", "counters": ["A", "B"], "pass": None}
    kept = {**lost, "name": "waves", "formula": "A", "counters": ["A"], "pass": 0}
    native.answer({**PLAN, "agents": [{**PLAN["agents"][0], "unplaceable": [group], "metrics": [lost, kept]}]})
    out = cli("plan", "--device", "gfx942", "--events", "A")[1]
    assert "not in one pass: A,B: they need 9 SQ registers; the metric ratio of set cache is lost" in re.sub(
        r"\s+", " ", out
    )
    assert "cannot be placed" not in out


def test_plan_names_the_place_of_an_unknown_token_of_a_group(cli: Cli, native: FakeNative) -> None:
    native.answer({**PLAN, "unknown": [{"token": "B", "column": 0, "suggestion": None, "reason": "not a counter"}]})
    out = cli("plan", "--device", "gfx942", "--group", "A,B")[1]
    assert "\nunknown: B (in a group): not a counter; the others of its group are planned singly\n" in out


def test_plan_shows_twenty_lines_of_a_kind_as_they_were_written(cli: Cli, native: FakeNative) -> None:
    names = [f"NAME_{i}" for i in range(200)]
    columns = {name: 10 * i + 1 for i, name in enumerate(names)}
    unknown = [{"token": n, "column": columns[n], "suggestion": None, "reason": "not a counter"} for n in sorted(names)]
    native.answer({**PLAN, "unknown": unknown, "duplicates": sorted(names[:21]), "notes": names[:20]})
    out = cli("plan", "--device", "gfx942", "--events", "A")[1].splitlines()
    assert [line for line in out if line.startswith("unknown:")] == [
        *(f"unknown: {name} (column {columns[name]}): not a counter" for name in names[:20]),
        "unknown: 180 more; --json has all of them",
    ]
    twice = [line for line in out if line.startswith("asked for twice, read once:")]
    assert (len(twice), twice[-1]) == (21, "asked for twice, read once: 1 more; --json has all of them")
    assert [line for line in out if line.startswith("note:")] == [f"note: {name}" for name in names[:20]]


def test_the_plan_table_breaks_lines_between_blocks(cli: Cli, native: FakeNative) -> None:
    plan = copy.deepcopy(PLAN)
    blocks = ["CPC", "CPF", "GRBM", "SPI", "SQ", "TCC"]
    plan["agents"][0]["passes"][0].update(registers=dict.fromkeys(blocks, 1), capacity=dict.fromkeys(blocks, 2))
    native.answer(plan)
    _, out, _ = cli("plan", "--device", "gfx942", "--events", "A")
    assert "CPC 1 of 2, CPF 1 of 2, GRBM 1 of 2," in out
    assert "SPI 1 of 2, SQ 1 of 2, TCC 1 of 2" in out


def test_plan_prints_the_planners_own_json(cli: Cli) -> None:
    code, out, _ = cli("plan", "--device", "gfx942", "--events", "A", "--json")
    assert code == 0
    assert out == json.dumps(PLAN) + "\n"


def test_plan_ends_with_4_when_nothing_can_be_placed(cli: Cli, native: FakeNative) -> None:
    native.answer({**PLAN, "agents": []}, code=4)
    code, out, _ = cli("plan", "--device", "gfx942", "--events", "NOPE")
    assert code == 4
    assert "unknown: SQ_WAVE" in out


WHOLE = {**PLAN, "agents": [{**PLAN["agents"][0], "unplaceable": []}], "unknown": [], "warnings": []}
LACKING = {
    "nothing": {},
    "a counter that is unknown": {"unknown": PLAN["unknown"][:1]},
    "a counter that fits no pass": {"agents": PLAN["agents"]},
    "a counter of a GPU that is not there": {"warnings": PLAN["warnings"]},
}


@pytest.mark.parametrize("lacking", LACKING)
def test_a_strict_plan_ends_with_4_when_anything_is_in_no_pass(cli: Cli, native: FakeNative, lacking: str) -> None:
    native.answer({**WHOLE, **LACKING[lacking]})
    words = ("plan", "--device", "gfx942", "--events", "A", "--json")
    code, out, err = cli(*words, "--strict")
    assert (code, err) == (4 if LACKING[lacking] else 0, "")
    assert cli(*words) == (0, out, "")


def test_plan_takes_the_list_of_the_environment(cli: Cli, native: FakeNative, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROCPROFSYS_ROCM_EVENTS", "A B")
    assert cli("plan", "--device", "gfx90a", "--device", "gfx942", "--group", "A,B")[0] == 0
    assert native.planner_arguments == [
        *("--device", "gfx90a", "--device", "gfx942"),
        *("--events", "A B"),
        *("--group", "A,B"),
        *("--sentinel", "auto"),
    ]


@pytest.mark.parametrize(
    ("words", "expected"), [((), "none"), (("--sentinel", "SQ_WAVES TCC_REQ"), "SQ_WAVES TCC_REQ")]
)
def test_plan_asks_for_the_sentinels_that_a_run_would_have(
    cli: Cli, native: FakeNative, monkeypatch: pytest.MonkeyPatch, words: Sequence[str], expected: str
) -> None:
    monkeypatch.setenv("ROCPROFSYS_MULTIPASS_SENTINEL", "none")
    assert cli("plan", "--device", "gfx942", "--events", "A", *words)[0] == 0
    assert native.planner_arguments[-2:] == ["--sentinel", expected]


def test_plan_names_the_place_of_a_sentinel_that_is_unknown(cli: Cli, native: FakeNative) -> None:
    token = {"token": "B", "column": 3, "place": "sentinel", "suggestion": "C", "reason": "not a counter"}
    native.answer({**PLAN, "unknown": [token]})
    out = cli("plan", "--device", "gfx942", "--events", "A", "--sentinel", "D B")[1]
    assert "\nunknown: B (sentinel, column 3): not a counter; did you mean C?\n" in out


def test_export_writes_all_journals_of_a_folder(cli: Cli, native: FakeNative, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    for pid in (1, 2):
        (tmp_path / f"out/multipass-{pid}.journal").write_text("{}", encoding="utf-8")
        (tmp_path / f"out/multipass-{pid}.pftrace").touch()  # of an earlier export
    code, out, _ = cli("export", "out", "--format", "rocpd")
    assert code == 0
    asked = [words[: words.index("--progress")] for words in native.exports]
    assert asked == [[f"{tmp_path}/out/multipass-{pid}.journal", "--format", "rocpd"] for pid in (1, 2)]
    assert "out/multipass-2.db (2 bytes)" in out
    assert "pftrace" not in out


def test_a_failed_export_is_exit_code_7(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "multipass-1.journal").write_text("RSMPJRNL" + 24 * "." + "broken", encoding="utf-8")
    code, _, err = cli("export", "multipass-1.journal")
    assert code == 7
    assert err == (
        "rocprof-sys-multipass: warning: the capture is old\n"
        "rocprof-sys-multipass: error: multipass-1.journal could not be exported: no frame can be read\n"
    )


def test_a_failed_export_does_not_keep_the_next_journal_from_it(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "multipass-1.journal").write_text("RSMPJRNL" + 24 * "." + "broken", encoding="utf-8")
    (tmp_path / "multipass-2.journal").write_text("{}", encoding="utf-8")
    code, out, _ = cli("export", ".")
    assert code == 7
    assert "multipass-2.db" in out


def test_export_shows_what_the_exporter_warns_of(cli: Cli, tmp_path: Path) -> None:
    text = json.dumps({"warnings": [], "exporter_warnings": ["ends early"]})
    (tmp_path / "multipass-1.journal").write_text(text, encoding="utf-8")
    code, _, err = cli("export", "multipass-1.journal")
    assert (code, err) == (0, f"rocprof-sys-multipass: warning: {tmp_path}/multipass-1.journal: ends early\n")


def test_an_error_of_the_planner_has_one_prefix(cli: Cli, native: FakeNative) -> None:
    native.answer("", code=3, err="rocprof-sys-multipass: error: no catalogue\n")
    code, _, err = cli("plan", "--device", "x", "--events", "A")
    assert (code, err) == (3, "rocprof-sys-multipass: error: no catalogue\n")


def test_sim_flags_are_shown_in_a_whole_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["sim-flags", "--help"])
    words = capsys.readouterr().out.replace("\\\n", "").split()
    assert "g++ -std=c++17 -O2 -x c++ app.hip -x none $(rocprof-sys-multipass sim-flags) -o app" in " ".join(words)


@pytest.mark.parametrize(
    ("called", "shown"),
    [
        (".venv/bin/rocprof-sys-multipass", ".venv/bin/rocprof-sys-multipass"),
        ("/opt/a b/rocprof-sys-multipass", "'/opt/a b/rocprof-sys-multipass'"),
        ("TMP/on-path/rocprof-sys-multipass", "rocprof-sys-multipass"),
        ("/x/rocprofsys_multipass/__main__.py", f"{sys.executable} -m rocprofsys_multipass"),
        ("/usr/bin/pytest", "rocprof-sys-multipass"),
    ],
)
def test_hints_name_the_command_as_it_was_called(
    called: str, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "on-path/rocprof-sys-multipass"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    monkeypatch.setattr(sys, "argv", [called.replace("TMP", str(tmp_path))])
    assert invocation() == shown


def test_sim_flags_point_into_the_simulator(cli: Cli, native: FakeNative) -> None:
    sim = native.root / "sim"
    cflags = [f"-I{sim}/include"]
    libs = [f"-L{sim}", f"-Wl,-rpath,{sim}", "-lmultipass-sim-hip"]
    libs += ["-Wl,--as-needed", "-lrocprofiler-sdk-roctx", "-Wl,--no-as-needed"]
    assert shlex.split(cli("sim-flags")[1]) == cflags + libs
    assert shlex.split(cli("sim-flags", "--cflags")[1]) == cflags
    assert shlex.split(cli("sim-flags", "--libs")[1]) == libs


def test_sim_flags_name_the_folder_for_cmake(cli: Cli, native: FakeNative) -> None:
    assert cli("sim-flags", "--cmake")[1] == f"{native.root / 'sim'}\n"


def test_sim_flags_survive_a_folder_with_blanks(native: FakeNative, monkeypatch: pytest.MonkeyPatch) -> None:
    spaced = native.root.with_name("na tive")
    native.root.rename(spaced)
    monkeypatch.setenv("ROCPROFSYS_MULTIPASS_NATIVE", str(spaced))
    out = io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    assert main(["sim-flags", "--cflags"]) == 0
    assert shlex.split(out.getvalue()) == [f"-I{spaced}/sim/include"]


def test_the_module_runs_as_the_command_does(native: FakeNative) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "rocprofsys_multipass", "plan", "--device", "gfx942", "--events", "A", "--json"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert json.loads(done.stdout) == PLAN


def test_a_reader_that_goes_away_is_no_error(native: FakeNative) -> None:
    """`rocprof-sys-multipass plan ... | head -0`."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "rocprofsys_multipass", "plan", "--device", "gfx942", "--events", "A", "--json"]
    done = subprocess.run(command, check=False, stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


def test_the_demo_list_is_oversized_and_without_repetition() -> None:
    assert len(DEMO_EVENTS) == len(set(DEMO_EVENTS)) == 45
    assert {"FETCH_SIZE", "WRITE_SIZE"} < set(DEMO_EVENTS)


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 bytes"), (1023, "1023 bytes"), (1024, "1.0 KiB"), (1536 * 1024, "1.5 MiB"), (3 * 1024**4, "3.0 TiB")],
)
def test_sizes_are_readable(size: int, text: str) -> None:
    assert readable_size(size) == text
