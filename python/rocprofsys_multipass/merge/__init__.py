# SPDX-License-Identifier: MIT
"""Adds what this tool measured to copies of what rocprof-sys wrote: its Perfetto trace and its database."""

from rocprofsys_multipass.merge.merge import Manner, merge, merge_folders, merge_processes
from rocprofsys_multipass.merge.merged import Merged, Unmatched
from rocprofsys_multipass.merge.result import MergedProcess, MergeResult

__all__ = ["Manner", "MergeResult", "Merged", "MergedProcess", "Unmatched", "merge", "merge_folders", "merge_processes"]
