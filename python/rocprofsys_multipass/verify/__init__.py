# SPDX-License-Identifier: MIT
"""Checks the outputs of a run independently of the code that wrote them.

::

    for finding in verify("out"):
        print(finding)

`CHECKS` lists what is checked: id and description of each.
"""

from rocprofsys_multipass.verify.finding import SEVERITIES, Finding, Severity
from rocprofsys_multipass.verify.limits import Limits
from rocprofsys_multipass.verify.registry import CHECKS, Check
from rocprofsys_multipass.verify.run import verify

__all__ = ["CHECKS", "SEVERITIES", "Check", "Finding", "Limits", "Severity", "verify"]
