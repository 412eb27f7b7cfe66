# SPDX-License-Identifier: MIT
"""Merging a large Perfetto trace: its time beside that of copying the file and of walking its packets, and its memory.

Usage::

    PYTHONPATH=python python tests/bench/merge_bench.py [--megabytes 1000] [--dispatches 20000] [--folder DIR]

The trace of rocprof-sys is made up: the kernels of a replayed run, then regions on a clock of differences, in one block
that is repeated. Copying, walking, merging and combining (with no other trace, so that nothing is renamed) are each a
process of its own. docs/benchmarks.md has numbers.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests" / "python")]

from described_run import Execution, Launch, Run  # noqa: E402 - helpers of the tests, found by the line above
from handmade_foreign_trace import ForeignTrace  # noqa: E402
from handmade_trace import trace_bytes  # noqa: E402
from merge_tools import host_run  # noqa: E402
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pt  # noqa: E402

from rocprofsys_multipass.trace.wire_fields import delimited, fields, framed  # noqa: E402

REGIONS = 4096  # in a block
SEQUENCE, THREAD, DIFFERENCES = 77, 7000, 64
EVENT, ARGUMENTS = 11, 4  # TracePacket.track_event, TrackEvent.debug_annotations

COPY = """
import shutil
shutil.copyfile(HOST, TARGET)
packets = 0
"""
WALK = """
import mmap
from rocprofsys_multipass.trace.wire import packet_at
packets = offset = 0
with HOST.open('rb') as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
    while offset < len(data):
        offset = packet_at(data, offset)[1]
        packets += 1
"""
MERGE = """
from rocprofsys_multipass.merge.trace.merge import merge_trace
made = merge_trace(HOST, OWN, TARGET)
assert (made.matched, made.removed, made.unmatched_count) == (DISPATCHES, REMOVED, 0), made
packets = 0
"""
COMBINE = """
from rocprofsys_multipass.merge.trace.combine import combine_traces
combine_traces([HOST], TARGET)
packets = 0
"""
FRAME = """
import json, pathlib, sys, threading, time
HOST, OWN, TARGET = map(pathlib.Path, sys.argv[1:4])
DISPATCHES, REMOVED = map(int, sys.argv[4:6])
peak, most, done = 0, 0, threading.Event()
def watch():
    global peak, most
    while not done.wait(0.02):
        for line in open('/proc/self/status'):
            if line.startswith('RssAnon'):
                peak = max(peak, int(line.split()[1]))
            elif line.startswith('VmHWM'):
                most = int(line.split()[1])
threading.Thread(target=watch, daemon=True).start()
start, cpu = time.perf_counter(), time.process_time()
%s
print(json.dumps({'s': time.perf_counter() - start, 'cpu': time.process_time() - cpu, 'anon_mb': peak / 1024,
                  'rss_mb': most / 1024, 'packets': packets}))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--dispatches", type=int, default=20_000)
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--folder", type=pathlib.Path, help="for the files, which take three times that size")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.folder) as name:
        folder = pathlib.Path(name)
        host, own = folder / "host.proto", folder / "own.pftrace"
        run = described(args.dispatches, args.passes)
        own.write_bytes(trace_bytes(run))
        write_host(host, run, args.megabytes << 20)
        say("host", host.stat().st_size / 1e6, "MB")
        say("own", own.stat().st_size / 1e6, "MB")
        numbers = [args.dispatches, args.dispatches * (args.passes - 1)]
        copied, walked, merged, combined = (
            measured(code, host, own, folder / "target", numbers) for code in (COPY, WALK, MERGE, COMBINE)
        )
        say("packets", walked["packets"] / 1e6, "million")
        for what, one in (("copying", copied), ("walking", walked), ("merging", merged), ("combining", combined)):
            say(what, one["s"], "s")
            say("  CPU", one["cpu"], "s")
            say("  anonymous memory, peak", one["anon_mb"], "MB")
            say("  with pages of files, peak", one["rss_mb"], "MB")
        say("merging / copying", merged["s"] / copied["s"], "times")
        say("merging / walking, CPU", merged["cpu"] / walked["cpu"], "times")
        say("combining / walking, CPU", combined["cpu"] / walked["cpu"], "times")
        say("merging", host.stat().st_size / 1e6 / merged["s"], "MB/s")
        say("merging", walked["packets"] / 1e6 / merged["s"], "million packets/s")


