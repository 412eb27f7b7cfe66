# SPDX-License-Identifier: MIT
"""What someone does with the files of a run where only the readers are installed: `python read_a_run.py RUN_DIR`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import rocprofsys_multipass as mp
from rocprofsys_multipass.errors import ExitCode


def main(folder: Path) -> None:
    """Every file is opened, and holds the same; the compiled parts are not there, and that is said."""
    assert not (Path(mp.__file__).parent / "_native").exists()
    counters = [dict(dispatch.counters) for dispatch in mp.open_trace(folder).dispatches()]
    assert counters
    for suffix in ("journal", "pftrace", "db"):
        (file,) = folder.glob(f"*.{suffix}")
        assert [dict(dispatch.counters) for dispatch in mp.open_trace(file).dispatches()] == counters, file
    assert [finding for finding in mp.verify(folder) if finding.severity == "error"] == []
    assert "<html" in mp.report(folder, "html")
    command = Path(sys.executable).with_name("rocprof-sys-multipass")
    for words in (["verify", folder], ["report", folder], ["config", "explain"], ["--help"]):
        done = subprocess.run([command, *words], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), done
    done = subprocess.run([command, "sim-flags"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (ExitCode.LAUNCH_FAILED, "")
    assert "this installation has the readers only" in done.stderr
    sys.stdout.write(f"Python {sys.version.split()[0]}: {len(counters)} dispatches read of every file\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
