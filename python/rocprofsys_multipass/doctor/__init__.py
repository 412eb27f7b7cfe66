# SPDX-License-Identifier: MIT
"""What this machine can do, and what stands in the way of a run: the command ``doctor``."""

from rocprofsys_multipass.doctor.check import Check, Status
from rocprofsys_multipass.doctor.diagnosis import DOCTOR_SCHEMA, Diagnosis, diagnose
from rocprofsys_multipass.doctor.machine import Machine

__all__ = ["DOCTOR_SCHEMA", "Check", "Diagnosis", "Machine", "Status", "diagnose"]
