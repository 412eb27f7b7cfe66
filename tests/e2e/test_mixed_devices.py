# SPDX-License-Identifier: MIT
"""Several GPUs in one process: other counters, passes and waves on each, and GPUs without counters among them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import expected
import pytest
from e2e_tools import Cli, Outputs, alone, by_hand, database
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace as PerfettoTrace
from perfetto_tools import load

import rocprofsys_multipass as mp
from rocprofsys_multipass import Run
from rocprofsys_multipass.native import Native
from rocprofsys_multipass.trace.model import Dispatch

# Counters of gfx942, of gfx1100, of both. On gfx942 they are 9 of block TCC, which has 4 registers; on gfx1100 8 of
# GL2C, which has 4.
EVENTS = (
    *("SQ_WAVES", "SQ_INSTS_VALU", "SQ_INSTS_LDS", "SQ_WAVE_CYCLES", "GRBM_GUI_ACTIVE", "TA_TA_BUSY"),
    *("FETCH_SIZE", "WRITE_SIZE", "OccupancyPercent"),
    *("TCC_HIT", "TCC_MISS", "TCC_REQ", "TCC_READ", "SQ_INSTS_VMEM_RD", "VALUUtilization"),
    *("GL2C_HIT", "GL2C_MISS", "L2CacheHit", "SQ_INSTS_TEX_LOAD", "SQ_WAVE32_INSTS", "SQ_WAVE64_INSTS"),
)
ROUNDS = 3

Start = Callable[..., Run]


@pytest.fixture(scope="session")
def mixed(build: Callable[[Path], Path]) -> Path:
    """An application that launches two kernels on each GPU, round by round."""
    return build(Path(__file__).with_name("mixed.cpp"))


@pytest.fixture(scope="session")
def start(mixed: Path, environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Start:
    """Runs it under the plugin on these devices; `arguments`: which it uses, or "threads"."""

    def run(
        devices: Sequence[str], events: str | Sequence[str] = EVENTS, *, arguments: Sequence[str] = (), **options: Any
    ) -> Run:
        output = tmp_path_factory.mktemp("mixed") / "out"
        return mp.run(
            [mixed, str(ROUNDS), *arguments],
            events=events,
            simulate=",".join(devices),
            output=output,
            env=environment,
            capture=True,
            **({"replay": "kernel"} | options),
        )

    return run


@dataclass(frozen=True)
class Mixed:
    """The devices of a run, and what it left."""

    devices: tuple[str, ...]
    run: Run

    @property
    def outputs(self) -> Outputs:
        return Outputs.of(self.run.output_dir)

    def names(self) -> list[str]:
        """Names of the agents."""
        return [Path(device).stem for device in self.devices]


def own_device(folder: Path) -> str:
    """A device file of one's own: gfx1201 with waves of 16 lanes, 10 SIMDs, a name and counter ids of its own."""
    document = json.loads((expected.DEVICES / "gfx1201.json").read_text(encoding="utf-8"))
    document["agent"] |= {"name": "mine", "wave_front_size": 16, "simd_count": 10, "simd_per_cu": 2}
    for counter in document["counters"]:
        counter["id"] += 20000
        if counter["name"] in document["agent"]:
            counter["constant"] = document["agent"][counter["name"]]
    path = folder / "mine.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module", params=["two", "three", "own", "reversed"])
def case(request: pytest.FixtureRequest, start: Start, tmp_path_factory: pytest.TempPathFactory) -> Mixed:
    devices: dict[str, tuple[str, ...]] = {
        "two": ("gfx942", "gfx1100"),
        "three": ("gfx942", "gfx1100", "gfx942"),
        "own": (own_device(tmp_path_factory.mktemp("device")), "gfx942"),
        "reversed": ("gfx1201", "gfx1100", "gfx942"),
    }
    chosen = devices[request.param]
    return Mixed(chosen, start(chosen))


@pytest.fixture(scope="module")
def two(start: Start) -> Mixed:
    devices = ("gfx942", "gfx1100")
    return Mixed(devices, start(devices))


@pytest.fixture(scope="module")
def at_once(start: Start) -> Mixed:
    """A thread for each device."""
    devices = ("gfx942", "gfx1100", "gfx942", "gfx1201")
    return Mixed(devices, start(devices, arguments=["threads"]))


