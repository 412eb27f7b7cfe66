# SPDX-License-Identifier: MIT
"""Checks of what was launched: kernel, geometry and plan are the same for every pass of a dispatch, and possible."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Final

from rocprofsys_multipass.trace.model import Dispatch
from rocprofsys_multipass.trace.perfetto import DISPATCH, EXTRA, REPLAY, UNTIMED, device_of
from rocprofsys_multipass.trace.perfetto_file import RawTrace, Slice
from rocprofsys_multipass.trace.perfetto_merged import nameless_kernels
from rocprofsys_multipass.verify.evidence import Evidence
from rocprofsys_multipass.verify.finding import Finding
from rocprofsys_multipass.verify.places import of_pid, place
from rocprofsys_multipass.verify.registry import check

_MOST_ITEMS: Final = 1024  # of a work-group, on every GPU of AMD
_RECORD_AGAIN: Final = "record with both again, with ROCPROFSYS_PERFETTO_ANNOTATIONS=ON, and merge what they wrote"


@check("geometry")
def geometry(evidence: Evidence) -> Iterator[Finding]:
    """Every dispatch has a grid and work-groups that a GPU can run; all its passes have them, as no file tells more.

    Sizes are in work-items. Files hold one size for a dispatch and all its executions.
    """
    for process in evidence.processes:
        for d in process.dispatches:
            message = _impossible(d)
            if message:
                yield Finding("error", "geometry", place(process, d), message)


def _impossible(d: Dispatch) -> str:
    for name, size in (("grid", d.grid), ("workgroup", d.workgroup)):
        if size is not None and min(size) < 1:
            return f"the {name} is {','.join(map(str, size))}: nothing runs with a size of {min(size)}"
    if d.workgroup is not None and prod(d.workgroup) > _MOST_ITEMS:
        return f"a work-group has {prod(d.workgroup)} work-items, a GPU takes {_MOST_ITEMS}"
    return ""


@check("planned")
def planned(evidence: Evidence) -> Iterator[Finding]:
    """A pass has readings only of the counters that the plan has for it: another is of another pass or dispatch."""
    for process in evidence.processes:
        counters = {(a.index, g): frozenset(p.counters) for a in process.agents for g, p in enumerate(a.passes)}
        for d in process.dispatches:
            for p in d.passes:
                expected = counters.get((d.agent.index, p.group))
                guessed = p.mixed or (process.kind == "perfetto" and p.start_ns is None)  # which pass it was
                if expected is None or guessed:
                    continue
                for name in sorted({r.counter for r in p.readings} - expected):
                    message = f"it is not planned for pass {p.group}, which reads {', '.join(sorted(expected))}"
                    yield Finding("error", "planned", place(process, d, p, name), message)


@check("perfetto-kernels")
def kernels_of_slices(evidence: Evidence) -> Iterator[Finding]:
    """The slices of all executions of a dispatch have its kernel's name, and belong to a dispatch on the same GPU."""
    raw = evidence.raw
    if raw is not None and evidence.trace_readable:
        for pid, where, message, hint in misplaced_executions(raw):
            owner = of_pid(evidence.from_trace, pid)
            yield Finding("error", "perfetto-kernels", f"{raw.path.name}: {owner}{where}", message, hint)


def misplaced_executions(raw: RawTrace) -> Iterator[tuple[int | None, str, str, str]]:
    """Slices of passes that are of no dispatch, or of one with another kernel.

    The number of their process, place and fault, and what to do where exporting is no use.
    """
    names: dict[object, str] = {}
    executions: list[tuple[object, Slice]] = []
    for one in raw.slices:
        _, device = device_of(raw, one.track)
        key: object = (raw.process_of(one.track), device, one.annotations.get("dispatch_id"))
        if one.category in (DISPATCH, UNTIMED):
            names[key] = one.name
        elif one.category in (REPLAY, EXTRA):
            executions.append((key, one))
    nameless = nameless_kernels(raw, {one.name for _, one in executions})
    told = set()
    for owner, one in executions:
        name = names.get(owner)
        process = raw.process_of(one.track)
        if name is None and process in nameless:
            if process not in told:
                yield None, raw.path_of(process), nameless[process], _RECORD_AGAIN
            told.add(process)
            continue
        if name == one.name:
            continue
        what = one.annotations.get("replay_pass")
        label = f"{one.annotations.get('replay_extra')} pass" if what is None else f"pass {what}"
        where = f"dispatch {one.annotations.get('dispatch_id')}, {label}"
        if name is None:
            message = f"no dispatch of that number is on the GPU of the track {raw.path_of(one.track)}"
        else:
            message = f"the kernel is {one.name!r}, that of the dispatch {name!r}"
        yield raw.pid_of(one.track), where, message, ""
