# SPDX-License-Identifier: MIT
"""Each example on each simulated device: unchanged by the profiler, and every counter is what its kernels did."""

from __future__ import annotations

import re
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from typing import Protocol

import pytest
from e2e_tools import ROOT, Finished, Outputs, alone, readings, wrong
from expected import Device, Launch
from expected_examples import APPLICATIONS, DEVICE_NAMES, two_gpus_launches

import rocprofsys_multipass as mp
from rocprofsys_multipass import Run, Trace

EXAMPLES = ROOT / "examples"

# What is asked for on the devices whose name begins so, as far as they have it. More than one pass each.
EVENTS = {
    "gfx9": (
        *("SQ_WAVES", "SQ_INSTS_VALU", "SQ_INSTS_SALU", "SQ_INSTS_SMEM", "SQ_INSTS_LDS", "SQ_INSTS_BRANCH"),
        *("SQ_INSTS_VMEM_RD", "SQ_INSTS_VMEM_WR", "SQ_WAVE_CYCLES", "GRBM_GUI_ACTIVE", "FETCH_SIZE", "WRITE_SIZE"),
        *("TCC_HIT", "TCC_MISS", "TCC_ATOMIC", "TCC_TAG_STALL", "TCP_TCC_READ_REQ", "TCP_TCC_WRITE_REQ"),
    ),
    "gfx1": (
        *("SQ_WAVES", "SQ_INSTS_VALU", "SQ_INSTS_SALU", "SQ_INSTS_SMEM", "SQ_INSTS_LDS", "SQ_INSTS_FLAT"),
        *("SQ_WAVE_CYCLES", "GRBM_GUI_ACTIVE", "FETCH_SIZE", "WRITE_SIZE"),
        *("GL2C_HIT", "GL2C_MISS", "GL2C_EA_WRREQ_64B"),
    ),
    "tiny": (
        *("SQ_WAVES", "SQ_ITEMS", "SQ_INSTS_VALU", "SQ_INSTS_SALU", "SQ_INSTS_LDS", "SQ_INSTS_VMEM_RD"),
        *("SQ_INSTS_VMEM_WR", "SQ_WAVE_CYCLES", "SQ_IFETCH", "GRBM_GUI_ACTIVE", "MemorySize", "TCC_HIT", "TCC_MISS"),
    ),
}

# The GPUs that share the work of two_gpus: the first with each other device.
PAIRS = tuple(("gfx942", other) for other in DEVICE_NAMES if other != "gfx942")


def events_of(device: str) -> tuple[str, ...]:
    (wanted,) = (names for family, names in EVENTS.items() if device.startswith(family))
    return tuple(name for name in wanted if name in Device.named(device))


@dataclass(frozen=True)
class Profiled:
    """An example after a run on a device, beside the same without the plugin."""

    device: str
    run: Run
    alone: Finished
    output: str
    launches: list[Launch]

    @cached_property
    def traces(self) -> dict[str, Trace]:
        """What its files say."""
        outputs = Outputs.of(self.run.output_dir)
        files = {"journal": outputs.journal, "trace": outputs.trace, "database": outputs.database}
        return {name: mp.open_trace(path) for name, path in files.items()}


