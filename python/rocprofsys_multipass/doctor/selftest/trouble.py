# SPDX-License-Identifier: MIT
"""What is said where a part of the kit tells nothing: it failed, nothing was captured, or nothing was replayed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocprofsys_multipass.doctor.check import Check, note, problem
from rocprofsys_multipass.doctor.selftest.ground import clipped
from rocprofsys_multipass.spelling import plural

if TYPE_CHECKING:
    from rocprofsys_multipass.doctor.selftest.kit import PartRun

_WITHOUT = "the fault is below this tool: see HIP and the driver"


def trouble(name: str, title: str, run: PartRun) -> Check | None:
    """Why this run tells nothing; None: it does."""
    part = f"{title}: the part '{run.part}' of the kit {run.failure}"
    if run.absent:
        return note(name, f"{title}: not tried, {clipped(run.absent)}")
    if run.how == "alone":
        if run.failure:
            return problem(name, clipped(f"{part} without the tool{run.last_words}"), "", _WITHOUT)
        return None
    options = {"unsafe": " (--unsafe all)"}.get(run.how, "")
    if run.failure:
        ran = f" after {plural(len(run.dispatches), 'launch')}" if run.dispatches else ""
        said = f"{part}{ran} under the tool{options}, and ends well without it{run.last_words}"
        return problem(name, clipped(said), "", "replay nothing on this machine: --replay rotate")
    if not run.dispatches:
        why = "; ".join(run.warnings)
        return problem(name, clipped(f"{part} was not captured{options}{f': {why}' if why else ''}"))
    return None


def no_replay(run: PartRun) -> str:
    """Why launches were not replayed, as far as it is known."""
    if run.process is not None and run.process.kernel_replay is False:
        return "this SDK has no kernel replay"
    reasons = list(dict.fromkeys(one.reason for one in run.dispatches if one.reason))
    if reasons:
        return f"launches are not replayed ({', '.join(reasons)})"
    if any(one.outcome == "single_pass" for one in run.dispatches):
        return "one pass holds all counters of this GPU"
    return f"launches are not replayed ({run.outcomes or 'the outcome is not known'})"
