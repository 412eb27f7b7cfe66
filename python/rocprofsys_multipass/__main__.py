# SPDX-License-Identifier: MIT
"""``python -m rocprofsys_multipass``: the same as the command ``rocprof-sys-multipass``."""

from __future__ import annotations

import sys

from rocprofsys_multipass.cli import main

sys.exit(main())
