# SPDX-License-Identifier: MIT
"""What the environment asks for: the plugin without the wrapper, the variables of rocprof-sys, the user's own tools."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from e2e_tools import TWO_PASSES, Outputs, alone, assert_complete, by_hand, counters, probe_counters, readings

import rocprofsys_multipass as mp
from rocprofsys_multipass.native import Native


def test_the_plugin_alone_writes_the_same_as_with_the_wrapper(
    native: Native, environment: dict[str, str], probe: Path, tmp_path: Path
) -> None:
    env = by_hand(native, environment, tmp_path / "alone", ROCPROFSYS_MULTIPASS_EVENTS=",".join(TWO_PASSES))
    application = alone(probe, "exit", "3", env=env)
    wrapped = mp.run(
        [probe, "exit", "3"],
        events=TWO_PASSES,
        simulate="gfx942",
        output=tmp_path / "wrapped",
        env=environment,
        capture=True,
    )
    assert (application.returncode, application.stdout) == (3, wrapped.stdout)
    assert_complete(tmp_path / "alone", (1000,))
    one, other = Outputs.of(tmp_path / "alone"), Outputs.of(wrapped.output_dir)
    for left, right in ((one.journal, other.journal), (one.trace, other.trace), (one.database, other.database)):
        assert readings(mp.open_trace(left)) == readings(mp.open_trace(right))
    summaries = [json.loads(path.read_text()) for path in (one.summary, other.summary)]
    for key in ("agents", "dispatches", "readings", "kernels", "sdk", "command", "replay_mode", "warnings"):
        assert summaries[0][key] == summaries[1][key], key


def test_the_plugin_alone_writes_to_a_folder_named_after_the_application(
    native: Native, environment: dict[str, str], probe: Path, tmp_path: Path
) -> None:
    env = by_hand(native, environment, tmp_path, ROCPROFSYS_MULTIPASS_EVENTS=",".join(TWO_PASSES))
    del env["ROCPROFSYS_MULTIPASS_OUTPUT"]
    subprocess.run([probe, "exit", "0"], env=env, cwd=tmp_path, capture_output=True, check=True)
    assert_complete(tmp_path / "rocprof-sys-multipass-output" / "probe", (1000,))


def test_the_plugin_alone_without_a_list_leaves_the_application_alone(
    native: Native, environment: dict[str, str], probe: Path, tmp_path: Path
) -> None:
    application = alone(probe, "exit", "3", env=by_hand(native, environment, tmp_path / "out"))
    assert (application.returncode, application.stdout) == (3, "launch 0 correct\n")
    assert "ROCPROFSYS_MULTIPASS_EVENTS is not set" in application.stderr
    assert not (tmp_path / "out").exists()


def test_the_list_of_rocprof_sys_is_used_where_there_is_none_of_ours(
    environment: dict[str, str], probe: Path, tmp_path: Path
) -> None:
    run = mp.run(
        [probe, "exit", "0"],
        simulate="gfx942",
        output=tmp_path / "out",
        env=environment | {"ROCPROFSYS_ROCM_EVENTS": "SQ_WAVES:device=0;FETCH_SIZE\tWRITE_SIZE"},
        capture=True,
    )
    assert run.exit_code == 0
    assert_complete(tmp_path / "out", (1000,))


def test_the_plugin_alone_uses_the_list_of_rocprof_sys_too(
    native: Native, environment: dict[str, str], probe: Path, tmp_path: Path
) -> None:
    env = by_hand(native, environment, tmp_path / "out", ROCPROFSYS_ROCM_EVENTS=",".join(TWO_PASSES))
    assert alone(probe, "exit", "0", env=env).returncode == 0
    assert_complete(tmp_path / "out", (1000,))


def test_our_list_comes_before_that_of_rocprof_sys(environment: dict[str, str], probe: Path, tmp_path: Path) -> None:
    run = mp.run(
        [probe, "exit", "0"],
        simulate="gfx942",
        output=tmp_path / "out",
        env=environment | {"ROCPROFSYS_ROCM_EVENTS": "TCC_HIT", "ROCPROFSYS_MULTIPASS_EVENTS": "SQ_WAVES"},
        capture=True,
    )
    assert counters(mp.open_trace(run.output_dir)) == [probe_counters(1000, ("SQ_WAVES",))]


# Both append the program that they were loaded into to the file that MARKER names.
_MARK = """
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void mark(const char* what) {
  char program[4096];
  const ssize_t size = readlink("/proc/self/exe", program, sizeof program - 1);
  FILE* file = fopen(getenv("MARKER"), "a");
  if (size < 0 || file == NULL) abort();
  program[size] = 0;
  fprintf(file, "%s %s\\n", what, program);
  fclose(file);
}
"""
_PRELOADED = _MARK + '__attribute__((constructor)) static void loaded(void) { mark("preload"); }\n'
_TOOL = (
    _MARK
    + """
void* rocprofiler_configure(unsigned version, const char* runtime_version, unsigned priority, void* client) {
  (void)version, (void)runtime_version, (void)priority, (void)client;
  mark("tool");
  return NULL;
}
"""
)


@pytest.mark.parametrize("variable", ["LD_PRELOAD", "ROCP_TOOL_LIBRARIES"])
def test_libraries_that_the_user_loads_are_loaded_still(
    variable: str, environment: dict[str, str], probe: Path, tmp_path: Path
) -> None:
    what, source = {"LD_PRELOAD": ("preload", _PRELOADED), "ROCP_TOOL_LIBRARIES": ("tool", _TOOL)}[variable]
    marker = tmp_path / "marker"
    run = mp.run(
        [probe, "exit", "0"],
        events=TWO_PASSES,
        simulate="gfx942",
        output=tmp_path / "out",
        env=environment | {variable: str(shared_library(tmp_path, source)), "MARKER": str(marker)},
        capture=True,
    )
    assert (run.exit_code, run.stdout) == (0, "launch 0 correct\n")
    assert marker.read_text() == f"{what} {probe}\n"
    assert_complete(tmp_path / "out", (1000,))


def shared_library(folder: Path, source: str) -> Path:
    """A C source as a shared library."""
    text, library = folder / "own.c", folder / "libown.so"
    text.write_text(source)
    subprocess.run(["gcc", "-Wall", "-Werror", "-shared", "-fPIC", text, "-o", library], check=True)
    return library