def offered(device: str, names: Sequence[str] = EVENTS) -> tuple[str, ...]:
    """Those of the counters that a device has."""
    return tuple(name for name in names if name in expected.Device.named(device))


def passes(run: Run) -> list[list[list[str]]]:
    """The counters of each pass of each GPU, in the summary's words."""
    assert run.summary is not None
    return [agent["passes"] for agent in run.summary["agents"]]


def facts(dispatch: Dispatch) -> tuple[str, str, str, dict[str, float]]:
    return dispatch.agent.label, dispatch.kernel, dispatch.outcome, dict(dispatch.counters)


# ---------------------------------------------------------------------------------------------------------------------
# Each dispatch on each device


def test_the_application_sees_every_device_and_its_waves(two: Mixed) -> None:
    assert two.run.stdout == "GPU 0: gfx942, waves of 64\nGPU 1: gfx1100, waves of 32\ncorrect\n"
    assert (two.run.exit_code, two.run.errors, two.run.warnings) == (0, (), ())


@pytest.mark.parametrize("kind", ["journal", "trace", "database"])
def test_every_dispatch_has_the_values_of_its_own_device(case: Mixed, kind: str) -> None:
    launches = expected.mixed_launches(case.devices, ROUNDS)
    wanted = [
        (
            f"GPU {number} [{case.names()[number]}]",
            launch.kernel,
            "replayed",
            {name: launch.counter(name, case.devices[number]) for name in offered(case.devices[number])},
        )
        for number, launch in launches
    ]
    assert [facts(one) for one in mp.open_trace(getattr(case.outputs, kind)).dispatches()] == wanted


@pytest.mark.parametrize("kind", ["journal", "trace", "database"])
def test_every_reading_of_every_pass_is_right(case: Mixed, kind: str) -> None:
    plans = passes(case.run)
    wanted = [
        [{name: launch.counter(name, case.devices[number]) for name in counters} for counters in plans[number]]
        for number, launch in expected.mixed_launches(case.devices, ROUNDS)
    ]
    found = [
        [{reading.counter: reading.value for reading in one.readings} for one in dispatch.passes]
        for dispatch in mp.open_trace(getattr(case.outputs, kind)).dispatches()
    ]
    assert found == wanted


def test_the_waves_of_the_two_devices_make_different_values() -> None:
    """The tests above would see waves of a wrong width, or values of the wrong device."""
    done = dict(expected.mixed_launches(("gfx942", "gfx1100"), 1))
    cdna, rdna = (expected.Device.named(name).activity(expected.mixed_fold(1000, 96)) for name in ("gfx942", "gfx1100"))
    assert (cdna["waves"], rdna["waves"]) == (2 * 11, 3 * 11)
    assert (cdna["insts_lds"], rdna["insts_lds"]) == (3 * 11, 4 * 11)
    assert done[0].counter("GRBM_GUI_ACTIVE", "gfx942") != done[1].counter("GRBM_GUI_ACTIVE", "gfx1100")


def test_each_device_has_the_passes_of_its_plan(case: Mixed) -> None:
    plan = mp.plan(["gfx1201" if name == "mine" else name for name in case.names()], EVENTS)  # same registers
    assert passes(case.run) == [[list(one.counters) for one in agent.passes] for agent in plan.agents]


def test_the_number_of_passes_differs(two: Mixed) -> None:
    assert two.run.summary is not None
    agents = {agent["device"]: (agent["name"], agent["pass_count"]) for agent in two.run.summary["agents"]}
    assert agents == {0: ("gfx942", 3), 1: ("gfx1100", 2)}
    found = [
        (one.agent.device, [p.index for p in one.passes]) for one in mp.open_trace(two.run.output_dir).dispatches()
    ]
    assert found == [(0, [0, 1, 2]), (0, [0, 1, 2]), (1, [0, 1]), (1, [0, 1])] * ROUNDS


def test_the_summary_counts_every_dispatch_once(case: Mixed) -> None:
    assert case.run.summary is not None
    launches = 2 * ROUNDS * len(case.devices)
    counts = case.run.summary["dispatches"]
    assert (counts["seen"], counts["replayed"]) == (launches, launches)


@pytest.mark.parametrize("kind", ["journal", "trace", "database"])
def test_devices_that_are_used_at_the_same_time_keep_their_values_apart(at_once: Mixed, kind: str) -> None:
    found = mp.open_trace(getattr(at_once.outputs, kind)).dispatches()
    for number, device in enumerate(at_once.devices):
        wanted = [
            (launch.kernel, "replayed", {name: launch.counter(name, device) for name in offered(device)})
            for of, launch in expected.mixed_launches(at_once.devices, ROUNDS)
            if of == number
        ]
        assert [facts(one)[1:] for one in found if one.agent.device == number] == wanted


