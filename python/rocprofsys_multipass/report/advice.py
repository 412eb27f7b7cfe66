# SPDX-License-Identifier: MIT
"""What was lost in a run, why, and what to do about it.

The reasons are those of docs/life-of-a-dispatch.md, "When replay is declined", and of docs/safety.md. One that is not
known here, such as that of a later version, has the advice of its outcome.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rocprofsys_multipass.trace import OUTCOMES, Dispatch, Outcome, safety

_DECLINED: Final[Mapping[str, tuple[str, str]]] = {
    "rotate_mode": (
        "--replay rotate was asked for: each launch runs once and reads one group",
        "for all counters of one launch use --replay auto; otherwise compare means over many launches",
    ),
    "no_kernel_replay": (
        "this SDK has no kernel replay: each launch reads one group",
        "use an SDK with kernel replay (doctor says which is loaded), or launch each kernel at least once per group",
    ),
    "replay_refused": (
        "the SDK refused kernel replay to this tool: another one owns it",
        "run without the other profiler; doctor names tools that are in the way",
    ),
    "replay_unusable": (
        "the SDK lays its replay records out in a way that is not understood",
        "use a version of rocprofsys-multipass that knows this SDK, or --replay rotate until there is one",
    ),
    "no_replay_list": (
        "the kernel is on the list of those that must not be replayed",
        "if it waits for no other GPU or host thread: --replay-everything, and take its name out of --no-replay",
    ),
    "max_replays": (
        "launches of this shape were replayed as often as wanted (3 times, where --max-replays says nothing else)",
        "nothing is wrong: the others read the groups in turn; a higher --max-replays, or none, replays more of them",
    ),
    "not_offered": (
        "the SDK did not ask about this launch: it is of a graph, or one of several packets in one write",
        "launch it outside of a graph to have it replayed; inside, repeat it at least once per group",
    ),
    "unknown": (
        "the SDK asked, then ran it once: no drain, no room for the copy of the memory, or memory it does not trust",
        "free host memory for the copy, launch on one queue at a time, or choose fewer with --kernel-include, --range",
    ),
}
_FILTERED: Final[Mapping[str, tuple[str, str]]] = {
    "gpus": ("--gpus leaves its GPU out", "nothing is wrong; name the GPU in --gpus to read its counters"),
    "no_counters": ("nothing is planned for this GPU", "ask for counters that it has; `counters --device` lists them"),
    "paused": (
        "the program had paused profilers, or not resumed them with --selected-regions",
        "nothing is wrong; move roctxProfilerResume before the launch to read it",
    ),
    "roctx": ("it is outside of the roctx ranges that are wanted", "nothing is wrong; widen --roctx-include"),
    "kernel_include": ("--kernel-include does not match its name", "nothing is wrong; widen the pattern to read it"),
    "kernel_exclude": ("--kernel-exclude matches its name", "nothing is wrong; narrow the pattern to read it"),
    "range": ("--range leaves this launch of the kernel out", "nothing is wrong; widen the range to read it"),
}
_COUNTING: Final = (
    "counting could not start: another tool counts, or a thread forked",
    "run without other profilers of the GPU; doctor names those that are in the way",
)
_AT_THE_END: Final = (
    "the program ended before its launch did",
    "wait for the GPU (hipDeviceSynchronize) before the program ends",
)
_PASS: Final = (
    "a pass did not run or did not deliver all that was planned",
    "run again; where it stays, leave counters of that pass out, or --replay rotate",
)
_UNKNOWN: Final[Mapping[Outcome, tuple[str, str]]] = {
    "declined": ("replay was declined", "one group of counters was read; --replay rotate takes them in turn"),
    "filtered": ("a filter left it out", "nothing is wrong"),
    "incomplete": ("not all of it was recorded", "what came is here; verify says what is missing"),
}


@dataclass(frozen=True, slots=True)
class Loss:
    """Dispatches that lack counters for one reason. `kernels`: names of those kernels, the most frequent first."""

    outcome: Outcome
    reason: str
    count: int
    kernels: tuple[str, ...]

    @property
    def why(self) -> str:
        """What happened, in words."""
        return _words(self.outcome, self.reason)[0]

    @property
    def advice(self) -> str:
        """What to do."""
        return _words(self.outcome, self.reason)[1]


def losses(dispatches: Sequence[Dispatch]) -> list[Loss]:
    """Dispatches that lack counters, by reason, in the order of OUTCOMES, the most frequent reason first."""
    kernels: dict[tuple[Outcome, str], Counter[str]] = defaultdict(Counter)
    for d in dispatches:
        if d.outcome in _UNKNOWN:
            kernels[d.outcome, d.reason][d.kernel] += 1
    found = [
        Loss(outcome, reason, sum(names.values()), tuple(name for name, _ in names.most_common()))
        for (outcome, reason), names in kernels.items()
    ]
    return sorted(found, key=lambda one: (OUTCOMES.index(one.outcome), -one.count, one.reason))


def _words(outcome: Outcome, reason: str) -> tuple[str, str]:
    known: Mapping[str, tuple[str, str]] = {"declined": _DECLINED, "filtered": _FILTERED}.get(outcome, {})
    if reason in known:
        return known[reason]
    unsafe = {"declined": safety.declined, "incomplete": safety.ended}.get(outcome)
    if unsafe is not None and (words := unsafe(reason)):
        return words
    if outcome != "incomplete":
        return _UNKNOWN[outcome]
    if reason == "no counters were collected":
        return _COUNTING
    if reason.endswith("when the program ended"):
        return _AT_THE_END
    return _PASS if reason else _UNKNOWN[outcome]
