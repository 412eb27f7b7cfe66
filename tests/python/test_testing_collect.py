# SPDX-License-Identifier: MIT
"""A test's run wants all counters of all launches, unless somebody says how to replay."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

from rocprofsys_multipass.errors import LaunchError

module = importlib.import_module("rocprofsys_multipass.testing.collect")  # the package has a function of that name


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The options that the run is asked for with; nothing is run."""
    found: dict[str, Any] = {}

    def run(command: object, **options: Any) -> None:
        found.update(options, command=command)
        message = "nothing is run"
        raise LaunchError(message)

    monkeypatch.setattr(module, "run", run)
    return found


def collected(asked: dict[str, Any], **options: Any) -> object:
    with pytest.raises(LaunchError):
        module.collect(["app"], **{"env": {}, "events": "A", **options})
    return asked.get("replay")


def test_it_is_replayed_without_the_limits_of_auto(asked: dict[str, Any]) -> None:
    assert collected(asked) == "kernel"
    assert (asked["command"], asked["events"], asked["capture"]) == (["app"], "A", True)
    assert collected(asked, max_replays=2) == "kernel"


@pytest.mark.parametrize("mode", ["auto", "rotate"])
def test_whoever_says_how_to_replay_decides(asked: dict[str, Any], mode: str, tmp_path: Path) -> None:
    assert collected(asked, replay=mode) == mode
    asked.clear()
    assert collected(asked, env={"ROCPROFSYS_MULTIPASS_REPLAY": mode}) is None  # `run` reads it
    file = tmp_path / "m.yaml"
    file.write_text(f"replay: {mode}\n", encoding="utf-8")
    assert collected(asked, config=file) is None
    file.write_text("quiet: on\n", encoding="utf-8")
    assert collected(asked, config=file) == "kernel"
