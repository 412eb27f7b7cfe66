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


def test_where_no_launch_has_all_counters_the_application_ends_with_its_own_code(
    cli: Cli, probe: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    done = cli(*RUN, out, "--replay", "rotate", "--", probe, "exit", "3")
    assert done.returncode == 3, done.stderr
    assert "warning: --format: compute takes launches with all their counters, and with --replay rotate " in done.stderr
    assert f"error: {out}/compute: nothing is left to export for rocprofiler-compute: " in done.stderr
    assert not (out / "compute").exists()
