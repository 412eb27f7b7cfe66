# SPDX-License-Identifier: MIT
"""What all tests share: as many processes as help, pytest in pytest, texts that are compared with files."""

from __future__ import annotations

import difflib
import os
import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import settings
from xdist.plugin import pytest_xdist_auto_num_workers as processors

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[1]
GOLDEN = ROOT / "tests" / "golden"

Golden = Callable[[str, str], None]

MOST_WORKERS = 8
"""Each collects all tests and makes its own session fixtures: more of them only make the start longer."""

# How long an example takes says nothing on a machine that does other things too.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write the files of tests/golden anew, and show what changes"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """What ``-n auto`` means here; PYTEST_XDIST_AUTO_NUM_WORKERS is asked too. 0: the tests run in this process.

    That is so for tests that are named one by one, which have run before workers have started, and where somebody looks
    on: a debugger, a tracer (coverage), or ``-s``.
    """
    named = bool(config.args) and all("::" in str(word) for word in config.args)
    watched = sys.gettrace() is not None or "pydevd" in sys.modules or config.option.capture == "no"
    count = min(processors(config), MOST_WORKERS)
    return 0 if named or watched or count < 2 else count


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compares a text with a file of tests/golden."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        text = text.rstrip("\n") + "\n"
        before = path.read_text(encoding="utf-8") if path.is_file() else ""
        changed = "".join(
            difflib.unified_diff(before.splitlines(keepends=True), text.splitlines(keepends=True), name, "now")
        )
        if changed and request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            with request.getfixturevalue("capsys").disabled():
                print(f"\n{changed}", end="")  # noqa: T201 - what this option is for
            return
        if changed:
            pytest.fail(f"{changed}\nif it is meant: pytest --update-golden", pytrace=False)

    return compare


@pytest.fixture(scope="session")
def modules_that_stay() -> None:
    """What tests with `pytester` load is forgotten behind them, and compiled modules cannot be loaded twice."""
    for name in ("pandas", "rocprofsys_multipass.verify", "rocprofsys_multipass.testing.fixture"):
        import_module(name)


@pytest.fixture
def suite(modules_that_stay: None, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """pytest in a folder of its own, which finds our plugin as that of an installed package."""
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    entry = re.search(r'^\[project\.entry-points\.pytest11\]\n(\w+) = "([\w.]+)"', project, re.MULTILINE)
    assert entry
    site = pytester.mkdir("site")
    info = site / "rocprofsys_multipass-0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: rocprofsys-multipass\nVersion: 0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[pytest11]\n{entry[1]} = {entry[2]}\n", encoding="utf-8")
    pytester.syspathinsert(site)
    package = ROOT / "python" if os.environ.get("PYTHONPATH") else site  # else it is installed
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(site), str(package)]))
    for name in list(os.environ):
        if name.startswith("ROCPROFSYS_") and not name.endswith("_NATIVE"):
            monkeypatch.delenv(name)
    return pytester
