# SPDX-License-Identifier: MIT
"""Running an application under the plugin, and making the output files of what was captured."""

from rocprofsys_multipass.run.process import signal_name
from rocprofsys_multipass.run.runner import Run, execute, run

__all__ = ["Run", "execute", "run", "signal_name"]
