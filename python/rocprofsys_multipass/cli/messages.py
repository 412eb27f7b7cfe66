# SPDX-License-Identifier: MIT
"""Short texts that several commands print: problems, findings, files."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from rich.markup import escape

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rich.console import Console

    from rocprofsys_multipass.verify import Finding

_PREFIX = "rocprof-sys-multipass"
_COLOURS = {"error": "red", "warning": "yellow"}
_HOW_TO_OPEN = {
    ".pftrace": "open it in the Perfetto UI, ui.perfetto.dev",
    ".db": "sqlite3 {path} 'SELECT * FROM top_kernels'",
    ".json": "summary",
    ".journal": "what was captured; all other files can be made from it again",
}
_KIBI = 1024


def show_problems(warnings: Sequence[str], errors: Sequence[str], stream: TextIO) -> None:
    """One line each, in the form that `main` reports errors in."""
    stream.writelines(f"{_PREFIX}: warning: {text}\n" for text in warnings)
    stream.writelines(f"{_PREFIX}: error: {text}\n" for text in errors)


def show_findings(findings: Sequence[Finding], terminal: Console) -> None:
    """Every finding, and how many there are of each severity."""
    for finding in findings:
        colour = _COLOURS.get(finding.severity)
        label = f"[{colour}]{finding.severity}[/{colour}]" if colour else str(finding.severity)
        hint = f" ({finding.hint})" if finding.hint else ""
        terminal.print(f"{label}: {escape(f'{finding.check}: {finding.where}: {finding.message}{hint}')}")
    counts = {name: sum(f.severity == name for f in findings) for name in ("error", "warning", "info")}
    said = (("error", "error"), ("warning", "warning"), ("info", "note"))
    parts = [f"{counts[severity]} {word}{'' if counts[severity] == 1 else 's'}" for severity, word in said]
    terminal.print(f"verified: {', '.join(parts)}")


def show_files(files: Sequence[Path], terminal: Console) -> None:
    """Path and size of each file, and how to open it."""
    for path in files:
        how = _HOW_TO_OPEN.get(path.suffix, "").format(path=path)
        size = readable_size(path.stat().st_size)
        terminal.print(escape(f"  {path} ({size})" + (f": {how}" if how else "")), soft_wrap=True)


def readable_size(size: int) -> str:
    """``532 bytes``, ``1.4 KiB``, ``23.0 MiB``."""
    if size < _KIBI:
        return f"{size} bytes"
    value = float(size)
    for unit in ("KiB", "MiB", "GiB"):
        value /= _KIBI
        if value < _KIBI:
            return f"{value:.1f} {unit}"
    return f"{value / _KIBI:.1f} TiB"
