# SPDX-License-Identifier: MIT
"""What an exporter that was killed leaves: outputs under the names that they have until they are whole."""

from __future__ import annotations

import glob
import shutil
from pathlib import Path

from rocprofsys_multipass.config.values import COMPUTE, FILE_FORMATS
from rocprofsys_multipass.run.export import output_file, sidecar_file
from rocprofsys_multipass.writing import is_orphan


def remove_leftovers(journal: Path, folder: Path | None = None) -> list[str]:
    """Remove what an exporter that was killed left of its outputs: ``<name>.tmp-<pid>`` of a process that is gone.

    Beside the journal, or in the folder that it wrote to.
    """
    notes = []
    outputs = [output_file(journal, kind, folder) for kind in (*FILE_FORMATS, "summary")]
    for output in (*outputs, sidecar_file(output_file(journal, "rocpd", folder))):
        for path in output.parent.glob(f"{glob.escape(output.name)}.tmp-*"):
            process = path.name.rpartition("-")[2]
            if process.isdigit() and not Path("/proc", process).exists():
                path.unlink(missing_ok=True)
                notes.append(f"{path.name}, which process {process} left unfinished, was removed")
    return notes


def remove_compute_leftovers(place: Path) -> None:
    """Remove what killed writers of folders for rocprofiler-compute left in `place`.

    On a shared disk there are folders of other hosts too, whose processes are not seen from here.
    """
    for path in place.glob(f".{COMPUTE}*.tmp-*"):
        if is_orphan(path.name):
            shutil.rmtree(path, ignore_errors=True)
