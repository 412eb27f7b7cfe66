# SPDX-License-Identifier: MIT
"""The bundled application from end to end: the wrapper, the plugin, all files, and whether they are right.

The run is a command of its own, so that one that never ends is ended.
"""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Any

from rocprofsys_multipass.demo import DEMO_EVENTS
from rocprofsys_multipass.doctor.check import Check, ok, problem
from rocprofsys_multipass.doctor.selftest.ground import NO_REASON, FailedError, clipped, end_of
from rocprofsys_multipass.errors import MultipassError
from rocprofsys_multipass.native import read_messages
from rocprofsys_multipass.verify import verify

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rocprofsys_multipass.doctor.selftest.ground import Bench

_SETS = "memory,occupancy"  # of every architecture, beside the counters of the demonstration
_ERROR = "rocprof-sys-multipass: error: "  # begins the lines in which a command tells its errors


def check_application(bench: Bench) -> Check:
    """Run it, and verify all that it leaves."""
    title = bench.ground.title
    start = time.monotonic()
    said, failure = "", ""
    try:
        said = _run(bench)
    except FailedError as error:
        failure = str(error)
    except MultipassError as error:
        failure = "; ".join(error.messages)
    took = f"{time.monotonic() - start:.1f} s"
    if failure:
        todo = "see the checks above; rocprof-sys-multipass demo shows a run on a simulated GPU"
        return problem("selftest", f"failed {title} in {took}: {clipped(failure)}", "", todo)
    return ok("selftest", f"passed {title} in {took}: {said}")


def _run(bench: Bench) -> str:
    """What came of it, in words.

    Raises:
        FailedError: it is not as it must be.
    """
    application = bench.build(bench.native.demo_source, bench.native.demo)
    expected = _printed_alone(bench, application)
    output = bench.folder / "out"
    words = [sys.executable, "-m", __package__.partition(".")[0], "run", "--output", str(output)]
    words += ["--quiet", "--replay", "kernel"]  # all launches: nothing is spared
    words += ["--events", ",".join(DEMO_EVENTS)]
    words += ["--simulate", bench.ground.devices] if bench.ground.devices else ["--set", _SETS]
    done = bench.call([*words, "--", str(application)])
    if done.code:
        why = [line.partition(_ERROR)[2] for line in done.err.splitlines() if line.startswith(_ERROR)]
        raise FailedError(f"the run ended with {done.code}: {'; '.join(why) or end_of(done.err) or NO_REASON}")
    if done.out.splitlines()[: len(expected)] != expected:
        raise FailedError("the application prints something else under the profiler: its memory is not restored")
    summary = _summary(output, "; ".join(read_messages(done.err).warnings))
    _check_dispatches(summary)
    errors = [f"{one.check}: {one.message}" for one in verify(output) if one.severity == "error"]
    if errors:
        raise FailedError("; ".join(errors))
    passes = max((agent["pass_count"] for agent in summary["agents"]), default=0)
    counts = summary["dispatches"]
    how = ", one group of counters each" if counts["declined"] else ""
    return f"{counts['seen']} launches{how}, {summary['readings']} readings in {passes} passes; all files verified"


def _printed_alone(bench: Bench, application: Path) -> list[str]:
    """The lines that it prints without a profiler."""
    done = bench.alone([str(application)])
    if done.code:
        raise FailedError(
            f"the application fails without a profiler, with {done.code}: {end_of(done.err) or NO_REASON}"
        )
    return done.out.splitlines()


def _summary(output: Path, warnings: str) -> dict[str, Any]:
    files = sorted(output.glob("multipass-*.json"))
    if not files:
        raise FailedError(f"nothing was captured{f': {warnings}' if warnings else ''}")
    found: dict[str, Any] = json.loads(files[0].read_text(encoding="utf-8"))
    return found


def _check_dispatches(summary: Mapping[str, Any]) -> None:
    """All launches are read: in all passes where the SDK has kernel replay, else one group of each."""
    counts = summary["dispatches"]
    read = counts["replayed"] + counts["single_pass"]
    if not summary["sdk"]["kernel_replay"]:
        read += counts["declined"]
    if read != counts["seen"] or not summary["readings"]:
        reasons = [f"{name} {count}" for name, count in counts["declined_reasons"].items()]
        why = "; ".join([*reasons, *summary["warnings"]])
        raise FailedError(f"of {counts['seen']} launches, {read} were read completely: {why}")