def described(dispatches: int, passes: int) -> Run:
    """A run whose kernels are replayed, each with SQ_WAVES in every pass and another counter in one."""
    names = [f"COUNTER_{k}" for k in range(passes)]
    launches = []
    for n in range(1, dispatches + 1):
        start = 1_000_000 + 10_000 * n
        executions = [
            Execution(k, start + 1000 * k, start + 1000 * k + 500, {"SQ_WAVES": 64, names[k]: n}) for k in range(passes)
        ]
        launches.append(Launch(n, tuple(executions), kernel=f"void ns::kernel_{n % 16}<float>(float*, int)"))
    return Run(tuple(launches), plan=tuple(("SQ_WAVES", name) for name in names))


def write_host(path: pathlib.Path, run: Run, size: int) -> None:
    """The kernels, in pieces between repeated blocks of regions."""
    kernels = ForeignTrace(host_run(run), differences=False).build().to_bytes()
    first, block = regions()
    with path.open("wb") as file:
        file.write(kernels)
        file.write(first)
        for _ in range(max(0, (size - len(kernels)) // len(block))):
            file.write(block)


def regions() -> tuple[bytes, bytes]:
    """Packets that begin a sequence, and a block that can be repeated."""
    first = pt.Trace()
    packet = first.packet.add(trusted_packet_sequence_id=SEQUENCE, sequence_flags=1)
    packet.trace_packet_defaults.timestamp_clock_id = DIFFERENCES
    packet.interned_data.event_categories.add(iid=1, name="hip_api")
    for n in range(1, 65):
        packet.interned_data.event_names.add(iid=n, name=f"hipFunction{n}")
    for n, name in enumerate(("begin_ns", "end_ns", "corr_id", "stack_id"), 1):
        packet.interned_data.debug_annotation_names.add(iid=n, name=name)
    clocks = first.packet.add(trusted_packet_sequence_id=SEQUENCE).clock_snapshot.clocks
    clocks.add(clock_id=6, timestamp=1_000_000)
    clocks.add(clock_id=DIFFERENCES, timestamp=1_000_000, is_incremental=True)
    first.packet.add(trusted_packet_sequence_id=SEQUENCE).track_descriptor.uuid = THREAD
    block = []
    for n in range(REGIONS):
        packet = pt.TracePacket(timestamp=n % 700, trusted_packet_sequence_id=SEQUENCE, sequence_flags=2)
        event = packet.track_event
        event.type, event.track_uuid, event.name_iid = 1, THREAD, 1 + n % 64
        event.category_iids.append(1)
        event.flow_ids.append(n)
        for iid in range(1, 5):
            event.debug_annotations.add(name_iid=iid, uint_value=10**15 + 977 * n * iid)
        block.append(written(packet))
        packet = pt.TracePacket(timestamp=n % 900, trusted_packet_sequence_id=SEQUENCE, sequence_flags=2)
        packet.track_event.type, packet.track_event.track_uuid = 2, THREAD
        block.append(written(packet))
    return first.SerializeToString(), b"".join(block)


def written(packet: pt.TracePacket) -> bytes:
    """The packet with the fields of its event as Perfetto's SDK writes them: arguments come last."""
    content = packet.SerializeToString()
    number, start, inner, end = next(one for one in fields(content) if one[0] == EVENT)
    event = content[inner:end]
    parts = sorted(((one[0] == ARGUMENTS, event[one[1] : one[3]]) for one in fields(event)), key=lambda part: part[0])
    return framed(content[:start] + delimited(number, b"".join(part for _, part in parts)) + content[end:])


def measured(code: str, host: pathlib.Path, own: pathlib.Path, target: pathlib.Path, numbers: list[int]) -> dict:
    """One of the programs, in a process of its own."""
    command = [sys.executable, "-c", FRAME % code, host, own, target, *map(str, numbers)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    target.unlink(missing_ok=True)
    return json.loads(done.stdout)


def say(what: str, number: float, unit: str) -> None:
    sys.stdout.write(f"{what:<32}{number:>10.2f} {unit}\n")


if __name__ == "__main__":
    main()