@pytest.mark.parametrize("device", ["gfx1100", "gfx1201"])
def test_every_counter_of_a_device_is_collected_in_the_fewest_passes(start: Start, device: str) -> None:
    document = json.loads((expected.DEVICES / f"{device}.json").read_text(encoding="utf-8"))
    names = [counter["name"] for counter in document["counters"] if "block" in counter or counter.get("registers")]
    run = start((device,), names)
    assert run.exit_code == 0
    assert run.summary is not None
    (agent,) = run.summary["agents"]
    fewest = {"gfx1100": 4, "gfx1201": 3}[device]  # a ninth SQ counter in a pass would end the process on gfx1201
    assert (agent["pass_count"], agent["lower_bound"]) == (fewest, fewest)
    for path in (Outputs.of(run.output_dir).journal, Outputs.of(run.output_dir).database):
        assert [dict(one.counters) for one in mp.open_trace(path).dispatches()] == [
            {name: launch.counter(name, device) for name in names}
            for _, launch in expected.mixed_launches((device,), ROUNDS)
        ]


def test_verify_finds_no_error(case: Mixed) -> None:
    assert [finding for finding in mp.verify(case.run.output_dir) if finding.severity == "error"] == []


# ---------------------------------------------------------------------------------------------------------------------
# The files


def tracks(path: Path) -> list[str]:
    """Names of all tracks of a trace."""
    packets = PerfettoTrace.FromString(path.read_bytes()).packet
    return [packet.track_descriptor.name for packet in packets if packet.HasField("track_descriptor")]


def test_the_trace_has_one_track_per_gpu_with_the_passes_of_that_gpu(two: Mixed) -> None:
    names = tracks(two.outputs.trace)
    assert [name for name in names if name.endswith("]") and "pass" not in name] == [
        "GPU 0 [gfx942]",
        "GPU 1 [gfx1100]",
    ]
    lanes = sorted(name for name in names if name.startswith("Replay pass"))
    assert lanes == ["Replay pass 0", "Replay pass 0", "Replay pass 1", "Replay pass 1", "Replay pass 2"]
    counters = sorted(name for name in names if name.startswith("GPU ") and " pass " in name)
    assert counters == sorted(
        f"GPU {counter} [{device}] pass {index}"
        for device, plan in enumerate(passes(two.run))
        for index, names_of_pass in enumerate(plan)
        for counter in names_of_pass
    )


def test_perfetto_imports_the_trace_of_two_devices_without_loss(two: Mixed) -> None:
    loaded = load(two.outputs.trace)
    assert loaded.errors == {}
    for number, device in enumerate(two.devices):
        launches = [launch for of, launch in expected.mixed_launches(two.devices, ROUNDS) if of == number]
        for index, counters in enumerate(passes(two.run)[number]):
            for counter in counters:
                samples = [value for _, value in loaded.counters[f"GPU {counter} [{number}] pass {index}"]]
                values = [launch.counter(counter, device) for launch in launches]
                assert samples == [sample for value in values for sample in (value, 0)]  # at its start and end


def test_the_database_has_a_row_for_each_agent(case: Mixed) -> None:
    with database(case.outputs.database) as db:
        rows = db.execute(
            "SELECT type, name, absolute_index, logical_index, type_index FROM rocpd_info_agent ORDER BY absolute_index"
        ).fetchall()
    gpus = [("GPU", name, i + 1, i + 1, i) for i, name in enumerate(case.names())]
    assert [tuple(row) for row in rows][1:] == gpus
    assert (rows[0]["type"], rows[0]["absolute_index"], rows[0]["type_index"]) == ("CPU", 0, 0)


def test_the_database_has_each_counter_of_each_device_under_its_agent(case: Mixed) -> None:
    with database(case.outputs.database) as db:
        rows = db.execute(
            "SELECT a.type_index, p.symbol FROM rocpd_info_pmc p JOIN rocpd_info_agent a ON a.id = p.agent_id"
        ).fetchall()
    wanted = [(i, name) for i, device in enumerate(case.devices) for name in offered(device)]
    assert sorted(tuple(row) for row in rows) == sorted(wanted)


