# SPDX-License-Identifier: MIT
"""Running an application under the plugin, and making the output files of what was captured."""

from rocprofsys_multipass.run.outputs import Written, export, export_all, format_names
from rocprofsys_multipass.run.process import signal_name
from rocprofsys_multipass.run.recover import Recovered, recover, recover_all
from rocprofsys_multipass.run.runner import Run, execute, execute_config, run

__all__ = [
    "Recovered",
    "Run",
    "Written",
    "execute",
    "execute_config",
    "export",
    "export_all",
    "format_names",
    "recover",
    "recover_all",
    "run",
    "signal_name",
]
