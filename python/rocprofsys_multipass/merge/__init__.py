# SPDX-License-Identifier: MIT
"""Adds what this tool measured to copies of what rocprof-sys wrote: its Perfetto trace and its database.

And puts the files of many processes into one.
"""

from rocprofsys_multipass.merge.combine import combine, combine_paths
from rocprofsys_multipass.merge.combined import Combined
from rocprofsys_multipass.merge.folders import Manner, merge, merge_folders, merge_processes
from rocprofsys_multipass.merge.merged import Merged, Unmatched
from rocprofsys_multipass.merge.result import CombineResult, MergedProcess, MergeResult

__all__ = [
    "CombineResult",
    "Combined",
    "Manner",
    "MergeResult",
    "Merged",
    "MergedProcess",
    "Unmatched",
    "combine",
    "combine_paths",
    "merge",
    "merge_folders",
    "merge_processes",
]
