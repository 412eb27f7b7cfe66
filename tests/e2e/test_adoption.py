# SPDX-License-Identifier: MIT
"""examples/adoption: a client in the shape of rocprof-sys's, which links the core, reads what the plugin reads."""

from __future__ import annotations

import os
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest
from e2e_tools import ROOT, Finished, alone
from fault_tools import EVENTS, FAULTS_VARIABLE, PASSES, TRUTH_VARIABLE, TruthKey, read_truth, readings_of

import rocprofsys_multipass as mp
from rocprofsys_multipass import Trace
from rocprofsys_multipass.native import Native

CLIENT = Path(os.environ.get("MULTIPASS_BUILD_DIR", ROOT / "build" / "dev")) / "examples" / "adoption" / "adoption.so"

DEVICES = "gfx942,tiny"
LONG = (*EVENTS, "SQ_WAVES", "TCC_MISS", "SQ_IFETCH:device=1", "FETCH_SIZE:device=0", "WRITE_SIZE:device=0")
"""More than one pass on either, and not the same on both."""

LAUNCHES = 8


@dataclass(frozen=True)
class Adopted:
    """An application after a run under the client."""

    finished: Finished
    folder: Path
    truth: dict[TruthKey, float]

    @property
    def said(self) -> list[str]:
        return [line for line in self.finished.stderr.splitlines() if line.startswith("adoption: ")]

    @property
    def traces(self) -> list[Trace]:
        return [mp.open_trace(self.folder / name) for name in ("adoption.pftrace", "adoption.db")]


def _variables(folder: Path, events: Iterable[str], simulate: str) -> dict[str, str]:
    return {
        "ROCP_TOOL_LIBRARIES": str(CLIENT),
        "ROCPROFSYS_MULTIPASS_SIMULATE": simulate,
        "ROCPROFSYS_ROCM_EVENTS": " ".join(events),
        "ADOPTION_OUTPUT": str(folder),
    }


@pytest.fixture
def adopted(environment: dict[str, str], faults_application: Path, tmp_path: Path) -> Callable[..., Adopted]:
    """Runs the application, of so many threads, under the client."""
    assert CLIENT.is_file(), "build the target 'adoption', or set MULTIPASS_BUILD_DIR"

    def run(*events: str, simulate: str = "tiny", threads: int = 1, **variables: str) -> Adopted:
        truth = tmp_path / "truth.csv"
        truth.touch()
        env = environment | _variables(tmp_path, events, simulate) | {TRUTH_VARIABLE: str(truth), **variables}
        finished = alone(faults_application, str(threads), str(LAUNCHES), env=env)
        assert finished.returncode == 5, finished.stderr
        return Adopted(finished, tmp_path, read_truth(truth))

    return run


def test_it_reads_in_each_pass_what_the_plugin_reads(
    adopted: Callable[..., Adopted], environment: dict[str, str], faults_application: Path, tmp_path: Path
) -> None:
    found = adopted(*LONG, simulate=DEVICES)
    plugin = mp.run(
        [faults_application, "1", str(LAUNCHES)],
        events=list(LONG),
        replay="kernel",
        sentinel="none",
        simulate=DEVICES,
        output=tmp_path / "plugin",
        env=environment,
        capture=True,
    )
    wanted = mp.open_trace(plugin.output_dir).dispatches()
    assert {one.outcome for one in wanted} == {"replayed"}
    assert {one.agent.device: len(one.passes) for one in wanted} == {0: 2, 1: 4}
    for trace in found.traces:
        dispatches = trace.dispatches()
        assert readings_of(dispatches) == readings_of(wanted) == found.truth
        assert [(one.dispatch_id, one.kernel, one.outcome, one.counters) for one in dispatches] == [
            (one.dispatch_id, one.kernel, one.outcome, one.counters) for one in wanted
        ]
    assert found.said == []


def test_readings_of_several_threads_are_those_of_their_executions(adopted: Callable[..., Adopted]) -> None:
    found = adopted(*LONG, simulate=DEVICES, threads=4)
    for trace in found.traces:
        assert readings_of(trace.dispatches()) == found.truth
        assert [one.outcome for one in trace.dispatches()] == ["replayed"] * 4 * LAUNCHES


def test_tracks_have_the_pass_in_their_names_and_its_readings(adopted: Callable[..., Adopted]) -> None:
    found = adopted(*LONG, simulate=DEVICES)
    names: defaultdict[str, list[float]] = defaultdict(list)
    for (_, index, device, counter), value in found.truth.items():
        names[f"GPU {counter} [{device}] pass {index}"].append(value)
    lines = (found.folder / "adoption.tsv").read_text(encoding="utf-8").splitlines()
    table = {name: (int(count), float(total)) for name, count, total in (line.split("\t") for line in lines)}
    assert table == {name: (len(values), sum(values)) for name, values in names.items()}


def test_a_list_of_one_pass_is_read_without_replay(adopted: Callable[..., Adopted]) -> None:
    found = adopted("SQ_WAVES")
    assert {key[1] for key in found.truth} == {None}
    for trace in found.traces:
        assert readings_of(trace.dispatches()) == found.truth
        assert {one.outcome for one in trace.dispatches()} == {"single_pass"}
    assert (found.folder / "adoption.tsv").read_text(encoding="utf-8") == f"GPU SQ_WAVES [0]\t{LAUNCHES}\t8.000000\n"


