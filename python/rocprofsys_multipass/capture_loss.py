# SPDX-License-Identifier: MIT
"""What a capture says that it lost: its header has the number of records, and the error that ended the writing of it.

Only the header is read, by hand (docs/formats/journal.md): `run` asks before it loads any reader.
"""

from __future__ import annotations

import errno
import os
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rocprofsys_multipass.journal_layout import FILE_MAGIC, HEADER, VERSION

_SUMMED: Final = HEADER.size - 4
_FULL: Final = (errno.ENOSPC, errno.EDQUOT)


@dataclass(frozen=True)
class CaptureLoss:
    """`records`: dispatches, kernels and warnings that were not written, at least. `error`: errno; 0: none."""

    records: int
    error: int

    @property
    def reason(self) -> str:
        """Why, in the system's words, or that the disk was too slow."""
        return os.strerror(self.error) if self.error else "the disk took them more slowly than they came"

    @property
    def count(self) -> str:
        """``1,234 records are lost at least``."""
        return f"{self.records:,} record{' is' if self.records == 1 else 's are'} lost at least"

    def __str__(self) -> str:
        """The count and the reason."""
        return f"{self.count}: {self.reason}"


def read_loss(journal: Path) -> CaptureLoss | None:
    """What is lost; None: nothing is, or the header cannot be read, which the readers of the whole file tell."""
    try:
        with journal.open("rb") as file:
            return loss_in(file.read(HEADER.size))
    except OSError:
        return None


def loss_in(head: bytes) -> CaptureLoss | None:
    """The same of the bytes that a capture begins with."""
    if len(head) != HEADER.size:
        return None
    magic, version, error, records, _, crc = HEADER.unpack(head)
    if magic != FILE_MAGIC or version != VERSION or zlib.crc32(head[:_SUMMED]) != crc:
        return None
    return CaptureLoss(records, error) if records or error else None


def loss_text(journal: Path, loss: CaptureLoss, fix: str) -> str:
    """The message, with place, number and what to do. `fix`: how the caller names another folder."""
    lost = loss.count
    if loss.error in _FULL:
        room = f"make room there, or give {fix}, and run again"
        return f"the disk of {journal.parent} is full: {lost} ({journal.name}); {room}"
    if loss.error == errno.EFBIG:
        return f"{journal} may not grow further ({loss.reason}): {lost}; raise the limit (ulimit -f) and run again"
    if loss.error:
        return f"{journal} could not be written to its end ({loss.reason}): {lost}; give {fix} and run again"
    return f"{journal}: {loss}; give {fix} on a faster disk, or count fewer launches, and run again"
