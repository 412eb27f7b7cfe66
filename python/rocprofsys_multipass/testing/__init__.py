# SPDX-License-Identifier: MIT
"""For tests and CI: assertions on what a run recorded, traces made by hand, own sources on simulated GPUs.

::

    import rocprofsys_multipass as mp

    def test_axpy(multipass_run):  # the fixture of the pytest plugin, see docs/testing.md
        trace = multipass_run(["./axpy"], events=["SQ_WAVES", "FETCH_SIZE"], simulate="gfx942")
        mp.assert_counter(trace, "axpy", "SQ_WAVES", 256)
        mp.assert_complete(trace)

Nothing here needs pytest. An assertion raises `CheckError`, an AssertionError with a list of failures; the function
``check_...`` beside it returns what is wrong instead, or None.
"""

from rocprofsys_multipass.testing.build import build_hip, simulate
from rocprofsys_multipass.testing.collect import RunTrace, collect
from rocprofsys_multipass.testing.counters import assert_counter, assert_metric, check_counter, check_metric
from rocprofsys_multipass.testing.failure import CheckError, Failed, Failure
from rocprofsys_multipass.testing.files import (
    DOUBLE_COUNT_CHECKS,
    assert_no_double_count,
    assert_verified,
    check_no_double_count,
    check_verified,
)
from rocprofsys_multipass.testing.made import Launch, launch, trace
from rocprofsys_multipass.testing.whole import (
    assert_complete,
    assert_passes,
    assert_same_work,
    check_complete,
    check_passes,
    check_same_work,
)

__all__ = [
    "DOUBLE_COUNT_CHECKS",
    "CheckError",
    "Failed",
    "Failure",
    "Launch",
    "RunTrace",
    "assert_complete",
    "assert_counter",
    "assert_metric",
    "assert_no_double_count",
    "assert_passes",
    "assert_same_work",
    "assert_verified",
    "build_hip",
    "check_complete",
    "check_counter",
    "check_metric",
    "check_no_double_count",
    "check_passes",
    "check_same_work",
    "check_verified",
    "collect",
    "launch",
    "simulate",
    "trace",
]
