# SPDX-License-Identifier: MIT
"""Patterns of kernel names, checked by the library that searches them (PCRE2): it takes less than Python does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocprofsys_multipass.config.values import LITERALLY
from rocprofsys_multipass.errors import ConfigError
from rocprofsys_multipass.programs import ask

if TYPE_CHECKING:
    from rocprofsys_multipass.config import Source
    from rocprofsys_multipass.native import Native

PATTERN_OPTIONS = ("kernel-include", "kernel-exclude", "roctx-include", "roctx-exclude", "no-replay")


def check_pattern(pattern: str, native: Native, source: Source) -> None:
    """See that the plugin can search for `pattern`; an empty one is none.

    Raises:
        UsageError, ConfigError (by `source`): it cannot; the message names the column.
        NativeError: a compiled part is missing or failed.
    """
    if not pattern:
        return
    try:
        ask(native.planner, "the planner", ["--check-pattern", pattern])
    except ConfigError as error:
        raise source.error(f"{error}; {LITERALLY}") from error
