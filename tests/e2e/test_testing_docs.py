# SPDX-License-Identifier: MIT
"""docs/testing.md: its examples run, and it names what there is. Programs of one's own on simulated GPUs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from e2e_tools import ROOT

import rocprofsys_multipass as mp
from rocprofsys_multipass import testing
from rocprofsys_multipass.native import Native

PAGE = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
EXAMPLES = dict(re.findall(r"^```python\n# (test_\w+\.py)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))

SOURCE = """
#include <hip/hip_runtime.h>
#include <multipass/count.h>
#include <cstdio>
__global__ void fill(int* a) { multipass_count::store(&a[blockIdx.x * blockDim.x + threadIdx.x]) = SEED; }
int main(int argc, char**) {
  int* a = nullptr;
  if (hipMalloc(&a, 4096) != hipSuccess) return 1;
  hipLaunchKernelGGL(fill, dim3(4), dim3(256), 0, nullptr, a);
  std::printf("%d arguments\\n", argc);
  return hipFree(a) == hipSuccess ? 0 : 1;
}
"""


def test_the_examples_of_the_page_run(suite: pytest.Pytester, native: Native) -> None:
    assert set(EXAMPLES) == {"test_axpy.py", "test_shared.py", "test_analysis.py"}
    for name, text in EXAMPLES.items():
        (suite.path / name).write_text(text, encoding="utf-8")
    (suite.path / "examples").symlink_to(ROOT / "examples")
    suite.runpytest_inprocess(*EXAMPLES).assert_outcomes(passed=4)


def test_the_page_names_every_assertion_and_option() -> None:
    assertions = {name for name in mp.__all__ if name.startswith("assert_")}
    assert set(re.findall(r"^\| `mp\.(assert_\w+)\(", PAGE, re.MULTILINE)) == assertions
    plugin = (ROOT / "python/rocprofsys_multipass/pytest_plugin.py").read_text(encoding="utf-8")
    options = set(re.findall(r'^ +"(--multipass-[\w-]+)"', plugin, re.MULTILINE))
    assert options
    assert set(re.findall(r"^\| `(--multipass-[\w-]+)`", PAGE, re.MULTILINE)) == options


def test_a_failure_on_the_page_is_one_that_was_seen() -> None:
    golden = (ROOT / "tests" / "golden" / "testing" / "counter-value.txt").read_text(encoding="utf-8")
    assert golden in PAGE


def test_the_page_of_the_gate_names_its_tests() -> None:
    page = (ROOT / "examples" / "gate" / "README.md").read_text(encoding="utf-8")
    source = (ROOT / "examples" / "gate" / "test_gate.py").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(test_\w+)`", page, re.MULTILINE) == re.findall(r"^def (test_\w+)", source, re.MULTILINE)


def test_a_source_as_text_is_compiled_run_and_read(tmp_path: Path, native: Native) -> None:
    build = testing.build_hip(SOURCE, tmp_path / "seeded", flags=["-DSEED=7"])
    assert build == tmp_path / "seeded" / "application"
    trace = testing.simulate(
        SOURCE.replace("SEED", "3"), ["SQ_WAVES"], tmp_path, device="gfx1100", arguments=["a", "b"], sentinel="none"
    )
    assert (trace.run.stdout, trace.run.output_dir) == ("3 arguments\n", tmp_path / "run")
    assert trace.agents[0].name == "gfx1100"
    mp.assert_counter(trace, "fill", "SQ_WAVES", 4 * 256 / 32)
    again = testing.collect([build], events="SQ_WAVES", simulate="gfx942", output=tmp_path / "again")
    mp.assert_counter(again, "fill", "SQ_WAVES", 4 * 256 / 64)


def test_what_cannot_be_compiled_is_told(tmp_path: Path, native: Native, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(mp.MultipassError, match=r"application.hip does not compile .*\n(.*\n)*.*SEED"):
        testing.build_hip(SOURCE, tmp_path)
    with pytest.raises(mp.MultipassError, match=r"nothing.hip is no file: give a HIP source, or its text"):
        testing.build_hip("nothing.hip", tmp_path)
    monkeypatch.setenv("CXX", "no-such-compiler -v")
    with pytest.raises(mp.MultipassError, match="the compiler no-such-compiler cannot be started"):
        testing.build_hip(SOURCE, tmp_path)


def test_a_run_may_end_as_expected_or_read_nothing_where_that_is_said(axpy: Path, tmp_path: Path) -> None:
    nothing = testing.collect(
        [axpy], events="SQ_WAVES", simulate="tiny", kernel_include="no", output=tmp_path / "a", empty_ok=True
    )
    assert {d.outcome for d in nothing.dispatches()} == {"filtered"}
    with pytest.raises(mp.CheckError, match="ended with exit code 0, 3 was expected"):
        testing.collect([axpy], events="SQ_WAVES", simulate="tiny", exit_code=3, output=tmp_path / "b", range="1")
