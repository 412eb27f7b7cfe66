# SPDX-License-Identifier: MIT
"""Every Perfetto field number that the writer uses is the one that Perfetto's own descriptors give."""

from __future__ import annotations

import pathlib
import re
from dataclasses import dataclass

import pytest
from google.protobuf.descriptor import FieldDescriptor
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as protos

HEADER = pathlib.Path(__file__).resolve().parents[2] / "library" / "output" / "perfetto" / "fields.hpp"

_SCOPE = re.compile(r"^namespace \w+ \{\s*// (message|enum) ([\w.]+)$")
_FIELD = re.compile(r"^inline constexpr Tag k\w+ = (\d+);\s*// (\w+) (\w+)$")
_VALUE = re.compile(r"^inline constexpr std::u?int32_t k\w+ = (\d+);\s*// (\w+)$")


@dataclass(frozen=True)
class Constant:
    """One line of the header."""

    kind: str
    scope: str
    name: str
    wire_type: str
    number: int


def _constants() -> list[Constant]:
    found: list[Constant] = []
    kind = scope = ""
    for line in HEADER.read_text(encoding="utf-8").splitlines():
        if opened := _SCOPE.match(line):
            kind, scope = opened.groups()
        elif field := _FIELD.match(line):
            assert kind == "message", line
            found.append(Constant(kind, scope, field[2], field[3], int(field[1])))
        elif value := _VALUE.match(line):
            assert kind == "enum", line
            found.append(Constant(kind, scope, value[2], "", int(value[1])))
        else:
            assert "constexpr" not in line, f"a constant that this test cannot check: {line}"
    return found


CONSTANTS = _constants()
_FIELDS = [item for item in CONSTANTS if item.kind == "message"]
_VALUES = [item for item in CONSTANTS if item.kind == "enum"]


def _label(item: Constant) -> str:
    return f"{item.scope}.{item.name}"


def test_the_header_is_understood() -> None:
    """A change of the header's form must not empty the tests below."""
    assert len(_FIELDS) >= 50
    assert len(_VALUES) >= 11


@pytest.mark.parametrize("item", _FIELDS, ids=_label)
def test_field_has_the_number_and_type_of_the_schema(item: Constant) -> None:
    """Number and wire type agree: flow ids are fixed64, a counter value is a double."""
    field = protos.DESCRIPTOR.pool.FindMessageTypeByName(f"perfetto.protos.{item.scope}").fields_by_name[item.name]
    assert field.number == item.number
    assert field.type == getattr(FieldDescriptor, f"TYPE_{item.wire_type.upper()}")


@pytest.mark.parametrize("item", _VALUES, ids=_label)
def test_enum_value_is_that_of_the_schema(item: Constant) -> None:
    """Values of enumerations agree."""
    values = protos.DESCRIPTOR.pool.FindEnumTypeByName(f"perfetto.protos.{item.scope}").values_by_name
    assert values[item.name].number == item.number
