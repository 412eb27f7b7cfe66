# SPDX-License-Identifier: MIT
"""Where the compiled parts of this package are.

They are in one folder with a fixed layout: ``lib/`` (the plugin), ``bin/`` (planner, exporter, reader of counters),
``sim/`` (the simulated SDK and HIP), ``demo/``, ``selftest/``, ``catalogues/``. An installed package carries it as
``_native``; the variable ``ROCPROFSYS_MULTIPASS_NATIVE`` names another one, for example that of a CMake build tree.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rocprofsys_multipass.errors import NativeError, ReadersOnlyError

if TYPE_CHECKING:
    from collections.abc import Mapping

NATIVE_VARIABLE = "ROCPROFSYS_MULTIPASS_NATIVE"

_PREFIX = "rocprof-sys-multipass: "  # of each line that a compiled part writes for people


@dataclass(frozen=True)
class Messages:
    """What a compiled part wrote to stderr, without its prefixes; each message once, in order."""

    warnings: tuple[str, ...]
    errors: tuple[str, ...]  # and lines that have no prefix, such as those of the command line parser

    @property
    def reason(self) -> str:
        """The errors as one text; empty when there are none."""
        return "; ".join(self.errors)


def read_messages(stderr: str) -> Messages:
    """The messages in what a compiled part wrote; progress ("wrote ...") is left out."""
    warnings: dict[str, None] = {}
    errors: dict[str, None] = {}
    for line in filter(None, (line.strip() for line in stderr.splitlines())):
        text = line.removeprefix(_PREFIX)
        if text.startswith("warning: "):
            warnings[text.removeprefix("warning: ")] = None
        elif text.startswith("error: ") or text == line:
            errors[text.removeprefix("error: ")] = None
    return Messages(tuple(warnings), tuple(errors))


@dataclass(frozen=True)
class Native:
    """The folder of the compiled parts. Each property checks that its file is there.

    Raises:
        NativeError: from a property whose file is missing; the message names the file and the fix.
    """

    root: Path

    @property
    def plugin(self) -> Path:
        """The shared library that the SDK loads into the application."""
        return self._file("lib/librocprofsys-multipass.so")

    @property
    def planner(self) -> Path:
        """The program that makes plans."""
        return self._file("bin/rocprofsys-multipass-plan")

    @property
    def counter_reader(self) -> Path:
        """The program that asks the SDK what the GPUs of this machine can count."""
        return self._file("bin/rocprofsys-multipass-counters")

    @property
    def exporter(self) -> Path:
        """The program that makes output files of a journal."""
        return self._file("bin/rocprofsys-multipass-export")

    @property
    def demo(self) -> Path:
        """The demonstration application, built against the simulated HIP."""
        return self._file("demo/multipass-demo")

    @property
    def demo_source(self) -> Path:
        """The source of the demonstration, which a compiler for real GPUs takes too."""
        return self._file("demo/demo.cpp")

    @property
    def kit(self) -> Path:
        """The kit of the self-test, built against the simulated HIP."""
        return self._file("selftest/multipass-kit")

    @property
    def kit_source(self) -> Path:
        """The source of the kit, which a compiler for real GPUs takes too."""
        return self._file("selftest/kit.cpp")

    @property
    def simulator(self) -> Path:
        """The folder that holds the simulated SDK and HIP."""
        self._file("sim/librocprofiler-sdk.so.1")
        return self.root / "sim"

    @property
    def simulated_devices(self) -> list[str]:
        """Names of the devices that the simulator knows, sorted."""
        return sorted(path.stem for path in (self.simulator / "devices").glob("*.json"))

    @property
    def catalogues(self) -> list[str]:
        """Names of the devices that can be planned for, sorted."""
        return sorted(path.stem for path in (self.root / "catalogues").glob("*.json"))

    def _file(self, name: str) -> Path:
        path = self.root / name
        if not path.is_file():
            message = (
                f"{path} is missing: a compiled part of rocprofsys-multipass. Install the package again "
                f"(pip install --force-reinstall .), or set {NATIVE_VARIABLE} to the folder 'native' of a build tree"
            )
            raise NativeError(message)
        return path


def find_native(environ: Mapping[str, str] | None = None) -> Native:
    """The folder of the compiled parts: the one that the environment names, else the one in the package.

    Raises:
        NativeError: the folder that the environment names is none.
        ReadersOnlyError: there is none.
    """
    values = os.environ if environ is None else environ
    named = values.get(NATIVE_VARIABLE, "")
    if named:
        root = Path(named).absolute()
        if root.is_dir():
            return Native(root)
        message = f"{NATIVE_VARIABLE}={named} is not a folder: name the folder 'native' of a build tree, or unset it"
        raise NativeError(message)
    candidates = [Path(folder) / "_native" for folder in _package_folders()]
    for candidate in candidates:
        if candidate.is_dir():
            return Native(candidate)
    message = (
        f"this installation has the readers only (no folder {candidates[0]}): report, verify, open, config, "
        "counters --sets and export to tables (csv, csv-wide, json, parquet) work; to plan or run, or to make traces "
        "and databases, install the package without '-C wheel.cmake=false', or build it with CMake and "
        f"set {NATIVE_VARIABLE} to the folder 'native' of the build tree"
    )
    raise ReadersOnlyError(message)


def _package_folders() -> list[str]:
    """Folders of this package: an editable install has one with the sources and one with what was built."""
    return list(sys.modules[__name__.partition(".")[0]].__path__)