# ---------------------------------------------------------------------------------------------------------------------
# Lists that name devices


def test_a_counter_is_read_on_the_device_that_its_token_names(start: Start) -> None:
    devices = ("gfx942", "gfx1100", "gfx942")
    events = "SQ_WAVES:device=0 SQ_INSTS_VALU:device=2 WRITE_SIZE:device=1 FETCH_SIZE"
    wanted = [("SQ_WAVES", "FETCH_SIZE"), ("WRITE_SIZE", "FETCH_SIZE"), ("SQ_INSTS_VALU", "FETCH_SIZE")]
    run = start(devices, events)
    assert (run.exit_code, run.warnings) == (0, ())
    outputs = Outputs.of(run.output_dir)
    for path in (outputs.journal, outputs.trace, outputs.database):
        assert [(one.agent.device, dict(one.counters)) for one in mp.open_trace(path).dispatches()] == [
            (number, {name: launch.counter(name, devices[number]) for name in wanted[number]})
            for number, launch in expected.mixed_launches(devices, ROUNDS)
        ]


def test_a_token_for_a_device_without_that_counter_says_so(start: Start) -> None:
    run = start(("gfx942", "gfx1100"), "SQ_WAVES TCC_HIT:device=1 GL2C_HIT:device=1 SQ_WAVES:device=2")
    assert run.exit_code == 0
    assert sorted(run.warnings) == [
        "'SQ_WAVES:device=2' (column 45) is collected nowhere: there are GPUs 0 to 1",
        "'TCC_HIT:device=1' (column 10) is left out: not a counter of gfx1100, but of GPU 0 (gfx942)",
    ]
    assert passes(run) == [[["SQ_WAVES"]], [["GL2C_HIT", "SQ_WAVES"]]]


def test_a_counter_for_a_device_that_no_kernel_ran_on_is_said_to_have_no_value(start: Start) -> None:
    devices = ("gfx942", "gfx1100", "gfx942")
    events = "SQ_WAVES:device=0 SQ_INSTS_VALU:device=0 GL2C_HIT:device=1 SQ_WAVES:device=2 FETCH_SIZE"
    run = start(devices, events, arguments=["1"])
    assert run.exit_code == 0
    why = "kernels ran on GPU 1 (gfx1100); the SDK numbers all GPUs by node id, whatever HIP_VISIBLE_DEVICES hides"
    assert run.warnings == (
        f"SQ_INSTS_VALU:device=0, SQ_WAVES:device=0: no kernel was launched on GPU 0 (gfx942), {why}",
        f"SQ_WAVES:device=2: no kernel was launched on GPU 2 (gfx942), {why}",
    )
    assert {one.agent.device for one in mp.open_trace(run.output_dir).dispatches()} == {1}


def test_a_gpu_that_is_not_used_is_no_reason_to_warn(start: Start) -> None:
    run = start(("gfx942", "gfx1100"), "SQ_WAVES GL2C_HIT:device=1", arguments=["1"])
    assert (run.exit_code, run.warnings) == (0, ())


def test_the_table_at_the_end_tells_the_gpus_apart(cli: Cli, mixed: Path, tmp_path: Path) -> None:
    run = cli("run", "--simulate", "gfx942,gfx1100", "--events", "SQ_WAVES", "-o", tmp_path / "out", "--", mixed, "1")
    lines = [line.split() for line in run.stderr.splitlines()]
    start = lines.index(["dispatch", "GPU", "passes", "time", "outcome", "kernel"])
    launches = expected.mixed_launches(("gfx942", "gfx1100"), 1)
    rows = lines[start + 1 : start + 1 + len(launches)]
    assert [row[:3] for row in rows] == [[str(i), str(number), "1"] for i, (number, _) in enumerate(launches, 1)]


# ---------------------------------------------------------------------------------------------------------------------
# GPUs without counters


@pytest.fixture(scope="module", params=["gfx1036,gfx942", "gfx942,gfx1036", "gfx1036,gfx942,gfx1100,gfx1036"])
def beside(request: pytest.FixtureRequest, start: Start) -> Mixed:
    devices = tuple(request.param.split(","))
    return Mixed(devices, start(devices, verbose=True))


def without_counters(devices: Sequence[str]) -> list[int]:
    return [number for number, device in enumerate(devices) if device == "gfx1036"]


