# SPDX-License-Identifier: MIT
"""Files that are damaged at random: a reader says so with TraceError, verify with findings, and neither with more."""

from __future__ import annotations

import json
import os
import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest
import trace_tools as tools
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pt

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.trace import Trace, open_trace
from rocprofsys_multipass.trace import journal_pb2 as pb
from rocprofsys_multipass.verify import verify

RUN = tools.sample_run()
NAME = f"multipass-{tools.PID}"
ROUNDS = int(os.environ.get("MULTIPASS_DAMAGE_ROUNDS", "100"))  # of each kind of file; .ci/full has more


@pytest.fixture(autouse=True)
def no_trace_processor(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("ROCPROFSYS_MULTIPASS_TRACE_PROCESSOR", raising=False)


def damaged(data: bytes, seed: str) -> Iterator[bytes]:
    """Copies with a few bits turned, with bytes overwritten, or cut."""
    chance = random.Random(seed)
    for number in range(ROUNDS):
        copy = bytearray(data)
        if number % 5 == 4:
            del copy[chance.randrange(len(copy)) :]
        else:
            for _ in range(chance.choice((1, 1, 2, 8))):
                place = chance.randrange(len(copy))
                copy[place] = copy[place] ^ 1 << chance.randrange(8) if number % 2 else chance.randrange(256)
        yield bytes(copy)


def sound_frames(data: bytes) -> bytes:
    """The journal with the CRC of each frame made right again, so that the damage inside is read."""
    parts = [data[: len(tools.journal_header())]]
    offsets = list(tools.frame_offsets(tools.journal_bytes(RUN)))
    for start, end in pairwise(offsets):
        payload = data[start + len(tools.framed(b"")) : end]
        try:
            parts.append(tools.frame(pb.Frame.FromString(payload)))
        except Exception:  # noqa: BLE001  protobuf takes it for none: then it is none
            continue
    return b"".join(parts)


@pytest.mark.parametrize("suffix", ["journal", "db", "pftrace", "json", "sound frames"])
def test_random_damage_ends_in_errors_of_this_package_and_in_findings(tmp_path: Path, suffix: str):
    tools.write_run(tmp_path, RUN)
    path = tmp_path / f"{NAME}.{suffix}" if suffix != "sound frames" else tmp_path / f"{NAME}.journal"
    found = 0
    refused: list[str] = []
    for data in damaged(path.read_bytes(), suffix):
        path.write_bytes(sound_frames(data) if suffix == "sound frames" else data)
        findings = verify(tmp_path)
        assert [f for f in findings if f.message.startswith("internal:")] == []
        found += any(f.severity == "error" for f in findings)
        try:
            open_trace(path).dispatches()
        except TraceError as error:
            refused.append(str(error))
    assert all(path.name in text for text in refused)
    assert found > ROUNDS // 10
    assert len(refused) < ROUNDS or suffix == "json"


@pytest.mark.parametrize(
    ("sql", "place"),
    [
        (
            "UPDATE rocpd_kernel_dispatch~ SET start = 'soon' WHERE id = 2",
            "rocpd_kernel_dispatch row 2: start is 'soon'",
        ),
        ("UPDATE rocpd_replay_pass~ SET start = x'00' WHERE id = 2", "rocpd_replay_pass row 2: start is b'\\x00'"),
        ("UPDATE rocpd_replay_pmc~ SET value = 'abc' WHERE id = 3", "rocpd_replay_pmc row 3: value is 'abc'"),
        ("UPDATE rocpd_replay_pmc~ SET value = x'ff' WHERE id = 3", "rocpd_replay_pmc row 3: value is b'\\xff'"),
        ("UPDATE rocpd_info_pmc~ SET name = x'ff' WHERE id = 1", "rocpd_info_pmc row 1: name is b'\\xff'"),
        ("UPDATE rocpd_info_process~ SET pid = 'x'", "rocpd_info_process row 4711: pid is 'x'"),
        (
            'UPDATE rocpd_replay_pass~ SET extdata = \'{"group": "a"}\' WHERE id = 1',
            "rocpd_replay_pass row 1: extdata: group is 'a', not a whole number",
        ),
        (
            'UPDATE rocpd_kernel_dispatch~ SET extdata = \'{"replay": {"passes": []}}\' WHERE id = 1',
            "rocpd_kernel_dispatch row 1: extdata: passes is [], not a whole number",
        ),
        ("UPDATE rocpd_info_process~ SET extdata = '{\"warnings\": 5}'", "extdata: warnings is 5, not a list of texts"),
    ],
)
def test_a_value_of_a_wrong_type_is_named_with_its_row(tmp_path: Path, sql: str, place: str):
    path = tools.write_database(tmp_path / f"{NAME}.db", RUN, then=sql)
    messages = []
    for use in (Trace.dispatches, Trace.to_pandas):
        with pytest.raises(TraceError) as raised:
            use(open_trace(path))
        messages.append(str(raised.value))
    assert messages[0] == messages[1]
    assert str(path) in messages[0]
    assert place in messages[0]
    assert any(f.severity == "error" and place in f.message for f in verify(path))


def test_a_schema_that_is_no_utf_8_is_an_error_about_the_file(tmp_path: Path):
    path = tools.write_database(tmp_path / f"{NAME}.db", RUN)
    data = path.read_bytes()
    path.write_bytes(data.replace(b"CREATE TABLE rocpd_event", b"CREATE TABLE \xff\xfecpd_event"))
    with pytest.raises(TraceError, match=NAME):
        open_trace(path)
    assert any(f.severity == "error" for f in verify(path))


def of_dispatch(name: str, value: object) -> Callable[[pt.TracePacket], None]:
    """Gives an annotation of the logical slices another value."""

    def change(packet: pt.TracePacket) -> None:
        for annotation in packet.track_event.debug_annotations:
            if annotation.name == name:
                annotation.ClearField("value")
                if isinstance(value, str):
                    annotation.string_value = value
                else:
                    annotation.int_value = value

    return change


@pytest.mark.parametrize(
    ("name", "value"), [("dispatch_id", "x"), ("replay_pass", "x"), ("passes", -1), ("executions", "x"), ("queue", "x")]
)
def test_an_annotation_of_a_wrong_type_is_named(tmp_path: Path, name: str, value: object):
    path = tmp_path / f"{NAME}.pftrace"
    path.write_bytes(tools.trace_bytes(RUN, of_dispatch(name, value)))
    with pytest.raises(TraceError, match=rf"{name} is {value!r}, not"):
        open_trace(path)
    assert any(f.check == "readable" and f"{name} is {value!r}" in f.message for f in verify(path))


def test_a_number_of_executions_beyond_all_others_costs_nothing(tmp_path: Path):
    path = tmp_path / f"{NAME}.pftrace"
    path.write_bytes(tools.trace_bytes(RUN, of_dispatch("executions", 2**62)))
    assert len(open_trace(path).dispatches()) == len(RUN.launches)


def test_a_text_that_is_no_utf_8_is_damage_of_its_packet(tmp_path: Path):
    path = tmp_path / f"{NAME}.pftrace"
    path.write_bytes(tools.trace_bytes(RUN).replace(b"GRBM_COUNT", b"GRBM_\xff\xfeUNT"))
    with pytest.raises(TraceError, match=r"byte \d+: the packet cannot be read"):
        open_trace(path)
    assert any(f.check == "perfetto-bytes" and "cannot be read" in f.message for f in verify(path))


def test_an_empty_trace_is_an_error(tmp_path: Path):
    tools.write_run(tmp_path, RUN)
    (tmp_path / f"{NAME}.pftrace").write_bytes(b"")
    assert [(f.check, f.message) for f in verify(tmp_path) if f.severity == "error"] == [
        ("readable", "the file is empty")
    ]


def test_a_summary_that_is_nested_beyond_measure_is_an_error(tmp_path: Path):
    tools.write_run(tmp_path, RUN, files=("journal",))
    (tmp_path / f"{NAME}.json").write_text("[" * 100_000, encoding="utf-8")
    assert [f.where for f in verify(tmp_path) if f.check == "readable"] == [f"{NAME}.json"]


def test_a_side_file_with_a_name_that_is_none_is_as_if_it_were_not_there(tmp_path: Path):
    path = tools.write_strict(tmp_path / f"{NAME}.db", RUN)
    with closing(sqlite3.connect(path)) as connection, connection:
        suffix = "_" + RUN.guid.replace("-", "_")
        connection.execute(f"UPDATE rocpd_metadata{suffix} SET value = '/' WHERE tag = 'replay_sidecar'")
    assert len(open_trace(path).dispatches()) == len(RUN.launches)


@pytest.mark.parametrize("content", [[], None, 5, "text"])
def test_a_summary_that_is_no_object_is_an_error(tmp_path: Path, content: object):
    tools.write_run(tmp_path, RUN, files=("journal",))
    (tmp_path / f"{NAME}.json").write_text(json.dumps(content), encoding="utf-8")
    found = [f.message for f in verify(tmp_path) if f.check == "readable"]
    assert found == [f"it holds {content!r}, not an object"]
