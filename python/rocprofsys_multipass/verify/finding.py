# SPDX-License-Identifier: MIT
"""What a check says."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, get_args

Severity = Literal["error", "warning", "info"]
SEVERITIES: Final[tuple[Severity, ...]] = get_args(Severity)  # worst first


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong (error), doubtful (warning) or worth knowing (info) about the outputs of a run.

    `check` is the id of the check, `where` names file, dispatch, pass and counter as far as they apply, `hint` what to
    do about it. `path` is the path of the file that `where` begins with; empty where it is none.
    """

    severity: Severity
    check: str
    where: str
    message: str
    hint: str = ""
    path: str = ""

    def to_json(self) -> dict[str, Any]:
        """The finding as plain data, keys as the attributes."""
        return asdict(self)

    def __str__(self) -> str:
        text = f"{self.severity}: {self.where}: {self.message} [{self.check}]"
        return f"{text}\n  {self.hint}" if self.hint else text
