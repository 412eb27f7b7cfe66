# SPDX-License-Identifier: MIT
"""How a run is asked for: options, where their values come from, and the checks that need no GPU."""

from rocprofsys_multipass.config.asked import Elsewhere, Source, events_from_environment, unknown_variables
from rocprofsys_multipass.config.calls import given_of, value_of
from rocprofsys_multipass.config.effect import NOT_REPLAYED, idle_options, unused_settings
from rocprofsys_multipass.config.events import MalformedToken, check_events, has_token, tokens
from rocprofsys_multipass.config.handover import HANDOVER_SCHEMA, handover_document
from rocprofsys_multipass.config.launcher import launcher_rank, launcher_size, left_out_rank
from rocprofsys_multipass.config.option import PREFIX, Option
from rocprofsys_multipass.config.options import (
    PlanRequest,
    RunConfig,
    resolve_option,
    resolve_options,
    resolve_plan_request,
    resolve_run,
)
from rocprofsys_multipass.config.output import DEFAULT_OUTPUT_FOLDER, application_name, expand_output
from rocprofsys_multipass.config.schema import OTHER_VARIABLES, RUN_OPTIONS, SECTIONS, find_option
from rocprofsys_multipass.config.text import check_text, readable
from rocprofsys_multipass.config.values import contains, split_names
from rocprofsys_multipass.config.wording import COMMAND_LINE, PYTHON, Wording

__all__ = [
    "COMMAND_LINE",
    "DEFAULT_OUTPUT_FOLDER",
    "HANDOVER_SCHEMA",
    "NOT_REPLAYED",
    "OTHER_VARIABLES",
    "PREFIX",
    "PYTHON",
    "RUN_OPTIONS",
    "SECTIONS",
    "Elsewhere",
    "MalformedToken",
    "Option",
    "PlanRequest",
    "RunConfig",
    "Source",
    "Wording",
    "application_name",
    "check_events",
    "check_text",
    "contains",
    "events_from_environment",
    "expand_output",
    "find_option",
    "given_of",
    "handover_document",
    "has_token",
    "idle_options",
    "launcher_rank",
    "launcher_size",
    "left_out_rank",
    "readable",
    "resolve_option",
    "resolve_options",
    "resolve_plan_request",
    "resolve_run",
    "split_names",
    "tokens",
    "unknown_variables",
    "unused_settings",
    "value_of",
]
