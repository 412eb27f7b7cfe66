# SPDX-License-Identifier: MIT
"""What a run ends with when its application succeeded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rocprofsys_multipass.errors import ExitCode
from rocprofsys_multipass.run.afterwards import lacking

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocprofsys_multipass.config import RunConfig

_NOTHING_COLLECTED = "nothing was collected: none of the counters asked for can be read on any GPU of this run"


def own_exit_code(
    config: RunConfig, summaries: Sequence[dict[str, Any]], told: Sequence[str], errors: list[str]
) -> ExitCode:
    """The exit code; what it is not 0 for is added to `errors`. `told`: the plugin's warnings."""
    if errors:
        return ExitCode.OUTPUT_FAILED
    agents = [agent for summary in summaries for agent in summary.get("agents", ())]
    if agents and not any(agent.get("pass_count") for agent in agents):
        errors.append(_NOTHING_COLLECTED)
        return ExitCode.PLAN_IMPOSSIBLE
    if not config.strict:
        return ExitCode.OK
    strict = config.source("strict").text
    lost = lacking(summaries, told)
    if lost:
        more = f" and {len(lost) - 1} more" if len(lost) > 1 else ""
        errors.append(f"{strict}: not all that was asked for was collected: {lost[0]}{more}")
    elif not summaries:
        errors.append(f"{strict}: nothing was captured: see the warning for possible causes")
    return ExitCode.PLAN_IMPOSSIBLE if lost or not summaries else ExitCode.OK
