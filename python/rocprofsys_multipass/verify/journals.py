# SPDX-License-Identifier: MIT
"""Checks of the journal, and of what it says about the run."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from rocprofsys_multipass.capture_loss import read_loss
from rocprofsys_multipass.spelling import plural
from rocprofsys_multipass.trace.journal import EMPTY
from rocprofsys_multipass.trace.journal_frames import TORN
from rocprofsys_multipass.verify.evidence import Evidence
from rocprofsys_multipass.verify.finding import Finding, Severity
from rocprofsys_multipass.verify.places import at
from rocprofsys_multipass.verify.registry import check

# What the tool says (library/tool/, library/catalogue/resolve.cpp) when counters or readings are missing that were
# asked for. Constants of an agent, which are never counted, are no such loss.
_LEFT_OUT: Final = re.compile(
    r"\b(left out|not collected|collected nowhere|can be collected|nothing was collected|unprofiled|not replayed"
    r"|collects nothing|not read|dropped)\b"
)
_FOR_DEVICE: Final = re.compile(r"([^\s,;:]+):device=(\d{1,9})(?!\w)")


@check(
    "journal-there",
    "info",
    remedy="keep the .journal beside the outputs; without it plan, readings and times are compared between "
    "the files that are there",
)
def journal_there(evidence: Evidence) -> Iterator[Finding]:
    """The journal is beside the outputs, so that they can be compared with what was captured.

    Files that were merged with those of rocprof-sys are in a folder of their own; the journal is in that of the run.
    """
    if any(evidence.folder.glob("merge-*.json")) or any(evidence.folder.glob("../merge-*.json")):
        return
    if evidence.journal is None and not any(p.suffix == ".journal" for p, _ in evidence.unreadable):
        hint = "plan, readings and times can only be compared between the files that are here"
        yield Finding("info", "journal-there", evidence.name, "there is no journal beside the outputs", hint)


@check(
    "journal-whole",
    "error",
    "warning",
    "info",
    remedy="of a process that died this is expected: `rocprof-sys-multipass recover` completes its outputs; "
    "else restore the file",
)
def journal_whole(evidence: Evidence) -> Iterator[Finding]:
    """The journal was closed in order, and all of it can be read."""
    journal = evidence.journal
    if journal is None:
        return
    where = journal.path.name
    for note in journal.notes:
        # A torn tail is what a killed process leaves, and expected; other damage is not.
        torn = note.startswith(TORN) or note == EMPTY
        hint = "the process was killed while it wrote" if torn else "the file was changed after it was written"
        yield Finding("warning" if torn else "error", "journal-whole", where, note, hint)
    for note in journal.left_out:
        yield Finding("warning", "journal-whole", where, note, "the SDK gave no number there: do not miss it elsewhere")
    loss = read_loss(journal.path)
    if not journal.closed and not (loss and loss.error):  # of which another check tells
        hint = "the process died or still runs; what it had recorded is there: `rocprof-sys-multipass export`"
        yield Finding("info", "journal-whole", where, "the journal has no last frame", hint)


@check("journal-loss", "error", "info", remedy="make room or give `run` another --output, and run again")
def journal_loss(evidence: Evidence) -> Iterator[Finding]:
    """Everything that the application did is in the journal.

    That records were lost because the disk was full or too slow is an error; what a process that died had not finished
    is told.
    """
    if evidence.journal is None:
        return
    where = evidence.journal.path.name
    if (loss := read_loss(evidence.journal.path)) is not None:
        yield Finding("error", "journal-loss", where, str(loss))
    if in_flight := evidence.journal.in_flight:
        message = f"{plural(in_flight, 'dispatch')} in flight at the last checkpoint before the process ended"
        yield Finding("info", "journal-loss", where, message, "what was recorded since then is there")


@check("warnings", "warning", "info", remedy="read what the run said; what was left out is in no file")
def warnings(evidence: Evidence) -> Iterator[Finding]:
    """Repeats what the tool itself warned of during the run; that something was left out is a warning here too."""
    for process in evidence.best:
        for text in process.warnings:
            severity: Severity = "warning" if _LEFT_OUT.search(text) else "info"
            yield Finding(severity, "warnings", process.path.name, f"during the run: {text}")


@check("replay-off", "warning", remedy="leave --replay off out, or ask for fewer counters")
def replay_off(evidence: Evidence) -> Iterator[Finding]:
    """With `--replay off` one pass holds every counter; those of further passes were not read."""
    for process in evidence.best:
        for agent in process.gpus if process.replay_mode == "off" else ():
            unread = process.unread(agent)
            if unread:
                where = at(process, f"GPU {agent.device}")
                message = f"not read, since --replay off runs pass 0 only: {', '.join(unread)}"
                yield Finding("warning", "replay-off", where, message)


@check("asked-device", "warning", remedy="leave :device= out to collect on the GPU that the kernels run on")
def asked_device(evidence: Evidence) -> Iterator[Finding]:
    """A counter that was asked for one GPU (`:device=N`) was asked for one that kernels ran on."""
    journal = evidence.journal
    if journal is None:
        return
    # Of a parallel job each process may have a GPU of its own: it is enough that one of them used it.
    used = {d.agent.device for process in evidence.of_run or [journal] for d in process.dispatches}
    asked: dict[int, list[str]] = defaultdict(list)
    for counter, device in _FOR_DEVICE.findall(journal.events):
        asked[int(device)].append(counter)
    there = {agent.device for agent in journal.gpus}  # that a GPU does not exist is said during the run
    for device, counters in sorted(asked.items()):
        if device in there and device not in used:
            where = f"{journal.path.name}: GPU {device}"
            message = f"no kernel ran on it; asked for there and read nowhere: {', '.join(dict.fromkeys(counters))}"
            yield Finding("warning", "asked-device", where, message)
