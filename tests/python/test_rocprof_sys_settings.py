# SPDX-License-Identifier: MIT
"""Settings in configuration files of rocprof-sys, and where in the text they are."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocprofsys_multipass.rocprof_sys.json_places import json_places
from rocprofsys_multipass.rocprof_sys.settings import kind_of, read_settings


def settings_of(text: str, **environ: str) -> list[tuple[str, str, int, str]]:
    """Name, value, line, and the value's own text, of each setting in a text file."""
    return [(one.name, one.value, one.line, text[one.start : one.stop]) for one in read_settings("text", text, environ)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("ROCPROFSYS_ROCM_EVENTS = A B", "A,B"),
        ("rocprofsys_rocm_events=A,B;C", "A,B,C"),
        ("  Rocm_Events\t=\tA:device=0 , B  ", "A:device=0,B"),
        ("ROCPROFSYS_ROCM_EVENTS A B", "A,B"),
        ("ROCPROFSYS_ROCM_EVENTS = A # B = C", "A"),
        ("ROCPROFSYS_ROCM_EVENTS = A#B", "A#B"),
        ("$A = X Y\nROCPROFSYS_ROCM_EVENTS = $A Z", "X,Y,Z"),
        ("$A = X\n$B = ${A}_Y\nROCPROFSYS_ROCM_EVENTS = $B", "X_Y"),
        ("ROCPROFSYS_ROCM_EVENTS = $env:LIST", "P,Q"),
        ("$env:ROCPROFSYS_ROCM_EVENTS = A", "A"),
        ("ROCPROFSYS_ROCM_EVENTS = A\r\n", "A"),
        ("ROCPROFSYS_ROCM_EVENTS =", ""),
    ],
)
def test_values_of_text_files(text: str, value: str) -> None:
    found = [one for one in settings_of(text, LIST="P Q") if one[0] == "ROCPROFSYS_ROCM_EVENTS"]
    assert [one[1] for one in found] == [value]


def test_a_value_is_where_it_stands_in_the_text() -> None:
    text = "# comment = 1\n\n  ROCPROFSYS_TRACE = ON   # why\nROCPROFSYS_ROCM_EVENTS=A B\n"
    assert settings_of(text) == [
        ("ROCPROFSYS_TRACE", "ON", 3, "ON"),
        ("ROCPROFSYS_ROCM_EVENTS", "A,B", 4, "A B"),
    ]


@pytest.mark.parametrize("text", ["", "\n\n", "# ROCPROFSYS_ROCM_EVENTS = A", " = A", "KEY", "$A = B"])
def test_what_is_no_setting_is_none(text: str) -> None:
    assert settings_of(text) == []


def test_variables_that_name_each_other_come_to_an_end() -> None:
    assert settings_of("$A = $B\n$B = $A\nROCPROFSYS_ROCM_EVENTS = $A $A$A")[0][0] == "ROCPROFSYS_ROCM_EVENTS"


def json_of(document: object) -> list[tuple[str, str]]:
    return [(one.name, one.value) for one in read_settings("json", json.dumps(document, indent=1), {})]


def test_settings_of_json_are_the_values_of_their_objects() -> None:
    events = {"value": "A,B", "initial": "", "environ": "ROCPROFSYS_ROCM_EVENTS"}
    document = {"rocprof-sys": {"settings": {"ROCPROFSYS_ROCM_EVENTS": events, "ROCPROFSYS_TRACE": {"value": True}}}}
    assert json_of(document) == [("ROCPROFSYS_ROCM_EVENTS", "A,B"), ("ROCPROFSYS_TRACE", "true")]


@pytest.mark.parametrize(
    ("counters", "found"),
    [
        ({"enabled": True, "rocm_events": {"value": "A"}}, [("ROCPROFSYS_ROCM_EVENTS", "A")]),
        ({"enabled": True, "rocm_events": "A"}, [("ROCPROFSYS_ROCM_EVENTS", "A")]),
        ({"enabled": True, "rocm_events": {"value": ["A", "B"]}}, [("ROCPROFSYS_ROCM_EVENTS", "A,B")]),
        ({"enabled": True, "rocm_events": ["A", "B:device=1"]}, [("ROCPROFSYS_ROCM_EVENTS", "A,B:device=1")]),
        ({"enabled": True, "rocm_events": {"value": []}}, [("ROCPROFSYS_ROCM_EVENTS", "")]),
        ({"enabled": False, "rocm_events": {"value": "A"}}, []),
        ({"rocm_events": {"value": "A"}}, []),
    ],
)
def test_counters_of_a_preset_count_when_they_are_enabled(counters: object, found: list[tuple[str, str]]) -> None:
    assert json_of({"hardware_counters": counters}) == found


def test_domains_of_a_preset_are_those_that_are_enabled() -> None:
    domains = {"kernel_dispatch": {"enabled": True}, "hsa_api": {"enabled": False}}
    assert json_of({"domains": {"rocm": {"api_domains": domains}}}) == [
        ("ROCPROFSYS_ROCM_DOMAINS:kernel_dispatch", "true")
    ]


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("a.cfg", "", "text"),
        ("a.json", "", "json"),
        ("a.JSON.bak", "", "json"),
        ("a.xml", "", "xml"),
        ("a", ' <?xml version="1.0"?>', "xml"),
        ("a", "{}", "text"),
    ],
)
def test_the_name_says_how_a_file_is_written(name: str, text: str, kind: str) -> None:
    assert kind_of(name, text) == kind


def test_xml_is_not_read() -> None:
    assert read_settings("xml", "<ROCPROFSYS_ROCM_EVENTS><value>A</value></ROCPROFSYS_ROCM_EVENTS>", {}) == []


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(_VALUES, st.sampled_from([None, 2, "\t"]))
def test_each_value_of_a_json_text_is_where_it_is_said_to_be(value: object, indent: int | str | None) -> None:
    text = json.dumps(value, indent=indent)
    for place in json_places(text):
        assert json.loads(text[place.start : place.stop]) == place.value
        within = value
        for key in place.path:
            assert isinstance(within, (dict, list))
            within = within[key] if isinstance(within, dict) else within[int(key)]
        assert within == place.value


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"a": }', "nul"])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the parser's own words
        json_places(text)
