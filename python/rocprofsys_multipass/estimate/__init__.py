# SPDX-License-Identifier: MIT
"""What a plan will cost, before the run: arithmetic on what is told of the application, not a measurement.

The formulas are those by which the plugin decides on replays as long as it has measured nothing. docs/planner.md says
how they are meant, docs/formats/plan.md what the members are.
"""

from rocprofsys_multipass.estimate.amounts import factor_text, size_text, time_text
from rocprofsys_multipass.estimate.asked import Amount, Told
from rocprofsys_multipass.estimate.constants import ASSUMED_COPY_RATE
from rocprofsys_multipass.estimate.estimate import AgentEstimate, Estimate, estimate_plan
from rocprofsys_multipass.estimate.room import HostRoom
from rocprofsys_multipass.estimate.ways import Limits, Way
from rocprofsys_multipass.estimate.window import Window, Workload

__all__ = [
    "ASSUMED_COPY_RATE",
    "AgentEstimate",
    "Amount",
    "Estimate",
    "HostRoom",
    "Limits",
    "Told",
    "Way",
    "Window",
    "Workload",
    "estimate_plan",
    "factor_text",
    "size_text",
    "time_text",
]
