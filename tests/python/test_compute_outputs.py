# SPDX-License-Identifier: MIT
"""Folders for rocprofiler-compute as an output: asked for, told of, and what is never replaced."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest
import trace_tools as tools
from fake_native import Cli, FakeNative

import rocprofsys_multipass as mp
from rocprofsys_multipass.errors import ExitCode, TraceError, UsageError

MI300X = {
    "cu_count": 304,
    "simd_per_cu": 4,
    "num_shader_banks": 32,
    "wave_front_size": 64,
    "max_waves_per_cu": 32,
    "num_xcc": 8,
    "max_engine_clk_fcompute": 2100,
    "mem_clk_max": 1300,
}
RUN = replace(tools.sample_run(), properties=MI300X)  # replayed twice, then declined, filtered, incomplete
OTHER = replace(RUN, pid=4712, guid=tools.GUID[:-1] + "2")
FILES = {"pmc_perf.csv", "sysinfo.csv", "profiling_config.yaml", "dispatches.csv", "notes.txt"}


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A run directory with the journal of RUN."""
    return tools.write_run(tmp_path / "out", RUN, files=("journal",))


def rows(model: Path) -> list[dict[str, str]]:
    with (model / "pmc_perf.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def asked(folder: Path, token: str = "0123456789abcdef" * 2, **members: object) -> None:
    """Have the journal of RUN be of a run that was asked for `members`."""
    frames = tools.journal_frames(RUN)
    frames[0].run.run_token = token
    data = tools.journal_header() + b"".join(tools.frame(one) for one in frames)
    (folder / "multipass-4711.journal").write_bytes(data)
    text = json.dumps({"schema": 1, "run_token": token, **members})
    (folder / "run-1.config.json").write_text(text, encoding="utf-8")


# ---------------------------------------------------------------------------------------------------------------------
# export


def test_a_run_directory_gets_one_folder_with_the_complete_dispatches_of_all_journals(out: Path):
    tools.write_run(out, OTHER, files=("journal",))
    made = mp.export(out, "compute")
    model = out / "compute/gfx942"
    assert (set(made), names(out / "compute")) == ({model / name for name in FILES}, {"gfx942"})
    assert names(model) == FILES
    hits = [float(row["Counter_Value"]) for row in rows(model) if row["Counter_Name"] == "TCC_HIT"]
    assert hits == [300, 0, 300, 0]
    assert len({row["Dispatch_ID"] for row in rows(model)}) == 4


def test_a_journal_by_name_gets_a_folder_of_its_own(out: Path):
    tools.write_run(out, OTHER, files=("journal",))
    mp.export(out / "multipass-4712.journal", "compute")
    assert names(out) == {"multipass-4711.journal", "multipass-4712.journal", "compute-4712"}
    assert len({row["Dispatch_ID"] for row in rows(out / "compute-4712/gfx942")}) == 2


def test_it_needs_no_compiled_parts(out: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ROCPROFSYS_MULTIPASS_NATIVE", str(out / "nothing"))
    assert mp.export(out, "compute")


def test_it_is_made_beside_other_outputs(out: Path):
    made = mp.export(out, "csv,compute", output=out.parent / "tables")
    assert names(out.parent / "tables") == {"multipass-4711.csv", "compute"}
    assert {path.name for path in made} == {"multipass-4711.csv", *FILES}
    assert names(out) == {"multipass-4711.journal"}


def test_the_release_is_that_of_the_run_unless_given(out: Path):
    asked(out, compute_release="3.9")
    mp.export(out, "compute")
    assert (out / "compute/gfx942/pmc_perf.csv.gz").exists()
    mp.export(out, "compute", compute_release="3.3")
    assert names(out / "compute/gfx942") == FILES


def test_partial_dispatches_come_with_a_loud_word_only(out: Path, cli: Cli):
    code, _, err = cli("export", out, "--format", "compute", "--include-partial")
    assert code == ExitCode.OK
    assert "warning: " in err
    assert len({row["Dispatch_ID"] for row in rows(out / "compute/gfx942")}) > 2


def test_medians_of_kernels_are_a_folder_of_another_name(out: Path, cli: Cli):
    code, text, _ = cli("export", out, "--format", "compute", "--kernel-medians")
    model = out / "compute/gfx942-kernel-medians"
    assert (code, text) == (ExitCode.OK, f"  {model} (1 of 2 launch shapes): rocprof-compute analyze -p {model}\n")
    assert names(out / "compute") == {model.name}


def test_single_instances_that_were_not_recorded_cannot_be_asked_for(out: Path):
    with pytest.raises(UsageError, match="instances"):
        mp.export(out, "compute", instances="keep")
    assert names(out) == {"multipass-4711.journal"}


def test_what_is_printed_says_what_is_in_it_and_how_to_read_it(out: Path, cli: Cli):
    code, text, err = cli("export", out, "--format", "compute")
    model = out / "compute/gfx942"
    assert code == ExitCode.OK
    assert text == f"  {model} (2 of 4 dispatches): rocprof-compute analyze -p {model}\n"
    assert "error: " not in err


def test_the_command_has_no_path_that_analyze_refuses(out: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch):
    (out / "below").mkdir()
    monkeypatch.chdir(out / "below")
    _, text, _ = cli("export", "..", "--format", "compute")
    assert text.endswith(f"rocprof-compute analyze -p {out}/compute/gfx942\n")


def test_a_run_of_which_nothing_is_complete_ends_with_7_and_says_why(tmp_path: Path, cli: Cli):
    run = replace(RUN, launches=RUN.launches[2:])
    out = tools.write_run(tmp_path / "out", run, files=("journal",))
    code, text, err = cli("export", out, "--format", "compute")
    assert (code, text) == (ExitCode.OUTPUT_FAILED, "")
    assert "error: " in err
    assert names(out) == {"multipass-4711.journal"}


def test_an_unreadable_journal_is_missing_loudly_and_keeps_no_other_out(out: Path, cli: Cli):
    (out / "multipass-9.journal").write_bytes(b"RSMPJRNL" + bytes(24))
    code, text, err = cli("export", out, "--format", "compute")
    assert code == ExitCode.VERIFICATION_FAILED
    assert f"{out}/compute/gfx942 (2 of " in text
    assert err.count("journal version 0") == 1
    assert f"warning: {out}/compute: made without multipass-9.journal, which cannot be read: " in err
    assert len({row["Dispatch_ID"] for row in rows(out / "compute/gfx942")}) == 2


def test_of_an_unreadable_journal_alone_nothing_is_made(tmp_path: Path):
    (tmp_path / "multipass-9.journal").write_bytes(b"RSMPJRNL" + bytes(24))
    with pytest.raises(TraceError, match="journal version 0"):
        mp.export(tmp_path, "compute")
    assert names(tmp_path) == {"multipass-9.journal"}


@pytest.mark.parametrize("ending", ["db", "pftrace"])
def test_it_is_not_made_of_a_trace_or_a_database(tmp_path: Path, ending: str):
    tools.write_run(tmp_path, RUN, files=(ending,))
    with pytest.raises(UsageError, match=rf"\.{ending} is no journal, and compute is made of one: give the journal"):
        mp.export(tmp_path / f"multipass-4711.{ending}", "compute")


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["--compute-release", "3.9"], "--compute-release"),
        (["--instances", "keep"], "--instances"),
        (["--include-partial"], "--include-partial"),
        (["--kernel-medians"], "--kernel-medians"),
    ],
)
def test_its_options_are_refused_without_it(out: Path, cli: Cli, words: list[str], option: str):
    code, _, err = cli("export", out, "--format", "csv", *words)
    assert code == ExitCode.USAGE
    assert f"{option}: it is of the folders for rocprofiler-compute, and no compute is written of {out}" in err
    assert names(out) == {"multipass-4711.journal"}


