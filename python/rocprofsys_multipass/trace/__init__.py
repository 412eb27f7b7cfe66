# SPDX-License-Identifier: MIT
"""Reads what a run recorded: journal, Perfetto trace or rocpd database, as one model.

::

    trace = open_trace("out")
    for dispatch in trace.dispatches(kernel="axpy"):
        print(dispatch.dispatch_id, dispatch.outcome, dispatch.counter("SQ_WAVES"), dispatch.passes[0].duration_ns)
    trace.to_pandas()
"""

from rocprofsys_multipass.trace.agent import Agent, BlockUse, CounterInfo, PlannedPass, Unplaceable
from rocprofsys_multipass.trace.agreement import KernelVerdicts, Tolerances, verdicts
from rocprofsys_multipass.trace.kernel_counters import KernelCounter
from rocprofsys_multipass.trace.model import (
    OUTCOMES,
    Dispatch,
    DurationSpread,
    Interval,
    Kernel,
    Outcome,
    Pass,
    Process,
    Reading,
    Trace,
)
from rocprofsys_multipass.trace.open import open_trace

__all__ = [
    "OUTCOMES",
    "Agent",
    "BlockUse",
    "CounterInfo",
    "Dispatch",
    "DurationSpread",
    "Interval",
    "Kernel",
    "KernelCounter",
    "KernelVerdicts",
    "Outcome",
    "Pass",
    "PlannedPass",
    "Process",
    "Reading",
    "Tolerances",
    "Trace",
    "Unplaceable",
    "open_trace",
    "verdicts",
]
