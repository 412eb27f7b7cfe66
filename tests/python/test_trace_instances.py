# SPDX-License-Identifier: MIT
"""What a journal says beside sums: the values of single instances, and what else it knows of a GPU and of the run."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import replace
from pathlib import Path

import pytest
import trace_tools as tools

import rocprofsys_multipass as mp
from rocprofsys_multipass.metrics import metric_values
from rocprofsys_multipass.trace import Process, open_trace
from rocprofsys_multipass.trace import journal_pb2 as pb
from rocprofsys_multipass.trace.instances import InstanceValues

NAN, INF = float("nan"), float("inf")
TCC = (("DIMENSION_INSTANCE", 2), ("DIMENSION_XCC", 2))
RUN = replace(tools.sample_run(), dimensions={"TCC_HIT": TCC}, keeps_instances=True)
HITS = [60.0, 70.0, 80.0, 90.0]


def read(folder: Path, run: tools.Run) -> Process:
    tools.write_run(folder, run, files=("journal",))
    return open_trace(folder / f"multipass-{tools.PID}.journal").processes[0]


def kept(*instances: tuple[int, int, dict[str, list[float] | dict[int, float]]]) -> tools.Run:
    run = RUN
    for launch, execution, of in instances:
        run = tools.with_execution(run, launch, execution, instances=of)
    return run


def damaged(folder: Path, values: list[float], positions: list[int], more: int = 0) -> Process:
    """With these instances of TCC_HIT in dispatch 1, pass 1, which has two counters, and that many lists for none."""
    frames = tools.journal_frames(RUN)
    one = next(f for f in frames if f.HasField("dispatch")).dispatch.passes[1]
    one.instances.extend([pb.Instances(), pb.Instances(positions=positions, values=values)])
    one.instances.extend([pb.Instances(values=[1])] * more)
    path = folder / f"multipass-{tools.PID}.journal"
    path.write_bytes(tools.journal_header() + b"".join(map(tools.frame, frames)))
    return open_trace(path).processes[0]


def test_instances_are_read_by_counter_and_position(tmp_path: Path):
    """All of one counter, and those of another that were delivered; nothing of a pass that has none."""
    process = read(tmp_path, kept((0, 1, {"TCC_HIT": HITS, "SQ_WAVES": {3: 500.0, 7: 12.0}})))
    first, second = process.dispatches[0].passes
    assert first.instances is None
    assert second.instances == {"TCC_HIT": dict(enumerate(HITS)), "SQ_WAVES": {3: 500.0, 7: 12.0}}
    assert sum(second.instances["TCC_HIT"].values()) == process.dispatches[0].counter("TCC_HIT")
    assert process.left_out == ()


def test_instances_are_the_same_where_values_are_no_numbers(tmp_path: Path):
    """A pass that is not laid out as others are has them too."""
    run = kept((0, 1, {"TCC_HIT": HITS}))
    run = tools.with_execution(run, 0, 1, values={"SQ_WAVES": NAN, "TCC_HIT": 300.0})
    assert read(tmp_path, run).dispatches[0].passes[1].instances == {"TCC_HIT": dict(enumerate(HITS))}


def test_the_last_pass_and_a_copy_have_their_instances(tmp_path: Path):
    """Copies and pickles of a process keep them."""
    process = read(tmp_path, kept((1, 1, {"TCC_HIT": [0.0] * 4})))
    for same in (copy.copy(process), pickle.loads(pickle.dumps(process))):
        assert same.dispatches[1].passes[1].instances == {"TCC_HIT": dict.fromkeys(range(4), 0.0)}


def test_an_instance_that_was_not_delivered_is_absent():
    """Not 0."""
    values = InstanceValues([1, 4], [10.0, 40.0])
    assert (values[4], values.get(2), values.get(5), len(values)) == (40.0, None, None, 2)
    assert 0 not in values


def test_instances_that_are_no_numbers_are_left_out_and_told_of(tmp_path: Path):
    """Once for the counter, with the first place; the others stay."""
    process = read(tmp_path, kept((0, 1, {"TCC_HIT": [60, NAN, 80, INF]}), (1, 1, {"TCC_HIT": {2: -INF}})))
    first, second = (d.passes[1] for d in process.dispatches[:2])
    assert first.instances == {"TCC_HIT": {0: 60.0, 2: 80.0}}
    assert second.instances == {}
    (said,) = process.left_out
    assert said == (
        "TCC_HIT of GPU 0 (gfx942): 3 instances are NaN or infinite; they are left out, the sums are not "
        "(first: dispatch 1, pass 1)"
    )


@pytest.mark.parametrize(
    ("values", "positions"),
    [([1, 2], [3, 1]), ([1, 2], [1, 1]), ([1, 2], [1]), ([1], [4]), ([1, 2, 3, 4, 5], [])],
    ids=["not in order", "twice", "too few", "too high", "too many"],
)
def test_instances_with_positions_that_cannot_be_are_left_out_and_told_of(
    tmp_path: Path, values: list[float], positions: list[int]
):
    """The sums of the pass stay."""
    process = damaged(tmp_path, values, positions)
    assert process.dispatches[0].passes[1].instances == {}
    assert process.dispatches[0].counter("TCC_HIT") == 300
    (said,) = process.left_out
    assert said == (
        "TCC_HIT of GPU 0 (gfx942): 1 execution has instances whose positions are not those of the values; "
        "they are left out, the sums are not (first: dispatch 1, pass 1)"
    )


def test_instances_of_no_counter_are_left_out_and_told_of(tmp_path: Path):
    """Those of the counters are read."""
    process = damaged(tmp_path, HITS, [], more=2)
    assert process.dispatches[0].passes[1].instances == {"TCC_HIT": dict(enumerate(HITS))}
    assert process.left_out == ("2 lists of instances belong to no counter, left out (first: dispatch 1, pass 1)",)


def test_a_journal_says_how_instances_are_numbered_and_that_they_were_asked_for(tmp_path: Path):
    """And which panels of rocprofiler-compute were."""
    process = read(tmp_path, replace(RUN, compute_panels=(2, 17)))
    counters = {c.name: c for c in process.gpus[0].counters}
    assert counters["TCC_HIT"].dimensions == TCC
    assert counters["SQ_WAVES"].dimensions == ()
    assert (process.keeps_instances, process.compute_panels) == (True, (2, 17))


def test_a_journal_says_what_the_sdk_knows_of_a_gpu(tmp_path: Path):
    """What is unknown, 0 or empty, is not there."""
    said = {
        "model_name": "a model",
        "logical_node_type_id": 3,
        "memory_partition": "NPS4",
        "max_waves_per_cu": 32,
        "num_shader_banks": 4,
        "max_engine_clk_fcompute": 2100,
        "mem_clk_max": 0,
    }
    (gpu,) = read(tmp_path, replace(RUN, described=said, properties={"cu_count": 304})).gpus
    assert (gpu.model_name, gpu.logical_node_type_id, gpu.memory_partition) == ("a model", 3, "NPS4")
    clocks = {"max_waves_per_cu": 32, "num_shader_banks": 4, "max_engine_clk_fcompute": 2100}
    assert dict(gpu.properties) == {"cu_count": 304} | clocks


def test_the_json_has_instances_where_they_were_kept(tmp_path: Path):
    """By position, with the dimensions that these are made of; `verify` finds a change of one."""
    run = kept((0, 1, {"TCC_HIT": {0: 100.0, 3: 200.0}}))
    tools.write_run(tmp_path, run, files=("journal",))
    (path,) = mp.export(tmp_path / f"multipass-{tools.PID}.journal", "json")
    (process,) = json.loads(path.read_text(encoding="utf-8"))["processes"]
    first, second = process["dispatches"][0]["passes"]
    assert "instances" not in first
    assert second["instances"] == {"TCC_HIT": {"0": 100.0, "3": 200.0}}
    (described,) = (c for c in process["agents"][0]["counters"] if "dimensions" in c)
    assert described["dimensions"] == [{"name": name, "size": size} for name, size in TCC]
    assert (process["keeps_instances"], process["compute_panels"]) == (True, [])
    assert [f for f in mp.verify(tmp_path, checks=["tables"]) if f.severity == "error"] == []
    path.write_text(path.read_text(encoding="utf-8").replace('"3": 200.0', '"2": 200.0'), encoding="utf-8")
    (found,) = (f for f in mp.verify(tmp_path, checks=["tables"]) if f.severity == "error")
    assert found.where.endswith("dispatch 1, passes[1].instances")


def test_a_metric_is_of_what_every_file_says_of_a_gpu(tmp_path: Path):
    """Not of what only a journal knows: it would have another value in the database."""
    counters = ("SQ_WAVE_CYCLES", "GRBM_GUI_ACTIVE")
    run = tools.with_execution(replace(RUN, plan=(counters, *RUN.plan[1:])), 0, 0, values=dict.fromkeys(counters, 8))
    gpu = {"cu_count": 4, "num_xcc": 1, "max_waves_per_simd": 8}
    of_journal = replace(run, properties=gpu, described={"max_waves_per_cu": 32})
    assert "occupancy" not in metric_values(read(tmp_path, of_journal).dispatches[0])
    whole = replace(run, properties=gpu | {"simd_per_cu": 4}, described={"max_waves_per_cu": 99})
    other = tmp_path / "whole"
    other.mkdir()
    assert metric_values(read(other, whole).dispatches[0])["occupancy"] == 400 * 8 / (8 * 4 * 32)
