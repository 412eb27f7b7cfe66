# SPDX-License-Identifier: MIT
"""What ``run`` says at its end of the passes of each kernel: whether they can be taken for one execution.

From the members `kernels_agreement` and `kernels_agreement_rest` of the summary (docs/formats/summary.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from rocprofsys_multipass.spelling import STATES_NO_WORK

_ASPECTS: Final = {"work": "same work", "clock": "same clock", "cache": "same caches"}
_REASONS: Final = {
    "not_read": "not read in two passes",
    "zero": "all 0",
    "waves_only": "only waves were read",
    "no_times": "no times",
    "simulated": "simulated",
    "first_unread": "see below",
}
_MAX_KERNELS: Final = 10
_MAX_NAME: Final = 60


def agreement_lines(summary: Mapping[str, Any]) -> Iterator[str]:
    """One line for the kernels whose passes agree, one for each other; none where nothing was replayed."""
    kernels = [one for one in summary.get("kernels_agreement", ()) if one["replayed"]]
    rest = summary.get("kernels_agreement_rest")
    if rest is not None and rest["replayed"]:
        kernels.append({"kernel": "all further kernels", "device": None, **rest})
    apart: list[Mapping[str, Any]] = []
    alike: list[Mapping[str, Any]] = []
    for one in kernels:
        (apart if any(one[name]["verdict"] == "not" for name in _ASPECTS) else alike).append(one)
    gpus = len({one["device"] for one in kernels} - {None}) > 1
    if alike:
        which = "of all" if not apart else f"of {len(alike)} of {len(kernels)}"
        yield f"passes {which} kernels that were replayed: {', '.join(_together(alike, name) for name in _ASPECTS)}"
    for one in apart[:_MAX_KERNELS]:
        gpu = f" on GPU {one['device']}" if gpus and one["device"] is not None else ""
        yield f"passes of {_cut(one['kernel'])}{gpu}: {', '.join(_together([one], name) for name in _ASPECTS)}"
    if len(apart) > _MAX_KERNELS:
        yield f"passes of {len(apart) - _MAX_KERNELS} more kernels differ: `report` shows all"
    if any(one["cache"]["verdict"] == "not" for one in apart) and not summary.get("warm_up_pass"):
        yield "  not the same caches: --warm-up-pass lets all passes run warm"
    if any(one["work"]["verdict"] == "not" for one in apart):
        yield (
            "  passes that did different work are not of one execution: do not combine their counters; "
            "--no-replay with the kernel's name, or --replay rotate, runs it once per launch"
        )
    if summary.get("sdk", {}).get("simulated") and any(one["work"]["reason"] == "zero" for one in kernels):
        yield f"  {STATES_NO_WORK}"
    if any(one["work"]["reason"] == "first_unread" for one in (*alike, *apart[:_MAX_KERNELS])):
        yield (
            "  same work is unknown: the first execution, the only one on the memory that the program left, read no "
            "counters; a run without --warm-up-pass and --timing-pass can tell"
        )


def _together(kernels: Sequence[Mapping[str, Any]], name: str) -> str:
    """``same work exact``, ``same clock within 1.2 % where compared``, ``same caches exact, unknown (all 0) in 1``."""
    from rocprofsys_multipass.report.numbers import share  # loads the trace readers

    known = [one for one in kernels if one[name]["verdict"] != "unknown"]
    reasons = {one[name]["reason"] for one in kernels} - {""}
    why = f"unknown ({', '.join(sorted(_REASONS.get(reason, reason) for reason in reasons))})"
    if not known:
        return f"{_ASPECTS[name]} {why}"
    spread = max(one[name]["spread"] for one in known)
    if any(one[name]["verdict"] == "not" for one in known):
        text = f"not the {_ASPECTS[name]} ({share(spread)})"
    else:
        text = f"{_ASPECTS[name]} within {share(spread)}" if spread else f"{_ASPECTS[name]} exact"
    if any(not one["replayed"] == one[name]["compared"] == one[name]["in_all_passes"] for one in known):
        text += " where compared"
    unknown = len(kernels) - len(known)
    return f"{text}, {why} in {unknown} of {len(kernels)}" if unknown else text


def _cut(name: str) -> str:
    return name if len(name) <= _MAX_NAME else name[: _MAX_NAME - 3] + "..."
