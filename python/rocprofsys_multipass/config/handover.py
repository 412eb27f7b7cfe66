# SPDX-License-Identifier: MIT
"""What the plugin is told about a run: the content of the hand-over file (docs/formats/config.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocprofsys_multipass.config.schema import RUN_OPTIONS
from rocprofsys_multipass.config.values import DEFAULT_FORMATS

if TYPE_CHECKING:
    from pathlib import Path

    from rocprofsys_multipass.config.options import RunConfig

HANDOVER_SCHEMA = 1
# Left out where they are the default. The plugin does not read compute-release: it is for `recover` and `export`.
_WORDS = ("trace-counters", "instances", "compute-release", "layout")


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
    for name in _WORDS:
        option = RUN_OPTIONS[name]
        if (value := getattr(config, option.key)) != option.default:
            document[option.key] = value
    others: dict[str, object] = {
        "sets": list(config.sets),
        "compute_panels": list(config.compute_panels),
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
    document |= {name: value for name, value in others.items() if value}
    # Of these, 0 is a value: no limit.
    budget = config.replay_budget
    limits: dict[str, object] = {
        "max_replays": config.max_replays,
        "replay_budget": None if budget is None else {"seconds": budget.seconds, "share": budget.share},
        "host_memory": config.host_memory,
    }
    return document | {name: value for name, value in limits.items() if value is not None}
