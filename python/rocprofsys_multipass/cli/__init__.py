# SPDX-License-Identifier: MIT
"""The command ``rocprof-sys-multipass``."""

from rocprofsys_multipass.cli.main import main

__all__ = ["main"]
