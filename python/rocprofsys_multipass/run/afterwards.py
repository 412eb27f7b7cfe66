# SPDX-License-Identifier: MIT
"""What is said when the application has ended: of launches that options left out, and of a run without a journal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rocprofsys_multipass.config import RUN_OPTIONS, Wording
from rocprofsys_multipass.run.environment import TOOL_VARIABLE

if TYPE_CHECKING:
    from rocprofsys_multipass.config import RunConfig

_PLUGIN_SAYS = "rocprof-sys-multipass"  # begins each line of the plugin on stderr
_REGISTER = "ROCPROFILER_REGISTER_ENABLED"
_FILTERS = (
    "kernel-include",
    "kernel-exclude",
    "range",
    "gpus",
    "roctx-include",
    "roctx-exclude",
    "roctx",
    "selected-regions",
)
_LEAVE_OUT = {"kernel-exclude": "kernel_exclude", "roctx-exclude": "roctx"}  # each with its reason in a summary
_PLUGIN_TOLD = "no launch was collected"  # of regions that were never entered
# In the plugin's warnings of counters and metrics (library/tool/wanted.cpp, library/metrics, compared by a test).
LEFT_OUT = (" is left out: ", " are left out: ", "set left out: ", " is left out on ", " is collected nowhere: ")
_KERNELS_SHOWN = "; rocprof-sys-multipass report shows the names of kernels that patterns are searched in"


def idle_filters(
    config: RunConfig, wording: Wording, summaries: Sequence[Mapping[str, Any]], told: Sequence[str]
) -> list[str]:
    """A warning where filters left nothing to count, or a pattern left nothing out, as one with a slip does.

    There may be no more to see of it. `told`: what the plugin said already.
    """
    filtered, declined = Counter[str](), Counter[str]()
    seen = replayed = 0
    for count in (summary["dispatches"] for summary in summaries):
        seen += count["seen"]
        replayed += count["replayed"]
        filtered.update(count.get("filtered_reasons", {"": count["filtered"]}))
        declined.update(count["declined_reasons"])
    given = [name for name in _FILTERS if getattr(config, RUN_OPTIONS[name].key)]
    left_out = sum(filtered.values()) - filtered["no_counters"]  # which is the GPU's, not the user's
    if given and seen and seen == left_out:
        if any(_PLUGIN_TOLD in text for text in told):
            return []
        said = " and ".join(_said(name, config, wording) for name in given)
        warning = f"no counter was read: with {said} none of {seen} launches was to be counted"
        return [warning + _KERNELS_SHOWN if config.kernel_include or config.kernel_exclude else warning]
    idle = [name for name, reason in _LEAVE_OUT.items() if name in given and not filtered[reason]] if seen else []
    warnings = [f"{_said(name, config, wording)} left out none of {seen} launches" for name in idle]
    if config.no_replay and replayed and not declined["no_replay_list"]:
        warnings.append(f"{_said('no-replay', config, wording)} kept none of {seen} launches from being replayed")
    return [text if "roctx" in text else text + _KERNELS_SHOWN for text in warnings]


def _said(name: str, config: RunConfig, wording: Wording) -> str:
    """The option as the caller gave it."""
    value = getattr(config, RUN_OPTIONS[name].key)
    return wording.option(name) if value is True else f"{wording.option(name)} {value!r}"


def simulated_gpus(summaries: Sequence[Mapping[str, Any]]) -> list[str]:
    """The kinds of simulated GPUs that a run had; empty: it had none."""
    of_all = [summary for summary in summaries if summary.get("sdk", {}).get("simulated")]
    return list(dict.fromkeys(agent["name"] for summary in of_all for agent in summary["agents"]))


def unasked_simulation(config: RunConfig, wording: Wording, summaries: Sequence[Mapping[str, Any]]) -> list[str]:
    """A warning where the application ran on simulated GPUs, as one that is linked with the simulator does."""
    names = simulated_gpus(summaries)
    if config.simulate or not names:
        return []
    where = " and ".join(names)
    warning = (
        f"nothing asked for simulated GPUs, and the application ran on a simulated {where}, because it was built with "
        "what sim-flags prints: these are not the numbers of a GPU. Give "
        f"{wording.option('simulate')} {','.join(names)} where that is meant, or build it with hipcc"
    )
    return [warning]


def lacking(summaries: Sequence[Mapping[str, Any]], told: Sequence[str]) -> list[str]:
    """What was asked for and not collected, as texts. `told`: the plugin's warnings."""
    found = [text for text in told if any(words in text for words in LEFT_OUT)]
    agents = [agent for summary in summaries for agent in summary.get("agents", ())]
    found += [f"{one['counter']}: {one['reason']}" for agent in agents for one in agent.get("unplaceable", ())]
    return list(dict.fromkeys(found))


def nothing_captured(environ: Mapping[str, str], config: RunConfig, *, stderr: str | None) -> str:
    """Why there may be no journal. `stderr` None: it was not captured, so whether the plugin spoke is not known."""
    causes = []
    simulate = config.simulate
    if config.ranks:
        causes.append(f"no process had a rank of {config.source('ranks').text} {config.ranks}")
    if stderr is not None and f"{_PLUGIN_SAYS}: " in stderr:
        causes.append("the plugin said on stderr why it does not profile")
    if environ.get(_REGISTER, "").strip().lower() in ("0", "off", "no", "false"):
        causes.append(f"{_REGISTER}={environ[_REGISTER]} keeps the runtime from loading any tool: unset it")
    if tools := environ.get(TOOL_VARIABLE):
        causes.append(f"{TOOL_VARIABLE}={tools} brings other tools, which may keep the plugin out: unset it")
    causes.append("the application made no call to HIP, HSA or another ROCm runtime")
    if simulate:
        causes.append("it was not built against the simulated HIP (see: rocprof-sys-multipass sim-flags)")
    else:
        causes.append("its ROCm runtime has no rocprofiler-sdk 1.0 or newer that could load the plugin")
    causes.append("it ended by _exit or a signal before its first call")
    causes.append("something removed the capture file while it ran")
    lead = "Possible causes" if stderr is not None else "Unless the plugin said above why, possible causes"
    doctor = "rocprof-sys-multipass doctor" + (f" --simulate {simulate}" if simulate else "")
    return f"nothing was captured. {lead}: {'; '.join(causes)}; see: {doctor}"
