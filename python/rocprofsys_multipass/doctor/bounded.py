# SPDX-License-Identifier: MIT
"""Calls of programs that may hang: each ends within a bound, and what was printed until then is kept."""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_DEATH_S = 5.0  # a process that a driver holds does not end even when it is killed


@dataclass(frozen=True)
class Finished:
    """How a program ended; `code` is negative for a signal, None when it did not end in time."""

    code: int | None
    out: str
    err: str


def call(
    words: Sequence[str],
    environ: Mapping[str, str],
    patience_s: float,
    *,
    folder: Path | None = None,
    grace_s: float = 0.0,
) -> Finished:
    """Run a program in `folder`, `patience_s` seconds at most.

    Then it is killed; with `grace_s` it gets SIGTERM first, and so many seconds to end.

    Raises:
        OSError: it cannot be started.
    """
    # Into files, not pipes: a child that it has left behind could keep a pipe open.
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen(
            list(words), env=dict(environ), cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err
        )
        code = _wait(child, patience_s, grace_s)
        out.seek(0)
        err.seek(0)
        return Finished(code, out.read().decode("utf-8", "replace"), err.read().decode("utf-8", "replace"))


def _wait(child: subprocess.Popen[bytes], patience_s: float, grace_s: float) -> int | None:
    try:
        return child.wait(patience_s)
    except subprocess.TimeoutExpired:
        _end(child, grace_s)
        return None
    except BaseException:
        _end(child, grace_s)
        raise


def _end(child: subprocess.Popen[bytes], grace_s: float) -> None:
    if grace_s:
        child.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(grace_s)
            return
    child.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(_DEATH_S)
