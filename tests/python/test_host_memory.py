# SPDX-License-Identifier: MIT
"""The host memory that is left: of the machine, and of control groups."""

from __future__ import annotations

from pathlib import Path

from doctor_tools import GIB, make_machine

from rocprofsys_multipass.host_memory import host_room

MEMINFO = f"MemTotal: 99 kB\nMemAvailable:   {64 * 2**20} kB\n"  # 64 GiB


def test_host_room_is_what_is_available(tmp_path: Path) -> None:
    assert host_room(make_machine(tmp_path, {"/proc/meminfo": MEMINFO}).root).size == 64 * GIB
    assert host_room(make_machine(tmp_path / "other").root).size is None


def test_a_control_group_leaves_less(tmp_path: Path) -> None:
    files = {
        "/proc/meminfo": MEMINFO,
        "/proc/self/cgroup": "0::/a/b\n",
        "/sys/fs/cgroup/a/b/memory.max": "max\n",
        "/sys/fs/cgroup/a/memory.max": f"{8 * GIB}\n",
        "/sys/fs/cgroup/a/memory.current": f"{2 * GIB}\n",
    }
    room = host_room(make_machine(tmp_path, files).root)
    assert room.size == 6 * GIB
    assert room.bound == "the memory limit of 8.6 GB in /sys/fs/cgroup/a"


def test_a_control_group_of_the_older_kind_leaves_less(tmp_path: Path) -> None:
    files = {
        "/proc/meminfo": MEMINFO,
        "/proc/self/cgroup": "5:cpu:/x\n4:memory:/docker/1\n",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes": f"{4 * GIB}",  # as a container sees its own
        "/sys/fs/cgroup/memory/memory.usage_in_bytes": f"{GIB}",
    }
    assert host_room(make_machine(tmp_path, files).root).size == 3 * GIB


def test_a_control_group_without_a_limit_leaves_all(tmp_path: Path) -> None:
    files = {
        "/proc/meminfo": MEMINFO,
        "/proc/self/cgroup": "4:memory:/\n",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712",
    }
    assert host_room(make_machine(tmp_path, files).root).size == 64 * GIB


def test_the_lower_of_two_limits_holds_and_pages_of_files_that_nobody_uses_are_free(tmp_path: Path) -> None:
    files = {
        "/proc/meminfo": MEMINFO,
        "/proc/self/cgroup": "0::/a\n",
        "/sys/fs/cgroup/a/memory.max": f"{8 * GIB}\n",
        "/sys/fs/cgroup/a/memory.high": f"{6 * GIB}\n",
        "/sys/fs/cgroup/a/memory.current": f"{5 * GIB}\n",
        "/sys/fs/cgroup/a/memory.stat": f"anon {GIB}\ninactive_file {3 * GIB}\nactive_file {GIB}\n",
    }
    assert host_room(make_machine(tmp_path, files).root).size == 4 * GIB


def test_they_are_free_in_a_control_group_of_the_older_kind_too(tmp_path: Path) -> None:
    files = {
        "/proc/self/cgroup": "4:memory:/\n",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes": f"{4 * GIB}",
        "/sys/fs/cgroup/memory/memory.usage_in_bytes": f"{3 * GIB}",
        "/sys/fs/cgroup/memory/memory.stat": f"inactive_file 1\ntotal_inactive_file {2 * GIB}\n",
    }
    assert host_room(make_machine(tmp_path, files).root).size == 3 * GIB
