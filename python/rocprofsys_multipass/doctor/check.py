# SPDX-License-Identifier: MIT
"""What a check answers: its status, what was found and where, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Status(str, Enum):
    """How a check ended, worst last.

    NOTE: nothing is wrong, and it is good to know. WARNING: a run works and gives less than it could, or something goes
    wrong under a condition that the text names. PROBLEM: a run collects nothing as it is, or harms the application.
    """

    OK = "ok"
    NOTE = "note"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True)
class Check:
    """One answer.

    Attributes:
        id: name for scripts, such as ``sdk.kernel_replay``; those of a GPU end with its ordinal, as ``gpu.0``.
        status: how it ended.
        found: what was found, a sentence.
        where: the file, folder or variable that it is about; empty where that says nothing.
        todo: what to do; empty where nothing is to be done. What follows a line break is to be copied as it is.
    """

    id: str
    status: Status
    found: str
    where: str = ""
    todo: str = ""


def ok(name: str, found: str, where: str = "") -> Check:
    """Nothing to do."""
    return Check(name, Status.OK, found, where)


def note(name: str, found: str, where: str = "", todo: str = "") -> Check:
    """Good to know."""
    return Check(name, Status.NOTE, found, where, todo)


def warning(name: str, found: str, where: str = "", todo: str = "") -> Check:
    """Less than it could be."""
    return Check(name, Status.WARNING, found, where, todo)


def problem(name: str, found: str, where: str = "", todo: str = "") -> Check:
    """Not as it is."""
    return Check(name, Status.PROBLEM, found, where, todo)
