# SPDX-License-Identifier: MIT
"""The numbers by which the plugin decides on replays, as long as it has measured nothing.

tests/python/test_estimate.py compares them with those in library/.
"""

from __future__ import annotations

from typing import Final

from rocprofsys_multipass.config.limits import Budget

DEFAULT_BUDGET: Final = Budget(60.0, 0.1)
"""Of ``--replay auto``: 60 s or a tenth of the wall time so far, whichever is more (kDefaultReplayBudget)."""
DEFAULT_MAX_REPLAYS: Final = 3
"""Of ``--replay auto``, for each launch shape of a kernel (kDefaultMaxReplays)."""
ASSUMED_COPY_RATE: Final = 4 * 10**9
"""Bytes a second, between GPU and host: upstream's planning figure (performance.md @0ff1d0fc)."""
WINDOW_LIMIT_NS: Final = 30 * 10**9
"""A replay that is projected to take longer is declined."""
SDK_PATIENCE_NS: Final = 60 * 10**9
"""Revisions of the SDK end a process whose replay stands still for so long (hsa/queue.cpp @00327028)."""
SEEN_OVERHEAD_NS: Final = 90_000_000
"""What a replay took beside copies and kernels, in a debug build with 64 MB (performance.md @0ff1d0fc)."""
