# SPDX-License-Identifier: MIT
"""How findings name what they are about: file, process where the file has several, dispatch, pass, counter."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from rocprofsys_multipass.spelling import process_name
from rocprofsys_multipass.trace.model import Dispatch, Process


class Labelled(Protocol):
    """An execution, of which only the name matters here."""

    @property
    def label(self) -> str:
        """`pass 2`."""


def at(process: Process, *parts: str) -> str:
    """Where something of a process is: its file, and the parts in order, empty ones left out."""
    owner = process_name(process.pid, process.rank) if process.shares_file else ""
    named = ", ".join(part for part in (owner, *parts) if part)
    return f"{process.path.name}: {named}" if named else process.path.name


def place(process: Process, dispatch: Dispatch, one: Labelled | None = None, counter: str = "") -> str:
    """Where something is: file, dispatch, pass, counter."""
    return at(process, f"dispatch {dispatch.dispatch_id}", one.label if one else "", counter)


def of_guid(processes: Iterable[Process], guid: str) -> str:
    """What stands before the place of a row with that guid in a database: ``process 4711 (rank 2), ``, or nothing."""
    return _before([process for process in processes if process.guid == guid])


def of_pid(processes: Iterable[Process], pid: int | None) -> str:
    """As `of_guid`, of a slice in a trace; two processes of several machines may have one number."""
    return _before([process for process in processes if process.pid == pid])


def _before(owners: list[Process]) -> str:
    if not any(process.shares_file for process in owners) or len({process.pid for process in owners}) > 1:
        return ""
    return process_name(owners[0].pid, owners[0].rank if len(owners) == 1 else None) + ", "
