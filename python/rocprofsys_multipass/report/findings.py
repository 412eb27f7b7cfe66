# SPDX-License-Identifier: MIT
"""Findings of a verification for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, TextIO

from rich.text import Text

from rocprofsys_multipass.report.numbers import plural
from rocprofsys_multipass.verify import CHECKS, SEVERITIES, Finding
from rocprofsys_multipass.visible import VisibleConsole

_STYLE: Final = {"error": "bold red", "warning": "yellow", "info": "cyan"}


def render_findings(findings: Sequence[Finding], stream: TextIO, *, width: int | None = None) -> None:
    """Writes findings, worst first, and a line that counts them."""
    console = VisibleConsole(file=stream, width=width, highlight=False)
    for finding in findings:
        head = Text.assemble((f"{finding.severity:<8}", _STYLE[finding.severity]), (finding.where, "bold"))
        console.print(Text.assemble(head, f": {finding.message}", (f"  [{finding.check}]", "dim")))
        if finding.hint:
            console.print(Text(" " * 8 + finding.hint, style="dim"))
    counts = Counter(f.severity for f in findings)
    parts = [plural(counts[s], s, s if s == "info" else "") for s in SEVERITIES if counts[s]]
    console.print(Text(f"{len(CHECKS)} checks: {', '.join(parts) or 'nothing found'}", style="bold"))
