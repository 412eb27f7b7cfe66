# SPDX-License-Identifier: MIT
"""Running an application under the plugin, and making the output files of what was captured."""

from rocprofsys_multipass.run.afterwards import simulated_gpus
from rocprofsys_multipass.run.call import run
from rocprofsys_multipass.run.computing import ComputeGiven
from rocprofsys_multipass.run.hosted import configure
from rocprofsys_multipass.run.outputs import Written, export, export_all
from rocprofsys_multipass.run.process import signal_name
from rocprofsys_multipass.run.recover import Recovered, recover, recover_all
from rocprofsys_multipass.run.result import Run
from rocprofsys_multipass.run.runner import execute, execute_config

__all__ = [
    "ComputeGiven",
    "Recovered",
    "Run",
    "Written",
    "configure",
    "execute",
    "execute_config",
    "export",
    "export_all",
    "recover",
    "recover_all",
    "run",
    "signal_name",
    "simulated_gpus",
]
