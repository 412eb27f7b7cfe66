# SPDX-License-Identifier: MIT
"""One Perfetto trace of the traces of many processes.

Traces can be appended to each other, unless they say the same thing of different ones. So what an earlier file has
too gets another name in a later file: packet sequences (names that are interned on one would be taken for the
other's), tracks (rocprof-sys makes their uuids of kind and queue only, which are alike in all ranks), flows, and
processes of other machines that have one pid. What is not concerned is copied as bytes.

BOOTTIME is of one machine. Times of other machines are converted by the real time in their clock snapshots, to the
boot time of the machine that has been up longest.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, Final

from google.protobuf.message import DecodeError

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.merge.combined import Combined, check_inputs
from rocprofsys_multipass.merge.trace.contents import Contents, contents_of, unreadable
from rocprofsys_multipass.merge.trace.copy import copy_all_changed, copy_changed
from rocprofsys_multipass.merge.trace.ids import free_sequence_like
from rocprofsys_multipass.merge.trace.machines import machines_of
from rocprofsys_multipass.merge.trace.renaming import Renaming, changes_of, renamings_of
from rocprofsys_multipass.trace.guard import naming
from rocprofsys_multipass.trace.mapped import mapped
from rocprofsys_multipass.trace.open import kind_of
from rocprofsys_multipass.trace.wire_fields import framed
from rocprofsys_multipass.writing import writing_bytes

_WORDS: Final = {"rocpd": "database", "journal": "journal"}


def combine_traces(inputs: Sequence[Path], target: Path) -> Combined:
    """Write one trace of the traces in `inputs`, each of which may hold several processes.

    They come in order of rank; those of no rank in the order given, behind these. The target gets its name when it is
    complete; a file of that name is replaced. Inputs are only read.

    Raises:
        UsageError: an input is given twice, or is the target.
        TraceError: an input is no Perfetto trace, or a run of this tool is in two of them.
        OutputError: the target cannot be written.
    """
    check_inputs(inputs, target)
    contents = sorted(map(_look_into, inputs), key=lambda one: (one.rank is None, one.rank or 0))
    _refuse_same_run(contents)
    machines = machines_of(contents)
    renamings, notes = renamings_of(contents, machines)
    with writing_bytes(target) as stream:
        if len(contents) > 1:
            _name_processes(contents, renamings, stream)
        for one, renaming in zip(contents, renamings, strict=True):
            _copy(one, renaming, stream)
    processes = len(set(_pids(contents, renamings)))
    return Combined(target, processes, (*machines.notes, *notes, *_cut(contents)))


def _look_into(path: Path) -> Contents:
    kind = kind_of(path)
    if kind != "perfetto":
        raise TraceError(f"{path} is no Perfetto trace but a {_WORDS[kind]}: leave it out")
    with naming(path), mapped(path) as data:
        return contents_of(data, path)


def _refuse_same_run(contents: Sequence[Contents]) -> None:
    known: dict[str, Contents] = {}
    for one in contents:
        for pid, guid in one.guids.items():
            first = known.setdefault(guid, one)
            if first is not one:
                raise TraceError(
                    f"{one.path}: process {pid} is in {first.path} too (guid {guid}), and would count double: leave "
                    "one of them out"
                )


def _name_processes(contents: Sequence[Contents], renamings: Sequence[Renaming], stream: BinaryIO) -> None:
    """All processes before all else: a UI lists those of one name in the order in which they appear.

    Not where several traces are of one process: to an importer, a pid that comes back with another track is another
    process.
    """
    pids = _pids(contents, renamings)
    if len(pids) != len(set(pids)):
        return
    sequence = free_sequence_like(0, "processes", set().union(*(one.sequences for one in contents)))
    for one, renaming in zip(contents, renamings, strict=True):
        stream.writelines(map(framed, renaming.heads(dict.fromkeys(one.processes.values()), sequence)))


def _pids(contents: Sequence[Contents], renamings: Sequence[Renaming]) -> list[int]:
    """Of all traces, as they are to be."""
    return [renaming.pids.get(pid, pid) for one, renaming in zip(contents, renamings, strict=True) for pid in one.pids]


def _copy(contents: Contents, renaming: Renaming, stream: BinaryIO) -> None:
    changes = sorted(changes_of(contents, renaming).items())
    with mapped(contents.path) as data:
        if renaming.in_every_packet:
            try:
                copy_all_changed(data, contents.end, changes, renaming.rename, stream)
            except (DecodeError, ValueError, zlib.error) as error:
                raise unreadable(contents.path, error) from error
        else:
            copy_changed(data, contents.end, changes, stream)


def _cut(contents: Sequence[Contents]) -> list[str]:
    return [
        f"{one.path}: the last {one.total - one.end:,} bytes are no whole packet and were left out"
        for one in contents
        if one.end < one.total
    ]
