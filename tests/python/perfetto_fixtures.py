# SPDX-License-Identifier: MIT
"""Fixtures of the tests that read Perfetto traces. Such a test module names this one in ``pytest_plugins``."""

from __future__ import annotations

import pathlib
import subprocess
from collections.abc import Callable

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
