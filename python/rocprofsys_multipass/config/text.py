# SPDX-License-Identifier: MIT
"""Text that came from outside: Python keeps bytes that are not UTF-8 as lone surrogates, and JSON has no such text."""

from __future__ import annotations

import re

_ODD = re.compile("[\0\ud800-\udfff]")
_FIRST_BYTE, _LAST_BYTE = 0xDC80, 0xDCFF  # surrogates that stand for the bytes 0x80 to 0xff (PEP 383)


def check_text(value: str) -> str:
    """The value itself.

    Raises:
        ValueError: it is not UTF-8; the text says from where on, 1-based.
    """
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        reason = f"'{readable(value)}' is not UTF-8 from column {error.start + 1}"
        raise ValueError(reason) from error
    return value


def readable(value: str) -> str:
    r"""The value with bytes that are no text as ``\xff``."""
    return _ODD.sub(_escaped, value)


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    if _FIRST_BYTE <= code <= _LAST_BYTE or not code:
        return f"\\x{code & 0xFF:02x}"
    return f"\\u{code:04x}"
