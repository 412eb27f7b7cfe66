# SPDX-License-Identifier: MIT
"""Running an application under the plugin, and making the output files of what was captured."""

from rocprofsys_multipass.run.runner import Run, run

__all__ = ["Run", "run"]
