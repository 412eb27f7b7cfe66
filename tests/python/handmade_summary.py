# SPDX-License-Identifier: MIT
"""The summary of a described run."""

from __future__ import annotations

from collections import Counter

from described_run import SDK_LIBRARY, Run


def summary_of(run: Run) -> dict[str, object]:
    counts: dict[str, object] = {"seen": len(run.launches)}
    for outcome in ("replayed", "single_pass", "declined", "filtered", "incomplete"):
        counts[outcome] = sum(d.outcome == outcome for d in run.launches)
    counts["declined_reasons"] = dict(Counter(d.reason for d in run.launches if d.outcome == "declined"))
    counts["filtered_reasons"] = dict(Counter(d.reason for d in run.launches if d.outcome == "filtered"))
    agent = {
        "index": 1,
        "device": 0,
        "name": "gfx942",
        "pass_count": len(run.plan),
        "lower_bound": len(run.plan),
        "proven_minimal": True,
        "passes": [list(p) for p in run.plan],
        "sentinels": [list(p) for p in run.sentinels_of_passes],
        "unplaceable": [],
    }
    return {
        "schema": 1,
        "tool_version": "0.1.0",
        "sdk": {"version": "1.4.1", "library": SDK_LIBRARY, "simulated": run.simulated, "kernel_replay": True},
        "command": ["./app", "it's"],
        "pid": run.pid,
        "rank": run.rank,
        "host": "host",
        "replay_mode": run.replay_mode,
        "sets": list(run.sets),
        **{name: name in run.extras for name in ("warm_up_pass", "timing_pass", "permute_groups")},
        "capture": {
            "ended": run.closed,
            "records_lost": 0,
            "error": "",
            "damaged_bytes": 0,
            "damaged_frames": 0,
            "in_flight": None,
        },
        "agents": [agent],
        "dispatches": counts,
        "readings": sum(len(one.values) for d in run.launches for one in d.executions),
        "kernels": len({d.kernel for d in run.launches}),
        "files": {"journal": None, "perfetto": None, "rocpd": None},
        "warnings": list(run.warnings),
    }
