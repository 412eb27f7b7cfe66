# SPDX-License-Identifier: MIT
"""``doctor`` on the stand-in SDK, healthy and with faults; and a process that holds two copies of it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from e2e_tools import TWO_PASSES, Cli
from fault_tools import FAULTS_VARIABLE

import rocprofsys_multipass as mp
from rocprofsys_multipass.native import Native


def diagnosed(cli: Cli, *words: str, env: dict[str, str] | None = None) -> tuple[int, dict[str, Any]]:
    """Exit code and answer of ``doctor --json``."""
    done = cli("doctor", "--json", *words, env=env)
    assert done.stderr == ""
    data = json.loads(done.stdout)
    assert data["exit_code"] == done.returncode
    return done.returncode, data


def check(data: dict[str, Any], name: str) -> dict[str, str]:
    """The only check of that name."""
    (found,) = [one for one in data["checks"] if one["id"] == name]
    assert isinstance(found, dict)
    return found


def problems(data: dict[str, Any]) -> list[str]:
    return [one["id"] for one in data["checks"] if one["status"] == "problem"]


def test_a_simulated_machine_is_ready(cli: Cli, native: Native) -> None:
    code, data = diagnosed(cli, "--simulate", "gfx942,gfx1036")
    assert (code, problems(data)) == (0, [])
    assert data["sdk"]["version"] == "1.4.1"
    assert data["sdk"]["simulated"] is True
    assert data["sdk"]["library"] == str(native.simulator / "librocprofiler-sdk.so.1")
    assert [(gpu["device"], gpu["name"], gpu["counters"]) for gpu in data["gpus"]] == [
        (0, "gfx942", 455),
        (1, "gfx1036", 0),
    ]
    assert check(data, "gpu.1")["status"] == "note"
    assert "AGENT_ARCH_NOT_SUPPORTED (39)" in check(data, "gpu.1")["found"]
    assert check(data, "package.version")["status"] == "ok"


def test_without_an_sdk_it_says_so_and_looks_on(cli: Cli, tmp_path: Path) -> None:
    code, data = diagnosed(cli, env={"LD_LIBRARY_PATH": str(tmp_path), "ROCM_PATH": str(tmp_path / "rocm")})
    assert code == 6
    library = check(data, "sdk.library")
    assert library["status"] == "problem"
    assert f"{tmp_path} (LD_LIBRARY_PATH)" in library["found"]
    assert f"{tmp_path / 'rocm'}/lib (ROCM_PATH)" in library["found"]
    assert check(data, "tools.others")["status"] == "ok"


@pytest.mark.parametrize(
    ("fault", "name", "status", "said"),
    [
        ("sdk_1_0_0", "sdk.kernel_replay", "warning", "SDK 1.0.0 has no kernel replay (1.4.1 and later have it)"),
        ("replay_owned", "sdk.kernel_replay", "warning", "SERVICE_ALREADY_CONFIGURED (15)"),
        ("counting_conflict", "sdk.services", "problem", "CONTEXT_CONFLICT (12)"),
        ("start_denied", "sdk.services", "problem", "PERMISSION_DENIED (40)"),
        ("config_denied", "gpu.0", "problem", "none can be read: ROCPROFILER_STATUS_ERROR_PERMISSION_DENIED (40)"),
        ("agent_unsupported", "gpu.0", "problem", "AGENT_ARCH_NOT_SUPPORTED (39)"),
        ("agent_empty", "gpu.0", "problem", "the SDK lists no counters for tiny"),
        ("not_lockable", "sdk.said", "warning", "GPU 0 is not locked for profiling"),
    ],
)
def test_an_sdk_that_refuses_is_told(cli: Cli, fault: str, name: str, status: str, said: str) -> None:
    code, data = diagnosed(cli, "--simulate", "tiny", env={FAULTS_VARIABLE: fault})
    found = check(data, name)
    assert found["status"] == status
    assert said in found["found"]
    assert problems(data) == ([name] if status == "problem" else [])
    assert code == (6 if status == "problem" else 0)


def test_one_gpu_that_is_refused_is_a_warning_beside_another(cli: Cli) -> None:
    code, data = diagnosed(cli, "--simulate", "tiny,tiny", env={FAULTS_VARIABLE: "config_denied:agent=1"})
    assert (code, check(data, "gpu.0")["status"], check(data, "gpu.1")["status"]) == (0, "ok", "warning")


def test_lite_trace_is_told_by_the_variable_and_by_the_sdk(cli: Cli) -> None:
    env = {FAULTS_VARIABLE: "lite_trace", "ROCPROF_LITE_TRACE": "1"}
    _, data = diagnosed(cli, "--simulate", "tiny", env=env)
    assert problems(data) == ["sdk.services"]
    assert check(data, "variables.lite_trace")["status"] == "note"
    for name in problems(data):
        assert "ROCPROF_LITE_TRACE is set: in this mode the SDK collects no counters" in check(data, name)["found"]


def test_an_sdk_that_ends_its_process_is_told_with_its_words(cli: Cli) -> None:
    code, data = diagnosed(cli, "--simulate", "tiny", env={FAULTS_VARIABLE: "nonsense"})
    found = check(data, "sdk.library")
    assert (code, found["status"]) == (6, "problem")
    assert "it was ended by SIGABRT; it said: " in found["found"]
    assert "nonsense" in found["found"]


def test_text_begins_with_problems_and_ends_with_a_verdict(cli: Cli) -> None:
    done = cli("doctor", "--simulate", "tiny", env={"ROCPROFILER_REGISTER_ENABLED": "0"})
    lines = done.stdout.splitlines()
    assert done.returncode == 6
    assert lines[0].startswith("problem  variables.register_enabled ")
    assert lines[-1].startswith("not ready (simulated tiny): 1 problem, ")


@pytest.fixture(scope="module")
def copies_application(build: Callable[[Path], Path]) -> Path:
    """An application that loads a file before or after its first launch."""
    return build(Path(__file__).with_name("copies.cpp"))


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_second_copy_of_the_sdk_in_the_process_is_told_once(
    copies_application: Path, native: Native, environment: dict[str, str], tmp_path: Path, when: str
) -> None:
    copy = tmp_path / "wheel/lib/librocprofiler-sdk.so.1"
    copy.parent.mkdir(parents=True)
    shutil.copy(native.simulator / "librocprofiler-sdk.so.1", copy)
    run = mp.run(
        [copies_application, when, copy],
        events=TWO_PASSES,
        simulate="gfx942",
        output=tmp_path / "out",
        env=environment,
        capture=True,
    )
    assert (run.exit_code, run.stdout) == (0, "42\n")
    (line,) = [line for line in run.stderr.splitlines() if "several copies" in line]
    assert "several copies of librocprofiler-sdk (" in line
    assert str(copy) in line
    assert str(native.simulator.resolve()) in line
    assert run.summary is not None
    (warning,) = [text for text in run.summary["warnings"] if "several copies" in text]
    assert line.endswith(warning)
    assert run.summary["dispatches"]["replayed"] == 1


def test_one_copy_of_the_sdk_is_not_told(copies_application: Path, environment: dict[str, str], tmp_path: Path) -> None:
    run = mp.run(
        [copies_application, "never", "-"],
        events=TWO_PASSES,
        simulate="gfx942",
        output=tmp_path / "out",
        env=environment,
        capture=True,
    )
    assert (run.exit_code, run.stdout) == (0, "42\n")
    assert run.summary is not None
    assert run.summary["warnings"] == []


def test_two_installations_in_reach_are_told(cli: Cli, native: Native, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        shutil.copy(native.simulator / "librocprofiler-sdk.so.1", tmp_path / name)
    path = f"{tmp_path / 'one'}:{tmp_path / 'two'}"
    _, data = diagnosed(cli, "--simulate", "tiny", env={"LD_LIBRARY_PATH": path})
    found = check(data, "sdk.copies")
    assert found["status"] == "warning"
    assert "2 copies of librocprofiler-sdk are in reach" in found["found"]
