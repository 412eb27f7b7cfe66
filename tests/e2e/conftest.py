# SPDX-License-Identifier: MIT
"""Fixtures of the end-to-end tests: the real plugin and exporter, on simulated GPUs."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import expected
import pytest
from e2e_tools import ROOT, Cli, Finished, clean_environment
from fault_tools import EVENTS, FAULTS_VARIABLE, TRUTH_VARIABLE, FaultyRun, StartFaulty
from recordings import RECORD_VARIABLE, Record, Recorded
from rocprof_sys_tools import RocprofSys, install

import rocprofsys_multipass as mp
from rocprofsys_multipass import Run
from rocprofsys_multipass.demo import DEMO_EVENTS
from rocprofsys_multipass.errors import NativeError
from rocprofsys_multipass.native import Native, find_native

SANITIZER_FLAGS = shlex.split(os.environ.get("MULTIPASS_SANITIZER_FLAGS", ""))
"""For applications: the instrumented plugin needs the sanitizer's runtime in the program (.ci/faults)."""

SANITIZER_REPORTS = os.environ.get("MULTIPASS_SANITIZER_REPORTS", "")
"""The folder of log_path in TSAN_OPTIONS or ASAN_OPTIONS, which is empty as long as nothing was found."""


@pytest.fixture(autouse=True)
def no_sanitizer_reports() -> Iterator[None]:
    """Fails a test whose processes made a sanitizer write a report."""
    yield
    if not SANITIZER_REPORTS:
        return
    found = [(path, path.read_text(encoding="utf-8", errors="replace")) for path in Path(SANITIZER_REPORTS).iterdir()]
    for path, _ in found:
        path.unlink()
    assert [text for _, text in found] == []


@pytest.fixture(scope="session")
def native() -> Native:
    """The compiled parts. Without them nothing here can be tested: that is a failure, not a reason to skip."""
    try:
        found = find_native()
        _ = found.plugin, found.planner, found.counter_reader, found.exporter, found.demo, found.simulator
    except NativeError as error:
        pytest.fail(str(error), pytrace=False)
    return found


@pytest.fixture(scope="session")
def environment(native: Native) -> dict[str, str]:
    """An environment that asks for nothing."""
    return clean_environment()


@pytest.fixture(scope="session")
def command(native: Native) -> list[str]:
    """The words that start the command."""
    return [sys.executable, "-m", "rocprofsys_multipass"]


