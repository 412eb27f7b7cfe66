# SPDX-License-Identifier: MIT
"""``report``, ``export`` and ``recover`` on the command line: what goes where, and with which exit code."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import trace_tools as tools
from fake_native import Cli, FakeNative

NAME = f"multipass-{tools.PID}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run directory with every kind of file."""
    return tools.write_run(tmp_path / "out", tools.sample_run())


def test_without_an_option_the_report_is_for_people(cli: Cli, folder: Path) -> None:
    code, out, err = cli("report", folder)
    assert (code, err) == (0, "")
    assert "5 dispatches:  2 replayed  1 declined (graph 1)" in out


def test_a_kernel_can_be_chosen(cli: Cli, folder: Path) -> None:
    _, out, _ = cli("report", folder, "--kernel", "^init")
    assert "2 dispatches:" in out
    assert "axpy" not in out


def test_the_counters_of_launch_shapes_are_printed_alone(cli: Cli, folder: Path) -> None:
    code, out, _ = cli("report", folder, "--kernel-counters", "--csv", "-", "--kernel", "axpy")
    assert code == 0
    assert [line.split(",")[13:19] for line in out.replace('"axpy(float*, int)"', "axpy").splitlines()[1:]] == [
        ["0", "3", "100.5", "0.0", "90.0", "100.5"],
        ["0", "3", "512.0", "0.0", "512.0", "512.0"],
        ["1", "2", "150.0", "150.0", "0.0", "300.0"],
    ]
    code, out, err = cli("report", folder, "--kernel-counters", "--html", "-")
    assert (code, out) == (2, "")
    assert "the HTML page has the kernel counters in a section of its own" in err


def test_a_kernel_that_is_no_pattern_and_no_name_is_misuse(cli: Cli, folder: Path) -> None:
    code, _, err = cli("report", folder, "--kernel", "nope(")
    assert code == 2
    assert "'nope(' is no regular expression" in err


@pytest.mark.parametrize("more", [(), ("--json",), ("--html", "-")])
def test_a_kernel_that_is_not_there_is_misuse_and_those_that_are_there_are_named(
    cli: Cli, folder: Path, more: tuple[str, ...]
) -> None:
    code, out, err = cli("report", folder, "--kernel", "nosuch", *more)
    assert (code, out) == (2, "")
    assert "no kernel name matches 'nosuch'; there are: axpy(float*, int); init(int) (see: " in err


def test_of_many_kernels_some_are_named(cli: Cli, tmp_path: Path) -> None:
    launches = tuple(replace(tools.replayed(n, 1000 * n), kernel=f"k{n}") for n in range(1, 14))
    tools.write_run(tmp_path, tools.Run(launches), files=("journal",))
    _, _, err = cli("report", tmp_path, "--kernel", "nosuch")
    assert "there are: k1; k2; k3; k4; k5; k6; k7; k8; k9; k10; 3 more" in err


def test_a_pattern_finds_nothing_wrong_in_a_run_without_launches(cli: Cli, tmp_path: Path) -> None:
    tools.write_run(tmp_path, tools.Run(()), files=("journal",))
    code, out, _ = cli("report", tmp_path, "--kernel", "nosuch")
    assert code == 0
    assert "No dispatch was recorded." in out


@pytest.mark.parametrize("option", ["--csv", "--markdown", "--html"])
def test_a_dash_is_stdout(cli: Cli, folder: Path, tmp_path: Path, option: str) -> None:
    code, out, _ = cli("report", folder, option, "-")
    cli("report", folder, option, tmp_path / "file")
    assert code == 0
    assert out == (tmp_path / "file").read_text(encoding="utf-8")


def test_json_goes_to_stdout_beside_files(cli: Cli, folder: Path, tmp_path: Path) -> None:
    code, out, _ = cli("report", folder, "--json", "--csv", tmp_path / "a.csv")
    assert code == 0
    assert json.loads(out)["schema"] == 1
    assert (tmp_path / "a.csv").read_text(encoding="utf-8").count("\n") == 13


