# SPDX-License-Identifier: MIT
"""Options that are alike: flags, and patterns."""

from __future__ import annotations

from rocprofsys_multipass.config import values
from rocprofsys_multipass.config.option import Option, Reader


def flag(
    name: str,
    summary: str,
    *,
    default_text: str = "off",
    readers: tuple[Reader, ...] = ("wrapper", "plugin"),
    needs_replay: bool = False,
) -> Option:
    """One that is off unless it is given."""
    return Option(
        name=name,
        kind="flag",
        summary=summary,
        parse=values.flag,
        allowed="on, off",
        default=False,
        default_text=default_text,
        example="off",
        readers=readers,
        needs_replay=needs_replay,
    )


def pattern(  # noqa: PLR0913 - what such options differ in
    name: str,
    summary: str,
    *,
    default_text: str,
    example: str,
    searched_in: str = "the demangled name",
    needs_replay: bool = False,
) -> Option:
    """A regular expression that chooses kernels or ranges."""
    return Option(
        name=name,
        kind="text",
        summary=summary,
        parse=values.check_pattern,
        allowed=f"a regular expression, searched in {searched_in}" if searched_in else "a regular expression",
        default="",
        default_text=default_text,
        example=example,
        readers=("wrapper", "plugin"),
        metavar="RE",
        needs_replay=needs_replay,
    )
