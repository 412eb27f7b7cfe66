# SPDX-License-Identifier: MIT
"""Runs the parts of the kit (examples/selftest): each a process of its own, without the tool and with it.

With it means the plugin alone, without the wrapper: no outputs are made, the journal is what is read. A part that dies
or hangs is a result, with what its journal holds.
"""

from __future__ import annotations

import contextlib
import json
import socket
import time
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rocprofsys_multipass.config import PREFIX
from rocprofsys_multipass.config.limits import SAFETY_REASONS
from rocprofsys_multipass.doctor.selftest.ground import OF_OTHERS, end_of, how_it_ended
from rocprofsys_multipass.errors import MultipassError
from rocprofsys_multipass.native import read_messages
from rocprofsys_multipass.run.environment import child_environment
from rocprofsys_multipass.trace.open import open_trace

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rocprofsys_multipass.doctor.bounded import Finished
    from rocprofsys_multipass.doctor.selftest.ground import Bench
    from rocprofsys_multipass.trace.model import Dispatch, Process

# Few, so that a recording is small, and too many for one pass of any GPU; each has the ones of its architecture.
EVENTS = (
    "SQ_WAVES",
    "SQ_INSTS_VALU",
    "SQ_WAVE_CYCLES",
    "SPI_CSN_NUM_THREADGROUPS",
    "FETCH_SIZE",
    "WRITE_SIZE",
    "TCC_HIT",
    "TCC_MISS",
    "GL2C_HIT",
    "GL2C_MISS",
)
SETS = ("memory",)
SENTINELS = ("SQ_WAVES", "SQ_INSTS_VALU")
RECORD = f"{PREFIX}RECORD"  # the file that the plugin writes the sequence of callbacks to

_ABSENT = 3  # exit code of a part that this machine does not have what it needs for
_ABSENT_WORD = "absent"
_KERNELS = "multipass_kit_"  # their names begin so; by it the recorder knows that it may name them

DEFAULT: Mapping[str, object] = {"replay": "auto"}
ALL: Mapping[str, object] = {"replay": "kernel"}  # no budget
UNSAFE: Mapping[str, object] = {"replay": "kernel", "unsafe": list(SAFETY_REASONS)}