def test_a_gpu_without_counters_runs_its_kernels_and_is_left_out_with_one_note(beside: Mixed) -> None:
    assert beside.run.exit_code == 0
    assert [text for text in beside.run.warnings if "gfx1036" in text] == []
    assert beside.run.stdout.splitlines()[-1] == "correct"
    notes = [line for line in beside.run.stderr.splitlines() if "gfx1036" in line]
    assert len(notes) == len(without_counters(beside.devices)), beside.run.stderr
    for number, note in zip(without_counters(beside.devices), notes, strict=True):
        assert f"GPU {number} (gfx1036) is left out: gfx1036 has no counters that this SDK can read" in note


@pytest.mark.parametrize("kind", ["journal", "trace", "database"])
def test_dispatches_on_a_gpu_without_counters_are_recorded_without_readings(beside: Mixed, kind: str) -> None:
    found = [facts(one) for one in mp.open_trace(getattr(beside.outputs, kind)).dispatches()]
    assert found == [
        (
            f"GPU {number} [{beside.devices[number]}]",
            launch.kernel,
            "replayed" if offered(beside.devices[number]) else "filtered",
            {name: launch.counter(name, beside.devices[number]) for name in offered(beside.devices[number])},
        )
        for number, launch in expected.mixed_launches(beside.devices, ROUNDS)
    ]


def test_dispatches_on_a_gpu_without_counters_have_times(beside: Mixed) -> None:
    dispatches = mp.open_trace(beside.run.output_dir).dispatches()
    durations = [one.duration_ns for one in dispatches if one.outcome == "filtered"]
    assert len(durations) == 2 * ROUNDS * len(without_counters(beside.devices))
    assert [duration for duration in durations if duration is None or duration <= 0] == []


def test_the_summary_counts_a_dispatch_without_counters_as_filtered(beside: Mixed) -> None:
    assert beside.run.summary is not None
    counts = beside.run.summary["dispatches"]
    without = len(without_counters(beside.devices))
    assert counts["filtered"] == 2 * ROUNDS * without
    assert counts["replayed"] == 2 * ROUNDS * (len(beside.devices) - without)
    parts = ("replayed", "single_pass", "declined", "filtered", "incomplete")
    assert counts["seen"] == sum(counts[part] for part in parts)
    passes_of = {agent["device"]: agent["pass_count"] for agent in beside.run.summary["agents"]}
    assert [passes_of[number] for number in without_counters(beside.devices)] == [0] * without


def test_verify_finds_nothing_wrong_with_dispatches_without_counters(beside: Mixed) -> None:
    findings = mp.verify(beside.run.output_dir)
    assert [one for one in findings if one.severity == "error" or "gfx1036" in one.message] == []


def test_a_counter_for_the_gpu_without_counters_alone_is_left_out(start: Start) -> None:
    run = start(("gfx1036", "gfx942"), "SQ_WAVES:device=0 SQ_INSTS_VALU")
    assert run.exit_code == 0
    assert passes(run) == [[], [["SQ_INSTS_VALU"]]]
    assert any("SQ_WAVES:device=0" in text and "gfx1036" in text for text in run.warnings)


def test_where_only_such_a_gpu_is_nothing_can_be_planned_and_the_application_runs(
    cli: Cli, mixed: Path, tmp_path: Path
) -> None:
    run = cli("run", "--simulate", "gfx1036", "--events", "SQ_WAVES", "-o", tmp_path / "out", "--", mixed, "1")
    assert (run.returncode, run.stdout) == (4, "GPU 0: gfx1036, waves of 32\ncorrect\n")
    assert "GPU 0 (gfx1036) is left out: gfx1036 has no counters that this SDK can read" in run.stderr
    assert "nothing was collected" in run.stderr


def test_the_plugin_alone_leaves_the_application_its_exit_code_there(
    native: Native, environment: dict[str, str], mixed: Path, tmp_path: Path
) -> None:
    variables = {"ROCPROFSYS_MULTIPASS_SIMULATE": "gfx1036", "ROCPROFSYS_MULTIPASS_EVENTS": "SQ_WAVES"}
    run = alone(mixed, "1", env=by_hand(native, environment, tmp_path / "out", **variables))
    assert (run.returncode, run.stdout) == (0, "GPU 0: gfx1036, waves of 32\ncorrect\n")
    assert "gfx1036 has no counters that this SDK can read" in run.stderr
    assert "the program runs unprofiled" in run.stderr
