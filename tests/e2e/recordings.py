# SPDX-License-Identifier: MIT
"""Recordings of the SDK's calls (docs/formats/recording.md): read, edited, and played to the plugin."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from e2e_tools import ROOT

import rocprofsys_multipass as mp
from rocprofsys_multipass import Run
from rocprofsys_multipass.trace.model import Dispatch

RECORD_VARIABLE = "ROCPROFSYS_MULTIPASS_RECORD"

FOLDER = ROOT / "tests" / "data" / "recordings"
"""Recordings of real and simulated SDKs; each is played by test_recordings.py."""

PLAYER = Path(os.environ.get("MULTIPASS_BUILD_DIR", ROOT / "build" / "dev")) / "native/play/rocprofsys-multipass-play"

Line = dict[str, Any]


@dataclass(frozen=True)
class Recorded:
    """A run and the recording that it made."""

    run: Run
    path: Path


Record = Callable[..., Recorded]
"""The fixture ``record``."""

CONFIG, PASS = 1, 2
COMPLETE = 2
ENTER, EXIT = 1, 2


@dataclass
class Recording:
    """The lines of a file: what was set up, and the calls in the order in which they began."""

    set_up: list[Line]
    calls: list[Line]

    @staticmethod
    def read(path: Path) -> Recording:
        text = path.read_text(encoding="ascii")
        whole = text[: text.rfind("\n") + 1]  # the last line of a process that died may be cut
        lines = [json.loads(line) for line in whole.splitlines()]
        calls = [line for line in lines if "call" in line]
        return Recording([line for line in lines if "call" not in line], sorted(calls, key=lambda call: call["n"]))

    def write(self, path: Path) -> Path:
        """The calls are numbered in their order."""
        for number, call in enumerate(self.calls):
            call["n"] = number
        path.write_text("".join(json.dumps(line) + "\n" for line in (*self.set_up, *self.calls)), encoding="ascii")
        return path

    def parts(self, name: str) -> list[Line]:
        """What is set up of one sort: ``agent``, ``counter``, ``config``, ``kind``."""
        return [line[name] for line in self.set_up if name in line and "recording" not in line]

    def execution(self, dispatch: int, number: int) -> tuple[Line, Line]:
        """The call that asked for the counters of the n-th execution of a dispatch, and the one that brought them."""
        mine = [call for call in self.calls if call.get("dispatch", {}).get("id") == dispatch]
        asked = [call for call in mine if call["call"] == "counting"][number]
        (brought,) = [call for call in mine if call["call"] == "record" and call["data"] == asked["data"]]
        return asked, brought

    def replay(self, dispatch: int, operation: int, phase: int, number: int = 0) -> Line:
        """The replay callback of that operation and phase, of a dispatch and for PASS a pass."""
        (found,) = [
            call
            for call in self.of("tracing", "KERNEL_REPLAY")
            if (call["dispatch"]["id"], call["operation"], call["phase"], call["pass"])
            == (dispatch, operation, phase, number)
        ]
        return found

    def move(self, line: Line, *, behind: Line) -> None:
        self.calls.remove(line)
        self.calls.insert(self.calls.index(behind) + 1, line)

    def in_order(self) -> Recording:
        """Counter records come right behind the end of their execution, not when a busy machine had time for them."""
        for brought in self.of("record"):
            (ended,) = [
                call
                for call in self.of("tracing", "KERNEL_DISPATCH")
                if (call["operation"], call["dispatch"]["id"], call["data"])
                == (COMPLETE, brought["dispatch"]["id"], brought["data"])
            ]
            self.move(brought, behind=ended)
        return self

    def of(self, call: str, kind: str | None = None) -> list[Line]:
        return [one for one in self.calls if one["call"] == call and one.get("kind") == kind]

    @property
    def answers(self) -> list[tuple[Any, ...]]:
        """What the tool answered, of what it was asked: passes of each dispatch, and the counters of each execution."""
        configs = [(one["agent"], tuple(sorted(one["counters"]))) for one in self.parts("config")]
        found: list[tuple[Any, ...]] = []
        for call in self.calls:
            if call["call"] in ("pass_count", "continue"):
                found.append((call["call"], call["dispatch"]["id"], call["answer"]))
            elif call["call"] == "counting":
                chosen = None if call["config"] is None else configs[call["config"]]
                found.append(("counting", call["dispatch"]["id"], chosen))
        return found

    @property
    def shape(self) -> list[tuple[Any, ...]]:
        """What the SDK did: the order of its calls, on which thread, of what."""
        keys = ("thread", "call", "kind", "operation", "phase", "size", "pass", "passes", "of_thread", "correlation")
        own = ("configure", "start", "finalize")
        return [
            (*(call.get(key) for key in keys), json.dumps(call.get("dispatch")), call["ns"])
            for call in self.calls
            if call["call"] not in own
        ]


def play(path: Path, output: Path, environment: dict[str, str], *, again: Path | None = None) -> Run:
    """Plays a recording to the plugin.

    The plugin is asked for the recorded counters in the recorded passes, whatever plan it would make today, with the
    options that were in effect. `again`: a new recording of what is played.
    """
    recording = Recording.read(path)
    groups = [sorted(one["counters"]) for one in recording.parts("config")]
    options = {f"ROCPROFSYS_MULTIPASS_{name}": value for name, value in recording.set_up[0]["options"].items()}
    options["ROCPROFSYS_MULTIPASS_HOST_MEMORY"] = "1000TB"  # this machine is not the recorded one
    records = {RECORD_VARIABLE: str(again)} if again else {}
    return mp.run(
        [PLAYER, path],
        events=sorted({counter for group in groups for counter in group}),
        groups=[group for group in groups if len(group) > 1],
        sentinel="none",
        output=output,
        env=environment | options | records,
        capture=True,
    )


def dispatches_of(run: Run) -> list[Dispatch]:
    """From the journal, so without anything that an output may have made of it."""
    (journal,) = run.output_dir.glob("multipass-*.journal")
    return mp.open_trace(journal).dispatches()


def captured(run: Run) -> Counter[Any]:
    """What became of each dispatch: GPU, outcome, reason, and of each execution pass and readings."""
    return Counter(
        (
            one.agent.device,
            one.outcome,
            one.reason,
            tuple(
                (part.index, tuple(sorted((reading.counter, reading.value) for reading in part.readings)))
                for part in one.passes
            ),
        )
        for one in dispatches_of(run)
    )


def outcomes(run: Run) -> list[tuple[str, str, list[int | None]]]:
    """Of each dispatch: outcome, reason, and the passes that brought readings."""
    return [
        (one.outcome, one.reason, [part.index for part in one.passes if part.readings]) for one in dispatches_of(run)
    ]


def text_of(run: Run) -> str:
    """What was captured, for people: a line for each dispatch, and below it one for each execution."""
    lines: list[str] = []
    for one in dispatches_of(run):
        reason = f" ({one.reason})" if one.reason else ""
        lines.append(f"GPU {one.agent.device} {one.kernel} dispatch {one.dispatch_id}: {one.outcome}{reason}")
        for part in one.passes:
            readings = ", ".join(f"{reading.counter} {reading.value:g}" for reading in part.readings)
            name = f"pass {part.index}" if part.index is not None else f"group {part.group}"
            lines.append(f"  {name}: {readings or 'nothing'}")
    return "\n".join(lines)
