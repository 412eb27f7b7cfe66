# SPDX-License-Identifier: MIT
"""The pytest plugin in a pytest of its own: real runs on simulated GPUs, and everything that goes wrong."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from e2e_tools import ROOT

from rocprofsys_multipass.native import Native
from rocprofsys_multipass.testing.fixture import gpu_is_there

Golden = Callable[[str, str], None]

GATE = ROOT / "examples" / "gate"
MISUSE = """
import pytest

multipass = pytest.mark.multipass
pytestmark = multipass(replay="auto")

@multipass(event=["SQ_WAVES"])
def test_name(multipass_run): ...

@multipass("SQ_WAVES")
def test_positional(multipass_run): ...

@multipass(events=5)
def test_type(multipass_run): ...

@multipass(events=[])
def test_empty(multipass_run): ...

@multipass(output="out", events="SQ_WAVES")
def test_output(multipass_run): ...

@multipass(events=["SQ_WAVE", "TCC_HIT"], simulate="gfx942")
@pytest.mark.parametrize("x", [1, 2])
def test_counter(multipass_run, x): ...

@multipass(events="SQ_WAVES", simulate="gfx1036")
def test_no_counters(multipass_run): ...

@multipass(events="SQ_WAVES", groups=[["FETCH_SIZE", "WRITE_SIZE"]], simulate="gfx942")
def test_group(multipass_run): ...

@multipass(simulate="gfx943")
def test_device(multipass_run): ...

@multipass(config="gone.yaml")
def test_config(multipass_run): ...

@multipass(events="SQ_WAVES")
def test_without_fixture(): ...

@multipass(events=["SQ_WAVES"], simulate="gfx942")
def test_right(multipass_run): ...

def test_of_a_marked_module(): ...
"""

# Counters that need two passes on gfx942.
RUNS = """
import pytest
import rocprofsys_multipass as mp

APPLICATION = [{axpy!r}]
pytestmark = pytest.mark.multipass(simulate="gfx942")

@pytest.mark.multipass(events=["SQ_WAVES", "FETCH_SIZE", "WRITE_SIZE"])
def test_passes(multipass_run):
    trace = multipass_run(APPLICATION)
    mp.assert_passes(trace, 2)
    mp.assert_complete(trace)
    assert trace.run.exit_code == 0
    assert trace.run.stdout

@pytest.mark.multipass(events="SQ_WAVES")
def test_fails(multipass_run):
    multipass_run(APPLICATION, kernel_include="axpy")
    trace = multipass_run(APPLICATION)
    mp.assert_counter(trace, "axpy", "SQ_WAVES", 1)
