# SPDX-License-Identifier: MIT
"""Names of output folders: the default, and the ``%key%`` parts that stand for something of this process."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePath

from rocprofsys_multipass.config.launcher import launcher_rank
from rocprofsys_multipass.errors import OutputError

DEFAULT_OUTPUT_FOLDER = "rocprof-sys-multipass-output"

_KEY = re.compile(r"%(?P<key>[A-Za-z_]+)(?:\{(?P<argument>[^{}%]*)\})?%")


def application_name(command: Sequence[str]) -> str:
    """Name of the program that a command line begins with."""
    return PurePath(command[0]).name


def expand_output(template: str, environ: Mapping[str, str]) -> tuple[Path, list[str]]:
    """The absolute folder that `template` names, and warnings about parts that were left as they are.

    Known are ``%pid%``, ``%ppid%``, ``%rank%`` (0 outside a launcher), ``%hostname%`` and ``%env{NAME}%`` (empty when
    unset). A ``/`` inside a value becomes ``_``, as in rocprof-sys, so that a value is never more than one folder.

    OutputError: the template is relative, and the working directory was deleted.
    """
    warnings: list[str] = []

    def value(match: re.Match[str]) -> str:
        key, argument = match["key"], match["argument"]
        if key == "env" and argument:
            return environ.get(argument, "").replace("/", "_")
        if argument is None and key in _VALUES:
            return _VALUES[key](environ).replace("/", "_")
        warnings.append(
            f"output folder: {match[0]} is not known and stays as it is; "
            "known are %pid% %ppid% %rank% %hostname% %env{NAME}%"
        )
        return match[0]

    folder = _KEY.sub(value, template)
    try:
        return Path(os.path.abspath(folder)), warnings  # noqa: PTH100 - no resolving of links
    except FileNotFoundError:  # of os.getcwd
        raise OutputError(
            f"output folder {folder}: the working directory does not exist any more; "
            "change to another one, or give an absolute path with --output"
        ) from None


_VALUES: dict[str, Callable[[Mapping[str, str]], str]] = {
    "pid": lambda _: str(os.getpid()),
    "ppid": lambda _: str(os.getppid()),
    "rank": lambda environ: str(launcher_rank(environ) or 0),
    "hostname": lambda _: socket.gethostname(),
}
