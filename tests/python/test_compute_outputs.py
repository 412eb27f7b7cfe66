# SPDX-License-Identifier: MIT
"""Folders for rocprofiler-compute as an output: asked for, told of, and what is never replaced."""

from __future__ import annotations

import os
import socket
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trace_tools as tools
from compute_runs import FILES, OTHER, RUN, asked, names, rows
from fake_native import Cli

import rocprofsys_multipass as mp
from rocprofsys_multipass.errors import ExitCode, OutputError, TraceError, UsageError
from rocprofsys_multipass.run.compute_folders import compute_name_of_run
from rocprofsys_multipass.run.directory import prepare
from rocprofsys_multipass.writing import is_orphan, scratch_prefix


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A run directory with the journal of RUN."""
    return tools.write_run(tmp_path / "out", RUN, files=("journal",))


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


def test_where_a_folder_above_has_two_points_in_its_name_the_command_goes_there(out: Path, cli: Cli, tmp_path: Path):
    """analyze refuses every path in which they are."""
    place = tmp_path / "a..b"
    _, text, _ = cli("export", out, "--format", "compute", "--output", place)
    assert text.endswith(f": cd {place}/compute && rocprof-compute analyze -p gfx942\n")


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
    assert f"{option}: it is of the folders for rocprofiler-compute, and none is made of {out}: ask for the " in err
    assert names(out) == {"multipass-4711.journal"}


def test_a_release_that_is_none_is_refused_with_those_that_each_is_for(out: Path):
    """3.8 reads what is written for 3.6, and its nearest name is 3.9."""
    with pytest.raises(UsageError, match=r"'3\.8' is not one of 3\.3, 3\.6 \(to 3\.8\), 3\.9 \(and later\)$"):
        mp.export(out, "compute", compute_release="3.8")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"compute_release": 3.9}, "compute_release: 3.9 is of the wrong type: pass a text"),
        ({"instances": True}, "instances: True is of the wrong type: pass a text"),
        ({"layout": 1}, "layout: 1 is of the wrong type: pass a text"),
    ],
)
def test_a_value_of_the_wrong_type_is_refused(out: Path, given: dict[str, Any], said: str):
    with pytest.raises(UsageError) as caught:
        mp.export(out, "compute", **given)
    assert str(caught.value) == said


# ---------------------------------------------------------------------------------------------------------------------
# What is replaced


def test_beside_its_journals_an_old_one_is_replaced(out: Path):
    mp.export(out, "compute", compute_release="3.9")
    (out / "compute/gfx942/pmc_kernel_top.csv").touch()  # of analyze
    mp.export(out, "compute")
    assert names(out / "compute/gfx942") == FILES


def test_elsewhere_it_is_replaced_only_when_asked(out: Path):
    other = out.parent / "other"
    mp.export(out, "compute", output=other, compute_release="3.9")
    with pytest.raises(OutputError, match="compute is there already and was not replaced: give overwrite=True"):
        mp.export(out, "compute", output=other)
    mp.export(out, "compute", output=other, overwrite=True)
    assert names(other / "compute/gfx942") == FILES


@pytest.mark.parametrize("strange", ["mine.txt", "gfx942/mine.txt", "gfx942/perfmon/"])
def test_a_file_of_somebody_else_in_it_is_never_removed(out: Path, strange: str):
    mp.export(out, "compute")
    path = out / "compute" / strange
    path.mkdir() if strange.endswith("/") else path.touch()
    with pytest.raises(OutputError, match=f"{strange.rstrip('/')}: it is in the place of an export"):
        mp.export(out, "compute", overwrite=True)
    with pytest.raises(OutputError, match=r"none of its files.*, or give another folder .*; nothing was started"):
        prepare(out, overwrite=True, rank=None)
    assert path.exists()
    assert (out / "multipass-4711.journal").exists()


def test_what_a_killed_export_left_is_removed_by_the_next(out: Path):
    host = socket.gethostname()
    gone, mine = out / f".compute.tmp-4194305-{host}-x", out / f".compute.tmp-{os.getpid()}-{host}-x"
    for folder in (gone, mine):
        (folder / "new/gfx942").mkdir(parents=True)
        (folder / "new/gfx942/pmc_perf.csv").touch()
    mp.export(out, "compute")
    assert (gone.exists(), mine.exists()) == (False, True)
    prepare(out, overwrite=True, rank=None)
    assert names(out) == {mine.name}


def test_what_another_host_writes_beside_it_stays(out: Path):
    """Ranks of several hosts write to one shared directory, and a process of another host is not seen from here."""
    other = out / ".compute-rank3.tmp-4194305-a-host-that-is-none-x"
    other.mkdir()
    mp.export(out, "compute")
    assert other.exists()


def test_a_folder_that_is_not_whole_has_the_process_and_the_host_in_its_name():
    prefix = scratch_prefix("compute")
    assert prefix == f".compute.tmp-{os.getpid()}-{socket.gethostname()}-"
    assert [is_orphan(prefix + "x"), is_orphan(prefix.replace(str(os.getpid()), "4194305", 1) + "x")] == [False, True]


def test_a_link_to_an_earlier_one_is_removed_and_what_it_leads_to_stays(out: Path):
    mp.export(out, "compute", output=out.parent)
    (out / "compute").symlink_to(out.parent / "compute")
    prepare(out, overwrite=True, rank=None)
    assert names(out) == set()
    assert names(out.parent / "compute/gfx942") == FILES


# ---------------------------------------------------------------------------------------------------------------------
# An earlier run


def test_folders_of_an_earlier_run_go_with_it(out: Path):
    mp.export(out, "compute")
    mp.export(out / "multipass-4711.journal", "compute")
    (out / "multipass-4711.journal").unlink()
    with pytest.raises(OutputError, match=r"holds an earlier run \(compute\), and nothing was started"):
        prepare(out, overwrite=False, rank=None)
    assert names(out) == {"compute", "compute-4711"}
    prepare(out, overwrite=True, rank=None)
    assert names(out) == set()


def test_a_rank_leaves_the_folders_of_other_ranks_alone(tmp_path: Path):
    for rank in (0, 1):
        tools.write_run(tmp_path, replace(RUN, rank=rank), files=("journal",))
        mp.export(tmp_path / f"multipass-rank{rank}.journal", "compute")
    prepare(tmp_path, overwrite=True, rank=1, ranks=2)
    assert names(tmp_path) == {"multipass-rank0.journal", "compute-rank0"}


def test_somebody_elses_folder_of_that_name_is_in_the_way_of_that_output_only(tmp_path: Path):
    (tmp_path / "compute").mkdir()
    (tmp_path / "compute/shader.cpp").touch()
    prepare(tmp_path, overwrite=True, rank=None)
    for overwrite in (False, True):
        with pytest.raises(OutputError, match=r"compute/shader\.cpp: it is in .*; nothing was started"):
            prepare(tmp_path, overwrite=overwrite, rank=None, compute=True)
    assert names(tmp_path / "compute") == {"shader.cpp"}


def test_what_only_has_the_names_of_our_files_is_somebody_elses(tmp_path: Path):
    (tmp_path / "compute/MI300X_A1").mkdir(parents=True)
    (tmp_path / "compute/MI300X_A1/pmc_perf.csv").touch()
    prepare(tmp_path, overwrite=True, rank=None)
    assert (tmp_path / "compute/MI300X_A1/pmc_perf.csv").exists()


@pytest.mark.parametrize(
    ("journals", "alone", "name"),
    [
        (["4711", "4711-1"], True, "compute"),
        (["rank3"], True, "compute"),
        (["rank3"], False, "compute-rank3"),
        (["rank3-1", "rank3"], False, "compute-rank3"),
        (["rank0", "rank1"], False, "compute"),
        (["4711"], False, "compute-4711"),
    ],
)
def test_a_wrapper_of_one_rank_of_several_names_its_folder_by_it(journals: list[str], alone: bool, name: str):  # noqa: FBT001
    assert compute_name_of_run([Path(f"multipass-{one}.journal") for one in journals], alone=alone) == name


# ---------------------------------------------------------------------------------------------------------------------
# Whatever reads a run directory does not mind it


def test_readers_of_a_run_directory_see_the_same_with_it(tmp_path: Path, cli: Cli):
    out = tools.write_run(tmp_path / "out", RUN)

    def seen() -> tuple[object, ...]:
        report = cli("report", out)
        combined = mp.combine(out, output=tmp_path / "combined", overwrite=True)
        return mp.verify(out), report, combined, [d.dispatch_id for d in mp.open_trace(out).dispatches()]

    before = seen()
    mp.export(out, "compute")
    mp.export(out / "multipass-4711.journal", "compute")
    assert seen() == before
