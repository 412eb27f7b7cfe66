# SPDX-License-Identifier: MIT
"""What is found in a trace whose events are as Perfetto's SDK writes them, most of which are passed over."""

from __future__ import annotations

from pathlib import Path

import pytest

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.merge.trace.combine import combine_traces
from rocprofsys_multipass.merge.trace.contents import contents_of
from rocprofsys_multipass.merge.trace.skim import TrackSkim
from rocprofsys_multipass.merge.trace.survey import survey
from rocprofsys_multipass.trace.perfetto import RUN
from rocprofsys_multipass.trace.wire_fields import delimited, framed, varint

_TRACK, _SEQUENCE, _MANY = 2**63 + 5, 7, 300
_GUID = delimited(4, delimited(10, b"guid") + delimited(6, b"of the run"))


def event(track: int, more: bytes, time: int = 5) -> bytes:
    """A packet on its sequence: type, category, name, track, and then what else there is."""
    said = b"\x48\x01\x18\x01\x50\x02\x58" + varint(track) + more
    return framed(b"\x40" + varint(time) + delimited(11, said) + b"\x50" + varint(_SEQUENCE) + b"\x68\x02")


ARGUMENT = delimited(4, b"\x08\x01\x18" + varint(10**15))
REGIONS = b"".join(event(_TRACK, ARGUMENT, time) for time in range(_MANY))


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The events that are decoded."""
    found: list[bytes] = []
    learn = TrackSkim.learn

    def learned(skim: TrackSkim, content: bytes, packet: object, sequence: object) -> None:
        found.append(content)
        learn(skim, content, packet, sequence)

    monkeypatch.setattr(TrackSkim, "learn", learned)
    return found


@pytest.mark.parametrize(
    ("last", "tracks", "flows", "guids"),
    [
        (event(_TRACK, ARGUMENT), set(), False, {}),
        (event(9, ARGUMENT), {9}, False, {}),
        (event(_TRACK, ARGUMENT + b"\xf9\x02" + bytes(8)), set(), True, {}),
        (event(_TRACK, b"\x82\x03\x08" + bytes(8)), set(), True, {}),
        (event(_TRACK, b"\xa0\x02\x01"), set(), True, {}),
        (event(_TRACK, b"\xf8\x01\x0a"), {10}, False, {}),
        (event(_TRACK, b"\xe8\x02\x0b"), {11}, False, {}),
        (event(_TRACK, delimited(22, b"rocm_multipass_run") + _GUID), set(), False, {0: "of the run"}),
    ],
)
def test_an_event_that_tells_something_is_found_behind_many_that_do_not(
    last: bytes, tracks: set[int], guids: dict[int, str], decoded: list[bytes], *, flows: bool
):
    found = contents_of(REGIONS + last + REGIONS, Path("a"))
    assert (found.tracks, found.flows, found.guids) == ({_TRACK} | tracks, flows, guids)
    assert (found.end, found.sequences) == (found.total, {_SEQUENCE})
    assert len(decoded) < _MANY // 10


def test_an_event_that_is_damaged_is_told_where_it_has_to_be_changed(tmp_path: Path):
    """It was passed over, as its packet is whole; another trace has its sequence."""
    whole, damaged = tmp_path / "whole.pftrace", tmp_path / "damaged.pftrace"
    whole.write_bytes(REGIONS)
    damaged.write_bytes(REGIONS + event(_TRACK, b"\x22\x7f"))
    with pytest.raises(TraceError, match=r"damaged\.pftrace: the packet cannot be read .*: the file is damaged"):
        combine_traces([whole, damaged], tmp_path / "all.pftrace")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["damaged.pftrace", "whole.pftrace"]


def test_an_event_whose_length_ends_with_the_file_is_damaged():
    data = REGIONS + framed(b"\x40\x05\x5a\x80\x80")
    with pytest.raises(TraceError, match=rf"a: byte {len(REGIONS)}: the packet cannot be read"):
        contents_of(data, Path("a"))
    found = survey(data, Path("a"), frozenset({RUN}))
    assert (found.end, found.notes) == (len(data), {"packets that cannot be read are passed through as they are": 1})
