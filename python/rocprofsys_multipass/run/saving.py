# SPDX-License-Identifier: MIT
"""What an application left in the output folder of a run: each journal exported, and what there is to say of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from rocprofsys_multipass.capture_loss import loss_text, read_loss
from rocprofsys_multipass.config.values import COMPUTE
from rocprofsys_multipass.errors import MultipassError, OutputError
from rocprofsys_multipass.native import read_messages
from rocprofsys_multipass.run.afterwards import nothing_captured
from rocprofsys_multipass.run.compute_folders import compute_name_of_run
from rocprofsys_multipass.run.computing import ComputeGiven, compute_of, with_command
from rocprofsys_multipass.run.export import (
    Exported,
    Form,
    export_journal,
    is_early_end,
    is_loss,
    other_warnings,
    output_files,
    plugin_warnings,
    read_summary,
    tells_loss,
)
from rocprofsys_multipass.run.leftovers import remove_leftovers
from rocprofsys_multipass.run.tables import write_tables
from rocprofsys_multipass.run.writers import writer_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from rocprofsys_multipass.capture_loss import CaptureLoss
    from rocprofsys_multipass.compute import ModelExport
    from rocprofsys_multipass.config import RunConfig, Wording
    from rocprofsys_multipass.run.directory import RunDirectory
    from rocprofsys_multipass.run.handover import Handover
    from rocprofsys_multipass.run.process import Ended

_REFUSED: Final = "the program runs unprofiled: "  # begins the plugin's one line of why it withdraws


@dataclass
class Saved:
    """What was saved, and what went wrong with it; nothing is raised. `plugin_warnings`: what the plugin said."""

    config: RunConfig
    warnings: list[str] = field(default_factory=list)
    plugin_warnings: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    summaries: list[dict[str, Any]] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)
    models: list[ModelExport] = field(default_factory=list)

    def save(self, exporter: Path, directory: RunDirectory, token: str, wording: Wording) -> list[Path] | None:
        """Export the journals of a run, and return them; None where the folder cannot be read any more.

        The application may have done anything to the folder meanwhile.
        """
        if not directory.path.is_dir():
            self.errors.append(
                f"the output folder {directory.path} was removed or renamed while the application ran, and what was "
                f"captured with it: give {wording.give_output} that the application leaves alone"
            )
            return None
        try:
            journals = directory.journals(token)
            for journal in journals:
                self._export(exporter, journal, wording)
        except OSError as error:
            self.errors.append(f"the output folder {directory.path} cannot be read any more: {error}")
            return None
        return journals

    def compute(self, directory: RunDirectory, journals: Sequence[Path], *, alone: bool) -> None:
        """Make what was asked for rocprofiler-compute of the journals, which are all of this run.

        `alone`: no wrapper of another rank writes beside this one. A run that launched nothing has nothing for it,
        which is no error, as it is none of other outputs.
        """
        if COMPUTE not in self.config.formats or not journals or not self._has_readings():
            return
        folder = directory.path / compute_name_of_run(journals, alone=alone)
        given = ComputeGiven(self.config.compute_release)
        made = compute_of(journals, folder, given)
        self.models += made.models
        self.warnings += [with_command(text, directory.path) for text in made.warnings_beside(journals)]
        self.errors += [
            text
            for journal, text in made.unreadable.items()
            if not any(error.startswith(f"{journal} ") for error in self.errors)  # the exporter has told
        ]
        if made.error:
            self.errors.append(with_command(made.error, directory.path))

    def _has_readings(self) -> bool:
        """Whether there were launches on a GPU whose counters could be read; where not, others tell."""
        launched = any(summary["dispatches"]["seen"] for summary in self.summaries)
        planned = any(agent.get("pass_count") for summary in self.summaries for agent in summary["agents"])
        if not self.summaries or (launched and planned):
            return True
        if planned:
            self.warnings.append("nothing is written for rocprofiler-compute: no kernel was launched")
        return False

    def explain_nothing(
        self, directory: RunDirectory, handover: Handover, environ: Mapping[str, str], child: Ended, *, captured: bool
    ) -> None:
        """Say why there is no journal, as far as it can be told. `captured`: whether the plugin's words were."""
        self.warnings.append(nothing_captured(environ, self.config, stderr=child.err if captured else None))
        self.errors += _refusals(child.err) or filter(None, [directory.fault(handover)])

    def _export(self, exporter: Path, journal: Path, wording: Wording) -> None:
        formats, form = self.config.formats, Form(self.config.layout, self.config.trace_counters)
        size = journal.stat().st_size
        exported = export_journal(exporter, journal, formats, form=form)
        if any(map(is_early_end, exported.warnings)):
            if (writer := writer_of(journal)) is not None:
                self.warnings.append(
                    f"{journal}: process {writer} still runs and is recorded; its outputs hold what it had done until "
                    f"now: when it has ended, complete them with rocprof-sys-multipass recover {journal.parent}"
                )
                exported = replace(
                    exported, warnings=tuple(text for text in exported.warnings if not is_early_end(text))
                )
            elif journal.stat().st_size != size:  # it ended meanwhile
                exported = export_journal(exporter, journal, formats, form=form)
        loss = read_loss(journal)
        self.warnings += other_warnings(exported.warnings, loss)
        if loss is not None:
            self.errors.append(loss_text(journal, loss, wording.give_output))
        if exported.error:
            again = f"rocprof-sys-multipass recover {journal.parent}"
            remove_leftovers(journal)
            self.errors.append(f"{exported.error}; what was captured is kept: see to that, then {again}")
        else:
            self._read_summary(journal, exported, loss)
        try:
            write_tables(journal, formats)
        except MultipassError as error:
            self.errors.append(str(error))
        self.files += output_files(journal, formats)

    def _read_summary(self, journal: Path, exported: Exported, loss: CaptureLoss | None) -> None:
        try:
            summary = read_summary(journal)
        except OutputError as error:
            self.errors.append(str(error))
            return
        self.summaries.append(summary)
        for text in plugin_warnings(summary, journal, exported):
            if loss is not None and tells_loss(text):
                continue
            if is_loss(text):
                self.errors.append(f"{journal}: {text}")
            else:
                self.plugin_warnings.append(text)


def _refusals(stderr: str) -> list[str]:
    """Why the plugin did not profile, where its words were captured."""
    return [text for text in read_messages(stderr).errors if text.startswith(_REFUSED)]