@dataclass(frozen=True)
class PartRun:
    """One process of the kit.

    Attributes:
        part: as on its command line, such as ``restore managed``.
        how: ``alone``, ``default``, ``all`` (every launch that is safe) or ``unsafe``.
        code: its exit code, negative for a signal, None when it was killed because it did not end.
        seconds: how long it took.
        lines: what it printed.
        said: what it and the plugin wrote to stderr.
        process: what its journal holds; None without one.
        recording: the sequence of callbacks; empty where there is none.
        patience_s: how long it was waited for.
    """

    part: str
    how: str
    code: int | None
    seconds: float
    lines: tuple[str, ...]
    said: str
    patience_s: float
    process: Process | None = None
    recording: tuple[Any, ...] = ()

    @property
    def absent(self) -> str:
        """What this machine does not have; empty: nothing is missing."""
        if self.code != _ABSENT or not self.lines:
            return ""
        return self.lines[-1].removeprefix(f"{_ABSENT_WORD} ")

    @property
    def failure(self) -> str:
        """How it ended; empty: well."""
        return how_it_ended(self.code, self.patience_s)

    @property
    def last_words(self) -> str:
        """The end of what it said, as ``; it said: ...``; empty: nothing."""
        said = end_of(self.said)
        return f"; it said: {said}" if said else ""

    @cached_property
    def dispatches(self) -> tuple[Dispatch, ...]:
        """The launches of its kernels, in their order, and not those of the HIP runtime; none without a journal."""
        found = self.process.dispatches if self.process else ()
        return tuple(one for one in found if one.kernel.startswith(_KERNELS))

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the plugin warned of, but that a GPU does not have the counters of others."""
        return tuple(one for one in read_messages(self.said).warnings if OF_OTHERS not in one)

    def values(self, name: str) -> list[int]:
        """The numbers that it printed under a name."""
        pairs = (line.split(" ") for line in self.lines)
        return [int(pair[1]) for pair in pairs if len(pair) == 2 and pair[0] == name]  # noqa: PLR2004

    @property
    def passes(self) -> int:
        """How often the launch that ran most often ran."""
        return max((executions(one) for one in self.dispatches), default=0)

    @property
    def outcomes(self) -> str:
        """``4 replayed, 2 declined (max_replays)``."""
        found: dict[str, int] = {}
        for one in self.dispatches:
            text = one.outcome.replace("_", " ") + (f" ({one.reason})" if one.reason else "")
            found[text] = found.get(text, 0) + 1
        return ", ".join(f"{count} {text}" for text, count in found.items())


def executions(dispatch: Dispatch) -> int:
    """How often a launch ran, as far as it is known."""
    return len(dispatch.passes) + len(dispatch.extra_passes)


class Kit:
    """The program, and where it runs."""

    def __init__(self, bench: Bench) -> None:
        """Take the program, or build it for a real GPU. FailedError: it cannot be built."""
        ground = bench.ground
        if ground.devices and not ground.asked:  # two, for the parts that need them
            ground = replace(ground, devices=f"{ground.devices},{ground.devices}")
        self._bench = replace(bench, ground=ground)
        self._program = self._bench.build(bench.native.kit_source, bench.native.kit)
        self._folders = 0
        self.devices = ground.devices
        self.runs: list[PartRun] = []

    def alone(self, part: str) -> PartRun:
        """Without the tool."""
        start = time.monotonic()
        done = self._bench.try_call(self._words(part), self._bench.alone_environment())
        return self._keep(part, "alone", done, start)

    def profiled(self, part: str, how: str, options: Mapping[str, object], *, record: bool = False) -> PartRun:
        """With the tool, and these options beside the counters; with `record` the sequence of callbacks too."""
        self._folders += 1
        folder = self._bench.folder / f"kit-{self._folders}"
        output, config, recording = folder / "out", folder / "config.json", folder / "recording.json"
        output.mkdir(parents=True)
        config.write_text(json.dumps(self._handover(output, options)), encoding="utf-8")
        environ = child_environment(
            self._bench.environ,
            plugin=self._bench.native.plugin.absolute(),
            config=config,
            simulate=self._bench.ground.devices,
            simulator=self._bench.simulator,
        )
        if record:
            environ[RECORD] = str(recording)
        start = time.monotonic()
        done = self._bench.try_call(self._words(part), environ)
        return self._keep(part, how, done, start, _process(output), _recorded(recording))

    def _words(self, part: str) -> list[str]:
        return [str(self._program), *part.split()]

    @staticmethod
    def _handover(output: Path, options: Mapping[str, object]) -> dict[str, object]:
        return {
            "schema": 1,
            "events": ",".join(EVENTS),
            "sets": list(SETS),
            "output": str(output),
            "host": socket.gethostname(),
            "sentinel": ",".join(SENTINELS),
            "spawn_exporter": False,
            "quiet": True,
            **options,
        }

    def _keep(  # noqa: PLR0913, PLR0917 - what there is of a run
        self,
        part: str,
        how: str,
        done: Finished,
        start: float,
        process: Process | None = None,
        recording: tuple[Any, ...] = (),
    ) -> PartRun:
        run = PartRun(
            part=part,
            how=how,
            code=done.code,
            seconds=time.monotonic() - start,
            lines=tuple(done.out.splitlines()),
            said=done.err,
            patience_s=self._bench.patience_s,
            process=process,
            recording=recording,
        )
        self.runs.append(run)
        return run


def _process(output: Path) -> Process | None:
    """What the journal holds; None where there is none that can be read."""
    try:
        trace = open_trace(output)
        process: Process = trace.processes[0]
        _ = process.dispatches  # all is read while the folder is there
    except (MultipassError, IndexError):
        return None
    return process


def _recorded(path: Path) -> tuple[Any, ...]:
    """The events, one a line; a line that a death has cut off is left out."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return ()
    found: list[Any] = []
    with contextlib.suppress(ValueError):
        found.extend(map(json.loads, lines))
    return tuple(found)
