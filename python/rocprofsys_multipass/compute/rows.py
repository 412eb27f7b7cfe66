# SPDX-License-Identifier: MIT
"""The rows of ``pmc_perf.csv``: one for each counter of each numbered dispatch, in order of number and name.

Columns and types: ROCm/rocm-systems projects/rocprofiler-compute @1b1610fc, `src/utils/rocpd_data.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Final, TextIO

from rocprofsys_multipass.trace.model import Dispatch
from rocprofsys_multipass.trace.tidy import cell

COLUMNS: Final = (
    *("GPU_ID", "Dispatch_ID", "Grid_Size", "Workgroup_Size", "LDS_Per_Workgroup", "Scratch_Per_Workitem"),
    *("Arch_VGPR", "Accum_VGPR", "SGPR", "Kernel_Name", "Start_Timestamp", "End_Timestamp", "Kernel_ID"),
    *("Counter_Name", "Counter_Value"),
)
# From here on whole numbers are written as floating point, and with them pandas reads the whole column so. As integers
# of 64 bits they overflow in formulas, which multiply by 512 and 100 and add: 100 * 1e17 gives a hit rate of -42 %.
_WHOLE_BELOW: Final = 1e12


@dataclass(frozen=True, slots=True)
class Launch:
    """What rows say of a dispatch beside its counters: sizes in work-items and bytes, times in ns."""

    gpu: int
    grid: int
    workgroup: int
    lds: int
    scratch: int
    arch_vgpr: int
    accum_vgpr: int
    sgpr: int
    kernel: str
    start_ns: int
    end_ns: int
    kernel_id: int


def launch_of(d: Dispatch, kernel: str, gpu: int, times: tuple[int, int]) -> Launch:
    """The dispatch, or the launch shape that it is the first of, with these times. `kernel`: its name in rows."""
    symbol = d.symbol
    return Launch(
        gpu=gpu,
        grid=prod(d.grid or ()),
        workgroup=prod(d.workgroup or ()),
        # The launch's has what the kernel declares in it, and what is asked for when it is launched.
        lds=max(d.group_segment_size or 0, symbol.group_segment_size or 0),
        scratch=d.private_segment_size or 0,
        arch_vgpr=symbol.arch_vgpr_count or 0,
        accum_vgpr=symbol.accum_vgpr_count or 0,
        sgpr=symbol.sgpr_count or 0,
        kernel=kernel,
        start_ns=times[0],
        end_ns=times[1],
        kernel_id=symbol.id or 0,
    )


def write_rows(stream: TextIO, number: int, launch: Launch, values: Mapping[str, float]) -> None:
    """The rows of one dispatch, in order of the names of counters."""
    one = launch
    sizes = (one.grid, one.workgroup, one.lds, one.scratch, one.arch_vgpr, one.accum_vgpr, one.sgpr)
    head = ",".join(map(cell, (one.gpu, number, *sizes, one.kernel, one.start_ns, one.end_ns, one.kernel_id)))
    stream.writelines(f"{head},{_counter_cell(name)},{number_text(values[name])}\n" for name in sorted(values))


@cache
def _counter_cell(name: str) -> str:
    """The name of a counter, of which there are some thousand, in a row, of which there are millions."""
    return cell(name)


def number_text(value: float) -> str:
    """A whole number below 10^12 as an integer, another as floating point with the digits that give it back."""
    return str(int(value)) if value.is_integer() and abs(value) < _WHOLE_BELOW else repr(value)
