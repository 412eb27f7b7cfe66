# SPDX-License-Identifier: MIT
"""What a report warns of before its numbers: what the run said, what is wrong with its file, and what it lacks."""

from __future__ import annotations

from typing import Final

from rocprofsys_multipass.capture_loss import read_loss
from rocprofsys_multipass.trace import Process

NOT_CLOSED: Final = "the process ended before the journal was closed; what it recorded is here"


def warnings_of(process: Process) -> list[str]:
    """One text for each. What a capture lost is in its header; the outputs have it as a warning of the run."""
    texts = [*process.warnings, *process.notes, *process.left_out]
    if process.kind == "journal" and (loss := read_loss(process.path)) is not None:
        texts.append(str(loss))
    return texts if process.closed else [*texts, NOT_CLOSED]
