# SPDX-License-Identifier: MIT
"""Ids of tracks, sequences and flows that no packet of either input has; the same inputs give the same ids."""

from __future__ import annotations

import hashlib
from itertools import count
from typing import Final

_SEQUENCES: Final = 0xF0000000  # ours begin here (docs/formats/perfetto.md); those of others stay below
_OF_SEQUENCE: Final = 0x0FFFFFFF


def free_track(of: object, taken: set[int]) -> int:
    """A uuid for a track, which is taken from then on."""
    return _free(f"track {of}", taken, 0, 2**64 - 1)


def free_sequence(of: object, taken: set[int]) -> int:
    """An id for a sequence of packets, which is taken from then on."""
    return _free(f"sequence {of}", taken, _SEQUENCES, _OF_SEQUENCE)


def free_sequence_like(old: int, of: object, taken: set[int]) -> int:
    """As `free_sequence`, and it is one of this tool's only where the old one is."""
    return free_sequence(of, taken) if old >= _SEQUENCES else _free(f"sequence {of}", taken, 0, _OF_SEQUENCE)


def free_flows(of: object) -> int:
    """What makes flow ids of one trace others than those of any other, by XOR."""
    return _free(f"flows {of}", set(), 0, 2**64 - 1)


def _free(of: str, taken: set[int], base: int, mask: int) -> int:
    attempts = count()
    while True:
        digest = hashlib.blake2b(f"{of} {next(attempts)}".encode(), digest_size=8).digest()
        number = base | int.from_bytes(digest, "little") & mask
        if number and number not in taken:
            taken.add(number)
            return number
