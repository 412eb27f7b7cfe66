# SPDX-License-Identifier: MIT
"""pytest plugin `multipass`: fixtures that run applications, the marker `multipass`, and options (docs/testing.md).

Every pytest of an environment loads it, so it imports nothing of the package until a test has the marker or asks for
the fixture. Neither GPU nor ROCm is needed to collect tests.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from rocprofsys_multipass.testing.fixture import MultipassRun

_PACKAGE = "rocprofsys_multipass"
_FIXTURE = "multipass_run"
_MODULE_FIXTURE = "multipass_module_run"
_MARKER = "multipass"
_PREFIX = "ROCPROFSYS_MULTIPASS_"
_PROPERTY = "multipass_run"  # of a test's report: a run directory
_FAILED = pytest.StashKey[bool]()
_RUNS = pytest.StashKey[list[Path]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of this plugin."""
    group = parser.getgroup("multipass", "GPU counters of rocprofsys-multipass")
    group.addoption(
        "--multipass-keep",
        action="store_true",
        help="keep the run directories of passed tests too, and list them; those of failed tests are kept anyway",
    )
    group.addoption(
        "--multipass-skip-without-gpu",
        action="store_true",
        help="skip runs on real GPUs where there is none; without it they fail",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker."""
    line = "the options of the runs that the fixture multipass_run makes, as rocprofsys_multipass.run has them"
    config.addinivalue_line("markers", f"{_MARKER}(events=..., simulate=..., config=..., ...): {line}")


def pytest_report_header(config: pytest.Config) -> str | None:
    """What this session does differently because of options and variables, which a log should tell; else nothing."""
    told = [f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith(_PREFIX)]
    told += [name for name in ("--multipass-keep", "--multipass-skip-without-gpu") if config.getoption(name)]
    return f"multipass: {', '.join(told)}" if told else None


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report() -> Generator[None, Any, None]:
    """Makes the wrong use of a marker an error of the collection, with the names of the tests."""
    outcome = yield
    report: pytest.CollectReport = outcome.get_result()
    problems: dict[str, None] = {}
    for item in report.result or () if report.passed else ():
        if isinstance(item, pytest.Item) and item.get_closest_marker(_MARKER):
            name = item.nodeid.partition("[")[0]  # cases of one test as a rule have the same marker
            problems.update(dict.fromkeys(f"{name}: {text}" for text in _problems(item)))
    if problems:
        report.outcome = "failed"
        report.longrepr = "\n".join(problems)
        report.result = []


def _problems(item: pytest.Item) -> Iterator[str]:
    from rocprofsys_multipass.testing.marker import examine

    # A marker of a module or class may be there for those of its tests that run something.
    if any(mark.name == _MARKER for mark in item.own_markers) and not _may_use(item, _FIXTURE):
        yield f"marker {_MARKER}: the test does not use the fixture {_FIXTURE}, and nothing is run without it"
    for mark in item.iter_markers(_MARKER):
        if mark.args:
            given = ", ".join(map(repr, mark.args))
            yield f"marker {_MARKER}: {given} has no name: write events=..., simulate=... or what it is"
            return
    for text in examine(_options(item), _home(item)).problems:
        yield f"marker {_MARKER}: {text}"


def _may_use(item: pytest.Item, fixture: str) -> bool:
    """Whether a test uses a fixture, or has what it can ask for any with (`request.getfixturevalue`)."""
    code = getattr(getattr(item, "function", None), "__code__", None)
    arguments = () if code is None else code.co_varnames[: code.co_argcount]
    return fixture in getattr(item, "fixturenames", ()) or "request" in arguments


def _options(item: pytest.Item | pytest.Module) -> dict[str, Any]:
    """Those of all markers of a test, one at the test beats one at its class, which beats one of the module."""
    marks = [*item.iter_markers(_MARKER)]
    return {name: value for mark in reversed(marks) for name, value in mark.kwargs.items()}


def _home(item: pytest.Item | pytest.Module) -> Path:
    return item.path.parent


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, None]:
    """Puts the run directories of a test into its report, and removes them at its end unless it failed.

    Its end is behind the last of its fixtures, which may fail it yet.
    """
    module = item.getparent(pytest.Module)
    nodes: list[pytest.Item | pytest.Module] = [item]
    if module is not None and _may_use(item, _MODULE_FIXTURE):
        nodes.append(module)
    for node in nodes:
        told = [(_PROPERTY, str(directory)) for directory in node.stash.get(_RUNS, [])]
        item.user_properties += [one for one in told if one not in item.user_properties]
    if call.excinfo is not None and not item.config.getoption("fulltrace"):
        _leave_out_own_frames(call.excinfo.value)
    outcome = yield
    if outcome.get_result().failed:
        for node in nodes:
            node.stash[_FAILED] = True
    if call.when == "teardown":
        _remove_runs(item, item.config)


def _remove_runs(node: pytest.Item | pytest.Module, config: pytest.Config) -> None:
    """Unless a test failed, or all are to be kept."""
    if not (config.getoption("--multipass-keep") or node.stash.get(_FAILED, False)):
        for directory in node.stash.get(_RUNS, []):
            shutil.rmtree(directory, ignore_errors=True)


def _leave_out_own_frames(error: BaseException) -> None:
    """Of an error that this package reports, its message says all: the traceback ends where the test called."""
    errors = sys.modules.get(f"{_PACKAGE}.errors")
    if errors is None or not isinstance(error, errors.MultipassError):
        return
    last, entry = None, error.__traceback__
    while entry is not None:
        if entry.tb_frame.f_globals.get("__name__", "").partition(".")[0] != _PACKAGE:
            last = entry
        entry = entry.tb_next
    if last is not None:
        last.tb_next = None


@pytest.fixture
def multipass_run(request: pytest.FixtureRequest, tmp_path: Path) -> MultipassRun:
    """Run an application with GPU counters: `multipass_run(["./app"], events=["SQ_WAVES"], simulate="gfx942")`.

    Returns the trace of what was recorded; its `run` has exit code and output of the application. The options are those
    of `rocprofsys_multipass.run`; the marker `multipass` gives them for all runs of a test, a class or a module.
    """
    return _runner(request, tmp_path)


@pytest.fixture(scope="module")
def multipass_module_run(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MultipassRun]:
    """As multipass_run, for fixtures of a module: one run for several tests, with options of the module's marker."""
    yield _runner(request, tmp_path_factory.mktemp(Path(request.node.name).stem))
    _remove_runs(request.node, request.config)


def _runner(request: pytest.FixtureRequest, folder: Path) -> MultipassRun:
    from rocprofsys_multipass.testing.fixture import MultipassRun

    node = request.node
    return MultipassRun(
        options=_options(node),
        folder=folder,
        home=_home(node),
        skip_without_gpu=request.config.getoption("--multipass-skip-without-gpu"),
        directories=node.stash.setdefault(_RUNS, []),
    )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Lists the run directories that were kept, those of the workers of pytest-xdist too."""
    kept: dict[str, dict[str, None]] = {}
    for report in (report for reports in terminalreporter.stats.values() for report in reports):
        for name, value in getattr(report, "user_properties", ()):
            if name == _PROPERTY and Path(value).is_dir():
                kept.setdefault(value, {})[report.nodeid] = None
    if kept:
        terminalreporter.section("multipass: run directories")
    for directory, tests in kept.items():
        first, *more = tests
        several = f" and {len(more)} more" if more else ""
        terminalreporter.write_line(f"{first}{several}  {directory}")
