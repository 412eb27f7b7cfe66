# SPDX-License-Identifier: MIT
"""The environment of the application: what makes the SDK load the plugin, and the simulator when one is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocprofsys_multipass.simulate import simulated_environment

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

TOOL_VARIABLE = "ROCP_TOOL_LIBRARIES"
RESOLVED_VARIABLE = "ROCPROFSYS_MULTIPASS_RESOLVED"


def child_environment(
    environ: Mapping[str, str], *, plugin: Path, config: Path, simulate: str, simulator: Path | None
) -> dict[str, str]:
    """A copy of `environ` with what the run needs; everything else stays as the user has it."""
    child = simulated_environment(environ, simulate, simulator)
    child[RESOLVED_VARIABLE] = str(config)
    child[TOOL_VARIABLE] = tool_libraries(str(plugin), environ.get(TOOL_VARIABLE, ""))
    return child


def tool_libraries(plugin: str, existing: str) -> str:
    """Value of ROCP_TOOL_LIBRARIES that loads the plugin first and then the user's tools.

    The SDK drops what follows the last colon when there is a colon (rocprofiler-sdk registration.cpp @0028ad56), and
    launchers of rocprof-sys take out a colon at the end and parts that are there twice. So the last part is the plugin
    again, spelled differently: the SDK either drops it or finds that it has it.
    """
    folder, slash, name = plugin.rpartition("/")
    again = f"{folder}/./{name}" if slash else ""
    others = [entry for entry in existing.split(":") if entry and entry not in (plugin, again)]
    return ":".join([plugin, *others, again]) if others else plugin
