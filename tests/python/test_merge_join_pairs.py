# SPDX-License-Identifier: MIT
"""Which process of another run a process is: by rank, or because there is no other; never by a guess."""

from __future__ import annotations

from pathlib import Path

import pytest

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.merge.pairing import OwnProcess, none_in_common, pair
from rocprofsys_multipass.rocprof_sys.files import HostProcess

Ranks = tuple[int | None, ...]


def own(ranks: Ranks) -> list[OwnProcess]:
    nothing = Path("multipass.json")
    return [OwnProcess(f"{n}", 100 + n, rank, nothing, None, None, None) for n, rank in enumerate(ranks)]


def host(ranks: Ranks) -> list[HostProcess]:
    return [HostProcess(f"{n}", 200 + n, rank, Path(f"{n}.proto")) for n, rank in enumerate(ranks)]


@pytest.mark.parametrize(
    ("ours", "theirs", "found"),
    [
        ((None,), (None,), [(100, 200)]),
        ((3,), (None,), [(100, 200)]),
        ((None,), (3,), [(100, 200)]),
        ((0, 1, 2), (2, 1, 0), [(100, 202), (101, 201), (102, 200)]),
        ((0, 1), (1, 2), [(101, 200)]),
        ((0,), (1,), []),
        ((0,), (0, 1), [(100, 200)]),
        ((None, None), (None, None), []),
        ((None, 1), (None, 1), [(101, 201)]),
        ((None,), (None, None), []),
    ],
)
def test_processes_are_paired_by_rank_or_where_there_is_one_of_each(
    ours: Ranks, theirs: Ranks, found: list[tuple[int, int]]
) -> None:
    pairing = pair(own(ours), host(theirs), join=True)
    assert [(one.pid, other.pid) for one, other in pairing.pairs] == found
    assert len(pairing.only_own) == len(ours) - len(found)
    assert len(pairing.only_host) == len(theirs) - len(found)


@pytest.mark.parametrize(("ours", "theirs"), [((0, 0), (0,)), ((0,), (0, 0))])
def test_a_rank_with_two_processes_is_paired_with_none_and_told(ours: Ranks, theirs: Ranks) -> None:
    pairing = pair(own(ours), host(theirs), join=True)
    assert pairing.pairs == ()
    assert ["may be any of 2" in text for text in pairing.ambiguous] == [True]


def test_without_ranks_the_error_says_what_is_missing() -> None:
    error = none_in_common(own((None, None)), host((None, None)), Path("clean"), join=True)
    assert isinstance(error, TraceError)
    assert str(error) == (
        "clean: nothing to merge: of this tool there is process 100, process 101, of rocprof-sys process 200, "
        "process 201, and none is in both: processes of two runs are the same by their ranks, which the launcher of "
        "both has to tell; else name folders with one process each"
    )
