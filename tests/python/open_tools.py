# SPDX-License-Identifier: MIT
"""The ``open`` command on a thread of the test, as far as it waits for a browser; small traces to open."""

from __future__ import annotations

import io
import json
import queue
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as protos

from rocprofsys_multipass.cli.command import Streams
from rocprofsys_multipass.cli.commands.open import OpenCommand
from rocprofsys_multipass.cli.main import parse

PATIENCE_S = 20


class _Lines(io.StringIO):
    """Keeps what is written, and hands it to who waits for it."""

    def __init__(self) -> None:
        super().__init__()
        self.written: queue.Queue[str] = queue.Queue()

    def write(self, text: str) -> int:
        self.written.put(text)
        return super().write(text)


@dataclass(frozen=True)
class Opened:
    """A running command: the address that it printed, its messages so far, and its exit code to come."""

    address: str
    err: _Lines
    code: Future[int]

    @property
    def arguments(self) -> dict[str, str]:
        """What the UI finds behind ``#!/?``."""
        return {name: value for name, (value,) in parse_qs(urlsplit(self.address).fragment.partition("?")[2]).items()}

    @property
    def trace(self) -> str:
        """The address of the trace."""
        return self.arguments["url"]

    @property
    def commands(self) -> list[dict[str, Any]]:
        """What the UI is to do when it has loaded the trace."""
        return json.loads(self.arguments["startupCommands"])


@contextmanager
def opening(*words: str | Path) -> Iterator[Opened]:
    """``open WORDS`` on a free port and without a browser, until the address is known; the test makes it end."""
    out, err = _Lines(), _Lines()
    args = parse(["open", "--no-browser", "--port", "0", "--timeout", str(PATIENCE_S), *map(str, words)])
    with ThreadPoolExecutor(1) as pool:
        code = pool.submit(OpenCommand().run, args, Streams(out, err))
        code.add_done_callback(lambda _: out.written.put(""))  # where it failed before the address
        address = out.written.get(timeout=PATIENCE_S).strip()
        if not address:
            code.result()
        yield Opened(address, err, code)


def write_trace(path: Path, boottime_ns: int = 0) -> bytes:
    """A trace with a process, and its clocks at this time where one is given. Returns its bytes."""
    trace = protos.Trace()
    if boottime_ns:
        clock = trace.packet.add().clock_snapshot.clocks.add()
        clock.clock_id, clock.timestamp = protos.BUILTIN_CLOCK_BOOTTIME, boottime_ns
    process = trace.packet.add().track_descriptor
    process.uuid = 1
    process.process.pid = 42
    path.write_bytes(trace.SerializeToString())
    return path.read_bytes()


def write_summary(trace: Path, **members: Any) -> None:
    """What ``run`` leaves beside a trace, as far as ``open`` reads it."""
    trace.with_suffix(".json").write_text(json.dumps(members))
