# SPDX-License-Identifier: MIT
"""``sim-flags``: what g++ needs to build a HIP source against the simulator."""

from __future__ import annotations

import argparse
import shlex
from typing import TYPE_CHECKING

from rocprofsys_multipass.errors import ExitCode
from rocprofsys_multipass.native import find_native
from rocprofsys_multipass.simulate import compiler_flags

if TYPE_CHECKING:
    from rocprofsys_multipass.cli.command import Streams

_EPILOG = """\
The whole command, with -x none because -x c++ holds for every input behind it:
  g++ -std=c++17 -O2 -x c++ app.hip -x none \\
    $(rocprof-sys-multipass sim-flags) -o app

With CMake, whose project has find_package(rocprofsys-multipass CONFIG REQUIRED)
and links rocprofsys-multipass::sim_hip, and rocprofsys-multipass::sim_roctx if
it calls roctx:
  cmake -S . -B build \\
    -DCMAKE_PREFIX_PATH="$(rocprof-sys-multipass sim-flags --cmake)"
"""


class SimFlagsCommand:
    """Prints compiler and linker flags."""

    name = "sim-flags"
    help = "print the g++ flags that build a HIP source against the simulator"

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        """Options of ``sim-flags``."""
        parser.epilog = _EPILOG
        parser.add_argument("--cflags", action="store_true", help="only the flags for compiling")
        parser.add_argument("--libs", action="store_true", help="only the flags for linking")
        parser.add_argument(
            "--cmake", action="store_true", help="no flags, but the folder to put into CMAKE_PREFIX_PATH"
        )

    def run(self, args: argparse.Namespace, streams: Streams) -> int:
        """Print the flags on one line, quoted for a shell, or the folder for CMake."""
        folder = find_native().simulator.absolute()
        if args.cmake:
            streams.out.write(f"{folder}\n")  # as it is: a path in quotes would not be one
            return ExitCode.OK
        compiling, linking = compiler_flags(folder)
        both = args.cflags == args.libs
        flags = (compiling if args.cflags or both else []) + (linking if args.libs or both else [])
        streams.out.write(shlex.join(flags) + "\n")
        return ExitCode.OK
