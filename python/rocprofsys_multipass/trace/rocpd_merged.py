# SPDX-License-Identifier: MIT
"""What a database of rocprof-sys tells of the run of this tool that was merged into it.

It is JSON in `rocpd_metadata`, a row for each process: the rows of process and agents stay as rocprof-sys wrote them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from rocprofsys_multipass.trace.database import Database, json_object

RUN: Final = "replay_run"
JOINED: Final = "replay_joined"  # of another run of the same program: counters without passes


@dataclass(frozen=True)
class MergedRun:
    """Of one process: suffix of its tables, guid and id of its row, and what this tool says of process and agents.

    `own_guid`: the guid of this tool's file. `counters`: rows of `info_pmc`. `agents`: their extdata by row.
    """

    uuid: str
    guid: str
    process: int
    own_guid: str
    counters: tuple[int, ...] = ()
    of_process: Mapping[str, Any] = field(default_factory=dict)
    agents: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def members(self) -> Mapping[str, Any]:
        """As they are in the file."""
        return {
            "uuid": self.uuid,
            "guid": self.guid,
            "process": self.process,
            "own_guid": self.own_guid,
            "counters": list(self.counters),
            "extdata": self.of_process,
            "agents": {str(agent): extdata for agent, extdata in self.agents.items()},
        }


def merged_runs(values: Iterable[str]) -> Iterator[MergedRun]:
    """The runs that these rows tell of; what is not of that form is passed over."""
    for value in values:
        told = json_object(value)
        try:
            yield MergedRun(
                str(told["uuid"]),
                str(told["guid"]),
                int(told["process"]),
                str(told["own_guid"]),
                tuple(map(int, told["counters"])),
                dict(told["extdata"]),
                {int(agent): dict(extdata) for agent, extdata in told["agents"].items()},
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            continue


def runs_in(db: Database, *tags: str) -> tuple[MergedRun, ...]:
    """The runs that were merged into a database, with their passes if no tags are named; none: one tool wrote it."""
    return tuple(merged_runs(value for tag, value in db.metadata() if tag in (tags or (RUN,))))
