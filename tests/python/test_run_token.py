# SPDX-License-Identifier: MIT
"""The token that says which run a journal is of: read from the first frame, and from nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import trace_tools
from hypothesis import given
from hypothesis import strategies as st

from rocprofsys_multipass.run.journal_token import new_token, read_token
from rocprofsys_multipass.trace import journal_pb2 as pb

TOKEN = "0123456789abcdef0123456789abcdef"


def member(number: int, content: bytes) -> bytes:
    """A member with a length, as protobuf writes it."""
    text = b""
    for value in (number << 3 | 2, len(content)):
        rest = value
        while rest > 127:
            text += bytes([rest % 128 | 128])
            rest //= 128
        text += bytes([rest])
    return text + content


def first_frame(payload: bytes) -> bytes:
    return trace_tools.journal_header() + trace_tools.framed(payload)


def journal(run: pb.Run, token: str = TOKEN) -> bytes:
    """A journal whose first frame is `run` with the token as member 22."""
    return first_frame(member(1, run.SerializeToString() + (member(22, token.encode()) if token else b"")))


def token_of(data: bytes, folder: Path) -> str | None:
    path = folder / "some.journal"
    path.write_bytes(data)
    return read_token(path)


def test_the_number_of_the_member_is_that_of_the_format() -> None:
    proto = (Path(__file__).parents[2] / "library/journal/journal.proto").read_text(encoding="utf-8")
    run = proto.partition("message Run {")[2].partition("}")[0]
    assert re.search(r"string run_token = (\d+);", run)[1] == "22"  # type: ignore[index]
    assert re.search(r"Run run = (\d+);", proto)[1] == "1"  # type: ignore[index]


@given(words=st.lists(st.text(max_size=300), max_size=5), pid=st.integers(0, 2**64 - 1), rank=st.integers(0, 2**32 - 1))
def test_the_token_is_found_whatever_else_the_run_says(
    words: list[str], pid: int, rank: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    run = pb.Run(command=words, pid=pid, rank=rank, kernel_replay=True, start_ns=1)
    assert token_of(journal(run), tmp_path_factory.getbasetemp()) == TOKEN


def test_a_run_without_a_token_is_not_one_that_cannot_be_read(tmp_path: Path) -> None:
    assert token_of(journal(pb.Run(pid=1), token=""), tmp_path) == ""


def test_what_follows_the_first_frame_does_not_matter(tmp_path: Path) -> None:
    assert token_of(journal(pb.Run(pid=1)) + b"MPFR torn", tmp_path) == TOKEN


def test_a_first_frame_that_is_no_run_has_no_token(tmp_path: Path) -> None:
    assert token_of(first_frame(pb.Frame(end=pb.End(dispatches=1)).SerializeToString()), tmp_path) is None


@pytest.mark.parametrize("size", range(len(journal(pb.Run(pid=1)))))
def test_a_file_that_ends_early_has_none(size: int, tmp_path: Path) -> None:
    assert token_of(journal(pb.Run(pid=1))[:size], tmp_path) is None


def test_a_damaged_first_frame_has_none(tmp_path: Path) -> None:
    data = bytearray(journal(pb.Run(pid=1)))
    data[-1] ^= 1
    assert token_of(bytes(data), tmp_path) is None


@given(st.binary(max_size=60))
def test_no_payload_is_an_error(tmp_path_factory: pytest.TempPathFactory, payload: bytes) -> None:
    found = token_of(first_frame(payload), tmp_path_factory.getbasetemp())
    assert found is None or isinstance(found, str)


def test_a_file_that_is_not_there_has_none(tmp_path: Path) -> None:
    assert read_token(tmp_path / "missing.journal") is None


def test_tokens_are_32_hexadecimal_digits_and_differ() -> None:
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert all(re.fullmatch("[0-9a-f]{32}", token) for token in tokens)
