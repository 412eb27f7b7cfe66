# SPDX-License-Identifier: MIT
"""Fixtures of the tests that read Perfetto traces. Such a test module names this one in ``pytest_plugins``."""

from __future__ import annotations

import importlib.util
import pathlib
import subprocess
import sys
from collections.abc import Callable
from types import ModuleType

import pytest
from perfetto_tools import LoadedTrace, load, make_traces_executable


@pytest.fixture(scope="session")
def traces(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A folder with one trace per hand-made run of ``tests/cpp/perfetto/make_traces.cpp``."""
    folder = tmp_path_factory.mktemp("traces")
    subprocess.run([make_traces_executable(), folder], check=True)
    return folder


@pytest.fixture(scope="session")
def loaded(traces: pathlib.Path) -> Callable[[str], LoadedTrace]:
    """``loaded("overlap")`` is what trace_processor makes of ``overlap.pftrace``; each is imported once."""
    known: dict[str, LoadedTrace] = {}

    def get(name: str) -> LoadedTrace:
        if name not in known:
            known[name] = load(traces / f"{name}.pftrace")
        return known[name]

    return get


@pytest.fixture(scope="session")
def ui() -> ModuleType:
    """``tests/tools/perfetto_ui.py``, which is no package."""
    path = pathlib.Path(__file__).resolve().parents[1] / "tools" / "perfetto_ui.py"
    spec = importlib.util.spec_from_file_location("perfetto_ui", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
