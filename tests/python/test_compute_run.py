# SPDX-License-Identifier: MIT
"""Folders for rocprofiler-compute at the end of a run, and after one that died."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import trace_tools as tools
from compute_runs import FILES, OTHER, RUN, asked, names
from fake_native import Applications, Cli, FakeNative, write_script

import rocprofsys_multipass as mp
from rocprofsys_multipass.errors import ExitCode


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A run directory with the journal of RUN."""
    return tools.write_run(tmp_path / "out", RUN, files=("journal",))


@pytest.fixture
def leaves(applications: Applications, native: FakeNative, tmp_path: Path) -> Callable[..., str]:
    """Makes an application that leaves the journal of a run, and has the exporter write its summary."""

    def make(run: tools.Run = RUN, ending: str = "") -> str:
        first, *others = tools.journal_frames(run)
        parts = tmp_path / "parts"
        parts.mkdir()
        (parts / "header").write_bytes(tools.journal_header())
        (parts / "run").write_bytes(first.SerializeToString())
        (parts / "others").write_bytes(b"".join(tools.frame(one) for one in others))
        source = f"""
            parts = pathlib.Path({str(parts)!r})
            header, run, others = ((parts / part).read_bytes() for part in ("header", "run", "others"))
            run += member(1, member(22, token))  # is added to what it says
            frame_head = b"MPFR" + struct.pack("<II", len(run), zlib.crc32(run))
            frame_head += struct.pack("<I", zlib.crc32(frame_head))
            (output / f"multipass-{{name}}.journal").write_bytes(header + frame_head + run + others)
        """
        exporter = f"""
            import json, pathlib, sys
            with open(pathlib.Path(__file__).with_name("exports.jsonl"), "a") as log:
                print(json.dumps(sys.argv[1:]), file=log)
            pathlib.Path(sys.argv[1]).with_suffix(".json").write_text({json.dumps(tools.summary_of(run))!r})
        """
        write_script(native.root / "bin/rocprofsys-multipass-export", exporter)
        return applications.profiled(textwrap.dedent(source) + textwrap.dedent(ending))

    return make


def test_a_run_that_is_asked_for_it_alone_has_it_and_no_trace(leaves: Callable[..., str], native: FakeNative):
    run = mp.run([leaves()], events="A", output="out", formats="compute", compute_release="3.9", capture=True)
    assert (run.exit_code, run.errors) == (ExitCode.OK, ())
    assert [(one.path, one.dispatches, one.left_out) for one in run.models] == [
        (run.output_dir / "compute/gfx942", 2, 2)
    ]
    assert names(run.output_dir / "compute/gfx942") == FILES | {"pmc_perf.csv.gz"}
    assert [call[1:3] for call in native.exports] == [["--format", "summary"]]
    assert {path.suffix for path in run.files} == {".journal", ".json"}


def test_the_end_of_a_run_names_the_folder_and_how_to_read_it(leaves: Callable[..., str], cli: Cli, tmp_path: Path):
    code, _, err = cli("run", "--events", "A", "--format", "compute", "-o", "out", "--", leaves())
    model = tmp_path / "out/compute/gfx942"
    assert code == ExitCode.OK
    assert f"  {model} (2 of 4 dispatches): rocprof-compute analyze -p {model}\n" in err


def test_a_run_of_which_nothing_is_complete_ends_with_7(leaves: Callable[..., str]):
    app = leaves(replace(RUN, launches=RUN.launches[2:]))
    run = mp.run([app], events="A", output="out", formats="compute", capture=True)
    assert run.exit_code == ExitCode.OUTPUT_FAILED
    (error,) = run.errors
    assert error.startswith(f"{run.output_dir}/compute: nothing is left to export for rocprofiler-compute: ")
    assert "give --kernel-medians" in error
    assert error.endswith(f" (to rocprof-sys-multipass export {run.output_dir} --format compute)")


def test_the_exit_code_of_the_application_goes_first(leaves: Callable[..., str]):
    app = leaves(replace(RUN, launches=RUN.launches[2:]), ending="sys.exit(9)")
    run = mp.run([app], events="A", output="out", formats="compute", capture=True)
    assert (run.exit_code, len(run.errors)) == (9, 1)


def test_a_run_that_launched_nothing_is_told_so_and_ends_well(leaves: Callable[..., str]):
    run = mp.run([leaves(replace(RUN, launches=()))], events="A", output="out", formats="compute", capture=True)
    assert (run.exit_code, run.errors, run.models) == (ExitCode.OK, (), ())
    assert "nothing is written for rocprofiler-compute: no kernel was launched" in run.warnings


def test_a_gpu_without_a_plan_is_no_run_that_launched_nothing(leaves: Callable[..., str]):
    """Nothing is recorded of its launches, and others tell why."""
    run = mp.run(
        [leaves(replace(RUN, launches=(), plan=()))], events="A", output="out", formats="compute", capture=True
    )
    assert not any("rocprofiler-compute" in text for text in run.warnings)


def test_wrappers_of_ranks_do_not_write_over_each_other(
    leaves: Callable[..., str], cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    app = leaves()
    monkeypatch.setenv("PMI_SIZE", "2")
    for rank in ("0", "1"):
        monkeypatch.setenv("PMI_RANK", rank)
        code, _, err = cli("run", "--events", "A", "--format", "compute", "-o", "out", "--", app)
        assert code == ExitCode.OK
        if rank == "0":
            assert err.endswith(
                f"all ranks in one folder for rocprofiler-compute: rocprof-sys-multipass export {tmp_path}/out "
                "--format compute\n"
            )
    assert f"multipass-rank1.*, {tmp_path}/out/compute-rank1/gfx942\n" in err
    assert {"compute-rank0", "compute-rank1"} < names(tmp_path / "out")


def test_an_overwritten_run_leaves_nothing_of_the_earlier_one(leaves: Callable[..., str], tmp_path: Path):
    out = tools.write_run(tmp_path / "out", OTHER, files=("journal",))
    mp.export(out, "compute", compute_release="3.9")
    run = mp.run([leaves()], events="A", output=out, formats="csv", overwrite=True, capture=True)
    assert (run.exit_code, (out / "compute").exists()) == (ExitCode.OK, False)


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


def test_recover_names_what_it_could_not_read(out: Path, native: FakeNative, cli: Cli):
    asked(out, outputs=["compute"])
    (out / "multipass-4711.json").write_text(json.dumps(tools.summary_of(RUN)), encoding="utf-8")
    (out / "multipass-9.journal").write_bytes(b"torn" * 16)
    code, _, err = cli("recover", out)
    assert code == ExitCode.VERIFICATION_FAILED
    assert f"warning: {out}/compute: made without multipass-9.journal, see the error above: " in err


def test_recover_says_where_it_is(out: Path, cli: Cli):
    asked(out, outputs=["compute"])
    (out / "multipass-4711.json").write_text(json.dumps(tools.summary_of(RUN)), encoding="utf-8")
    code, text, _ = cli("recover", out)
    model = out / "compute/gfx942"
    assert (code, text.splitlines()[-2:]) == (
        ExitCode.OK,
        [f"{out}/compute: written", f"  {model} (2 of 4 dispatches): rocprof-compute analyze -p {model}"],
    )
