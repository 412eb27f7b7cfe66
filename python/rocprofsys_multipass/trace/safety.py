# SPDX-License-Identifier: MIT
"""What the reasons mean for which a launch is not replayed lest it do harm or take too long (docs/safety.md).

Each of them is lifted by ``--unsafe`` and its name; then the launch is replayed and keeps the name as its reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rocprofsys_multipass.spelling import plural

if TYPE_CHECKING:
    from rocprofsys_multipass.trace.model import Dispatch


@dataclass(frozen=True, slots=True)
class Condition:
    """A reason not to replay.

    `what`: what there is, as in "although ...". `why`: why that keeps from replay. `fix`: what to do, if not to lift
    it. `danger`: what may happen where it is lifted. `early`: what ended a replay that had begun. `besides`: the reason
    that comes with it, and has to be lifted too.
    """

    what: str
    why: str
    fix: str
    danger: str
    early: str = ""
    besides: str = ""


_NOT_RESTORED: Final = "what a kernel wrote there was not restored between passes; results of the program may differ"
_NOT_SAVED: Final = "a replay does not restore it, and what a kernel changes there would be changed once per pass"
_ROTATE: Final = "launch each kernel at least once per group: the groups are read in turn"

CONDITIONS: Final = {
    "virtual_memory": Condition(
        "memory was mapped by the virtual-memory functions",
        _NOT_SAVED,
        f"allocate by hipMalloc (PyTorch: without expandable_segments), or {_ROTATE}",
        _NOT_RESTORED,
    ),
    "managed_memory": Condition(
        "managed memory was live",
        _NOT_SAVED,
        f"allocate by hipMalloc what kernels write to, or {_ROTATE}",
        _NOT_RESTORED,
    ),
    "pool_memory": Condition(
        "stream-ordered memory was live (hipMallocAsync, pools)",
        _NOT_SAVED,
        f"allocate by hipMalloc (PyTorch: the native allocator), or {_ROTATE}",
        _NOT_RESTORED,
        besides="virtual_memory",  # which pools are made of
    ),
    "fine_grained_memory": Condition(
        "fine-grained memory of the GPU was live",
        _NOT_SAVED,
        f"allocate by hipMalloc what kernels write to, or {_ROTATE}",
        _NOT_RESTORED,
    ),
    "pinned_memory": Condition(
        "pinned host memory was live (hipHostMalloc, hipHostRegister)",
        _NOT_SAVED,
        f"allocate by hipMalloc what kernels write to, or {_ROTATE}",
        "no harm where no kernel writes to it, as to buffers that are only copied from and to; else "
        "what a kernel wrote there was not restored between passes, and results of the program may differ",
    ),
    "exported_memory": Condition(
        "memory was shared with another process (exported)",
        "a replay would take back what the other process wrote meanwhile",
        _ROTATE,
        "what the other process wrote meanwhile was taken back; results of both programs may differ",
    ),
    "imported_memory": Condition(
        "memory of another process was mapped (imported)",
        _NOT_SAVED,
        _ROTATE,
        "what a kernel wrote there was not restored between passes; results of both programs may differ",
    ),
    "copy_in_flight": Condition(
        "a copy from or to the GPU was under way",
        "a replay would take back what it wrote, or hold it up",
        "wait for copies (hipStreamSynchronize) before the launch; another launch of it may be replayed",
        "what the copy wrote may have been taken back; results of the program may differ",
        "a copy from or to the GPU began meanwhile",
    ),
    "collectives": Condition(
        "several ranks with a library of collectives were running",
        "the ranks would wait for the one that replays",
        f"--ranks 0 on one rank alone, or {_ROTATE}",
        "other ranks waited for this one; a time-out of the collectives may end the job",
    ),
    "host_memory": Condition(
        "the host had no room for the copy of the GPU's memory",
        "a replay holds all memory of the GPU in use in the host's memory",
        f"--host-memory SIZE where there is room, fewer ranks at once (--ranks), a smaller problem, or {_ROTATE}",
        "the host may run out of memory, and end the program or others",
        "the host ran out of room for the copy",
    ),
    "window_time": Condition(
        "it would take longer than a replay may",
        "copying the memory of the GPU for each pass would take more than 30 s, near to what the SDK gives up at",
        f"a smaller problem, fewer counters, or {_ROTATE}",
        "the SDK may give up after a minute, and some revisions end the program then",
        "it took longer than a replay may",
    ),
    "budget": Condition(
        "the budget of replays was spent",
        "--replay-budget: replays have taken as much of the time as they may",
        f"nothing is wrong; a larger --replay-budget replays more of them, or {_ROTATE}",
        "replays took more of the time than they may",
        "the budget of replays was spent",
    ),
}


def countable(dispatch: Dispatch) -> str:
    """The reason as a word that can be counted: of an incomplete dispatch it is a sentence, but for an early end."""
    if dispatch.outcome != "incomplete":
        return dispatch.reason
    word = dispatch.reason.partition(":")[0]
    return word if word in CONDITIONS else ""


def declined(name: str) -> tuple[str, str] | None:
    """Why a launch ran once, and what to do; None of an unknown reason."""
    one = CONDITIONS.get(name)
    if one is None:
        return None
    names = f"{name},{one.besides}" if one.besides else name
    return f"{one.what}: {one.why}", f"{one.fix}; --unsafe {names} replays all the same: {one.danger}"


def ended(reason: str) -> tuple[str, str] | None:
    """The same of a replay that was ended early (``copy_in_flight: ended after 2 of 6 passes``)."""
    name, _, progress = reason.partition(": ")
    one = CONDITIONS.get(name)
    if one is None or not progress:
        return None
    why = f"{one.early or one.what}; the replay was {progress}, which does the program no harm"
    return why, "what was read is here; other launches of this shape read what is missing"


def lifted(reason: str, count: int) -> str:
    """What to say of launches that were replayed in spite of a reason, or several with commas."""
    names = reason.split(", ")
    known = [CONDITIONS[name] for name in names if name in CONDITIONS]
    *others, last = [one.what for one in known] or ["something was in the way"]
    although = f"{', '.join(others)} and {last}" if others else last
    dangers = "; ".join(dict.fromkeys(one.danger for one in known))
    were = f"{plural(count, 'launch')} {'was' if count == 1 else 'were'} replayed"
    return f"{were} although {although} (--unsafe {','.join(names)})" + (f": {dangers}" if dangers else "")
