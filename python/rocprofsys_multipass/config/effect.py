# SPDX-License-Identifier: MIT
"""Options that are given and change nothing, or keep others from it: what a run, and ``config check``, say of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from rocprofsys_multipass.config.events import tokens
from rocprofsys_multipass.config.schema import EVENTS_FALLBACK, OPTIONS
from rocprofsys_multipass.config.values import COMPUTE, sets_of_metrics

if TYPE_CHECKING:
    from rocprofsys_multipass.config.options import RunConfig

NOT_REPLAYED: Final = ("rotate", "off")
"""The modes in which each launch runs once."""

# Of these the plugin tells (library/tool/announcements.cpp, wanted.cpp), which also knows an SDK without kernel replay.
_PLUGIN_TELLS: Final = ("sentinel", "warm-up-pass", "timing-pass", "permute-groups")
# Options of one output, by that output.
_OF_FORMAT: Final = {"layout": "rocpd", "trace-counters": "perfetto", "compute-release": "compute"}


def idle_options(replay: tuple[str, str], given: Mapping[str, tuple[Any, str]]) -> list[str]:
    """A warning for each option that needs replay where nothing is replayed.

    Values by names of options, each with the place that it is from, as messages name it; `replay` is of that option.
    """
    mode, where = replay
    if mode not in NOT_REPLAYED:
        return []
    reason = f"it has no effect with {where} {mode}, which runs each launch once: leave one of them out"
    return [
        f"{given[option.name][1]}: {reason}"
        for option in OPTIONS
        if option.needs_replay and option.name in given and given[option.name][0] not in (option.default, "none")
    ]


def unused_settings(
    config: RunConfig, environ: Mapping[str, str], set_option: str, *, behind_launcher: bool
) -> list[str]:
    """What the wrapper says of a run whose options are resolved.

    Behind a launcher of rocprof-sys, that is who reads the list of counters in its variable. `set_option`: how the
    caller asks for a set of metrics.
    """
    given = {
        option.name: (getattr(config, option.key), config.source(option.name).text)
        for option in OPTIONS
        if option.needs_replay and option.name not in _PLUGIN_TELLS
    }
    warnings = idle_options((config.replay, config.source("replay").text), given)
    warnings += [
        f"{config.source(option.name).text}: it has no effect, since no {needed} is among the formats: add that, or "
        "leave this out"
        for option in OPTIONS
        if (needed := _OF_FORMAT.get(option.name)) and needed not in config.formats
        if getattr(config, option.key) != option.default
    ]
    if COMPUTE in config.formats and config.replay in NOT_REPLAYED:
        warnings.append(
            f"{config.source('format').text}: {COMPUTE} takes launches with all their counters, and with "
            f"{config.source('replay').text} {config.replay} each reads those of one pass: where they need several, "
            "nothing is written: ask for replay auto or kernel"
        )
    events = config.source("events")
    other = environ.get(EVENTS_FALLBACK, "")
    if events.kind in ("call", "variable", "file") and not behind_launcher and tokens(other) - tokens(config.events):
        warnings.append(
            f"{EVENTS_FALLBACK}: it is not read, since {events.text} names the counters: add there what is wanted of it"
        )
    metrics = sets_of_metrics()
    warnings += [
        f"{events.text}: '{name}' is no counter, but a metric of a set: add {set_option} {metrics[name]}"
        for name in sorted(tokens(config.events) & metrics.keys())
    ]
    return warnings
