# SPDX-License-Identifier: MIT
"""Fixtures of the tests of the Python side."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from fake_native import Applications, FakeNative

from rocprofsys_multipass.config.launcher import RANK_VARIABLES


@pytest.fixture
def native(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeNative:
    """Stand-ins for the compiled parts, found through the environment; no other variable of ours is set."""
    for name in list(os.environ):
        if name.startswith("ROCPROFSYS_") or name in RANK_VARIABLES or name == "ROCP_TOOL_LIBRARIES":
            monkeypatch.delenv(name)
    fake = FakeNative.make(tmp_path / "native")
    monkeypatch.setenv("ROCPROFSYS_MULTIPASS_NATIVE", str(fake.root))
    monkeypatch.chdir(tmp_path)
    return fake


@pytest.fixture
def applications(tmp_path: Path) -> Applications:
    """A maker of small applications."""
    return Applications(tmp_path / "applications")
