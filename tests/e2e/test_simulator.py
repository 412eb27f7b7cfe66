# SPDX-License-Identifier: MIT
"""The simulated HIP as users meet it: a CMake project of their own, and what replay restores of their memory."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from e2e_tools import ROOT, Cli, Finished, alone, outcomes

import rocprofsys_multipass as mp
from rocprofsys_multipass.native import Native

SOURCES = ROOT / "tests" / "hip_sources"
_TWO_PASSES = ["SQ_WAVES", "FETCH_SIZE", "WRITE_SIZE"]

_CMAKE_PROJECT = """\
cmake_minimum_required(VERSION 3.20)
project(mine LANGUAGES CXX)
find_package(rocprofsys-multipass CONFIG REQUIRED)
rocprofsys_multipass_hip_sources(vector_add.hip)
add_executable(mine vector_add.hip)
target_link_libraries(mine PRIVATE rocprofsys-multipass::sim_hip)
"""


def _cmake(*words: str | Path) -> Finished:
    return subprocess.run(["cmake", *map(str, words)], capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def mine(cli: Cli, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program built by a CMake project that knows nothing but the folder which the command prints."""
    folder = tmp_path_factory.mktemp("mine")
    shutil.copy(SOURCES / "vector_add.cpp", folder / "vector_add.hip")
    (folder / "CMakeLists.txt").write_text(_CMAKE_PROJECT, encoding="utf-8")
    printed = cli("sim-flags", "--cmake")
    assert printed.returncode == 0, printed.stderr
    prefix = printed.stdout.removesuffix("\n")
    assert Path(prefix).is_dir()
    configured = _cmake("-G", "Ninja", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    assert configured.returncode == 0, configured.stderr
    built = _cmake("--build", folder / "build")
    assert built.returncode == 0, built.stdout + built.stderr
    return folder / "build" / "mine"


def test_a_program_of_a_users_cmake_project_runs_on_the_simulator(mine: Path, environment: dict[str, str]) -> None:
    finished = alone(mine, env=environment | {"ROCPROFSYS_MULTIPASS_SIMULATE": "tiny"})
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.splitlines()[:3] == ["devices: 1", "name: Simulated tiny device", "architecture: tiny"]
    assert finished.stdout.splitlines()[-2:] == ["timed: yes", "wrong: 0, done: 65536"]


def test_a_program_of_a_users_cmake_project_is_replayed(
    mine: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    run = mp.run([mine], events=_TWO_PASSES, simulate="gfx942", output=tmp_path / "out", env=environment, capture=True)
    assert run.exit_code == 0
    # The counter of items is a device variable that no host code has named before the launch: each pass starts at 0.
    assert "wrong: 0, done: 65536" in run.stdout
    (dispatch,) = mp.open_trace(tmp_path / "out").dispatches()
    assert dispatch.outcome == "replayed"
    assert dict(dispatch.counters) == {"SQ_WAVES": 1024.0, "FETCH_SIZE": 512.125, "WRITE_SIZE": 256.125}


_ROCTX_PROJECT = """\
cmake_minimum_required(VERSION 3.20)
project(marked LANGUAGES CXX)
find_package(rocprofsys-multipass CONFIG REQUIRED)
find_package(rocprofiler-sdk-roctx 1.4 CONFIG REQUIRED)
add_executable(old old.cpp)
target_link_libraries(old PRIVATE rocprofsys-multipass::sim_hip rocprofsys-multipass::sim_roctx)
add_executable(new new.cpp)
target_link_libraries(new PRIVATE rocprofsys-multipass::sim_hip rocprofiler-sdk-roctx::rocprofiler-sdk-roctx)
"""

_MARKED_SOURCE = """\
#include <hip/hip_runtime.h>
#include <{header}>
#include <cstdio>
__global__ void nothing() {{}}
int main() {{
  hipLaunchKernelGGL(nothing, dim3(1), dim3(64), 0, nullptr);
  const int level = roctxRangePush("inside");
  hipLaunchKernelGGL(nothing, dim3(1), dim3(64), 0, nullptr);
  const int popped = roctxRangePop(), empty = roctxRangePop();
  const roctx_range_id_t first = roctxRangeStart("a"), second = roctxRangeStart("b");
  roctxMark("here");
  std::printf("%d %d %d %d\\n", level, popped, empty, static_cast<int>(second - first));
  return hipDeviceSynchronize();
}}
"""


def test_a_users_cmake_project_finds_roctx_under_both_names(
    cli: Cli, environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "CMakeLists.txt").write_text(_ROCTX_PROJECT, encoding="utf-8")
    for name, header in (("old", "roctracer/roctx.h"), ("new", "rocprofiler-sdk-roctx/roctx.h")):
        (tmp_path / f"{name}.cpp").write_text(_MARKED_SOURCE.format(header=header), encoding="utf-8")
    prefix = cli("sim-flags", "--cmake").stdout.removesuffix("\n")
    configured = _cmake("-G", "Ninja", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    assert configured.returncode == 0, configured.stderr
    built = _cmake("--build", tmp_path / "build")
    assert built.returncode == 0, built.stdout + built.stderr
    for name in ("old", "new"):
        run = mp.run(
            [tmp_path / "build" / name], events=_TWO_PASSES, simulate="gfx942", roctx_include="^inside$",
            output=tmp_path / name / "out", env=environment, capture=True,
        )  # fmt: skip
        assert (run.exit_code, run.stdout) == (0, "0 0 -1 1\n"), run.stderr
        found = [one.reason or one.outcome for one in mp.open_trace(run.output_dir).dispatches()]
        assert found == ["roctx", "replayed"]


def test_a_program_that_does_not_call_roctx_does_not_load_it(native: Native, axpy: Path) -> None:
    loaded = subprocess.run(["ldd", axpy], capture_output=True, text=True, check=True).stdout
    assert str(native.simulator / "libmultipass-sim-hip.so") in loaded
    assert "librocprofiler-sdk-roctx" not in loaded


_PYTHON_RANGES = """\
import ctypes, sys
new, old = ctypes.CDLL("librocprofiler-sdk-roctx.so.1"), ctypes.CDLL("libroctx64.so.4")
levels = [new.roctxRangePushA(b"a"), old.roctxRangePushA(None), new.roctxRangePop(), old.roctxRangePop()]
print(*levels, old.roctxRangePop())
tid = ctypes.c_uint64()
assert new.roctxGetThreadId(ctypes.byref(tid)) == 0
print(new.roctxProfilerPause(tid), new.roctxProfilerResume(ctypes.c_uint64(0)), old.roctx_version_major())
"""


def test_roctx_is_called_from_python_by_either_name(environment: dict[str, str], tmp_path: Path) -> None:
    run = mp.run(
        [sys.executable, "-c", _PYTHON_RANGES], events=_TWO_PASSES, simulate="tiny", roctx=True,
        output=tmp_path / "out", env=environment, capture=True,
    )  # fmt: skip
    assert (run.exit_code, run.stdout) == (0, "0 1 1 0 -1\n0 0 4\n"), run.stderr


def test_the_package_file_says_what_is_missing(native: Native, tmp_path: Path) -> None:
    package = tmp_path / "lib" / "cmake"
    shutil.copytree(native.simulator / "lib" / "cmake", package)
    (tmp_path / "CMakeLists.txt").write_text(_CMAKE_PROJECT, encoding="utf-8")
    configured = _cmake("-G", "Ninja", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={tmp_path}")
    assert configured.returncode != 0
    assert "libmultipass-sim-hip.so is missing" in " ".join(configured.stderr.split())


def test_replay_restores_device_memory_and_variables_and_nothing_else(
    build: Callable[[Path], Path], environment: dict[str, str], tmp_path: Path
) -> None:
    program = build(SOURCES / "memory_kinds.cpp")
    run = mp.run(
        [program],
        events=_TWO_PASSES,
        unsafe="all",
        simulate="gfx942",
        output=tmp_path / "out",
        env=environment,
        capture=True,
    )
    assert run.exit_code == 0
    assert [outcome for _, _, outcome in outcomes(mp.open_trace(tmp_path / "out"))] == ["replayed"]
    assert run.stdout == "device 1 pool 2 variable 1 managed 2 host 2 fine 2\n"


def test_kernels_of_a_graph_launch_are_reported_as_declined(
    build: Callable[[Path], Path], environment: dict[str, str], tmp_path: Path
) -> None:
    program = build(SOURCES / "graph.cpp")
    run = mp.run(
        [program], events=_TWO_PASSES, simulate="gfx942", output=tmp_path / "out", env=environment, capture=True
    )
    assert run.exit_code == 0
    assert run.stdout == "value 5\n"
    found = [outcome for _, _, outcome in outcomes(mp.open_trace(tmp_path / "out"))]
    assert found == ["replayed", "declined", "declined", "declined", "declined"]
