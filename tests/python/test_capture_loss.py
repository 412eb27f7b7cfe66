# SPDX-License-Identifier: MIT
"""What a capture lost, by its header, and who says so."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
import trace_tools as tools
from fake_native import Applications, FakeNative

import rocprofsys_multipass as mp
from rocprofsys_multipass.capture_loss import CaptureLoss, loss_text, read_loss
from rocprofsys_multipass.cli.lost_lines import lost_lines

JOURNAL = Path("/out/multipass-7.journal")
LOSE = """
import struct, zlib
path = output / f"multipass-{name}.journal"
head = b"RSMPJRNL" + struct.pack("<IIQI", 2, ERROR, LOST, 0)
path.write_bytes(head + struct.pack("<I", zlib.crc32(head)) + path.read_bytes()[32:])
"""
"""Of an application: what the plugin writes into the header when it loses records."""

DROPPED = "3 records were dropped: the capture file could not be written, or not fast enough"


def lose(records: int, error: int = 0) -> str:
    return LOSE.replace("ERROR", str(error)).replace("LOST", str(records))


@pytest.mark.parametrize(("lost", "error"), [(0, 0), (3, 0), (2**40, errno.ENOSPC), (0, errno.EIO)])
def test_the_header_says_what_was_lost(tmp_path: Path, lost: int, error: int) -> None:
    path = tmp_path / "x.journal"
    path.write_bytes(tools.journal_header(lost=lost, error=error))
    assert read_loss(path) == (CaptureLoss(lost, error) if lost or error else None)


@pytest.mark.parametrize("at", [0, 8, 12, 16, 31])
def test_a_header_that_is_damaged_tells_of_no_loss(tmp_path: Path, at: int) -> None:
    header = bytearray(tools.journal_header(lost=3, error=errno.ENOSPC))
    header[at] ^= 1
    (tmp_path / "x.journal").write_bytes(header)
    assert read_loss(tmp_path / "x.journal") is None
    (tmp_path / "x.journal").write_bytes(header[:at])
    assert read_loss(tmp_path / "x.journal") is None
    assert read_loss(tmp_path / "none.journal") is None


@pytest.mark.parametrize(
    ("loss", "text"),
    [
        (
            CaptureLoss(1234, errno.ENOSPC),
            (
                "the disk of /out is full: 1,234 records are lost at least (multipass-7.journal); make room "
                "there, or give FIX, and run again"
            ),
        ),
        (
            CaptureLoss(1, errno.EFBIG),
            (
                f"{JOURNAL} may not grow further (File too large): 1 record is lost at least; raise the limit "
                "(ulimit -f) and run again"
            ),
        ),
        (
            CaptureLoss(2, errno.EIO),
            (
                f"{JOURNAL} could not be written to its end (Input/output error): 2 records are lost at "
                "least; give FIX and run again"
            ),
        ),
        (
            CaptureLoss(2, 0),
            (
                f"{JOURNAL}: 2 records are lost at least: the disk took them more slowly than they came; give "
                "FIX on a faster disk, or count fewer launches, and run again"
            ),
        ),
    ],
)
def test_the_message_names_place_number_and_what_to_do(loss: CaptureLoss, text: str) -> None:
    assert loss_text(JOURNAL, loss, "FIX") == text


def test_a_run_that_lost_records_ends_with_7_and_says_so_once(native: FakeNative, applications: Applications) -> None:
    told = ("the capture could not be written to its end: No space left on device; 3 records at least are lost",)
    program = applications.profiled(lose(3, errno.ENOSPC), warnings=(DROPPED,), exporter_warnings=told)
    run = mp.run([program], events="A", output="out", capture=True)
    assert run.exit_code == 7
    (error,) = run.errors
    assert error.startswith("the disk of ")
    assert error.endswith("make room there, or give another folder with output=..., and run again")
    assert not [text for text in run.warnings if "lost" in text or "dropped" in text]
    assert len(run.files) == 4


def test_an_application_that_failed_keeps_its_code_where_records_were_lost(
    native: FakeNative, applications: Applications
) -> None:
    run = mp.run([applications.profiled(lose(3) + "sys.exit(9)")], events="A", output="out", capture=True)
    assert (run.exit_code, len(run.errors)) == (9, 1)


def capture(**changes: object) -> dict[str, object]:
    whole = {"ended": True, "records_lost": 0, "error": "", "damaged_bytes": 0, "damaged_frames": 0, "in_flight": None}
    return {"capture": whole | changes}


@pytest.mark.parametrize(
    ("summary", "lines"),
    [
        ({}, []),
        (capture(), []),
        (capture(ended=False), []),
        (
            capture(ended=False, in_flight=0),
            ["no dispatch was in flight at the last checkpoint before it ended"],
        ),
        (capture(ended=False, in_flight=1), ["lost: 1 dispatch in flight at the last checkpoint"]),
        (
            capture(ended=False, in_flight=2, records_lost=3, error="No space left on device", damaged_bytes=15),
            [
                (
                    "lost: 2 dispatches in flight at the last checkpoint, 3 records at least (No space left "
                    "on device), 15 damaged bytes"
                )
            ],
        ),
        (capture(records_lost=1), ["lost: 1 record at least (the disk was too slow)"]),
        (capture(damaged_frames=1), ["lost: 1 frame of the capture that cannot be understood"]),
    ],
)
def test_the_end_of_a_run_says_what_is_lost(summary: dict[str, object], lines: list[str]) -> None:
    assert list(lost_lines(summary)) == lines
