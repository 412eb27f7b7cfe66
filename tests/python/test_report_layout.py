# SPDX-License-Identifier: MIT
"""Tables fit their width: what gives way, and what never does."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from rocprofsys_multipass.report.layout import Column, fitting, table_of

COLUMNS = [
    Column("Name", ["a_name_of_24_characters__", "b"], left=True, least=10),
    Column("Low", ["1", "2"], rank=1),
    Column("Value", ["123.4 ms", "5"]),
    Column("High", ["1", "2"], rank=2),
]


def drawn(width: int) -> list[str]:
    console = Console(file=io.StringIO(), width=500)
    with console.capture() as captured:
        console.print(table_of(COLUMNS, width))
    return [line.rstrip() for line in captured.get().splitlines()]


def test_columns_stand_two_apart_when_all_have_room():
    assert drawn(100)[:1] + drawn(100)[2:] == [
        "Name                       Low     Value  High",
        "a_name_of_24_characters__    1  123.4 ms     1",
        "b                            2         5     2",
    ]


def test_names_give_way_first():
    assert drawn(40)[0] == "Name                 Low     Value  High"
    assert drawn(40)[2] == "a_name_of_24_chara…    1  123.4 ms     1"


@pytest.mark.parametrize(
    ("width", "titles"),
    [
        (31, ["Name", "Low", "Value", "High"]),
        (30, ["Name", "Low", "Value"]),
        (25, ["Name", "Low", "Value"]),
        (24, ["Name", "Value"]),
        (5, ["Name", "Value"]),
    ],
)
def test_the_highest_rank_is_left_out_first(width: int, titles: list[str]):
    assert [c.title for c in fitting(COLUMNS, width)] == titles


def test_what_cannot_give_way_stays_whole():
    assert drawn(5)[2:] == ["a_name_of…  123.4 ms", "b                  5"]


def test_a_title_is_never_shortened():
    assert Column("A long title", ["a name that is longer than that"], least=3).smallest == len("A long title")


def test_cells_are_no_markup():
    console = Console(file=io.StringIO(), width=500)
    with console.capture() as captured:
        console.print(table_of([Column("K", ["f<[bold]>"], left=True)], 80))
    assert "f<[bold]>" in captured.get()
