# SPDX-License-Identifier: MIT
"""A run that is asked for the folder that `rocprof-compute analyze` reads."""

from __future__ import annotations

import csv
from pathlib import Path

from e2e_tools import PROBE, TWO_PASSES, Cli, probe_counters

import rocprofsys_multipass as mp

RUN = ("run", "--simulate", "gfx942", "--events", ",".join(TWO_PASSES), "--format", "compute", "-o")


def test_a_run_makes_the_folder_and_nothing_else_stumbles_over_it(cli: Cli, probe: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    model = out / "compute/gfx942"
    done = cli(*RUN, out, "--", probe, "exit", "0")
    assert done.returncode == 0, done.stderr
    assert f"  {model} (1 dispatch): rocprof-compute analyze -p {model}\n" in done.stderr
    assert {path.suffix for path in out.iterdir()} == {"", ".journal", ".json"}
    with (model / "pmc_perf.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["Counter_Name"]: float(row["Counter_Value"]) for row in rows} == probe_counters(1000)
    assert {row["Kernel_Name"] for row in rows} == {PROBE}
    assert [one for one in mp.verify(out) if one.severity != "info"] == []
    assert cli("recover", out).stdout.count("nothing to do") == 1


def test_where_no_launch_has_all_counters_the_run_ends_with_7_unless_its_application_failed(
    cli: Cli, probe: Path, tmp_path: Path
) -> None:
    for status, expected in (("0", 7), ("3", 3)):
        out = tmp_path / status
        done = cli(*RUN, out, "--replay", "rotate", "--", probe, "exit", status)
        assert done.returncode == expected, done.stderr
        assert f"error: {out}/compute: nothing is left to export for rocprofiler-compute: " in done.stderr
        assert not (out / "compute").exists()
