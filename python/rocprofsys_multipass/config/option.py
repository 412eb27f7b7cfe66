# SPDX-License-Identifier: MIT
"""What an option of a run is, and the names that it has in each place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

PREFIX = "ROCPROFSYS_MULTIPASS_"

# flag: on or off. text: one value. list: a list too, in YAML and Python. groups: a list of lists too.
Kind = Literal["flag", "text", "list", "groups"]
Reader = Literal["wrapper", "plugin", "simulator"]


@dataclass(frozen=True)
class Option:
    """One option of a run.

    `parse` makes a value of a text, or raises ValueError with a reason. `default` is the value when nothing is given,
    `default_text` tells it to people; `example` is a value as YAML. `readers`: who acts on it. `needs_replay`: it has
    an effect only on launches that are replayed.
    """

    name: str
    kind: Kind
    summary: str
    parse: Callable[[str], Any]
    allowed: str
    default: Any
    default_text: str
    example: str
    readers: tuple[Reader, ...]
    metavar: str = ""
    short: str = ""
    unit: str = "none"
    repeatable: bool = False
    fallback: str = ""
    keyword: str = ""
    alias: str = ""
    in_file: bool = True
    needs_replay: bool = False

    @property
    def variable(self) -> str:
        """The environment variable of this option."""
        return PREFIX + self.name.upper().replace("-", "_")

    @property
    def key(self) -> str:
        """The key in a YAML file."""
        return self.name.replace("-", "_")

    @property
    def python(self) -> str:
        """The keyword of `rocprofsys_multipass.run`."""
        return self.keyword or self.key

    @property
    def help(self) -> str:
        """What ``--help`` says."""
        again = "; may be given several times" if self.repeatable else ""
        allowed = "" if self.kind == "flag" else f": {self.allowed}"
        return f"{self.summary}{allowed}{again}; default: {self.default_text}"
