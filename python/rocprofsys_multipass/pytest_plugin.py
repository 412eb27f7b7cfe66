# SPDX-License-Identifier: MIT
"""pytest plugin `multipass`: the fixture `multipass_run`, the marker `multipass`, and their options (docs/testing.md).

Every pytest of an environment loads it, so it imports nothing of the package until a test has the marker or asks for
the fixture. Neither GPU nor ROCm is needed to collect tests.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from rocprofsys_multipass.testing.fixture import MultipassRun

_FIXTURE = "multipass_run"
_MARKER = "multipass"
_PREFIX = "ROCPROFSYS_MULTIPASS_"
_PROPERTY = "multipass_run"  # of a test's report: a run directory
_FAILED = pytest.StashKey[bool]()


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
    if any(mark.name == _MARKER for mark in item.own_markers) and _FIXTURE not in getattr(item, "fixturenames", ()):
        yield f"marker {_MARKER}: the test does not use the fixture {_FIXTURE}, and nothing is run without it"
    for mark in item.iter_markers(_MARKER):
        if mark.args:
            given = ", ".join(map(repr, mark.args))
            yield f"marker {_MARKER}: {given} has no name: write events=..., simulate=... or what it is"
            return
    for text in examine(_options(item), _home(item)).problems:
        yield f"marker {_MARKER}: {text}"


def _options(item: pytest.Item) -> dict[str, Any]:
    """Those of all markers of a test, one at the test beats one at its class, which beats one of the module."""
    marks = [*item.iter_markers(_MARKER)]
    return {name: value for mark in reversed(marks) for name, value in mark.kwargs.items()}


def _home(item: pytest.Item) -> Path:
    return item.path.parent


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    """Remembers whether a test failed: its run directories are kept then."""
    outcome = yield
    if _FIXTURE in getattr(item, "fixturenames", ()) and outcome.get_result().failed:
        item.stash[_FAILED] = True


@pytest.fixture
def multipass_run(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MultipassRun]:
    """Run an application with GPU counters: `multipass_run(["./app"], events=["SQ_WAVES"], simulate="gfx942")`.

    Returns the trace of what was recorded; its `run` has exit code and output of the application. The options are those
    of `rocprofsys_multipass.run`; the marker `multipass` gives them for all runs of a test, a class or a module.
    """
    from rocprofsys_multipass.testing.fixture import MultipassRun

    config, node = request.config, request.node
    runner = MultipassRun(
        options=_options(node),
        folder=tmp_path,
        home=_home(node),
        skip_without_gpu=config.getoption("--multipass-skip-without-gpu"),
        announce=lambda directory: node.user_properties.append((_PROPERTY, str(directory))),
    )
    yield runner
    if not (config.getoption("--multipass-keep") or node.stash.get(_FAILED, False)):
        runner.remove()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Lists the run directories that were kept, those of the workers of pytest-xdist too."""
    kept = {
        value: report.nodeid
        for reports in terminalreporter.stats.values()
        for report in reports
        for name, value in getattr(report, "user_properties", ())
        if name == _PROPERTY and Path(value).is_dir()
    }
    if kept:
        terminalreporter.section("multipass: run directories")
        for directory, test in kept.items():
            terminalreporter.write_line(f"{test}  {directory}")
