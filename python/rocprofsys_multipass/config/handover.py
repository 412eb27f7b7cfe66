# SPDX-License-Identifier: MIT
"""What the plugin is told about a run: the content of the hand-over file (docs/formats/config.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocprofsys_multipass.config.values import (
    COMPUTE_RELEASES,
    DEFAULT_FORMATS,
    DEFAULT_LAYOUT,
    INSTANCES,
    TRACE_COUNTERS,
)

if TYPE_CHECKING:
    from pathlib import Path

    from rocprofsys_multipass.config.options import RunConfig

HANDOVER_SCHEMA = 1


def handover_document(
    config: RunConfig, output: Path, *, host: str, run_token: str = "", spawn_exporter: bool
) -> dict[str, object]:
    """Everything that the plugin needs, in one document: launchers of rocprof-sys rewrite other variables.

    `output` is absolute, its keys expanded. `spawn_exporter`: no wrapper is there to export what was captured.
    """
    document: dict[str, object] = {
        "schema": HANDOVER_SCHEMA,
        "events": config.events,
        "groups": [list(group) for group in config.groups],
        "output": str(output),
        "run_token": run_token,
        "host": host,
        "replay": config.replay,
        "sentinel": config.sentinel,
        "formats": [name for name in config.formats if name in DEFAULT_FORMATS] or list(DEFAULT_FORMATS),
        "outputs": list(config.formats),
        "spawn_exporter": spawn_exporter,
        "quiet": config.quiet,
        "verbose": config.verbose,
    }
    if config.trace_counters != TRACE_COUNTERS[0]:
        document["trace_counters"] = config.trace_counters
    if config.sets:
        document["sets"] = list(config.sets)
    if config.compute_panels:
        document["compute_panels"] = list(config.compute_panels)
    if config.instances != INSTANCES[0]:
        document["instances"] = config.instances
    if config.compute_release != COMPUTE_RELEASES[0]:
        document["compute_release"] = config.compute_release  # for `recover` and `export`, as `outputs` is
    if config.layout != DEFAULT_LAYOUT:
        document["layout"] = config.layout
    filters: dict[str, object] = {
        "kernel_include": config.kernel_include,
        "kernel_exclude": config.kernel_exclude,
        "range": config.range,
        "gpus": config.gpus,
        "ranks": config.ranks,
        "roctx": config.roctx,
        "roctx_include": config.roctx_include,
        "roctx_exclude": config.roctx_exclude,
        "selected_regions": config.selected_regions,
        "no_replay": config.no_replay,
        "replay_everything": config.replay_everything,
        "unsafe": list(config.unsafe),
        "warm_up_pass": config.warm_up_pass,
        "timing_pass": config.timing_pass,
        "permute_groups": config.permute_groups,
    }
    document |= {name: value for name, value in filters.items() if value}
    # Of these, 0 is a value: no limit.
    budget = config.replay_budget
    limits: dict[str, object] = {
        "max_replays": config.max_replays,
        "replay_budget": None if budget is None else {"seconds": budget.seconds, "share": budget.share},
        "host_memory": config.host_memory,
    }
    return document | {name: value for name, value in limits.items() if value is not None}
