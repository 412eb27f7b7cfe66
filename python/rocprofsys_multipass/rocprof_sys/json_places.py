# SPDX-License-Identifier: MIT
"""The values in a JSON text with their places, for changing some of them and nothing else."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

_BLANKS = " \t\r\n"


@dataclass(frozen=True)
class Place:
    """A text, number, flag or null, or a list of such: the keys (or numbers) that lead to it, and where it is."""

    path: tuple[str, ...]
    value: str | float | bool | list[Any] | None
    start: int
    stop: int


def json_places(text: str) -> list[Place]:
    """Every value in a JSON text that holds no others, and every list of such values, after them.

    Raises:
        ValueError: it is no JSON.
    """
    try:
        json.loads(text)
    except RecursionError:
        message = "it is nested too deeply"
        raise ValueError(message) from None
    found: list[Place] = []
    _read(text, 0, (), found)
    return found


def _read(text: str, at: int, path: tuple[str, ...], found: list[Place]) -> int:
    """Read the value at `at`, of a text that is known to be JSON; where it ends."""
    at = _skip(text, at)
    if text[at] not in "{[":
        value: Any
        value, stop = json.JSONDecoder().raw_decode(text, at)
        found.append(Place(path, value, at, stop))
        return stop
    is_object, number, start, before = text[at] == "{", 0, at, len(found)
    at = _skip(text, at + 1)
    while text[at] not in "}]":
        key = str(number)
        if is_object:
            key, at = json.JSONDecoder().raw_decode(text, at)
            at = _skip(text, at) + 1  # past the colon
        at = _skip(text, _read(text, at, (*path, key), found))
        if text[at] == ",":
            at = _skip(text, at + 1)
        number += 1
    items = found[before:]
    if not is_object and len(items) == number and all(one.path[:-1] == path for one in items):
        found.append(Place(path, [one.value for one in items], start, at + 1))
    return at + 1


def _skip(text: str, at: int) -> int:
    while text[at] in _BLANKS:
        at += 1
    return at
