# SPDX-License-Identifier: MIT
"""Text outputs of rocprof-sys that count the passes of a kernel: they are left alone, and named."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rocprofsys_multipass.merge.merged import Merged
from rocprofsys_multipass.rocprof_sys.names import lists_kernels


def text_note(texts: Sequence[Path], trace: Merged | None, database: Merged | None) -> str:
    """What is said of texts beside files in which executions were counted N times; empty where they were not.

    rocprof-sys adds up what a kernel's executions took while they run, so a line of a replayed kernel has COUNT and SUM
    of all passes, and nothing in the text tells them apart.
    """
    counting = [path.name for path in texts if lists_kernels(path)]
    if not counting or not any(one.removed for one in (trace, database) if one is not None):
        return ""
    right = (
        f"top_kernels of {database.target.name}" if database is not None else "what rocprof-sys-multipass report shows"
    )
    names = ", ".join(counting)
    count, left = ("count", "are left as they are") if len(counting) > 1 else ("counts", "is left as it is")
    return (
        f"{names} {count} a kernel once for each pass (COUNT, SUM) and {left}: once for each dispatch it is counted in "
        f"{right}"
    )