@pytest.mark.parametrize(
    ("fault", "reason", "said"),
    [
        ("replay_owned", "replay_refused", ["another tool of this process owns kernel replay"]),
        ("sdk_1_0_0", "no_kernel_replay", []),
    ],
)
def test_without_replay_each_launch_reads_the_first_group(
    adopted: Callable[..., Adopted], fault: str, reason: str, said: list[str]
) -> None:
    found = adopted(*EVENTS, **{FAULTS_VARIABLE: fault})
    assert [line.removeprefix("adoption: ").partition(":")[0] for line in found.said] == said
    for trace in found.traces:
        assert readings_of(trace.dispatches()) == found.truth
        assert {(one.outcome, one.reason, len(one.passes)) for one in trace.dispatches()} == {("declined", reason, 1)}
        assert {one.passes[0].group for one in trace.dispatches()} == {0}
    assert 0 < len({key[3] for key in found.truth}) < len(EVENTS)


def test_what_cannot_be_read_is_named_and_the_rest_is_collected(adopted: Callable[..., Adopted]) -> None:
    found = adopted(*EVENTS, "SQ_WAVS", "TCC_MISS:device=0test", "TCC_MISS:device=7")
    assert sorted(found.said) == [
        "adoption: 'SQ_WAVS' is left out: not a counter of tiny",
        "adoption: 'TCC_MISS:device=0test' is left out: after ':device=' there must be a number and nothing else",
        "adoption: 'TCC_MISS:device=7' is left out: there is only GPU 0",
    ]
    assert {key[3] for key in found.truth} == set(EVENTS)
    assert {len(one.passes) for one in found.traces[0].dispatches()} == {PASSES}


def test_next_to_a_client_that_counts_the_application_is_unharmed(
    adopted: Callable[..., Adopted], native: Native
) -> None:
    tools = f"{native.plugin}:{CLIENT}:"
    found = adopted(*EVENTS, ROCP_TOOL_LIBRARIES=tools, ROCPROFSYS_MULTIPASS_EVENTS="SQ_WAVES")
    assert found.finished.stdout == "thread 0 GPU 0 wrong: 0\n"
    assert "adoption: no counters are collected: the SDK answers 12 to the start of counting" in found.said
    assert not list(found.folder.glob("adoption.*"))


def test_a_forked_child_ends_as_it_would_and_writes_nothing(
    environment: dict[str, str], probe: Path, tmp_path: Path
) -> None:
    finished = alone(probe, "fork", env=environment | _variables(tmp_path, EVENTS, "tiny"))
    assert (finished.stdout, finished.returncode, finished.stderr) == (
        "launch 0 correct\nchild ended with 7\nlaunch 1 correct\n",
        0,
        "",
    )
    assert [one.outcome for one in mp.open_trace(tmp_path / "adoption.db").dispatches()] == ["replayed"] * 2


def test_its_page_shows_what_it_writes(environment: dict[str, str], native: Native, tmp_path: Path) -> None:
    env = environment | _variables(tmp_path, ("SQ_WAVES", "FETCH_SIZE", "WRITE_SIZE"), "gfx942")
    assert alone(native.demo, env=env).returncode == 0
    page = (ROOT / "examples" / "adoption" / "README.md").read_text(encoding="utf-8")
    assert f"```\n{(tmp_path / 'adoption.tsv').read_text(encoding='utf-8')}```\n" in page


_SDK_PACKAGE = """\
add_library(rocprofiler-sdk::rocprofiler-sdk SHARED IMPORTED)
set_target_properties(rocprofiler-sdk::rocprofiler-sdk PROPERTIES IMPORTED_LOCATION "{library}")
"""


def test_a_tree_that_has_this_one_in_a_folder_compiles_only_what_it_links(native: Native, tmp_path: Path) -> None:
    package = _SDK_PACKAGE.format(library=native.simulator / "librocprofiler-sdk.so.1")
    (tmp_path / "rocprofiler-sdk-config.cmake").write_text(package, encoding="utf-8")
    build = tmp_path / "build"
    words = ["-S", ROOT / "examples" / "adoption", "-B", build, f"-Drocprofiler-sdk_DIR={tmp_path}"]
    configured = _cmake("-G", "Ninja", *words)
    assert configured.returncode == 0, configured.stderr
    words = ["ninja", "-C", build, "-t", "commands", "adoption"]
    commands = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
    compiled = {part for line in commands for part in line.split() if part.endswith(".cpp")}
    modules = {Path(one).relative_to(ROOT).parts[1] for one in compiled}
    assert modules == {
        *("base", "events", "catalogue", "planner", "replay", "assemble", "output", "adoption"),
    }
    own = [line for line in commands if line.endswith("examples/adoption/client.cpp")]
    assert len(own) == 1
    assert "-Wconversion" not in own[0], "warnings of this project stay with its own files"


def _cmake(*words: str | Path) -> Finished:
    return subprocess.run(["cmake", *map(str, words)], capture_output=True, text=True, check=False)