def test_files_that_were_written_are_named(cli: Cli, folder: Path, tmp_path: Path) -> None:
    code, out, _ = cli("report", folder, "--markdown", tmp_path / "r.md")
    assert code == 0
    assert out.startswith(f"  {tmp_path}/r.md (")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--csv", "-", "--json"), "--csv and --json cannot all go to stdout"),
        (("--csv", "-", "--markdown", "-"), "--markdown and --csv cannot all go to stdout"),
        (("--csv", "x", "--markdown", "x"), "name the same file"),
        (("--csv", ""), "--csv: no file was named"),
    ],
)
def test_forms_that_get_in_each_others_way_are_misuse(
    cli: Cli, folder: Path, options: tuple[str, ...], message: str
) -> None:
    code, out, err = cli("report", folder, *options)
    assert (code, out) == (2, "")
    assert message in err


def test_a_report_does_not_replace_what_it_is_made_from(cli: Cli, folder: Path) -> None:
    database = folder / f"{NAME}.db"
    before = database.read_bytes()
    code, _, err = cli("report", database, "--csv", database)
    assert code == 2
    assert "is what the report is made from" in err
    assert database.read_bytes() == before


def test_a_report_that_cannot_be_written_is_exit_code_7(cli: Cli, folder: Path, tmp_path: Path) -> None:
    code, _, err = cli("report", folder, "--csv", tmp_path / "gone" / "r.csv")
    assert code == 7
    assert f"{tmp_path}/gone/r.csv could not be written: No such file or directory (ENOENT, errno 2)" in err
    code, _, err = cli("report", folder, "--markdown", tmp_path)
    assert code == 7
    assert "(EISDIR, errno 21); name a file, this is a folder" in err


def test_a_report_to_a_device_is_no_file(cli: Cli, folder: Path) -> None:
    code, _, _ = cli("report", folder, "--csv", "/dev/null")
    assert code == 0
    assert Path("/dev/null").is_char_device()
    assert not list(Path("/dev").glob("null.tmp-*"))


def test_what_is_no_run_is_exit_code_6(cli: Cli, tmp_path: Path) -> None:
    assert cli("report", tmp_path)[0] == 6


def test_export_makes_tables_in_another_folder(cli: Cli, folder: Path, tmp_path: Path) -> None:
    code, out, err = cli("export", folder, "--format", "csv,json", "-o", tmp_path / "new")
    assert (code, err) == (0, "")
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == [f"{NAME}.csv", f"readings-{tools.PID}.json"]
    assert "a line per reading" in out
    assert "every reading" in out


def test_export_says_how_to_replace_a_file(cli: Cli, folder: Path, tmp_path: Path) -> None:
    cli("export", folder, "--format", "csv", "-o", tmp_path)
    code, _, err = cli("export", folder, "--format", "csv", "-o", tmp_path)
    assert code == 7
    assert "give --overwrite, or another folder with -o" in err
    assert cli("export", folder, "--format", "csv", "-o", tmp_path, "--overwrite")[0] == 0


@pytest.mark.parametrize("command", ["export", "recover"])
def test_a_format_that_does_not_exist_is_misuse(cli: Cli, folder: Path, command: str) -> None:
    code, _, err = cli(command, folder, "--format", "csv,xml")
    assert code == 2
    assert "--format: 'xml' is not one of perfetto, rocpd, csv, csv-wide, json, parquet" in err


def test_recover_says_that_nothing_is_to_be_done(cli: Cli, folder: Path) -> None:
    code, out, err = cli("recover", folder)
    # The database made by hand stands for one that the exporter wrote.
    assert (code, err) == (0, "")
    assert out == f"{folder}/{NAME}.journal: nothing to do: its outputs are whole (5 dispatches, 12 readings)\n"


def test_recover_tells_what_the_exporter_could_not_do(cli: Cli, folder: Path, native: FakeNative) -> None:
    (folder / f"{NAME}.db").unlink()
    exporter = native.root / "bin/rocprofsys-multipass-export"
    exporter.write_text("#!/bin/sh\necho 'rocprof-sys-multipass: error: no room' >&2\nexit 7\n", encoding="utf-8")
    code, out, err = cli("recover", folder)
    assert code == 7
    assert out == f"{folder}/{NAME}.journal: not recovered\n"
    assert "could not be exported: no room" in err