"""


def lines(result: pytest.RunResult) -> str:
    return "\n".join(result.outlines)


# ---------------------------------------------------------------------------------------------------------------------
# Collection


def test_misuse_fails_the_collection_and_names_each_test(
    suite: pytest.Pytester, native: Native, golden: Golden
) -> None:
    suite.makepyfile(test_misuse=MISUSE)
    result = suite.runpytest_inprocess("-p", "no:cacheprovider")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    # Where CI is set, pytest tells each error a second time, in its summary.
    said = dict.fromkeys(line for line in result.outlines if re.match(r"test_misuse\.py::test_\w+: ", line))
    golden("testing/misuse.txt", "\n".join(said))


def test_misuse_fails_each_module_by_itself(suite: pytest.Pytester, native: Native) -> None:
    suite.makepyfile(test_wrong="import pytest\n@pytest.mark.multipass(event=1)\ndef test_it(multipass_run): ...\n")
    suite.makepyfile(test_right="def test_it(): ...\n")
    result = suite.runpytest_inprocess("--continue-on-collection-errors")
    result.assert_outcomes(passed=1, errors=1)


def test_misuse_in_a_class_is_found_too(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        """
        import pytest

        @pytest.mark.multipass(exit_code="1")
        class TestIt:
            def test_it(self, multipass_run): ...
        """
    )
    result = suite.runpytest_inprocess("--collect-only")
    result.stdout.fnmatch_lines(["*::TestIt::test_it: marker multipass: exit_code: '1' is of the wrong type*"])


def test_markers_of_module_class_and_test_are_one_and_the_nearest_holds(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        """
        import pytest

        pytestmark = pytest.mark.multipass(simulate="gfx942", events="A", replay="off")

        @pytest.mark.multipass(events="B", replay="rotate")
        class TestIt:
            @pytest.mark.multipass(events="SQ_WAVES")
            def test_it(self, multipass_run):
                assert multipass_run.options == {"simulate": "gfx942", "events": "SQ_WAVES", "replay": "rotate"}
                assert repr(multipass_run) == "<multipass_run simulate='gfx942', events='SQ_WAVES', replay='rotate'>"
        """
    )
    suite.runpytest_inprocess().assert_outcomes(passed=1)


def test_the_marker_is_registered_and_described(suite: pytest.Pytester) -> None:
    suite.makepyfile("import pytest\n@pytest.mark.multipass()\ndef test_it(multipass_run): ...\n")
    suite.runpytest_inprocess("--strict-markers").assert_outcomes(passed=1)
    suite.runpytest_inprocess("--markers").stdout.fnmatch_lines(["@pytest.mark.multipass(events=..., simulate=...*"])
    suite.runpytest_inprocess("--fixtures").stdout.fnmatch_lines(["multipass_run *", "*Run an application with GPU*"])


def test_tests_are_collected_without_compiled_parts(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROCPROFSYS_MULTIPASS_NATIVE", "/nowhere")
    suite.makepyfile(
        """
        import pytest

        @pytest.mark.multipass(events="SQ_WAVE", simulate="gfx942")
        def test_it(multipass_run):
            multipass_run(["true"])
        """
    )
    result = suite.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*CheckError: multipass_run: ROCPROFSYS_MULTIPASS_NATIVE=/nowhere is not a folder*"])


def test_without_the_plugin_everything_else_runs(suite: pytest.Pytester) -> None:
    suite.makepyfile("def test_it(): ...\n")
    suite.runpytest_inprocess("-p", "no:multipass").assert_outcomes(passed=1)


def test_the_plugin_loads_nothing_until_a_test_needs_it(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        """
        import sys

        def test_it():
            ours = sorted(name for name in sys.modules if name.startswith("rocprofsys_multipass"))
            assert ours == ["rocprofsys_multipass", "rocprofsys_multipass.pytest_plugin"]
        """
    )
    suite.runpytest_subprocess().assert_outcomes(passed=1)


# ---------------------------------------------------------------------------------------------------------------------
# Runs


def test_runs_of_failed_tests_are_kept_and_listed(suite: pytest.Pytester, axpy: Path) -> None:
    suite.makepyfile(test_runs=RUNS.format(axpy=str(axpy)))
    result = suite.runpytest_inprocess()
    result.assert_outcomes(passed=1, failed=1)
    text = lines(result)
    kept = re.findall(r"^(test_runs\.py::\w+)  (/\S+)$", text, re.MULTILINE)
    assert [(test, Path(path).name) for test, path in kept] == [
        ("test_runs.py::test_fails", "multipass"),
        ("test_runs.py::test_fails", "multipass-2"),
    ]
    assert all(list(Path(path).glob("multipass-*.journal")) for _, path in kept)
    assert "multipass: run directories" in text
    assert f"try: rocprof-sys-multipass report {kept[1][1]} --kernel" in text
    assert not list(Path(kept[0][1]).parents[1].glob("test_passes0/multipass*"))
    assert "in __call__" not in text  # no frame of ours in the traceback
    assert "Captured stdout call" in text


def test_runs_of_a_test_that_its_last_fixture_fails_are_kept(suite: pytest.Pytester, axpy: Path) -> None:
    suite.makepyfile(
        f"""
        import pytest

        @pytest.fixture
        def trace(multipass_run):
            yield multipass_run([{str(axpy)!r}], events="SQ_WAVES", simulate="gfx942")
            assert False

        def test_it(trace): ...
        """
    )
    result = suite.runpytest_inprocess()
    result.assert_outcomes(passed=1, errors=1)
    (kept,) = re.findall(r"^test_\w+\.py::test_it  (/\S+)$", lines(result), re.MULTILINE)
    assert list(Path(kept).glob("multipass-*.journal"))


def test_a_fixture_that_is_asked_for_by_name_is_as_any_other(suite: pytest.Pytester, axpy: Path) -> None:
    suite.makepyfile(
        f"""
        import pytest

        @pytest.mark.multipass(events="SQ_WAVES", simulate="gfx942")
        def test_it(request):
            request.getfixturevalue("multipass_run")([{str(axpy)!r}])
            assert False
        """
    )
    result = suite.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    kept = re.findall(r"^test_\w+\.py::test_it  (/\S+)$", lines(result), re.MULTILINE)
    assert len(kept) == 1
    assert list(Path(kept[0]).glob("multipass-*.journal"))


def test_the_example_needs_nothing_beside_pytest(suite: pytest.Pytester) -> None:
    """As its page says, on the clone; in particular no pytest-xdist, which the tests of this repository use."""
    words = ["-q", "-p", "no:xdist", "-p", "no:cacheprovider", f"--basetemp={suite.path / 'kept'}"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words, "examples/gate"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "5 passed" in done.stdout


def test_the_example_holds_on_two_workers_and_the_option_keeps_their_runs(suite: pytest.Pytester) -> None:
    words = ["-q", "-n2", "--multipass-keep", "-p", "no:cacheprovider", f"--basetemp={suite.path / 'kept'}"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words, str(GATE)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "5 passed" in done.stdout
    kept = re.findall(r"^test_gate\.py::\w+(?: and \d more)?  (/\S+)$", done.stdout, re.MULTILINE)
    assert len(set(kept)) == len(kept) == 2  # each worker has made the run of the module
    assert all(list(Path(path).glob("multipass-*.db")) for path in kept)


def test_the_header_tells_what_changes_runs(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROCPROFSYS_MULTIPASS_SIMULATE", "gfx942")
    suite.makepyfile("def test_it(): ...\n")
    result = suite.runpytest_inprocess("--multipass-keep")
    result.stdout.fnmatch_lines(["multipass: *ROCPROFSYS_MULTIPASS_SIMULATE=gfx942, --multipass-keep"])


FAILING = {
    "exit_code": """multipass_run(["sh", "-c", "echo hello; echo no >&2; exit 3"], events="SQ_WAVES")""",
    "signal": """multipass_run(["sh", "-c", "kill -SEGV $$"], events="SQ_WAVES")""",
    "signal_expected": """multipass_run(["sh", "-c", "kill -SEGV $$"], events="SQ_WAVES", exit_code=134)""",
    "word": """multipass_run(["sleep", 1], events="SQ_WAVES")""",
    "no_gpu_used": """multipass_run(["true"], events="SQ_WAVES")""",
    "filtered": """multipass_run([{demo!r}], events="SQ_WAVES", kernel_include="nothing")""",
    "no_counters": """multipass_run([{demo!r}])""",
    "options": """multipass_run([{demo!r}], event="SQ_WAVES", simulated="gfx942")""",
    "no_program": """multipass_run(["/no/such/program"], events="SQ_WAVES")""",
}


def test_a_run_that_fails_is_told_readably(suite: pytest.Pytester, native: Native, golden: Golden) -> None:
    demo = str(native.demo)
    tests = [f"def test_{name}(multipass_run):\n    {call.format(demo=demo)}\n" for name, call in FAILING.items()]
    marker = 'import pytest\npytestmark = pytest.mark.multipass(simulate="gfx942")\n'
    suite.makepyfile(test_failing=marker + "\n".join(tests))
    result = suite.runpytest_inprocess()
    result.assert_outcomes(failed=len(FAILING))
    told = "\n".join(
        line.removeprefix("E       ").rstrip() if line.startswith("E") else f"\n[{line.strip(' _')}]"
        for line in result.outlines
        if re.match(r"E  |_+ test_", line)
    )
    told = re.sub(r"/\S+/(test_\w+)0/multipass", r"/tmp/\1/multipass", told.replace(demo, "multipass-demo"))
    told = re.sub(r"(warning: .*?[.:;]).*", r"\1 ...", told)  # of the run, which has tests of its own
    golden("testing/runs.txt", told.strip())


def test_a_signal_can_be_expected(suite: pytest.Pytester, axpy: Path) -> None:
    suite.makepyfile(
        f"""
        def test_it(multipass_run):
            command = ["sh", "-c", "{axpy} && kill -SEGV $$"]
            trace = multipass_run(command, events="SQ_WAVES", simulate="gfx942", exit_code=128 + 11)
            assert trace.run.child_signal == 11
        """
    )
    suite.runpytest_inprocess().assert_outcomes(passed=1)


def test_a_test_that_is_given_up_leaves_no_application_behind(suite: pytest.Pytester, tmp_path: Path) -> None:
    """As by pytest-timeout, which raises from a handler of SIGALRM."""
    suite.makepyfile(
        f"""
        import os, signal, traceback
        from pathlib import Path
        import pytest

        PID = Path({str(tmp_path / "pid")!r})

        def give_up(_, frame):
            # Not inside Popen(): the application is nobody's yet, whoever raises there.
            names = [one.name for one in traceback.extract_stack(frame)]
            if PID.exists() and PID.read_text() and "_execute_child" not in names:
                pytest.fail("given up")
            signal.setitimer(signal.ITIMER_REAL, 0.05)

        def test_hangs(multipass_run):
            signal.signal(signal.SIGALRM, give_up)
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            multipass_run(["sh", "-c", f"echo $$ > {{PID}}; exec sleep 1000"], events="SQ_WAVES", simulate="gfx942")

        def test_is_gone():
            with pytest.raises(ProcessLookupError):
                os.kill(int(PID.read_text()), 0)
        """
    )
    result = suite.runpytest_inprocess()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*Failed: given up"])


@pytest.mark.skipif(gpu_is_there(), reason="there is a driver of GPUs")
def test_without_a_gpu_a_run_fails_and_is_skipped_where_that_is_asked_for(suite: pytest.Pytester) -> None:
    suite.makepyfile("def test_it(multipass_run):\n    multipass_run(['true'], events='SQ_WAVES')\n")
    fails = suite.runpytest_inprocess()
    fails.assert_outcomes(failed=1)
    fails.stdout.fnmatch_lines(["*this machine has no GPU (/dev/kfd is not there): simulate='gfx942' takes*"])
    skipped = suite.runpytest_inprocess("--multipass-skip-without-gpu", "-rs")
    skipped.assert_outcomes(skipped=1)
    skipped.stdout.fnmatch_lines(["*this machine has no GPU (/dev/kfd is not there), and none is simulated"])


def test_a_program_that_simulates_unasked_fails_the_test(
    suite: pytest.Pytester, axpy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A gate that lost its `simulate` would be green on a simulator for ever."""
    suite.makepyfile(f"def test_it(multipass_run):\n    multipass_run([{str(axpy)!r}], events='SQ_WAVES')\n")
    fails = suite.runpytest_inprocess()
    fails.assert_outcomes(failed=1)
    fails.stdout.fnmatch_lines(
        [
            "*CheckError: * ran on a simulated gfx942, and nothing asked for simulation",
            "*simulate='gfx942' where that is meant; else build the program with hipcc",
        ]
    )
    monkeypatch.setenv("ROCPROFSYS_MULTIPASS_SIMULATE", "gfx942")
    suite.runpytest_inprocess().assert_outcomes(passed=1)


