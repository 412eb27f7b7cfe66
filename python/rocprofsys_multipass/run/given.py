# SPDX-License-Identifier: MIT
"""The words of `export` and `recover`, as a caller gives them: each is None where none was given.

UsageError, with the words that there are: one is none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from rocprofsys_multipass.config import PYTHON, Wording, values
from rocprofsys_multipass.errors import UsageError

_Parsed = TypeVar("_Parsed")


def format_names(given: str | Sequence[str] | None, wording: Wording = PYTHON) -> tuple[str, ...] | None:
    """The formats, each once."""
    text = given if given is None or isinstance(given, str) else ",".join(given)
    return _parsed("format", values.formats, text, wording)


def layout_name(given: str | None, wording: Wording = PYTHON) -> str | None:
    """The layout of a database."""
    return _parsed("layout", values.layout, given, wording)


def trace_counters_word(given: str | None, wording: Wording = PYTHON) -> str | None:
    """Which counters a trace has."""
    return _parsed("trace-counters", values.trace_counters, given, wording)


def compute_release_name(given: str | None, wording: Wording = PYTHON) -> str | None:
    """The release of rocprofiler-compute to write for."""
    return _parsed("compute-release", values.compute_release, given, wording)


def instances_word(given: str | None, wording: Wording = PYTHON) -> str | None:
    """Whether single instances of counters are written."""
    return _parsed("instances", values.instances, given, wording)


def _parsed(option: str, parse: Callable[[str], _Parsed], given: str | None, wording: Wording) -> _Parsed | None:
    try:
        return None if given is None else parse(given)
    except ValueError as error:
        raise UsageError(f"{wording.option(option)}: {error}") from error
