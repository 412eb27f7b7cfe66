# SPDX-License-Identifier: MIT
"""The directory of one model of GPU while it is written: rows and side table grow, the rest is written at the end."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TextIO

from rocprofsys_multipass.compute import folder as names
from rocprofsys_multipass.compute.channels import NO_CHANNELS, ChannelPlan, channel_plan
from rocprofsys_multipass.compute.complete import FILTERED, GUI_ACTIVE, Judgement
from rocprofsys_multipass.compute.names import KernelNames
from rocprofsys_multipass.compute.notes import PROFILING_TEXT, Notes
from rocprofsys_multipass.compute.numbering import Capture
from rocprofsys_multipass.compute.result import ComputeOptions
from rocprofsys_multipass.compute.rows import COLUMNS, Launch, write_rows
from rocprofsys_multipass.compute.side_table import SIDE_COLUMNS, SideRow
from rocprofsys_multipass.compute.sysinfo import Sysinfo, sysinfo_text
from rocprofsys_multipass.compute.tally import BUSY, Tally, sysinfo_warnings
from rocprofsys_multipass.errors import OutputError
from rocprofsys_multipass.trace.agent import Agent

_PACKED_LEVEL: Final = 6


@dataclass(frozen=True, slots=True)
class Entry:
    """A dispatch or launch shape that is judged. `launch` is None where it is unusable."""

    row: SideRow
    judgement: Judgement
    launch: Launch | None
    values: Mapping[str, float]


class Directory:
    """Takes dispatches in the order of their numbers. `close` ends it early; `finish` makes it whole."""

    def __init__(
        self, place: Path, sysinfo: Sysinfo, options: ComputeOptions, kernels: KernelNames, *, channels: bool
    ) -> None:
        self.place = place
        self.sysinfo = sysinfo
        self.tally = Tally()
        self.captures: list[Capture] = []  # with dispatches here
        self._options = options
        self._kernels = kernels
        self._changed: dict[str, str] = {}  # names of kernels, by what they are in rows
        self._with_channels = channels
        self._agents: dict[tuple[object, int], Agent] = {}
        self._plans: dict[tuple[object, int], ChannelPlan] = {}
        self._open = ExitStack()
        place.mkdir()
        self._rows = self._stream(names.TABLE)
        self._side = self._stream(names.SIDE_TABLE)
        self._rows.write(",".join(COLUMNS) + "\n")
        self._side.write(",".join(SIDE_COLUMNS) + "\n")

    def _stream(self, name: str) -> TextIO:
        path = self.place / name
        return self._open.enter_context(path.open("w", encoding="utf-8", errors="backslashreplace", newline=""))

    def close(self) -> None:
        """Closes what is open. OSError: the rest could not be written."""
        self._open.close()

    def plan_of(self, capture: Capture, agent: Agent) -> ChannelPlan:
        """The channels that are exported of a GPU; with it the GPU is known to be one of this model."""
        key = (capture.key, agent.index)
        if key not in self._plans:
            self._agents[key] = agent
            self._plans[key] = channel_plan(agent, self.sysinfo) if self._with_channels else NO_CHANNELS
            if not any(one is capture for one in self.captures[-1:]):
                self.captures.append(capture)
        return self._plans[key]

    def add(self, entry: Entry) -> None:
        """The next dispatch: it gets a number, or is left out."""
        shown = entry.row.kernel
        if (original := self._kernels.originals.get(shown, shown)) != shown:
            self._changed[shown] = original
        why_not = entry.judgement.why_not(partial=self._options.include_partial)
        if why_not != FILTERED and not self.sysinfo.is_readable:
            why_not = f"rocprofiler-compute has no panels of {self.sysinfo.architecture or 'a GPU without a name'}"
        self.tally.read |= bool(entry.values)
        number = None
        if why_not or entry.launch is None:
            self.tally.leave_out(why_not)
        else:
            number = self._options.first_number + self.tally.exported
            write_rows(self._rows, number, entry.launch, entry.values)
            self.tally.export(entry.row, entry.values, partial=bool(entry.judgement.incomplete))
        self._side.write(entry.row.line(self._options.kind, number, why_not))

    @property
    def product(self) -> str:
        """What the vendor calls the GPU; empty: unknown."""
        return next((agent.product_name for agent in self._agents.values() if agent.product_name), "")

    def warnings(self) -> Iterator[str]:
        """Of this directory, without its name."""
        yield from self.tally.warnings(self._options)
        yield from sysinfo_warnings(self.sysinfo)
        refused = sorted({one for plan in self._plans.values() for one in plan.refused})
        if refused:
            yield (
                f"no rows for channels of {', '.join(refused)}: the dimensions of its instances are not those of the "
                f"channels of {self.sysinfo.architecture}: panel 18 stays blank"
            )
        if self._options.channels and not any(plan.positions for plan in self._plans.values()) and not refused:
            yield "no counter that panel 18 wants of each channel is planned: run with --compute-panels 18"

    def finish(self, name: str, of_captures: list[str]) -> None:
        """Writes what is left. OutputError: ``analyze`` could not read it. OSError: a file cannot be written."""
        self.close()
        if self.tally.splits_cycles:
            raise OutputError(
                f"{name}: {GUI_ACTIVE} and {BUSY} are both there, but no {self._options.thing} has the two, "
                "and analyze ends on that: export without --include-partial, or captures that read both, "
                "or give --kernel-medians"
            )
        notes = Notes(
            name=name,
            options=self._options,
            sysinfo=self.sysinfo,
            tally=self.tally,
            captures=self.captures,
            agents=tuple(self._agents.values()),
            warnings=(*of_captures, *self.warnings()),
            changed_names=self._changed,
        )
        self._write(names.SYSINFO, sysinfo_text(self.sysinfo, self.product, self.captures))
        self._write(names.PROFILING, PROFILING_TEXT)
        self._write(names.NOTES, notes.text())
        if self._options.release == "3.9":
            self._pack()

    def _write(self, name: str, text: str) -> None:
        with (self.place / name).open("w", encoding="utf-8", errors="backslashreplace", newline="") as stream:
            stream.write(text)

    def _pack(self) -> None:
        with (
            (self.place / names.TABLE).open("rb") as plain,
            (self.place / names.PACKED).open("wb") as packed,
            # Without name and time, so that equal content makes equal bytes.
            gzip.GzipFile(filename="", mode="wb", compresslevel=_PACKED_LEVEL, fileobj=packed, mtime=0) as stream,
        ):
            shutil.copyfileobj(plain, stream, 1 << 20)
