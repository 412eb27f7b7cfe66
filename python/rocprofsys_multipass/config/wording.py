# SPDX-License-Identifier: MIT
"""How messages name what the caller can change: in words of the command line, or of a call in Python."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rocprofsys_multipass.config.schema import OPTIONS


@dataclass(frozen=True)
class Wording:
    """The words of one kind of caller. `names` has the options that are not called as in `config.RUN_OPTIONS`."""

    prefix: str
    give_events: str
    give_output: str
    give_overwrite: str
    give_application: str
    names: Mapping[str, str] = field(default_factory=dict)

    def option(self, name: str) -> str:
        """The option as this caller writes it."""
        return self.prefix + self.names.get(name, name)


COMMAND_LINE = Wording(
    prefix="--",
    give_events="use --events LIST, --set NAME or --compute-panels N",
    give_output="another folder with -o DIR",
    give_overwrite="--overwrite",
    give_application="put its command line after '--'",
)

PYTHON = Wording(
    prefix="",
    give_events="pass events=[...], sets=[...] or compute_panels=[...]",
    give_output="another folder with output=...",
    give_overwrite="overwrite=True",
    give_application="pass its command line as a list",
    names={option.name: option.python for option in OPTIONS},
)
