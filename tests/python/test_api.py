# SPDX-License-Identifier: MIT
"""The package as its users import it."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
from enum import IntEnum
from pathlib import Path

import pytest

import rocprofsys_multipass as mp
from rocprofsys_multipass import errors


@pytest.mark.parametrize("name", mp.__all__)
def test_every_public_name_can_be_had(name: str) -> None:
    assert getattr(mp, name) is not None
    assert name in dir(mp)


def test_only_public_names_are_listed() -> None:
    assert dir(mp) == sorted(mp.__all__)


def test_the_names_for_type_checkers_are_the_names_at_run_time() -> None:
    source = inspect.getsource(mp)
    typed = {line.rpartition(" as ")[2] for line in source.splitlines() if line.startswith("    from rocprofsys_")}
    assert typed | {"__version__"} == set(mp.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'plans'"):
        mp.plans  # noqa: B018


@pytest.mark.parametrize("name", ["counters", "plan", "report", "run", "verify"])
def test_importing_a_submodule_does_not_hide_the_function_of_its_name(name: str) -> None:
    code = (
        f"import rocprofsys_multipass.{name}, sys; import rocprofsys_multipass as mp; "
        f"assert callable(mp.{name}), mp.{name}; assert sys.modules['rocprofsys_multipass.{name}'].{name} is mp.{name}"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


def test_importing_the_package_loads_nothing_but_the_standard_library() -> None:
    code = (
        "import sys; import rocprofsys_multipass; "
        "print(sorted(m for m in sys.modules if m.startswith(('rocprofsys_multipass.', 'rich', 'google', 'perfetto'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def test_the_version_is_that_of_the_file_version_or_of_the_installed_package() -> None:
    source = Path(__file__).parents[2] / "VERSION"
    assert mp.__version__ == source.read_text(encoding="utf-8").strip()


def test_exit_codes_are_those_that_scripts_rely_on() -> None:
    assert {code.name: code.value for code in mp.ExitCode} == {
        "OK": 0,
        "USAGE": 2,
        "CONFIG": 3,
        "PLAN_IMPOSSIBLE": 4,
        "LAUNCH_FAILED": 5,
        "VERIFICATION_FAILED": 6,
        "OUTPUT_FAILED": 7,
    }
    assert issubclass(mp.ExitCode, IntEnum)


def test_every_error_carries_an_exit_code_and_is_in_the_tree_of_the_docstring() -> None:
    module = importlib.import_module("rocprofsys_multipass.errors")
    kinds = [v for v in vars(module).values() if isinstance(v, type) and issubclass(v, errors.MultipassError)]
    assert len(kinds) > 5
    for kind in kinds:
        assert kind.exit_code in errors.ExitCode
        assert kind.__name__ in (errors.__doc__ or "")