@pytest.fixture(scope="session")
def cli(command: list[str], environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """Runs ``rocprof-sys-multipass`` in a folder of its own; `env` is added to a clean environment."""
    folder = tmp_path_factory.mktemp("cli")

    def run(*words: str | Path, env: dict[str, str] | None = None) -> Finished:
        return subprocess.run(
            [*command, *map(str, words)],
            env=environment | (env or {}),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.fixture(scope="session")
def demo_run(native: Native, environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The bundled application under the plugin, with the list of the ``demo`` command."""
    output = tmp_path_factory.mktemp("demo") / "out"
    return mp.run(
        [native.demo],
        events=DEMO_EVENTS,
        replay="kernel",
        simulate="gfx942",
        output=output,
        env=environment,
        capture=True,
    )


@pytest.fixture(scope="session")
def demo_alone(native: Native, environment: dict[str, str]) -> Finished:
    """The same application without the plugin."""
    return subprocess.run([native.demo], env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="session")
def demo_launches() -> list[expected.Launch]:
    """What its launches do, by the model in expected.py."""
    return expected.demo_launches()


@pytest.fixture(scope="session")
def build(cli: Cli, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Path]:
    """Compiles a HIP source the documented way: g++ with what ``sim-flags`` prints."""
    folder = tmp_path_factory.mktemp("programs")

    @cache
    def compile_source(source: Path) -> Path:
        program = folder / source.stem
        flags = cli("sim-flags")
        assert flags.returncode == 0, flags.stderr
        warn = ["-Wall", "-Wextra", "-Werror", *SANITIZER_FLAGS]
        words = ["g++", "-std=c++17", "-O2", *warn, "-x", "c++", str(source), "-x", "none", *shlex.split(flags.stdout)]
        built = subprocess.run([*words, "-o", program], capture_output=True, text=True, check=False)
        assert built.returncode == 0, built.stderr
        return program

    return compile_source


@pytest.fixture(scope="session")
def axpy(build: Callable[[Path], Path]) -> Path:
    """examples/axpy."""
    return build(ROOT / "examples" / "axpy" / "axpy.cpp")


@pytest.fixture(scope="session")
def transpose(build: Callable[[Path], Path]) -> Path:
    """examples/transpose."""
    return build(ROOT / "examples" / "transpose" / "transpose.cpp")


@pytest.fixture(scope="session")
def rocprof_sys(
    native: Native, environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory, worker_id: str
) -> RocprofSys:
    """The stand-in of rocprof-sys, built once for all workers."""
    base = tmp_path_factory.getbasetemp()
    return install(native, (base if worker_id == "master" else base.parent) / "rocprof-sys", environment)


@pytest.fixture(scope="session")
def probe(build: Callable[[Path], Path]) -> Path:
    """An application that fails, dies or forks as its arguments say."""
    return build(Path(__file__).with_name("probe.cpp"))


@pytest.fixture(scope="session")
def victim(build: Callable[[Path], Path]) -> Path:
    """An application that writes down what it did, and dies as it is told."""
    return build(Path(__file__).with_name("victim.cpp"))


@pytest.fixture(scope="session")
def many_kernels(build: Callable[[Path], Path]) -> Path:
    """An application of as many launches as its first argument says, with as many bytes in use as its second."""
    return build(Path(__file__).with_name("many_kernels.cpp"))


@pytest.fixture(scope="session")
def forks(build: Callable[[Path], Path]) -> Path:
    """An application that forks, starts programs and waits for signals while it launches."""
    return build(Path(__file__).with_name("forks.cpp"))


@pytest.fixture(scope="session")
def faults_application(build: Callable[[Path], Path]) -> Path:
    """An application whose executions can be told apart by their counters."""
    return build(Path(__file__).with_name("faults.cpp"))


@pytest.fixture(scope="session")
def start_faulty(
    faults_application: Path, environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> StartFaulty:
    """Runs that application, with `words` as its arguments, on a simulated SDK with these faults."""

    def run(
        faults: str,
        *words: object,
        devices: Iterable[str] = ("tiny",),
        events: Iterable[str] = EVENTS,
        env: dict[str, str] | None = None,
        **options: Any,
    ) -> FaultyRun:
        folder = tmp_path_factory.mktemp("faults")
        truth = folder / "truth.csv"
        truth.touch()
        variables = {FAULTS_VARIABLE: faults, TRUTH_VARIABLE: str(truth), **(env or {})}
        made = mp.run(
            [faults_application, *map(str, words)],
            events=list(events),
            simulate=",".join(devices),
            output=folder / "out",
            env=environment | variables,
            capture=True,
            **({"replay": "kernel"} | options),
        )
        return FaultyRun(made, truth)

    return run


@pytest.fixture(scope="session")
def record(start_faulty: StartFaulty, tmp_path_factory: pytest.TempPathFactory) -> Record:
    """The same, and the SDK's calls are recorded."""

    def run(faults: str, *words: object, **options: Any) -> Recorded:
        path = tmp_path_factory.mktemp("recording") / "calls.jsonl"
        options = {"sentinel": "none", "replay": "kernel", **options}
        return Recorded(start_faulty(faults, *words, env={RECORD_VARIABLE: str(path)}, **options).run, path)

    return run


@pytest.fixture(scope="session")
def two(record: Record) -> Path:
    """A recording of two dispatches, three passes each."""
    return record("", 1, 2).path
