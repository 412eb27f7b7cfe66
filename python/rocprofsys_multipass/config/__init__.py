# SPDX-License-Identifier: MIT
"""How a run is asked for: options, where their values come from, and the checks that need no GPU."""

from rocprofsys_multipass.config.events import MalformedToken, check_events
from rocprofsys_multipass.config.launcher import launcher_rank
from rocprofsys_multipass.config.options import (
    PREFIX,
    RUN_OPTIONS,
    Option,
    RunConfig,
    events_from_environment,
    resolve_run,
    unknown_variables,
)
from rocprofsys_multipass.config.output import DEFAULT_OUTPUT_FOLDER, application_name, expand_output

__all__ = [
    "DEFAULT_OUTPUT_FOLDER",
    "PREFIX",
    "RUN_OPTIONS",
    "MalformedToken",
    "Option",
    "RunConfig",
    "application_name",
    "check_events",
    "events_from_environment",
    "expand_output",
    "launcher_rank",
    "resolve_run",
    "unknown_variables",
]
