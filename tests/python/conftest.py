# SPDX-License-Identifier: MIT
"""Fixtures of the tests of the Python side."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from fake_native import Applications, Cli, FakeNative

from rocprofsys_multipass.cli import main
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
def cli(native: FakeNative, capfd: pytest.CaptureFixture[str]) -> Cli:
    """Runs a command line: exit code, stdout, stderr (those of the application too)."""

    def call(*argv: str | Path) -> tuple[int, str, str]:
        capfd.readouterr()
        code = main([str(word) for word in argv])
        return (code, *capfd.readouterr())

    return call


@pytest.fixture
def applications(tmp_path: Path) -> Applications:
    """A maker of small applications."""
    return Applications(tmp_path / "applications")
