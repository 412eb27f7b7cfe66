# SPDX-License-Identifier: MIT
"""The limits of replay: what the texts mean. tests/cpp/tool holds the plugin to the same cases."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocprofsys_multipass.config import limits
from rocprofsys_multipass.config.quantities import duration_ns, share, size_bytes

ROOT = Path(__file__).parents[2]
CASES: list[dict[str, Any]] = json.loads((ROOT / "tests/data/replay_limits.json").read_text(encoding="utf-8"))["cases"]
READERS: dict[str, Callable[[str], Any]] = {
    "MAX_REPLAYS": limits.max_replays,
    "REPLAY_BUDGET": lambda text: asdict(limits.replay_budget(text)),
    "UNSAFE": lambda text: list(limits.unsafe(text)),
    "HOST_MEMORY": limits.host_memory,
}


@pytest.mark.parametrize("variable", READERS)
def test_each_text_has_the_value_or_the_fault_of_the_table(variable: str) -> None:
    cases = [case for case in CASES if case["variable"] == variable]
    assert any("value" in case for case in cases)
    for case in cases:
        if "error" in case:
            with pytest.raises(ValueError, match=f"^{re.escape(case['error'])}$"):
                READERS[variable](case["text"])
        else:
            assert READERS[variable](case["text"]) == case["value"], case


@given(thousandths=st.integers(1, 8760 * 1000))
def test_a_duration_is_read_to_the_nanosecond_and_a_budget_to_what_a_float_has_of_it(thousandths: int) -> None:
    text = f"{thousandths // 1000}.{thousandths % 1000:03}h"
    assert duration_ns(text) == thousandths * 3_600_000_000
    assert limits.replay_budget(text).seconds == thousandths * 3_600_000_000 / 10**9


@pytest.mark.parametrize("read", [duration_ns, size_bytes, share])
@given(text=st.text(st.sampled_from("0123456789.%msihGMB \xa0\u0663-")))
def test_any_text_is_a_quantity_above_0_or_is_told_why_not(read: Callable[[str], float], text: str) -> None:
    try:
        assert read(text) > 0
    except ValueError as error:
        assert f"'{text}'" in str(error)  # noqa: PT017 - either is right


def test_the_reasons_that_can_be_lifted_are_those_of_the_plugin() -> None:
    model = (ROOT / "library/model/dispatch.hpp").read_text(encoding="utf-8")
    listed = re.search(r"kSafetyReasons\{(.*?)\}", model, re.DOTALL)
    assert listed
    names = re.findall(r"DeclineReason::k(\w+)", listed[1])
    assert [re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower() for name in names] == list(limits.SAFETY_REASONS)
