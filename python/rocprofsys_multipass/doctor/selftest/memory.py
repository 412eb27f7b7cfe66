# SPDX-License-Identifier: MIT
"""What of the application's memory is restored between the passes of a replay: one probe for each kind.

The kernel adds one to a word, once. What remains is 1 when the word was restored before each later pass, or the launch
ran once; the number of passes when it was not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocprofsys_multipass.doctor.check import Check, note, ok, problem, warning
from rocprofsys_multipass.doctor.selftest.kit import DEFAULT, UNSAFE
from rocprofsys_multipass.doctor.selftest.trouble import no_replay, trouble
from rocprofsys_multipass.spelling import plural

if TYPE_CHECKING:
    from rocprofsys_multipass.doctor.selftest.kit import Kit, PartRun


@dataclass(frozen=True)
class Kind:
    """A kind of memory: the check's name, the word of the kit, what it is called."""

    check: str
    word: str
    title: str


KINDS = (
    Kind("selftest.device_memory", "device", "hipMalloc memory"),
    Kind("selftest.module_variable", "variable", "a __device__ variable"),
    Kind("selftest.pool_memory", "pool", "hipMallocAsync memory"),
    Kind("selftest.virtual_memory", "virtual", "memory mapped by hipMemMap"),
    Kind("selftest.managed_memory", "managed", "managed memory"),
    Kind("selftest.fine_grained_memory", "fine", "fine-grained device memory"),
    Kind("selftest.host_memory", "host", "pinned host memory"),
)


def check_memory_kind(kit: Kit, kind: Kind) -> Check:
    """Run the probe of a kind without the tool, as a user runs it, and with all safety checks lifted."""
    part = f"restore {kind.word}"
    runs = [kit.alone(part)]
    for how, options in (("default", DEFAULT), ("unsafe", UNSAFE)):
        if found := trouble(kind.check, kind.title, runs[-1]):
            return found
        runs.append(kit.profiled(part, how, options))
    return trouble(kind.check, kind.title, runs[-1]) or _verdict(kind, *runs)


def _verdict(kind: Kind, alone: PartRun, default: PartRun, unsafe: PartRun) -> Check:
    (expected,), (seen,), (bare,) = (run.values("remains") for run in (alone, default, unsafe))
    if seen != expected:
        return _harmed(kind, default, seen, expected)
    if bare != expected:
        return _unrestored(kind, default, unsafe, bare, expected)
    if default.passes < 2 and unsafe.passes < 2:  # noqa: PLR2004 - replayed: at least twice
        return note(kind.check, f"{kind.title}: not tried, {no_replay(default)}")
    if default.passes < 2:  # noqa: PLR2004
        said = f"{kind.title} is restored between passes here ({_remains(unsafe, bare)}, --unsafe all)"
        return note(kind.check, f"{said}; by default such {no_replay(default)}")
    return ok(kind.check, f"{kind.title} is restored between passes ({_remains(default, seen)})")


def _harmed(kind: Kind, run: PartRun, seen: int, expected: int) -> Check:
    """As a user runs it, the application gets another result than without the tool."""
    said = f"{kind.title} is {_how_restored(run, seen)} ({_remains(run, seen)}; without the tool {expected})"
    todo = "replay no application that has such memory: --replay rotate"
    return problem(kind.check, f"{said}, and the tool replays such launches: results change", "", todo)


def _unrestored(kind: Kind, default: PartRun, unsafe: PartRun, bare: int, expected: int) -> Check:
    said = f"{kind.title} is {_how_restored(unsafe, bare)} ({_remains(unsafe, bare)}, --unsafe all)"
    if default.passes > 1:
        said += f"; in the run with the tool's own choice {expected} remained after {plural(default.passes, 'pass')}"
        return warning(kind.check, said, "", "run it again: the two runs do not agree")
    return note(kind.check, f"{said}; by default such {no_replay(default)}")


def _how_restored(run: PartRun, seen: int) -> str:
    return "not restored between passes" if seen == run.passes else "restored wrongly between passes"


def _remains(run: PartRun, value: int) -> str:
    return f"{value} after {plural(run.passes, 'pass')}"