def test_a_release_that_is_none_is_refused(out: Path):
    with pytest.raises(UsageError, match=r"compute_release: '3\.4' is not one of 3\.3, 3\.6, 3\.9"):
        mp.export(out, "compute", compute_release="3.4")


# ---------------------------------------------------------------------------------------------------------------------
# After a run that died


def test_what_a_killed_wrapper_did_not_make_is_recovered_once(out: Path, native: FakeNative):
    asked(out, outputs=["compute"], compute_release="3.9")
    (out / "multipass-4711.json").write_text(json.dumps(tools.summary_of(RUN)), encoding="utf-8")
    journal, made = mp.recover(out)
    assert (journal.state, made.state, made.journal) == ("complete", "recovered", out / "compute")
    assert [(one.path, one.dispatches) for one in made.models] == [(out / "compute/gfx942", 2)]
    assert (out / "compute/gfx942/pmc_perf.csv.gz").exists()
    assert len(mp.recover(out)) == 1
    assert native.exports == []


def test_recover_of_ranks_that_have_their_own_makes_none(out: Path, native: FakeNative):
    asked(out, outputs=["compute"])
    (out / "multipass-4711.json").write_text(json.dumps(tools.summary_of(RUN)), encoding="utf-8")
    mp.export(out / "multipass-4711.journal", "compute")
    assert [one.state for one in mp.recover(out)] == ["complete"]
    assert not (out / "compute").exists()


def test_recover_says_where_it_is(out: Path, cli: Cli):
    asked(out, outputs=["compute"])
    (out / "multipass-4711.json").write_text(json.dumps(tools.summary_of(RUN)), encoding="utf-8")
    code, text, _ = cli("recover", out)
    model = out / "compute/gfx942"
    assert (code, text.splitlines()[-2:]) == (
        ExitCode.OK,
        [f"{out}/compute: written", f"  {model} (2 of 4 dispatches): rocprof-compute analyze -p {model}"],
    )


# ---------------------------------------------------------------------------------------------------------------------
# Whatever reads a run directory does not mind it


def test_readers_of_a_run_directory_see_the_same_with_it(tmp_path: Path, cli: Cli):
    out = tools.write_run(tmp_path / "out", RUN)

    def seen() -> tuple[object, ...]:
        report = cli("report", out)
        return mp.verify(out), report, [d.dispatch_id for d in mp.open_trace(out).dispatches()]

    before = seen()
    mp.export(out, "compute")
    mp.export(out / "multipass-4711.journal", "compute")
    assert seen() == before
