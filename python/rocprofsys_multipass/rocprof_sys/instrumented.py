# SPDX-License-Identifier: MIT
"""Whether a program was made by rocprof-sys-instrument: it then needs a library of rocprof-sys, and no launcher.

The library is librocprof-sys-dl unless another one is named (ROCm/rocm-systems @1b1610fc,
projects/rocprofiler-systems/source/bin/rocprof-sys-instrument/rocprof-sys-instrument.cpp, inputlib). One that programs
link themselves, to mark regions, is librocprof-sys-user, which loads nothing.
"""

from __future__ import annotations

import struct
from pathlib import Path

_LIBRARY = b"librocprof-sys"
_FOR_REGIONS = b"librocprof-sys-user"
_LITTLE_64 = b"\x7fELF\x02\x01"
_HEADER_SIZE = 64
_LOAD, _DYNAMIC = 1, 2  # program headers, <elf.h>
_NEEDED, _STRINGS = 1, 5  # entries of the dynamic section
_MOST_HEADERS = 1024
_MOST_NAME = 4096


def is_instrumented(path: Path) -> bool:
    """Whether an ELF file (64 bits, little endian) needs a library that brings rocprof-sys."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEADER_SIZE)
            if not head.startswith(_LITTLE_64) or len(head) < _HEADER_SIZE:
                return False
            table, size, count = *struct.unpack_from("<Q", head, 32), *struct.unpack_from("<HH", head, 54)
            file.seek(table)
            headers = [struct.unpack_from("<IIQQQQ", file.read(size)) for _ in range(min(count, _MOST_HEADERS))]
            dynamic = next(((at, length) for kind, _, at, _, _, length in headers if kind == _DYNAMIC), None)
            if dynamic is None:
                return False
            file.seek(dynamic[0])
            entries = list(struct.iter_unpack("<qQ", file.read(dynamic[1] // 16 * 16)))
            address = next((value for tag, value in entries if tag == _STRINGS), 0)
            loads = (
                at + address - where
                for kind, _, at, where, _, length in headers
                if kind == _LOAD and where <= address < where + length
            )
            strings = next(loads, None)
            if strings is None:
                return False
            names = [_name(path, strings + value) for tag, value in entries if tag == _NEEDED]
            return any(name.startswith(_LIBRARY) and not name.startswith(_FOR_REGIONS) for name in names)
    except (OSError, struct.error, OverflowError, ValueError):
        return False


def _name(path: Path, at: int) -> bytes:
    with path.open("rb") as file:
        file.seek(at)
        return file.read(_MOST_NAME).split(b"\0", 1)[0].rpartition(b"/")[2]  # a path where the library has no name
