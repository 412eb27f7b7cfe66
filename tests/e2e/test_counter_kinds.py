# SPDX-License-Identifier: MIT
"""Exporter (C++) and readers (Python) have one opinion of what a counter says of two passes."""

from __future__ import annotations

import json
import subprocess

import pytest
import trace_tools as tools
from e2e_tools import ROOT

from rocprofsys_multipass.native import Native
from rocprofsys_multipass.trace.nature import EVIDENCE, kind_of_counter

LISTS = sorted((ROOT / "tests" / "data" / "sim").glob("*-counters.txt"))
ENDINGS = ("_sum", "_avr", "[3]", "_LEVEL", "_RESTORED", "Busy", "x")  # of names that no catalogue has


def known_counters() -> tuple[str, ...]:
    """Of every architecture, and further ones in their likeness."""
    lines = [line for one in LISTS for line in one.read_text(encoding="utf-8").splitlines()]
    names = sorted({line.split()[0] for line in lines if line and not line.startswith("#")})
    made = [name + ending for name, ending in zip(names[::9], ENDINGS * len(names), strict=False)]
    return tuple(dict.fromkeys((*names, *made, "SQ_WAVE32_INSTS", "SQ_WAVE64_INSTS", "sq_insts_valu", "L2CacheHitx")))


def launch(number: int, counter: str, first: float, second: float, kernel: str) -> tools.Launch:
    values = {counter: first}, {counter: second}
    passes = (
        tools.Execution(k, 1000 * number + 200 * k, 1000 * number + 200 * k + 100, v) for k, v in enumerate(values)
    )
    return tools.Launch(number, tuple(passes), kernel, "incomplete", "x")


def kind_by_verdicts(apart: dict[str, dict[str, str]], alike: dict[str, dict[str, str]]) -> str:
    """What the exporter takes a counter for: of two passes it read 8 and 6 in, and 8 in both."""
    if apart["work"]["verdict"] == "not":
        return "waves" if alike["work"]["reason"] == "waves_only" else "instructions"
    found = [kind for kind in ("clock", "cache") if apart[kind]["verdict"] == "not"]
    return found[0] if found else ""


@pytest.fixture(scope="module")
def kinds_of_the_exporter(native: Native, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("kinds")
    names = known_counters()
    launches = [launch(2 * i + 1, name, 8, 6, f"apart {name}") for i, name in enumerate(names)]
    launches += [launch(2 * i + 2, name, 8, 8, f"alike {name}") for i, name in enumerate(names)]
    tools.write_run(folder, tools.Run(tuple(launches), plan=(names, names), simulated=False), files=("journal",))
    journal = folder / f"multipass-{tools.PID}.journal"
    subprocess.run([native.exporter, "--quiet", "--format", "summary", journal], check=True, capture_output=True)
    summary = json.loads(journal.with_suffix(".json").read_text(encoding="utf-8"))
    said = {one["kernel"]: one for one in summary["kernels_agreement"]}
    assert len(said) == 2 * len(names)
    return {name: kind_by_verdicts(said[f"apart {name}"], said[f"alike {name}"]) for name in names}


def test_every_known_counter_is_of_one_kind_in_both(kinds_of_the_exporter: dict[str, str]) -> None:
    here = {name: kind if (kind := kind_of_counter(name)) in EVIDENCE else "" for name in kinds_of_the_exporter}
    assert {n: (k, here[n]) for n, k in kinds_of_the_exporter.items() if here[n] != k} == {}


def test_each_kind_is_among_the_known_counters(kinds_of_the_exporter: dict[str, str]) -> None:
    assert set(kinds_of_the_exporter.values()) == {*EVIDENCE, ""}
    assert len(kinds_of_the_exporter) > 800