def test_an_error_of_this_package_shows_the_line_of_the_test_and_no_source_of_ours(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROCPROFSYS_MULTIPASS_NATIVE", "/nowhere")
    suite.makepyfile(
        """
        import pytest
        import rocprofsys_multipass as mp

        @pytest.fixture
        def program(tmp_path):
            return mp.testing.build_hip("int main() {\\n}", tmp_path)

        def test_it(program): ...
        """
    )
    result = suite.runpytest_inprocess()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        [">*return mp.testing.build_hip(*", "E *NativeError: ROCPROFSYS_MULTIPASS_NATIVE=/nowhere is not a folder:*"]
    )
    assert "native.py" not in lines(result)
    assert "build.py" not in lines(result)
    assert "native.py" in lines(suite.runpytest_inprocess("--full-trace"))


def test_the_run_of_a_module_is_made_once_and_kept_where_one_of_its_tests_fails(
    suite: pytest.Pytester, axpy: Path
) -> None:
    text = f"""
        import pytest

        pytestmark = pytest.mark.multipass(events="SQ_WAVES", simulate="gfx942")

        @pytest.fixture(scope="module")
        def trace(multipass_module_run):
            return multipass_module_run([{str(axpy)!r}])

        def test_first(trace):
            assert trace.kernels
            assert not SPOILED

        class TestMore:
            def test_second(self, trace):
                assert [path.name for path in trace.run.output_dir.parent.iterdir()] == ["multipass"]
        """
    suite.makepyfile(test_good=f"SPOILED = False\n{textwrap.dedent(text)}")
    suite.makepyfile(test_bad=f"SPOILED = True\n{textwrap.dedent(text)}")
    result = suite.runpytest_inprocess()
    result.assert_outcomes(passed=3, failed=1)
    kept = re.findall(r"^(test_\w+)\.py::test_first and 1 more  (/\S+)$", lines(result), re.MULTILINE)
    assert [(name, Path(path).parent.name) for name, path in kept] == [("test_bad", "test_bad0")]
