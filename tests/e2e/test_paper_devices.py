# SPDX-License-Identifier: MIT
"""gfx908 and gfx1030: devices with a catalogue, to plan with, and no simulated GPU."""

from __future__ import annotations

import json

import pytest
from e2e_tools import ROOT, Cli

import rocprofsys_multipass as mp

PAPER = ["gfx908", "gfx1030"]


def every_counter(device: str) -> list[str]:
    """The request for all that the architecture can count."""
    packing = json.loads((ROOT / f"tests/data/packing/{device}.json").read_text(encoding="utf-8"))
    return next(request["counters"] for request in packing["requests"] if request["id"] == "all")


@pytest.mark.parametrize(("device", "passes"), [("gfx908", 13), ("gfx1030", 7)])
def test_every_counter_takes_the_proven_minimum_of_passes(cli: Cli, device: str, passes: int) -> None:
    done = cli("plan", "--json", "--device", device, "--events", ",".join(every_counter(device)))
    assert (done.returncode, done.stderr) == (0, "")
    plan = json.loads(done.stdout)
    (agent,) = plan["agents"]
    assert (agent["device"], agent["pass_count"], agent["lower_bound"], agent["proof"]) == (
        device,
        passes,
        passes,
        "bound",
    )
    assert (plan["unknown"], agent["unplaceable"]) == ([], [])


@pytest.mark.parametrize("device", PAPER)
def test_a_number_of_instances_that_is_not_known_is_not_shown(cli: Cli, device: str) -> None:
    done = cli("counters", "--device", device, "SQ_INSTS_SALU")
    assert done.returncode == 0
    assert done.stdout.splitlines()[3].split()[:5] == ["SQ_INSTS_SALU", "SQ", "base", "SQ", "1"]
    (agent,) = mp.counters(device, pattern="SQ_INSTS_SALU")
    assert agent.counters[0].instances == 0


def test_a_device_that_cannot_be_simulated_is_refused_with_those_that_can(cli: Cli) -> None:
    for words in (["run", "--events", "A", "--", "/bin/true"], ["plan", "--live", "--events", "A"]):
        done = cli(words[0], "--simulate", "gfx908", *words[1:])
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == (
            "rocprof-sys-multipass: error: --simulate: 'gfx908' is no device that can be simulated: there is only its "
            "catalogue, to plan with; known are gfx1036, gfx1100, gfx1201, gfx90a, gfx942, gfx950, tiny "
            f"(see: rocprof-sys-multipass {words[0]} --help)\n"
        )


def test_a_counter_of_another_device_is_said_to_be_one_of_that(cli: Cli) -> None:
    words = ["--events", "TCC_CLIENT184_REQ:device=0,GL2C_HIT:device=1,SQ_WAVES"]
    done = cli("plan", "--json", "--device", "gfx942,gfx908,gfx1030", *words)
    assert {unknown["token"]: unknown["reason"] for unknown in json.loads(done.stdout)["unknown"]} == {
        "TCC_CLIENT184_REQ:device=0": "not a counter of gfx942, but of GPU 1 (gfx908)",
        "GL2C_HIT:device=1": "not a counter of gfx908, but of GPU 2 (gfx1030)",
    }