@pytest.fixture(scope="module", params=DEVICE_NAMES)
def device(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


class Profile(Protocol):
    """Runs a program with the plugin on simulated GPUs."""

    def __call__(self, program: Path, events: Iterable[str], simulate: str) -> Run: ...


@pytest.fixture(scope="module")
def profile(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Profile:
    def run(program: Path, events: Iterable[str], simulate: str) -> Run:
        output = tmp_path_factory.mktemp(program.name)
        return mp.run(
            [program], events=events, replay="kernel", simulate=simulate, output=output, env=environment, capture=True
        )

    return run


@pytest.fixture(scope="module")
def unprofiled(environment: dict[str, str]) -> Callable[[Path], Finished]:
    """Runs a program without the plugin, once."""
    return cache(lambda program: alone(program, env=environment))


@pytest.fixture(scope="module", params=APPLICATIONS)
def profiled(
    request: pytest.FixtureRequest,
    device: str,
    build: Callable[[Path], Path],
    profile: Profile,
    unprofiled: Callable[[Path], Finished],
) -> Profiled:
    application = APPLICATIONS[request.param]
    program = build(EXAMPLES / application.source)
    run = profile(program, events_of(device), device)
    return Profiled(device, run, unprofiled(program), application.output, application.launches(device))


def test_there_is_a_counter_of_each_kind_on_every_device(device: str) -> None:
    """Of a device that is new the list below might have nothing."""
    events = events_of(device)
    assert len(events) >= 10
    assert {"SQ_WAVES", "SQ_INSTS_VALU", "SQ_INSTS_LDS", "GRBM_GUI_ACTIVE"} <= set(events)
    assert {"TCC_HIT", "GL2C_HIT"} & set(events)


def test_the_example_prints_and_returns_what_it_does_alone(profiled: Profiled) -> None:
    assert (profiled.alone.returncode, profiled.alone.stdout, profiled.alone.stderr) == (0, profiled.output, "")
    told = [line for line in profiled.run.stderr.splitlines() if ": the first replay of " not in line]
    assert (profiled.run.exit_code, profiled.run.stdout, told) == (0, profiled.output, [])
    assert (profiled.run.errors, profiled.run.warnings) == ((), ())


def test_each_launch_is_replayed_in_more_than_one_pass(profiled: Profiled) -> None:
    dispatches = profiled.traces["trace"].dispatches()
    assert [(one.kernel, one.outcome) for one in dispatches] == [
        (launch.kernel, "replayed") for launch in profiled.launches
    ]
    assert min(len(one.passes) for one in dispatches) >= 2


@pytest.mark.parametrize("kind", ["trace", "database"])
def test_each_counter_is_what_the_kernels_of_the_example_did(profiled: Profiled, kind: str) -> None:
    assert wrong(_counters(profiled.traces[kind]), _values(profiled.launches, profiled.device)) == {}


def test_the_files_of_the_example_agree_on_every_reading_of_every_pass(profiled: Profiled) -> None:
    in_trace, in_database = (readings(profiled.traces[kind]) for kind in ("trace", "database"))
    assert len(in_trace) >= len(profiled.launches) * len(events_of(profiled.device))
    assert in_trace == in_database


def doubts(*paths: Path) -> list[tuple[str, str]]:
    """Check and place, without the file, of all errors and warnings."""
    found = (one for one in mp.verify(paths, most=None) if one.severity != "info")
    return [(one.check, one.where.partition(": ")[2]) for one in found]


def zeros_by_the_model(profiled: Profiled) -> list[tuple[str, str]]:
    """What verify rightly doubts: counters that are 0 in every launch, those of a block together if all of it are."""
    device = Device.named(profiled.device)
    blocks = defaultdict(list)
    for agent in profiled.traces["journal"].agents:
        for counter in agent.counters:
            blocks[counter.block or counter.name].append(counter.name)
    zero = {
        name
        for names in blocks.values()
        for name in names
        if not any(device.value(name, launch.symbol, launch.activity) for launch in profiled.launches)
    }
    told = []
    for block, names in blocks.items():
        whole = len(names) > 1 and zero.issuperset(names)
        told += [("zeros", f"GPU 0, {one}") for one in ([block] if whole else zero.intersection(names))]
    return sorted(told)


def test_verify_doubts_only_what_the_kernels_of_the_example_did_not_do(profiled: Profiled) -> None:
    assert sorted(doubts(profiled.run.output_dir)) == zeros_by_the_model(profiled)


def test_verify_says_the_same_of_each_layout_and_of_each_file_alone(profiled: Profiled, tmp_path: Path) -> None:
    outputs = Outputs.of(profiled.run.output_dir)
    strict = mp.export(outputs.database, output=tmp_path, layout="strict")[0]
    shutil.copy(outputs.journal, tmp_path)
    expected = zeros_by_the_model(profiled)
    assert sorted(doubts(tmp_path)) == expected
    assert {strict.name, f"{strict.stem}-replay.db"} < {path.name for path in tmp_path.iterdir()}
    for path in (outputs.journal, outputs.database, strict):
        assert sorted(doubts(path)) == expected


def test_the_variable_of_an_example_would_show_a_pass_that_is_not_undone(
    build: Callable[[Path], Path], profile: Profile, unprofiled: Callable[[Path], Finished], tmp_path: Path
) -> None:
    """Here it is an ordinary variable that the host names after the first launch only: nothing restores it in time."""
    lines = (EXAMPLES / "counter_variable" / "counter_variable.cpp").read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if "hipMemcpyToSymbol(HIP_SYMBOL(multiples)" not in line]
    assert len(kept) == len(lines) - 1
    source = tmp_path / "unknown_variable.cpp"
    source.write_text("\n".join(["#define MULTIPASS_SIM_PLAIN_VARIABLES", *kept]), encoding="utf-8")
    program = build(source)
    assert (unprofiled(program).returncode, unprofiled(program).stdout) == (0, APPLICATIONS["counter_variable"].output)
    run = profile(program, ("FETCH_SIZE", "WRITE_SIZE"), "gfx942")
    assert run.exit_code == 1
    assert run.stdout is not None
    assert run.stdout.startswith("counter_variable: 20000 after the multiples of 2, WRONG\n")


def _counters(trace: Trace) -> dict[tuple[int, str], float]:
    return {(one.dispatch_id, counter): value for one in trace.dispatches() for counter, value in one.counters.items()}


def _values(launches: list[Launch], device: str) -> dict[tuple[int, str], float]:
    return {
        (i, name): launch.counter(name, device) for i, launch in enumerate(launches, 1) for name in events_of(device)
    }


# ---------------------------------------------------------------------------------------------------------------------
# Two GPUs


@dataclass(frozen=True)
class Shared:
    """The example two_gpus after a run on two devices."""

    devices: tuple[str, str]
    run: Run

    def trace(self, kind: str) -> Trace:
        return mp.open_trace(getattr(Outputs.of(self.run.output_dir), kind))


@pytest.fixture(scope="module")
def two_gpus(build: Callable[[Path], Path]) -> Path:
    return build(EXAMPLES / "two_gpus" / "two_gpus.cpp")


@pytest.fixture(scope="module", params=PAIRS, ids=",".join)
def shared(request: pytest.FixtureRequest, two_gpus: Path, profile: Profile) -> Shared:
    pair: tuple[str, str] = request.param
    events = [f"{name}:device={number}" for number, one in enumerate(pair) for name in events_of(one)]
    return Shared(pair, profile(two_gpus, events, ",".join(pair)))


def test_two_gpus_print_and_return_what_they_do_alone(
    shared: Shared, two_gpus: Path, environment: dict[str, str]
) -> None:
    first, second = shared.devices
    output = (
        f"two_gpus: GPU 0 {first} did 20000 elements\n"
        f"two_gpus: GPU 1 {second} did 20000 elements\n"
        "two_gpus: 40000 elements correct\n"
    )
    by_itself = alone(two_gpus, env=environment | {"ROCPROFSYS_MULTIPASS_SIMULATE": f"{first},{second}"})
    assert (by_itself.returncode, by_itself.stdout, by_itself.stderr) == (0, output, "")
    assert (shared.run.exit_code, shared.run.stdout, shared.run.stderr) == (0, output, "")


@pytest.mark.parametrize("kind", ["trace", "database"])
def test_each_of_two_gpus_reads_its_own_counters(shared: Shared, kind: str) -> None:
    dispatches = shared.trace(kind).dispatches()
    assert len(dispatches) == 4
    for device in shared.devices:
        launches = two_gpus_launches(device, 20_000)
        own = [one for one in dispatches if one.agent.name == device]
        assert [(one.kernel, one.outcome) for one in own] == [(launch.kernel, "replayed") for launch in launches]
        assert min(len(one.passes) for one in own) >= 2
        found = {(i, name): value for i, one in enumerate(own, 1) for name, value in one.counters.items()}
        assert wrong(found, _values(launches, device)) == {}


def test_the_files_of_two_gpus_agree_and_verify(shared: Shared) -> None:
    assert readings(shared.trace("trace")) == readings(shared.trace("database"))
    assert [one for one in doubts(shared.run.output_dir) if one[0] != "zeros"] == []


def test_one_gpu_does_the_work_of_two_when_it_is_alone(two_gpus: Path, profile: Profile) -> None:
    run = profile(two_gpus, events_of("gfx942"), "gfx942")
    assert (run.exit_code, run.stdout) == (
        0,
        "two_gpus: GPU 0 gfx942 did 40000 elements\ntwo_gpus: 40000 elements correct\n",
    )
    found = _counters(mp.open_trace(run.output_dir))
    assert wrong(found, _values(two_gpus_launches("gfx942", 40_000), "gfx942")) == {}


# ---------------------------------------------------------------------------------------------------------------------
# What the pages beside the examples say


@dataclass(frozen=True)
class Table:
    """A table of a README whose first head is the name of a device: counters down, kernels across."""

    page: str
    device: str
    kernels: list[str]
    rows: list[list[str]]


def tables() -> list[Table]:
    found = []
    for page in sorted(EXAMPLES.glob("*/README.md")):
        lines = [
            [cell.strip(" `") for cell in line.strip("|").split("|")] if line.startswith("|") else []
            for line in page.read_text(encoding="utf-8").splitlines()
        ]
        for number, (before, cells) in enumerate(pairwise([[], *lines])):
            if before == [] and cells and cells[0].startswith("gfx"):
                end = next((i for i in range(number, len(lines)) if lines[i] == []), len(lines))
                found.append(Table(page.parent.name, cells[0], cells[1:], lines[number + 2 : end]))
    return found


def launches_of(page: str, device: str) -> list[Launch]:
    """Of the example of this page."""
    if page == "two_gpus":
        return two_gpus_launches(device, 20_000)
    application = {"config": "histogram", "notebook": "matmul"}.get(page, page)
    return APPLICATIONS[application].launches(device)


@pytest.mark.parametrize("name", ["counter_variable", "histogram", "matmul", "own_source", "two_gpus"])
def test_the_page_of_an_example_tells_the_values_of_gfx942(name: str) -> None:
    assert [table.device for table in tables() if table.page == name][:1] == ["gfx942"]


@pytest.mark.parametrize(
    "table",
    [table for table in tables() if table.device in DEVICE_NAMES],
    ids=lambda table: f"{table.page}-{table.device}",
)
def test_the_values_on_the_page_of_an_example_are_right(table: Table) -> None:
    first = {launch.kernel.split("(")[0]: launch for launch in reversed(launches_of(table.page, table.device))}
    told = {
        (counter, kernel): float(value.replace(",", ""))
        for counter, *values in table.rows
        for kernel, value in zip(table.kernels, values, strict=True)
    }
    assert len(told) >= 4
    assert wrong(told, {key: first[key[1]].counter(key[0], table.device) for key in told}) == {}


@pytest.mark.parametrize("page", sorted(EXAMPLES.glob("**/README.md")), ids=lambda page: page.parent.name)
def test_the_counters_in_the_commands_of_a_page_can_be_planned(page: Path) -> None:
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    for devices, events in re.findall(r"--simulate (\S+) +--events (\S+)", text):
        for number, device in enumerate(devices.split(",")):
            if device not in DEVICE_NAMES:
                continue
            tokens = [token.partition(":device=") for token in events.split(",")]
            asked = [name for name, _, only in tokens if only in ("", str(number))]
            plan = mp.plan(device=device, events=asked)
            assert plan.unknown == ()
            planned = [name for one in plan.agents[0].passes for name in one.counters if name not in one.sentinel]
            assert sorted(planned) == sorted(asked)


def test_no_two_pages_write_to_one_folder() -> None:
    # Who follows one page after another is else refused by the folder of the first, and reports that one's run.
    pages = sorted(EXAMPLES.glob("**/README.md"))
    folders = [set(re.findall(r"-o (\S+) --", page.read_text(encoding="utf-8"))) for page in pages]
    assert sum(len(names) for names in folders) == len(set().union(*folders)) >= 8
