# SPDX-License-Identifier: MIT
"""What the fixtures `multipass_run` and `multipass_module_run` of the pytest plugin give to a test."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import pytest

from rocprofsys_multipass.errors import MultipassError
from rocprofsys_multipass.testing.collect import RunTrace, collect
from rocprofsys_multipass.testing.failure import CheckError, Failed, Failure
from rocprofsys_multipass.testing.marker import beside, examine

_DRIVERS: Final = ("/dev/kfd", "/dev/dxg")  # of the GPU: on Linux, and on Linux in Windows
_FOLDER: Final = "multipass"


def gpu_is_there() -> bool:
    """Whether a driver of GPUs is loaded, without which there is none for ROCm."""
    return any(Path(path).exists() for path in _DRIVERS)


@dataclass(repr=False)
class MultipassRun:
    """Runs a command under the plugin and returns its trace. `options` are those of the markers, calls beat them.

    `folder` is the test's own, for the run directories; `home` that of its file, for the files that options name.
    `directories` has the run directories, each from before its run.
    """

    options: Mapping[str, Any]
    folder: Path
    home: Path
    skip_without_gpu: bool = False
    directories: list[Path] = field(default_factory=list)

    def __call__(self, command: Sequence[str | os.PathLike[str]], **options: Any) -> RunTrace:  # noqa: ANN401
        """Run `command`, an application and its arguments, and read what was recorded.

        Args:
            command: as in `rocprofsys_multipass.run`.
            options: those of `rocprofsys_multipass.run` but `output`, `overwrite` and `capture`; `exit_code` and
                `empty_ok` as in `rocprofsys_multipass.testing.collect`. They beat those of the marker.

        Returns:
            The trace; `run` of it has exit code, output and files of the run.

        Raises:
            CheckError: the options are wrong, the application failed, or no counter was read.
        """
        __tracebackhide__ = True
        merged = {**self.options, **options}
        examined = examine(merged, self.home)
        if examined.problems:
            raise _refused(examined.problems)
        without_gpu = not examined.simulate and not gpu_is_there()
        if without_gpu and self.skip_without_gpu:
            pytest.skip(f"this machine has no GPU ({_DRIVERS[0]} is not there), and none is simulated")
        directory = self._new_directory()
        try:
            trace = collect(command, output=directory, **beside(merged, self.home))
        except MultipassError as error:
            raise _refused(error.messages) from None
        except CheckError as error:
            raise (_with_hint(error) if without_gpu else error) from None
        self._show(trace)
        return trace

    def __repr__(self) -> str:
        """The options of the markers: what pytest shows beside a failure."""
        options = ", ".join(f"{name}={value!r}" for name, value in self.options.items())
        return f"<multipass_run {options or 'without options'}>"

    def _new_directory(self) -> Path:
        number = len(self.directories) + 1
        while True:
            directory = self.folder / (_FOLDER if number == 1 else f"{_FOLDER}-{number}")
            if not directory.exists():
                break
            number += 1
        self.directories.append(directory)
        return directory

    @staticmethod
    def _show(trace: RunTrace) -> None:
        """What the application printed, for pytest to capture as if it were the test's own."""
        sys.stdout.write(trace.run.stdout)
        sys.stderr.write(trace.run.stderr)
        for text in trace.run.warnings:
            sys.stderr.write(f"multipass: warning: {text}\n")


def _refused(problems: Sequence[str]) -> CheckError:
    title = f"multipass_run: {problems[0]}"
    return CheckError(Failed(title, tuple(Failure(message=text) for text in problems), tuple(problems[1:])))


def _with_hint(error: CheckError) -> CheckError:
    hint = (
        f"this machine has no GPU ({_DRIVERS[0]} is not there): simulate='gfx942' takes a simulated one,",
        "  pytest --multipass-skip-without-gpu skips tests like this",
    )
    return CheckError(replace(error.failed, hints=(*hint, *error.failed.hints)))
