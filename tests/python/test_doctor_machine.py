# SPDX-License-Identifier: MIT
"""``doctor``: the SDK, GPUs, memory and copies of ROCm on machines made by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from doctor_tools import GIB, gpu, make_machine, one, probed, statuses

from rocprofsys_multipass.doctor.check import Status
from rocprofsys_multipass.doctor.gpus import check_gpus
from rocprofsys_multipass.doctor.memory import check_memory, device_memory
from rocprofsys_multipass.doctor.probe import Probe, ProbedServices
from rocprofsys_multipass.doctor.sdk import check_sdk

MEMINFO = f"MemTotal: 99 kB\nMemAvailable:   {64 * 2**20} kB\n"  # 64 GiB
DEVICES = {"/dev/kfd": "", "/dev/dri/renderD128": ""}
UNSUPPORTED = "gfx1036 has no counters: ROCPROFILER_STATUS_ERROR_AGENT_ARCH_NOT_SUPPORTED (39)"
DENIED = "ROCPROFILER_STATUS_ERROR_PERMISSION_DENIED (40)"


def test_an_sdk_with_everything_is_well(tmp_path: Path) -> None:
    assert {check.status for check in check_sdk(make_machine(tmp_path), probed(gpu()))} == {Status.OK}


def test_without_an_sdk_it_says_where_was_searched(tmp_path: Path) -> None:
    machine = make_machine(tmp_path, LD_LIBRARY_PATH="/a:/b", ROCM_PATH="/rocm")
    said = "cannot be loaded; install ROCm, or simulate GPUs (--simulate gfx942)"  # the advice is given once
    check = one(check_sdk(machine, Probe(said=(said,))), "sdk.library")
    assert check.status is Status.PROBLEM
    assert check.found == (
        "cannot be loaded; searched: /a (LD_LIBRARY_PATH), /b (LD_LIBRARY_PATH), the loader's default folders, "
        "/rocm/lib (ROCM_PATH), /opt/rocm/lib"
    )
    assert "set ROCM_PATH or LD_LIBRARY_PATH" in check.todo


def test_an_sdk_that_dies_is_told_with_its_last_words(tmp_path: Path) -> None:
    died = Probe(ended="it was ended by SIGABRT", said=("terminate called",))
    check = one(check_sdk(make_machine(tmp_path), died), "sdk.library")
    assert check.status is Status.PROBLEM
    assert check.found == "the SDK cannot be asked: it was ended by SIGABRT; it said: terminate called"


def test_an_sdk_that_dies_later_keeps_what_it_was(tmp_path: Path) -> None:
    checks = check_sdk(make_machine(tmp_path), probed(gpu(), services=None, ended="it was ended by SIGSEGV"))
    assert one(checks, "sdk.library").status is Status.OK
    assert one(checks, "sdk.services").status is Status.PROBLEM
    assert "SIGSEGV" in one(checks, "sdk.services").found


def test_an_sdk_without_replay_reads_in_turn(tmp_path: Path) -> None:
    check = one(check_sdk(make_machine(tmp_path), probed(gpu(), replay=False, version="1.0.0")), "sdk.kernel_replay")
    assert check.status is Status.WARNING
    assert check.found.startswith(
        "SDK 1.0.0 has no kernel replay (1.4.1 and later have it): each launch reads one group"
    )


def test_replay_that_another_tool_owns_is_named(tmp_path: Path) -> None:
    owned = ProbedServices("", "another tool of this process owns kernel replay: X (15)", "")
    check = one(check_sdk(make_machine(tmp_path), probed(gpu(), services=owned)), "sdk.kernel_replay")
    assert check.status is Status.WARNING
    assert "refuses it: another tool of this process owns kernel replay: X (15)" in check.found


@pytest.mark.parametrize(
    ("services", "todo"),
    [
        (ProbedServices("", "", "another tool counts: X (12)"), "tools.rocm_events"),
        (ProbedServices("", "", f"counting does not start: {DENIED}"), "gpu.permissions"),
        (ProbedServices("ROCPROF_LITE_TRACE is set", "", ""), ""),
    ],
)
def test_services_that_do_not_start_are_a_problem(tmp_path: Path, services: ProbedServices, todo: str) -> None:
    check = one(check_sdk(make_machine(tmp_path), probed(gpu(), services=services)), "sdk.services")
    assert check.status is Status.PROBLEM
    assert check.found == (services.setup or services.counting)
    assert todo in check.todo


def test_what_the_sdk_says_is_passed_on(tmp_path: Path) -> None:
    said = probed(gpu(), said=("GPU 0 could not be locked for profiling (SYS_PERFMON)",))
    check = one(check_sdk(make_machine(tmp_path), said), "sdk.said")
    assert (check.status, "could not be locked" in check.found) == (Status.WARNING, True)


def test_two_installations_in_reach_are_told(tmp_path: Path) -> None:
    files = {
        "/opt/rocm/lib/librocprofiler-sdk.so.1": "one",
        "/venv/site-packages/_rocm_sdk_core/lib/librocprofiler-sdk.so.1": "another",
    }
    check = one(check_sdk(make_machine(tmp_path, files), probed(gpu())), "sdk.copies")
    assert check.status is Status.WARNING
    assert "2 copies of librocprofiler-sdk are in reach" in check.found
    assert "_rocm_sdk_core/lib/librocprofiler-sdk.so.1" in check.found


def test_the_python_environment_that_is_switched_on_is_looked_at(tmp_path: Path) -> None:
    files = {
        "/opt/rocm/lib/libamd_comgr.so.3": "one",
        "/my/env/lib/python3.12/site-packages/torch/lib/libamd_comgr.so": "another",
    }
    check = one(check_sdk(make_machine(tmp_path, files, VIRTUAL_ENV="/my/env"), probed(gpu())), "sdk.copies")
    assert check.status is Status.WARNING
    assert "torch/lib/libamd_comgr.so" in check.found


def test_two_names_of_one_installation_are_one(tmp_path: Path) -> None:
    machine = make_machine(tmp_path, {"/opt/rocm-7.2/lib/libamd_comgr.so.3": ""}, LD_LIBRARY_PATH="/opt/rocm-7.2/lib")
    (tmp_path / "opt/rocm").symlink_to("rocm-7.2")
    (tmp_path / "opt/rocm/lib/libamd_comgr.so").symlink_to("libamd_comgr.so.3")
    assert one(check_sdk(machine, probed(gpu())), "sdk.copies").status is Status.OK


def test_two_copies_in_one_process_are_a_problem(tmp_path: Path) -> None:
    twice = probed(gpu(), copies=(("libamd_comgr", ("/a/libamd_comgr.so.3", "/b/libamd_comgr.so.3")),))
    check = one(check_sdk(make_machine(tmp_path), twice), "sdk.copies")
    assert check.status is Status.PROBLEM
    assert "/a/libamd_comgr.so.3, /b/libamd_comgr.so.3" in check.found


def test_gpus_that_count_are_well(tmp_path: Path) -> None:
    checks = check_gpus(make_machine(tmp_path), probed(gpu(0), gpu(1)), simulated=True)
    assert [(check.id, check.status) for check in checks] == [
        ("gpu.0", Status.OK),
        ("gpu.1", Status.OK),
        ("gpu.visible", Status.OK),
    ]
    assert checks[1].found == "GPU 1 (gfx942; node 2): 100 counters"


def test_a_machine_without_a_gpu_is_a_problem(tmp_path: Path) -> None:
    checks = check_gpus(make_machine(tmp_path), probed(), simulated=True)
    assert one(checks, "gpu.list").status is Status.PROBLEM


def test_a_gpu_without_counters_is_a_note_beside_one_with(tmp_path: Path) -> None:
    poor = gpu(1, counters=0, reason=UNSUPPORTED)
    beside = check_gpus(make_machine(tmp_path), probed(gpu(0), poor), simulated=True)
    assert one(beside, "gpu.1").status is Status.NOTE
    alone = one(check_gpus(make_machine(tmp_path), probed(poor), simulated=True), "gpu.1")
    assert alone.status is Status.PROBLEM
    assert UNSUPPORTED in alone.found
    assert alone.todo == "its counters need an SDK that knows this architecture"


def test_counters_without_permission_are_told_with_a_way_out(tmp_path: Path) -> None:
    denied = gpu(0, refused=DENIED)
    check = one(check_gpus(make_machine(tmp_path), probed(denied), simulated=True), "gpu.0")
    assert check.status is Status.PROBLEM
    assert check.found.endswith(f"has 100 counters, and none can be read: {DENIED}")
    assert "gpu.permissions" in check.todo
    beside = check_gpus(make_machine(tmp_path), probed(denied, gpu(1)), simulated=True)
    assert one(beside, "gpu.0").status is Status.WARNING


def test_a_variable_that_hides_gpus_is_explained(tmp_path: Path) -> None:
    machine = make_machine(tmp_path, HIP_VISIBLE_DEVICES="1")
    check = one(check_gpus(machine, probed(gpu(0), gpu(1)), simulated=True), "gpu.visible")
    assert check.status is Status.NOTE
    assert ":device=N and --gpus count all 2" in check.found
    assert "GPU 0 of the application :device=1" in check.found


def test_two_variables_that_hide_gpus_give_no_numbers(tmp_path: Path) -> None:
    machine = make_machine(tmp_path, HIP_VISIBLE_DEVICES="0", ROCR_VISIBLE_DEVICES="1")
    checks = [c for c in check_gpus(machine, probed(gpu(0), gpu(1)), simulated=True) if c.id == "gpu.visible"]
    assert [check.where for check in checks] == ["ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"]
    assert not any("of the application" in check.found for check in checks)


def test_a_variable_that_names_a_gpu_that_is_not_there_is_a_warning(tmp_path: Path) -> None:
    machine = make_machine(tmp_path, HIP_VISIBLE_DEVICES="0,4")
    check = one(check_gpus(machine, probed(gpu(0), gpu(1)), simulated=True), "gpu.visible")
    assert (check.status, check.todo) == (Status.WARNING, "there are GPUs 0 to 1")
    assert "there is no GPU 4" in check.found


def test_the_drivers_files_must_be_there_and_open(tmp_path: Path) -> None:
    name = "gpu.devices"
    machine = make_machine(tmp_path)
    assert statuses(check_gpus(machine, probed(gpu()), simulated=False), name) == [Status.PROBLEM]
    assert statuses(check_gpus(machine, probed(gpu()), simulated=True), name) == []
    machine = make_machine(tmp_path, DEVICES)
    assert statuses(check_gpus(machine, probed(gpu()), simulated=False), name) == [Status.OK]


@pytest.mark.parametrize(
    ("closed", "expected"),
    [
        (["/dev/kfd"], [Status.PROBLEM]),
        (["/dev/dri/renderD128"], [Status.NOTE]),
        (["/dev/dri/renderD128", "/dev/dri/renderD129"], [Status.PROBLEM, Status.PROBLEM]),
    ],
)
def test_files_that_this_user_may_not_open_are_named(tmp_path: Path, closed: list[str], expected: list[Status]) -> None:
    machine = make_machine(tmp_path, {**DEVICES, "/dev/dri/renderD129": ""}, closed=closed)
    checks = [c for c in check_gpus(machine, probed(gpu()), simulated=False) if c.id == "gpu.devices"]
    assert [check.status for check in checks] == expected
    assert [check.where for check in checks] == closed
    assert "groups render and video" in checks[0].todo


@pytest.mark.parametrize(
    ("rights", "status"), [("0000000000000000", Status.NOTE), ("0000004000000000", Status.OK), ("", Status.NOTE)]
)
def test_the_right_to_lock_a_gpu_is_looked_up(tmp_path: Path, rights: str, status: Status) -> None:
    machine = make_machine(tmp_path, {**DEVICES, "/proc/self/status": f"Name:\tx\nCapEff:\t{rights}\n"})
    assert one(check_gpus(machine, probed(gpu()), simulated=False), "gpu.permissions").status is status


def bank(size: int, heap: int) -> str:
    return f"heap_type {heap}\nsize_in_bytes {size}\nflags 0\n"


def test_device_memory_is_that_of_the_banks(tmp_path: Path) -> None:
    node = "/sys/class/kfd/kfd/topology/nodes/1"
    files = {
        f"{node}/mem_banks/0/properties": bank(12 * GIB, 1),
        f"{node}/mem_banks/1/properties": bank(4 * GIB, 2),
        f"{node}/mem_banks/2/properties": bank(99 * GIB, 0),  # of the host
        f"{node}/properties": "local_mem_size 0\ndrm_render_minor 128\n",
    }
    assert device_memory(make_machine(tmp_path, files), gpu(0, memory=1)) == 16 * GIB


def test_device_memory_is_that_of_the_display_driver_without_banks(tmp_path: Path) -> None:
    files = {
        "/sys/class/kfd/kfd/topology/nodes/1/properties": "local_mem_size 0\ndrm_render_minor 129\n",
        "/sys/class/drm/renderD129/device/mem_info_vram_total": f"{24 * GIB}\n",
    }
    machine = make_machine(
        tmp_path,
        {**files, "/sys/class/drm/renderD129/device/mem_info_vram_used": "1500000000", "/proc/meminfo": MEMINFO},
    )
    assert device_memory(machine, gpu(0)) == 24 * GIB
    found = one(check_memory(machine, [gpu(0)], simulated=False), "memory.gpu.0").found
    assert "25.8 GB of device memory, 1.5 GB in use now" in found
    assert device_memory(make_machine(tmp_path / "none"), gpu(0, memory=7)) == 7


def test_memory_that_fits_is_well(tmp_path: Path) -> None:
    machine = make_machine(tmp_path, {"/proc/meminfo": MEMINFO})
    checks = check_memory(machine, [gpu(0, memory=16 * GIB), gpu(1, memory=16 * GIB)], simulated=True)
    assert {check.status for check in checks} == {Status.OK}
    assert [check.id for check in checks] == ["memory.host", "memory.gpu.0", "memory.gpu.1", "memory.all"]


def test_memory_that_does_not_fit_is_told_with_what_would(tmp_path: Path) -> None:
    machine = make_machine(tmp_path, {"/proc/meminfo": MEMINFO})
    checks = check_memory(machine, [gpu(0, memory=192 * GIB), gpu(1, memory=32 * GIB)], simulated=True)
    assert one(checks, "memory.gpu.0").status is Status.WARNING
    assert "allocated at most 68.7 GB of it" in one(checks, "memory.gpu.0").found
    assert one(checks, "memory.gpu.1").status is Status.OK
    assert one(checks, "memory.all").status is Status.NOTE
    assert "34.4 GB of allocated memory each" in one(checks, "memory.all").found


def test_a_budget_of_the_sdk_is_named(tmp_path: Path) -> None:
    machine = make_machine(
        tmp_path, {"/proc/meminfo": MEMINFO}, ROCPROFILER_KERNEL_REPLAY_MAX_SNAPSHOT_BYTES="1000000000"
    )
    check = one(check_memory(machine, [], simulated=False), "memory.host")
    assert (check.status, "take 1.0 GB of it at most" in check.found) == (Status.NOTE, True)


def test_memory_that_nobody_tells_is_a_note(tmp_path: Path) -> None:
    machine = make_machine(tmp_path, {"/proc/meminfo": MEMINFO})
    assert one(check_memory(machine, [gpu()], simulated=False), "memory.gpu.0").status is Status.NOTE
    assert [c.id for c in check_memory(make_machine(tmp_path / "x"), [gpu()], simulated=False)] == ["memory.host"]
