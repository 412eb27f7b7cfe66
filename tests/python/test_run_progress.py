# SPDX-License-Identifier: MIT
"""The progress of an export is shown to the user of a command, past what is read of the exporter."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import TextIO

import pytest

from rocprofsys_multipass.run.export import export_journal
from rocprofsys_multipass.run.progress import progress_on

EXPORTER = f"""#!{sys.executable}
import os, sys
if "--progress" in sys.argv:
    os.write(int(sys.argv[sys.argv.index("--progress") + 1]), b"half\\n")
sys.stderr.write("rocprof-sys-multipass: warning: w\\n")
"""


@pytest.fixture
def exporter(tmp_path: Path) -> Path:
    path = tmp_path / "exporter"
    path.write_text(EXPORTER, encoding="utf-8")
    path.chmod(0o755)
    return path


def shown(exporter: Path, stream: TextIO | None) -> None:
    with progress_on(stream):
        exported = export_journal(exporter, exporter.with_name("x.journal"), ["rocpd"])
    assert (exported.warnings, exported.error) == (("w",), "")


def test_it_is_shown_on_the_stream_of_the_command(exporter: Path, tmp_path: Path):
    with (tmp_path / "terminal").open("w+", encoding="utf-8") as stream:
        shown(exporter, stream)
        stream.seek(0)
        assert stream.read() == "half\n"


@pytest.mark.parametrize("stream", [None, io.StringIO()])
def test_it_is_shown_nowhere_without_a_descriptor(exporter: Path, stream: TextIO | None):
    shown(exporter, stream)


def test_no_descriptor_is_left_open(exporter: Path, tmp_path: Path):
    before = len(list(Path("/proc/self/fd").iterdir()))
    with (tmp_path / "terminal").open("w", encoding="utf-8") as stream:
        shown(exporter, stream)
    assert len(list(Path("/proc/self/fd").iterdir())) == before
