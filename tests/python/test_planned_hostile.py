# SPDX-License-Identifier: MIT
"""The reader of the planner's JSON meets any JSON: it gives a plan, or the one error that it documents."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fake_native import PLAN
from hypothesis import given, settings
from hypothesis import strategies as st

from rocprofsys_multipass.errors import NativeError
from rocprofsys_multipass.planned import Plan, parse_plan

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)

WHOLE = json.dumps(PLAN)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, one in inside for place in places(one, (*path, key)))]


def read(text: str) -> None:
    """Either it is refused as documented, or all that the package does with a plan can be done."""
    try:
        plan = parse_plan(text)
    except NativeError:
        return
    assert isinstance(plan, Plan)
    repr(plan)
    [repr(agent) for agent in plan.agents]
    assert plan.is_whole in (True, False)


@settings(max_examples=150, deadline=None)
@given(place=st.sampled_from(places(PLAN)[1:]), value=ANYTHING)
def test_a_plan_with_anything_in_any_place_is_read_or_refused(place: tuple[Any, ...], value: Any):
    content = json.loads(json.dumps(PLAN))
    inside = content
    for key in place[:-1]:
        inside = inside[key]
    inside[place[-1]] = value
    read(json.dumps(content))


@settings(max_examples=100, deadline=None)
@given(ANYTHING.map(json.dumps) | st.text() | st.integers(0, len(WHOLE) - 1).map(lambda n: WHOLE[:n]))
def test_any_text_is_refused(text: str):
    with pytest.raises(NativeError):
        parse_plan(text)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"schema":' * 100_000, '{"schema": ' + "9" * 5000 + "}"])
def test_what_the_json_module_gives_up_on_is_refused(text: str):
    with pytest.raises(NativeError, match="is not understood"):
        parse_plan(text)
