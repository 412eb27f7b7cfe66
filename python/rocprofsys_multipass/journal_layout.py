# SPDX-License-Identifier: MIT
"""The bytes around the messages of a capture file, as docs/formats/journal.md has them: integers are little-endian.

Those that look at the start of one read it by hand: it may be large, and `run` should load no protobuf library.
"""

from __future__ import annotations

import struct
from typing import Final

FILE_MAGIC: Final = b"RSMPJRNL"
VERSION: Final = 2
HEADER: Final = struct.Struct("<8sIIQII")  # magic, version, errno, records lost, 0, CRC-32 of what is before it
FRAME_MAGIC: Final = b"MPFR"
FRAME_HEAD: Final = struct.Struct("<4sIII")  # magic, length, CRC-32 of the payload, CRC-32 of these
MAX_PAYLOAD: Final = (16 << 20) - 1  # library/journal/format.hpp says why
