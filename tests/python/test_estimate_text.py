# SPDX-License-Identifier: MIT
"""``plan --estimate``: what is printed, what is in the JSON, what is refused."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fake_native import PLAN, Cli, FakeNative

import rocprofsys_multipass as mp
from rocprofsys_multipass.cli.command import _Trimmed
from rocprofsys_multipass.cli.estimate_table import show_estimate
from rocprofsys_multipass.estimate import factor_text, size_text, time_text
from rocprofsys_multipass.visible import VisibleConsole

Golden = Callable[[str, str], None]
ROOT = Path(__file__).parents[2]
TOLD = ("--footprint", "10GB", "--dispatches", "1000", "--kernel-time", "1ms", "--host-memory", "64GB")
ASKED = ("plan", "--device", "gfx942", "--events", "SQ_WAVES", "--estimate", *TOLD)
MS, S, MINUTE, H, DAY = 10**6, 10**9, 60 * 10**9, 3600 * 10**9, 86400 * 10**9


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (0, "0 ns"),
        (7, "7 ns"),
        (20_000, "20 us"),
        (999_999, "1 ms"),
        (1_234_567, "1.23 ms"),
        (999_999_999, "1 s"),
        (61 * S, "61 s"),
        (12_340 * MS, "12.3 s"),
        (119_400 * MS, "119 s"),
        (119_600 * MS, "2 min"),
        (346 * S, "5 min 46 s"),
        (3599 * S + 600 * MS, "1 h"),
        (20_000 * S, "5 h 33 min"),
        (H + 29 * S, "1 h"),
        (23 * H + 59 * MINUTE + 40 * S, "1 d"),
        (3 * DAY + 4 * H + 20 * MINUTE, "3 d 4 h"),
        (4000 * DAY, "4,000 d"),
    ],
)
def test_a_time_has_the_units_that_people_would_use(ns: int, text: str) -> None:
    assert time_text(ns) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (512, "512 B"),
        (2**30, "1.07 GB"),
        (999_999_999, "1 GB"),
        (80 * 10**12, "80 TB"),
        (173 * 10**9, "173 GB"),
        (5 * 10**21, "5000 EB"),
    ],
)
def test_a_size_has_units_of_a_thousand(size: int, text: str) -> None:
    assert size_text(size) == text


def test_a_factor_has_as_many_digits_as_say_something() -> None:
    assert [factor_text(part, 100) for part in (100, 105, 240, 6100, 12_975_312)] == [
        "1x",
        "1.05x",
        "2.4x",
        "61x",
        "129,753x",
    ]


def plan_of(*passes: int) -> mp.Plan:
    agents = (mp.AgentPlan("gfx942", at, n, n, True, "bound", (), (), ()) for at, n in enumerate(passes))  # noqa: FBT003
    return mp.Plan(tuple(agents), (), (), ())


CASES: dict[str, tuple[tuple[int, ...], dict[str, Any]]] = {
    "default": ((8,), {}),
    "declined": ((8,), {"footprint": "173GB", "dispatches": 12, "kernels": 6, "ranks_per_node": 4}),
    "short": ((3,), {"footprint": "1GB", "dispatches": 200, "kernels": 200, "startup": "20s"}),
    "one-pass": ((1,), {}),
    "several-gpus": ((2, 0, 3), {"footprint": "40GB"}),
}


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("name", CASES)
def test_the_text(golden: Golden, name: str, width: int) -> None:
    passes, told = CASES[name]
    told = {"footprint": "10GB", "dispatches": 1000, "kernel_time": "1ms", "host_memory": "64GB"} | told
    out = io.StringIO()
    terminal = VisibleConsole(file=_Trimmed(out), highlight=False, color_system=None, width=width, soft_wrap=False)  # type: ignore[arg-type]
    show_estimate(plan_of(*passes).estimate(**told), terminal)
    assert max(map(len, out.getvalue().splitlines())) <= width
    assert "…" not in out.getvalue()
    golden(f"estimate/{name}-{width}.txt", out.getvalue())


def test_the_estimate_follows_the_plan(cli: Cli, native: FakeNative) -> None:
    code, out, err = cli(*ASKED)
    assert (code, err) == (0, "")
    assert out.index("gfx942 (GPU 0): 2 passes") < out.index("estimate for gfx942 (GPU 0)")
    assert "estimate" not in cli("plan", "--device", "gfx942", "--events", "SQ_WAVES")[1]


def test_the_json_is_that_of_the_planner_with_one_more_member(cli: Cli, native: FakeNative) -> None:
    code, out, err = cli(*ASKED, "--json")
    document = json.loads(out)
    assert (code, err) == (0, "")
    estimate = document.pop("estimate")
    assert document == PLAN
    assert [way["name"] for way in estimate["agents"][0]["ways"]] == ["auto", "kernel", "rotate", "runs"]


def test_the_page_shows_what_the_command_prints(cli: Cli, native: FakeNative) -> None:
    page = (ROOT / "docs/formats/plan.md").read_text(encoding="utf-8")
    section = page[page.index("\n## The estimate\n") :]
    shown = re.search(r"```json\n(.*?)```", section, re.DOTALL)
    assert shown
    assert json.loads(shown[1]) == json.loads(cli(*ASKED, "--json")[1])["estimate"]


def test_members_have_the_names_of_attributes(cli: Cli, native: FakeNative) -> None:
    told = {"footprint": "10GB", "dispatches": 1000, "kernel_time": "1ms", "host_memory": "64GB"}
    estimate = mp.plan("gfx942", "SQ_WAVES").estimate(**told)
    of_command = json.loads(cli(*ASKED, "--json")[1])["estimate"]
    of_command["host_memory"]["bound"] = "host_memory"  # as the caller writes it
    assert json.loads(json.dumps(estimate.to_json())) == of_command
    assert estimate.agents[0].window.copied_bytes == of_command["agents"][0]["window"]["copied_bytes"]


def test_limits_come_from_variables_and_files_as_for_a_run(
    cli: Cli, native: FakeNative, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROCPROFSYS_MULTIPASS_MAX_REPLAYS", "2")
    (tmp_path / "m.yaml").write_text("host_memory: 4GB\nwarm_up_pass: on\n", encoding="utf-8")
    words = [word for word in ASKED if word not in ("--host-memory", "64GB")]
    estimate = json.loads(cli(*words, "--config", "m.yaml", "--json")[1])["estimate"]
    assert estimate["limits"] == {"budget": None, "max_replays": 2, "lifted": [], "further_executions": 1}
    assert estimate["host_memory"] == {"size": 4 * 10**9, "bound": "m.yaml:1:1: host_memory", "ranks": 1, "gpus": 1}
    assert estimate["agents"][0]["window"]["executions"] == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (ASKED[:6], "--estimate: --footprint is missing: give the device memory that the application has allocated"),
        ((*ASKED[:6], *TOLD[:2]), "--estimate: --dispatches is missing: give how many launches there are"),
        ((*ASKED[:6], *TOLD[:4]), "--estimate: --kernel-time is missing: give how long one takes, such as 1ms"),
        ((*ASKED[:5], *TOLD), "--footprint: it is for an estimate: add --estimate, or leave it out"),
        ((*ASKED[:5], "--warm-up-pass"), "--warm-up-pass: it is for an estimate: add --estimate, or leave it out"),
        (
            (*ASKED, "--kernels", "2000"),
            "--kernels: 2000 kernels are more than the 1000 launches of --dispatches: give",
        ),
        ((*ASKED, "--copy-rate", "4"), "--copy-rate: '4' has no unit: write a rate such as 4GB/s"),
        ((*ASKED, "--replay-budget", "5"), "--replay-budget: '5' has no unit: write a duration"),
        ((*ASKED, "--startup", "5x"), "--startup: '5x' has the unit 'x', not one of ms, s, m, h: write a duration"),
    ],
)
def test_what_is_missing_or_wrong_is_named(cli: Cli, native: FakeNative, words: tuple[str, ...], message: str) -> None:
    code, out, err = cli(*words)
    assert (code, out) == (2, "")
    assert err.startswith(f"rocprof-sys-multipass: error: {message}")
