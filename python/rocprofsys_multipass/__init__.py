# SPDX-License-Identifier: MIT
"""More hardware counters than one pass holds, from one run of an application, by kernel replay.

::

    import rocprofsys_multipass as mp

    gpu = mp.counters(device="gfx942", pattern="tcc_hit")[0]
    plan = mp.plan(device="gfx942", events=["SQ_WAVES", "FETCH_SIZE", "WRITE_SIZE"])
    plan.estimate(footprint="10GB", dispatches=1000, kernel_time="1ms")  # what a run would cost, and how to do it best
    run = mp.run(["./app"], events=["SQ_WAVES", "FETCH_SIZE", "WRITE_SIZE"], output="out")
    trace = mp.open_trace("out")
    findings = mp.verify("out")
    mp.assert_counter(trace, "axpy", "SQ_WAVES", 256, rel=0.01)  # for tests: docs/testing.md
    print(mp.report("out", "markdown"))
    mp.export("out", "csv,json")
    mp.merge("out", "rocprof-sys-app-output")  # into copies of rocprof-sys's trace and database
    mp.combine("out")  # all ranks of an MPI program in one trace and one database
    mp.recover("out")  # after the application was killed together with its wrapper

Names are imported when they are first used: importing this package reads no file and starts nothing.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # `X as X` marks the name as one that this package offers, also where a submodule has the same name.
    from rocprofsys_multipass import testing as testing
    from rocprofsys_multipass.compute import ModelExport as ModelExport
    from rocprofsys_multipass.counters import AgentCounters as AgentCounters
    from rocprofsys_multipass.counters import CounterInfo as CounterInfo
    from rocprofsys_multipass.counters import counters as counters
    from rocprofsys_multipass.errors import CounterError as CounterError
    from rocprofsys_multipass.errors import ExitCode as ExitCode
    from rocprofsys_multipass.errors import MultipassError as MultipassError
    from rocprofsys_multipass.estimate import AgentEstimate as AgentEstimate
    from rocprofsys_multipass.estimate import Estimate as Estimate
    from rocprofsys_multipass.merge import CombineResult as CombineResult
    from rocprofsys_multipass.merge import MergeResult as MergeResult
    from rocprofsys_multipass.merge import combine as combine
    from rocprofsys_multipass.merge import merge as merge
    from rocprofsys_multipass.metrics import metric_values as metric_values
    from rocprofsys_multipass.plan import plan as plan
    from rocprofsys_multipass.planned import AgentPlan as AgentPlan
    from rocprofsys_multipass.planned import BlockBound as BlockBound
    from rocprofsys_multipass.planned import GroupPlacement as GroupPlacement
    from rocprofsys_multipass.planned import PartnersPlacement as PartnersPlacement
    from rocprofsys_multipass.planned import PassPlan as PassPlan
    from rocprofsys_multipass.planned import Plan as Plan
    from rocprofsys_multipass.planned import PlanBounds as PlanBounds
    from rocprofsys_multipass.planned import PlannedMetric as PlannedMetric
    from rocprofsys_multipass.planned import UnplaceableCounter as UnplaceableCounter
    from rocprofsys_multipass.report import report as report
    from rocprofsys_multipass.run import Recovered as Recovered
    from rocprofsys_multipass.run import Run as Run
    from rocprofsys_multipass.run import export as export
    from rocprofsys_multipass.run import recover as recover
    from rocprofsys_multipass.run import run as run
    from rocprofsys_multipass.testing import CheckError as CheckError
    from rocprofsys_multipass.testing import assert_complete as assert_complete
    from rocprofsys_multipass.testing import assert_counter as assert_counter
    from rocprofsys_multipass.testing import assert_metric as assert_metric
    from rocprofsys_multipass.testing import assert_no_double_count as assert_no_double_count
    from rocprofsys_multipass.testing import assert_passes as assert_passes
    from rocprofsys_multipass.testing import assert_same_work as assert_same_work
    from rocprofsys_multipass.testing import assert_verified as assert_verified
    from rocprofsys_multipass.trace import Dispatch as Dispatch
    from rocprofsys_multipass.trace import Interval as Interval
    from rocprofsys_multipass.trace import KernelCounter as KernelCounter
    from rocprofsys_multipass.trace import KernelVerdicts as KernelVerdicts
    from rocprofsys_multipass.trace import Pass as Pass
    from rocprofsys_multipass.trace import Tolerances as Tolerances
    from rocprofsys_multipass.trace import Trace as Trace
    from rocprofsys_multipass.trace import open_trace as open_trace
    from rocprofsys_multipass.trace import verdicts as verdicts
    from rocprofsys_multipass.verify import Finding as Finding
    from rocprofsys_multipass.verify import Limits as Limits
    from rocprofsys_multipass.verify import verify as verify

    __version__: str

_HOMES = {
    "AgentCounters": "counters",
    "AgentEstimate": "estimate",
    "AgentPlan": "planned",
    "BlockBound": "planned",
    "CheckError": "testing",
    "CombineResult": "merge",
    "CounterError": "errors",
    "CounterInfo": "counters",
    "Dispatch": "trace",
    "Estimate": "estimate",
    "ExitCode": "errors",
    "Finding": "verify",
    "GroupPlacement": "planned",
    "Interval": "trace",
    "KernelCounter": "trace",
    "KernelVerdicts": "trace",
    "Limits": "verify",
    "MergeResult": "merge",
    "ModelExport": "compute",
    "MultipassError": "errors",
    "PartnersPlacement": "planned",
    "Pass": "trace",
    "PassPlan": "planned",
    "Plan": "planned",
    "PlanBounds": "planned",
    "PlannedMetric": "planned",
    "Recovered": "run",
    "Run": "run",
    "Tolerances": "trace",
    "Trace": "trace",
    "UnplaceableCounter": "planned",
    "assert_complete": "testing",
    "assert_counter": "testing",
    "assert_metric": "testing",
    "assert_no_double_count": "testing",
    "assert_passes": "testing",
    "assert_same_work": "testing",
    "assert_verified": "testing",
    "combine": "merge",
    "counters": "counters",
    "export": "run",
    "merge": "merge",
    "metric_values": "metrics",
    "open_trace": "trace",
    "plan": "plan",
    "recover": "run",
    "report": "report",
    "run": "run",
    "verdicts": "trace",
    "verify": "verify",
}

_MODULES = ("testing",)
"""Modules that are public as such."""

__all__ = [  # noqa: PLE0604 - the literal table above is the one list; a test compares it with the imports
    *_HOMES,
    *_MODULES,
    "__version__",
]


class _Package(ModuleType):
    """Type of this package: keeps `plan`, `run` and their like the functions that they are documented to be.

    Importing a submodule binds its name in the package, which would hide a function of the same name.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if name in _HOMES and isinstance(value, ModuleType):
            return
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> object:
    if name == "__version__":
        value: object = _version()
    elif name in _MODULES:
        value = import_module(f"{__name__}.{name}")
    elif name in _HOMES:
        value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    else:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


def _version() -> str:
    """Version of the installed package; of the source tree where the package is used from there."""
    from importlib import metadata  # costs 20 ms, and few ask
    from pathlib import Path

    source = Path(__file__).parents[2] / "VERSION"
    if source.is_file():
        return source.read_text(encoding="utf-8").strip()
    return metadata.version("rocprofsys-multipass")
