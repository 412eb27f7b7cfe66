# SPDX-License-Identifier: MIT
"""Adds what this tool measured to copies of what rocprof-sys wrote: its Perfetto trace and its database."""

from rocprofsys_multipass.merge.merged import Merged, Unmatched

__all__ = ["Merged", "Unmatched"]
