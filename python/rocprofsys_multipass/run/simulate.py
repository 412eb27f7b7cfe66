# SPDX-License-Identifier: MIT
"""Checks of ``--simulate`` before anything is started."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rocprofsys_multipass.config import Source
    from rocprofsys_multipass.native import Native


def check_devices(devices: str, native: Native, source: Source) -> Path | None:
    """The folder of the simulator when devices are to be simulated, None when real ones are used.

    Raises:
        UsageError, ConfigError (by `source`): a device is neither a name that the simulator knows nor a file.
        NativeError: the simulator is missing.
    """
    if not devices:
        return None
    names = [name.strip() for name in devices.split(",")]
    known = native.simulated_devices
    for name in names:
        if name in known or Path(name).is_file():
            continue
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise source.error(f"'{name}' is no device that can be simulated: {hint}known are {', '.join(known)}")
    return native.simulator.absolute()
