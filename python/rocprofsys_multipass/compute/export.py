# SPDX-License-Identifier: MIT
"""Makes of the captures of a run the directories that ``rocprof-compute analyze`` reads, one for each model of GPU.

Captures are gone through twice, one dispatch in memory at a time: first for what they are, which settles the order,
then for their dispatches, which are judged, numbered and written.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from rocprofsys_multipass.compute.complete import FILTERED, Judgement, counted, judged
from rocprofsys_multipass.compute.directory import Directory, Entry
from rocprofsys_multipass.compute.folder import whole_folder
from rocprofsys_multipass.compute.medians import Shapes
from rocprofsys_multipass.compute.names import KernelNames
from rocprofsys_multipass.compute.notes import capture_warnings
from rocprofsys_multipass.compute.numbering import Capture, captures_of, gpu_numbers
from rocprofsys_multipass.compute.result import ComputeExport, ComputeOptions, ModelExport
from rocprofsys_multipass.compute.rows import launch_of
from rocprofsys_multipass.compute.side_table import row_of_dispatch, row_of_shape
from rocprofsys_multipass.compute.sysinfo import BANKS, Sysinfo, sysinfo_of
from rocprofsys_multipass.compute.tally import hint_of
from rocprofsys_multipass.config.values import COMPUTE_RELEASES
from rocprofsys_multipass.errors import OutputError, UsageError
from rocprofsys_multipass.trace.agent import Agent
from rocprofsys_multipass.trace.model import Dispatch
from rocprofsys_multipass.trace.stream import open_streams

_MEDIANS: Final = "-kernel-medians"
_TWICE: Final = "the capture has it twice"  # as a damaged one may


def write_compute(journals: Sequence[Path], folder: Path, options: ComputeOptions) -> ComputeExport:
    """Write a directory per distinct model of GPU into `folder`, which gets its name when all are whole.

    Args:
        journals: captures of the processes of one run, in any order.
        folder: its earlier content is replaced.
        options: see ComputeOptions.

    Raises:
        UsageError: the release is not known, journals are missing or twice, or channels are asked for and not there.
        TraceError: a journal cannot be read.
        OutputError: nothing was left to export, ``analyze`` could not read the result, `folder` holds something else,
            or a file cannot be written. Then `folder` is as it was.
    """
    if options.release not in COMPUTE_RELEASES:
        raise UsageError(f"release: {options.release!r} is not one of {', '.join(COMPUTE_RELEASES)}")
    captures = captures_of(journals)
    with whole_folder(folder) as new, ExitStack() as stack:
        export = _Export(new, captures, options)
        stack.callback(export.close)
        export.collect()
        return export.finish(folder)


class _Export:
    """The directories of an export while it goes on, by model."""

    def __init__(self, new: Path, captures: Sequence[Capture], options: ComputeOptions) -> None:
        self._new = new
        self._captures = captures
        self._options = options
        self._gpus = gpu_numbers(captures)
        self._names = KernelNames()
        self._channels = _with_channels(captures, options)
        self._directories: dict[Sysinfo, Directory] = {}
        self._of_agent: dict[tuple[int, int], Directory] = {}  # position of the capture, index of the agent

    def close(self) -> None:
        """Closes all files."""
        for directory in self._directories.values():
            directory.close()

    def collect(self) -> None:
        """Goes through all dispatches."""
        for position, capture in enumerate(self._captures):
            with open_streams(capture.path) as (stream,):
                if self._options.kernel_medians:
                    self._collect_shapes(position, stream.dispatches())
                else:
                    self._collect_dispatches(position, stream.dispatches())

    def _collect_dispatches(self, position: int, dispatches: Iterator[Dispatch]) -> None:
        capture = self._captures[position]
        for d, twice in _with_repeats(dispatches):
            gpu, kernel = self._gpus.get((capture.key, d.agent.index)), self._names.of(d.symbol)
            directory = self._directory(position, d.agent)
            plan = directory.plan_of(capture, d.agent)
            channels = plan.values(d)
            judgement = Judgement(_TWICE, _TWICE) if twice else judged(d, channels.keys(), plan.names)
            launch = None
            if not judgement.unusable and d.start_ns is not None and d.end_ns is not None:
                launch = launch_of(d, kernel, gpu or 0, (d.start_ns, d.end_ns))
            row = row_of_dispatch(capture.process, d, kernel, gpu)
            directory.add(Entry(row, judgement, launch, {**d.counters, **channels}))

    def _collect_shapes(self, position: int, dispatches: Iterator[Dispatch]) -> None:
        capture = self._captures[position]
        shapes = Shapes(capture.process, self._names)
        for d, twice in _with_repeats(dispatches):
            plan = self._directory(position, d.agent).plan_of(capture, d.agent)
            if not twice:
                shapes.add(d, plan)
        for shape in shapes:
            agent = shape.first.agent
            gpu = self._gpus.get((capture.key, agent.index))
            medians = shape.medians()
            judgement = shape.judged(medians)
            launch = None
            if not judgement.unusable and (duration := shape.duration_ns) is not None:
                launch = launch_of(shape.first, shape.kernel, gpu or 0, (0, duration))
            row = row_of_shape(capture.process, shape, gpu)
            self._directory(position, agent).add(Entry(row, judgement, launch, medians))

    def _directory(self, position: int, agent: Agent) -> Directory:
        key = (position, agent.index)
        if key not in self._of_agent:
            sysinfo = sysinfo_of(agent)
            if sysinfo not in self._directories:
                place = self._new / str(len(self._directories))
                self._directories[sysinfo] = Directory(
                    place, sysinfo, self._options, self._names, channels=self._channels
                )
            self._of_agent[key] = self._directories[sysinfo]
        return self._of_agent[key]

    def finish(self, folder: Path) -> ComputeExport:
        """Gives each directory its name and the files that are written last."""
        of_capture = {id(one): list(capture_warnings(one)) for one in self._captures}
        warnings = [text for one in self._captures for text in of_capture[id(one)]]
        if self._options.channels is None and not self._channels and any(map(_keeps_instances, self._captures)):
            warnings.append(f"{folder}: no rows for channels, since not all captures have single instances")
        models: list[ModelExport] = []
        files: list[Path] = []
        taken: Counter[str] = Counter()
        for sysinfo in sorted(self._directories, key=lambda one: one.order):
            directory, stem = self._directories[sysinfo], sysinfo.architecture
            if not directory.tally.exported:
                directory.close()
                shutil.rmtree(directory.place)
                reasons = _reasons(directory)
                warnings.append(
                    f"{stem or 'a GPU'}: of it nothing is left to export ({counted(reasons)}): no directory is written"
                )
                continue
            taken[stem] += 1
            name = stem + (f"-{taken[stem]}" if taken[stem] > 1 else "")
            name += _MEDIANS if self._options.kernel_medians else ""
            directory.finish(name, [text for one in directory.captures for text in of_capture[id(one)]])
            directory.place.rename(self._new / name)
            told = tuple(f"{name}: {text}" for text in directory.warnings())
            warnings += told
            gpu = directory.product or sysinfo.architecture
            tally = directory.tally
            models.append(ModelExport(folder / name, gpu, tally.exported, tally.left, told, self._options.thing))
            files += [folder / name / one.name for one in sorted((self._new / name).iterdir())]
        if not models:
            raise self._nothing_left(folder)
        return ComputeExport(tuple(models), tuple(warnings), tuple(files))

    def _nothing_left(self, folder: Path) -> OutputError:
        reasons: Counter[str] = Counter()
        for directory in self._directories.values():
            reasons += _reasons(directory)
        where = f"{folder}: nothing is left to export for rocprofiler-compute"
        if not reasons:
            return OutputError(f"{where}: no dispatch was recorded: check that the application launches kernels")
        fix = hint_of(reasons, self._options) or "run again so that dispatches are replayed whole"
        if reasons.keys() != {FILTERED} and not any(one.tally.read for one in self._directories.values()):
            fix = "no launch has a reading of any counter: see what the run warned of (`rocprof-sys-multipass report`)"
        if not any(one.sysinfo.is_readable for one in self._directories.values()):
            fix = f"analyze knows {', '.join(BANKS)}: export another format"
        return OutputError(f"{where}: {counted(reasons)}: {fix}")


def _reasons(directory: Directory) -> Counter[str]:
    """Why dispatches were left out, those that were filtered too."""
    tally = directory.tally
    return tally.left_out + Counter({FILTERED: tally.filtered})


def _keeps_instances(capture: Capture) -> bool:
    return capture.process.keeps_instances


def _with_channels(captures: Sequence[Capture], options: ComputeOptions) -> bool:
    """Whether rows for channels are written. UsageError: they are asked for, and a capture cannot give them."""
    without = [one for one in captures if one.count and not _keeps_instances(one)]
    if without and options.channels:
        raise UsageError(
            f"{without[0].path}: it has no single instances, to make channels of: run with --instances keep"
        )
    return options.channels is not False and not without


def _with_repeats(dispatches: Iterator[Dispatch]) -> Iterator[tuple[Dispatch, bool]]:
    """Each dispatch, and whether the one before has the same id."""
    last = None
    for d in dispatches:
        yield d, d.dispatch_id == last
        last = d.dispatch_id
