# SPDX-License-Identifier: MIT
"""What a run under rocprof-sys knows of it: where it writes, and whether its counters were taken."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rocprofsys_multipass.rocprof_sys.found import Found, is_true
from rocprofsys_multipass.rocprof_sys.options import POLLED

DEFAULT_OUTPUT: Final = "rocprof-sys-%tag%-output"


@dataclass(frozen=True)
class RocprofSysLaunch:
    """Where rocprof-sys writes, as far as its settings tell, and whether its list of counters was `taken`.

    `output_path` may hold keys that only the application's process knows, such as ``%pid%``. `use_pid`: names end with
    the pid, or the rank once MPI is up. `time_output`: there is a folder for each time below.
    """

    output_path: Path
    use_pid: bool
    taken: bool
    output_prefix: str = ""
    time_output: bool = True


def launch_of(found: Found, folder: Path, *, taken: bool) -> RocprofSysLaunch:
    """Where rocprof-sys writes; `folder` is the one that the command line is started in."""

    def value(name: str, default: str) -> str:
        giving = found.effective(f"ROCPROFSYS_{name}")
        return giving.value if giving else default

    return RocprofSysLaunch(
        output_path=folder / value("OUTPUT_PATH", DEFAULT_OUTPUT),
        use_pid=is_true(value("USE_PID", "true")),
        taken=taken,
        output_prefix=value("OUTPUT_PREFIX", ""),
        time_output=is_true(value("TIME_OUTPUT", "true")),
    )


def polled_counters(found: Found) -> str:
    """The counters that rocprof-sys polls, which it keeps; empty where there are none."""
    giving = found.effective(POLLED)
    return giving.value if giving else ""
