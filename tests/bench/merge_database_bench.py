# SPDX-License-Identifier: MIT
"""Merging into a large database of rocprof-sys: time against a plain copy of it, and memory at the highest.

Usage::

    PYTHONPATH=python python tests/bench/merge_database_bench.py [--regions 4000000] [--dispatches 100000] [--alone]

`--alone`: rocprof-sys recorded no kernels, as under this tool's wrapper; else each pass has a row. The database is made
by hand (tests/python/handmade_foreign.py); rocprof-sys does not run here. docs/benchmarks.md has numbers.
"""

from __future__ import annotations

import argparse
import pathlib
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing

ROOT = pathlib.Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests" / "python"), str(ROOT / "tests" / "bench")]

import handmade_foreign as foreign  # noqa: E402 - helpers of the tests, found by the line above
from handmade_host import MD5, SUFFIX, surround  # noqa: E402
from large_journal import write_journal  # noqa: E402

from rocprofsys_multipass.merge.database.merge import merge_database  # noqa: E402
from rocprofsys_multipass.native import find_native  # noqa: E402

# A region as rocprof-sys has it: an event, two arguments.
_REGIONS = """
UPDATE rocpd_info_node~ SET machine_id = 'host', hostname = 'host';
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})
INSERT INTO rocpd_event~ (id, category_id, stack_id, parent_stack_id, correlation_id)
  SELECT 1000000 + i, 1, i, 0, 0 FROM n;
INSERT INTO rocpd_region~ (nid, pid, tid, start, "end", name_id, event_id)
  SELECT 1, p.id, t.id, e.stack_id * 100, e.stack_id * 100 + 70, 1, e.id FROM rocpd_event~ e, rocpd_info_process~ p,
  (SELECT MIN(id) AS id FROM rocpd_info_thread~) t WHERE e.id > 1000000;
INSERT INTO rocpd_arg~ (event_id, position, type, name, value)
  SELECT e.id, a.column1, 'void*', a.column2, printf('0x%x', e.id)
  FROM rocpd_event~ e, (VALUES (0, 'dst'), (1, 'stream')) a WHERE e.id > 1000000;
"""
# A row for each pass, as a tracer sees a replay. The stack id of an event is the row of its pass here.
_KERNELS = """
INSERT INTO rocpd_info_kernel_symbol~ (id, nid, pid, code_object_id, kernel_name, display_name)
  SELECT id, 1, pid, 1, kernel_name, display_name FROM own.rocpd_info_kernel_symbol;
INSERT INTO rocpd_string~ (string) SELECT 'rocm_kernel_dispatch' UNION SELECT display_name
  FROM own.rocpd_info_kernel_symbol;
INSERT INTO rocpd_event~ (category_id, stack_id, parent_stack_id, correlation_id)
  SELECT (SELECT id FROM rocpd_string~ WHERE string = 'rocm_kernel_dispatch'), -id, 0, 0 FROM own.rocpd_replay_pass;
CREATE TEMP TABLE event_of AS SELECT -stack_id AS pass, id FROM rocpd_event~ WHERE stack_id < 0;
CREATE INDEX temp.event_of_pass ON event_of (pass);
INSERT INTO rocpd_info_queue~ (id, nid, pid) SELECT id, 1, pid FROM own.rocpd_info_queue WHERE id <> 0;
INSERT INTO rocpd_kernel_dispatch~ (nid, pid, tid, agent_id, kernel_id, dispatch_id, queue_id, stream_id, start, "end",
  workgroup_size_x, workgroup_size_y, workgroup_size_z, grid_size_x, grid_size_y, grid_size_z, region_name_id, event_id)
  SELECT 1, d.pid, (SELECT MIN(id) FROM rocpd_info_thread~), 2, d.kernel_id, d.dispatch_id, d.queue_id, d.stream_id,
  p.start, p."end", workgroup_size_x, workgroup_size_y, workgroup_size_z, grid_size_x, grid_size_y, grid_size_z,
  (SELECT r.id FROM rocpd_string~ r WHERE r.string = s.display_name), e.id
  FROM own.rocpd_replay_pass p JOIN own.rocpd_kernel_dispatch d ON d.id = p.kernel_dispatch_id
  JOIN own.rocpd_info_kernel_symbol s ON s.id = d.kernel_id JOIN event_of e ON e.pass = p.id;
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--regions", type=int, default=4_000_000)
    parser.add_argument("--dispatches", type=int, default=100_000)
    parser.add_argument("--alone", action="store_true", help="rocprof-sys recorded no kernels")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        own = _own(folder, args.dispatches)
        host = _host(folder, own, args.regions, kernels=not args.alone)
        _say("database of rocprof-sys", host.stat().st_size / 1e6, "MB")
        _say("database of this tool", own.stat().st_size / 1e6, "MB")
        start = time.perf_counter()
        shutil.copyfile(host, folder / "copy.db")
        copy = time.perf_counter() - start
        _say("plain copy", copy, "s")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = time.perf_counter()
        merged = merge_database(host, own, folder / "merged.db")
        took = time.perf_counter() - start
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        _say("merge", took, "s")
        _say("merge / copy", took / copy, "")
        _say("highest memory, and before", after / 1e3, f"MB, {before / 1e3:.0f} MB")
        _say("merged database", merged.target.stat().st_size / 1e6, "MB")
        sys.stdout.write(f"{merged}\n")


def _own(folder: pathlib.Path, dispatches: int) -> pathlib.Path:
    journal = folder / "multipass-4242.journal"
    write_journal(journal, dispatches)
    command = [find_native().exporter, journal, "--format", "rocpd", "--output", folder]
    subprocess.run(command, check=True, capture_output=True)
    return journal.with_suffix(".db")


def _host(folder: pathlib.Path, own: pathlib.Path, regions: int, *, kernels: bool) -> pathlib.Path:
    def fill(database: foreign.ForeignDatabase) -> None:
        database.shift = 1
        foreign.fill_rocprof_sys(database)
        surround(database)

    run = foreign.Run((), guid=MD5, pid=4242)
    host = foreign.write_database(folder / "rocpd-4242.db", [run], foreign.Schema(), fill)
    with closing(sqlite3.connect(host, isolation_level=None)) as connection:
        connection.execute("ATTACH ? AS own", (str(own),))
        script = _REGIONS.format(count=regions) + _KERNELS * kernels
        connection.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;")
        connection.executescript(f"BEGIN; {script.replace('~', SUFFIX)} COMMIT;")
    return host


def _say(what: str, number: float, unit: str) -> None:
    sys.stdout.write(f"{what:28} {number:10.2f} {unit}\n")


if __name__ == "__main__":
    main()
