# SPDX-License-Identifier: MIT
"""Slices of rocprof-sys that stand for dispatches of this tool, in a trace that has both.

docs/formats/merge-perfetto.md describes it.
The merge gives them the arguments of our own slices, which it leaves out. For a reader they are put back where ours
would be: on the track of their GPU.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Final

from rocprofsys_multipass.trace.rocprof_sys import BY_QUEUE, BY_STREAM, dim3_of

if TYPE_CHECKING:
    from rocprofsys_multipass.trace.perfetto_file import RawTrace, Slice

GPU: Final = "gpu"  # name of our GPU's track; the first of our arguments, what is before is rocprof-sys's
OWN: Final = "own_"  # before the names of arguments in which the two tools differ
BEGIN: Final = OWN + "begin_ns"  # our times, where they are not those of the slice
END: Final = OWN + "end_ns"
_THEIRS: Final = ("dispatch_id", "queue", "stream_id", "kernel_id", "corr_id", "grid_size", "workgroup_size")
_SIZES: Final = ("grid_size", "workgroup_size")
_NAMELESS: Final = (
    "slices of kernels of rocprof-sys have no dispatch_id (slices: {}): they may count each pass, and dispatches of "
    "these kernels are not in the file, only their passes; read RUN_DIR or the merged database, or record with "
    "ROCPROFSYS_PERFETTO_ANNOTATIONS=ON"
)
_GPU_TRACK: Final = re.compile(r"GPU (\d+) \[(.+)\]")


def gpu_in(name: str) -> tuple[int, str] | None:
    """Ordinal and architecture in the name of a GPU's track; None: it is another track."""
    match = _GPU_TRACK.fullmatch(name)
    return (int(match[1]), match[2]) if match else None


def nameless_kernels(raw: RawTrace, kernels: AbstractSet[str]) -> Mapping[int, str]:
    """What to know of the slices of rocprof-sys that have no dispatch_id, by process track; none where all have it.

    `kernels`: those of this tool. What is drawn by stream, and called otherwise, may be a copy of memory.
    """
    counts: Counter[int] = Counter()
    for one in raw.slices:
        if "dispatch_id" in one.annotations or not (BY_QUEUE in one.category or BY_STREAM in one.category):
            continue
        categories = one.category.split(",")
        if BY_QUEUE in categories or (BY_STREAM in categories and one.name in kernels):
            counts[raw.process_of(one.track)] += 1
    return {process: _NAMELESS.format(count) for process, count in counts.items()}


def bring_home(raw: RawTrace) -> None:
    """Puts such slices on the tracks of their GPUs, as if this tool had drawn them."""
    if not any(GPU in one.annotations for one in raw.slices):
        return
    gpus = {
        (raw.process_of(uuid), track.name): uuid  # two processes may have one pid
        for uuid, track in raw.tracks.items()
        if not track.counter and gpu_in(track.name)
    }
    raw.slices[:] = [_home(raw, one, gpus) if GPU in one.annotations else one for one in raw.slices]
    raw.slices.sort(key=lambda one: one.start_ns)


def _gpu_of(raw: RawTrace, one: Slice, gpus: dict[tuple[int, str], int]) -> int | None:
    """The track of its GPU: below the same process, or the only one where that is not described or is twice."""
    name, pid = str(one.annotations[GPU]), raw.pid_of(one.track)
    exact = gpus.get((raw.process_of(one.track), name))
    if exact is not None:
        return exact
    alike = [uuid for (_, known), uuid in gpus.items() if known == name and pid in (None, raw.pid_of(uuid))]
    return alike[0] if len(alike) == 1 else None


def _home(raw: RawTrace, one: Slice, gpus: dict[tuple[int, str], int]) -> Slice:
    categories = one.category.split(",")
    uuid = _gpu_of(raw, one, gpus)
    if uuid is None or (BY_QUEUE not in categories and BY_STREAM not in categories):
        return one
    ours = list(one.annotations)
    kept = {*_THEIRS, *ours[ours.index(GPU) :]}
    annotations = {name: value for name, value in one.annotations.items() if name in kept}
    for name in [name for name in annotations if name.startswith(OWN)]:
        annotations[name.removeprefix(OWN)] = annotations.pop(name)
    for name in _SIZES:  # in another form
        size = dim3_of(annotations.get(name))
        if size is not None:
            annotations[name] = ",".join(map(str, size))
    start, end = annotations.pop("begin_ns", None), annotations.pop("end_ns", None)
    if isinstance(start, int) and isinstance(end, int):
        one = one._replace(start_ns=start, end_ns=end)
    return one._replace(track=uuid, category=BY_QUEUE, annotations=annotations)
