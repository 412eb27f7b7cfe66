# SPDX-License-Identifier: MIT
"""Captures as directories that ``rocprof-compute analyze`` of rocprofiler-compute reads (docs/formats/compute.md)."""

from rocprofsys_multipass.compute.export import write_compute
from rocprofsys_multipass.compute.result import ComputeExport, ComputeOptions, ModelExport

__all__ = ["ComputeExport", "ComputeOptions", "ModelExport", "write_compute"]
