# SPDX-License-Identifier: MIT
"""The folder of an export for rocprofiler-compute: its files, what sysinfo says, models, and what is replaced."""

from __future__ import annotations

import errno
import os
import stat
import threading
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
import yaml
from compute_tools import MI300X, by_dispatch, content, export, exported, group, launch, rows, run_of, write_journal

from rocprofsys_multipass.compute import folder
from rocprofsys_multipass.compute.directory import Directory
from rocprofsys_multipass.compute.numbering import Capture, gpu_numbers
from rocprofsys_multipass.compute.sysinfo import sysinfo_of
from rocprofsys_multipass.errors import OutputError
from rocprofsys_multipass.trace import journal_pb2 as pb
from rocprofsys_multipass.trace.agent import Agent
from rocprofsys_multipass.trace.model import Process

MI210: dict[str, str | int] = {
    "cu_count": 104,
    "simd_per_cu": 4,
    "num_shader_banks": 8,
    "wave_front_size": 64,
    "max_waves_per_simd": 8,
    "num_xcc": 1,
    "max_engine_clk_fcompute": 1700,
    "mem_clk_max": 1600,
}


def agent(name: str, partition: str = "", **properties: int) -> Agent:
    return Agent(
        index=1, device=0, name=name, properties=tuple(properties.items()), memory_partition=partition
    )  # fmt: skip


def numbers(name: str, described: dict[str, str | int]) -> dict[str, int | None]:
    facts = {key: value for key, value in described.items() if isinstance(value, int)}
    return dict(sysinfo_of(agent(name, str(described.get("memory_partition", "")), **facts)).numbers)


def renamed(architecture: str, **facts: object):
    """An edit that makes the GPU another one."""

    def edit(one: pb.Frame) -> None:
        if one.HasField("agent") and one.agent.gpu:
            one.agent.name = architecture
            for name, value in facts.items():
                setattr(one.agent, name, value)

    return edit


# --- sysinfo --------------------------------------------------------------------------------------------------------


def test_an_mi300x_has_the_numbers_that_rocprofiler_compute_has_of_it(tmp_path: Path):
    def edit(one: pb.Frame) -> None:
        if one.HasField("run"):
            one.run.realtime_ns = 1_754_000_000_123_456_789

    (row,) = rows(exported(tmp_path, run_of(launch(1)), edit), "sysinfo.csv")
    assert row == {
        "workload_name": "app",
        "command": "./app 'it'\"'\"'s'",
        "hostname": "host",
        "timestamp": "2025-07-31 22:13:20 UTC",
        "gpu_model": "a GPU",
        "rocm_version": "rocprofiler-sdk 1.4.1",
        "version": "3",
        "gpu_arch": "gfx942",
        "ip_blocks": "SQ|LDS|SQC|TA|TD|TCP|TCC|SPI|CPC|CPF",
        "cu_per_gpu": "304",
        "simd_per_cu": "4",
        "se_per_gpu": "32",
        "wave_size": "64",
        "max_waves_per_cu": "32",
        "num_xcd": "8",
        "max_sclk": "2100",
        "max_mclk": "1300",
        "cur_sclk": "2100",
        "cur_mclk": "1300",
        "sqc_per_gpu": "160",
        "total_l2_chan": "128",
        "lds_banks_per_cu": "32",
        "pipes_per_gpu": "4",
        "num_hbm_channels": "128",
        "num_memory_channels": "128",
    }


def test_an_mi210_has_one_xcc_and_a_memory_channel_for_each_of_the_l2_cache():
    found = numbers("gfx90a", MI210 | {"num_xcc": 0})
    assert found == {
        "cu_per_gpu": 104,
        "simd_per_cu": 4,
        "se_per_gpu": 8,
        "wave_size": 64,
        "max_waves_per_cu": 32,
        "num_xcd": 1,
        "max_sclk": 1700,
        "max_mclk": 1600,
        "cur_sclk": 1700,
        "cur_mclk": 1600,
        "sqc_per_gpu": 56,
        "total_l2_chan": 32,
        "lds_banks_per_cu": 32,
        "pipes_per_gpu": 4,
        "num_hbm_channels": 32,
        "num_memory_channels": 32,
    }
    assert sysinfo_of(agent("gfx90a", **{k: v for k, v in MI210.items() if isinstance(v, int)})).assumed == ()


def test_three_cus_of_an_mi100_share_an_instruction_cache():
    assert numbers("gfx908", {"cu_count": 120, "num_shader_banks": 8})["sqc_per_gpu"] == 40


@pytest.mark.parametrize(
    ("partition", "channels", "assumed"),
    [("NPS1", 128, 0), ("NPS4", 32, 0), ("NPS8", 16, 0), ("NPS2", 96, 1), ("", 96, 1)],
)
def test_memory_channels_go_by_the_mode_of_the_memory(partition: str, channels: int, assumed: int):
    found = sysinfo_of(agent("gfx942", partition, num_xcc=6))
    assert (found.get("num_hbm_channels"), found.get("num_memory_channels")) == (channels, channels)
    assert len(found.assumed) == assumed


def test_an_assumed_number_is_in_the_notes(tmp_path: Path):
    directory = exported(tmp_path, run_of(launch(1), described=MI300X | {"memory_partition": ""}))
    expected = "are taken as total_l2_chan (128): the mode of the memory is not known."
    assert expected in (directory / "notes.txt").read_text(encoding="utf-8")


def test_what_is_not_known_is_empty_and_told_of(tmp_path: Path):
    journal = write_journal(
        tmp_path / "a.journal", run_of(launch(1), described={**MI300X, "mem_clk_max": 0, "cu_count": 0})
    )
    done = export(journal, tmp_path / "compute")
    (row,) = rows(done.models[0].path, "sysinfo.csv")
    assert [name for name, value in row.items() if not value] == ["cu_per_gpu", "max_mclk", "cur_mclk", "sqc_per_gpu"]
    assert done.warnings == (
        (
            "gfx942: sysinfo.csv: cu_per_gpu, sqc_per_gpu empty, of gfx942 it is not known: analyze ends with an error "
            'on them: fill them in, or give it --specs-correction "cu_per_gpu:NUMBER"'
        ),
        (
            "gfx942: sysinfo.csv: max_mclk, cur_mclk empty, of gfx942 it is not known: analyze warns and leaves out "
            'what needs them: give it --specs-correction "max_mclk:MHZ"'
        ),
    )


def test_features_behind_an_architecture_are_no_part_of_it(tmp_path: Path):
    run = run_of(launch(1), described=MI300X)
    directory = exported(tmp_path, run, renamed("gfx942:sramecc+:xnack-"))
    assert directory.name == "gfx942"
    (row,) = rows(directory, "sysinfo.csv")
    plain = exported(tmp_path / "plain", run)
    assert (directory / "sysinfo.csv").read_bytes() == (plain / "sysinfo.csv").read_bytes()
    assert (row["gpu_arch"], row["total_l2_chan"], row["num_hbm_channels"]) == ("gfx942", "128", "128")


@pytest.mark.parametrize(
    ("architecture", "named"),
    [("gfx1100", "gfx1100"), ("", "a GPU without a name"), ("SQ/../x", "SQ/../x")],
)
def test_of_an_architecture_that_analyze_does_not_know_nothing_is_written(
    tmp_path: Path, architecture: str, named: str
):
    one = write_journal(tmp_path / "a.journal", run_of(launch(1), launch(2)), renamed(architecture))
    with pytest.raises(OutputError) as caught:
        export(one, tmp_path / "compute", include_partial=True)
    assert str(caught.value) == (
        f"{tmp_path}/compute: nothing is left to export for rocprofiler-compute: rocprofiler-compute has no panels of "
        f"{named} (2): analyze knows gfx908, gfx90a, gfx940, gfx941, gfx942, gfx950: export another format"
    )
    other = write_journal(tmp_path / "b.journal", replace(run_of(launch(1)), pid=9, guid="g"))
    done = export((one, other), tmp_path / "compute")
    assert [path.name for path in (tmp_path / "compute").iterdir()] == ["gfx942"]
    (warning,) = done.warnings
    assert warning == (
        f"{architecture or 'a GPU'}: of it nothing is left to export (rocprofiler-compute has no panels of {named} "
        "(2)): no directory is written"
    )


def test_texts_of_the_process_and_the_gpu_come_back_and_numbers_are_integers(tmp_path: Path):
    hostile = 'AMD, "Inc"\nX\u2028'

    def edit(one: pb.Frame) -> None:
        if one.HasField("run"):
            one.run.hostname, one.run.sdk_version = hostile, hostile
            del one.run.command[:]
            one.run.command.extend([hostile, "\r", "x"])
        elif one.HasField("agent"):
            one.agent.product_name = hostile

    directory = exported(tmp_path, run_of(launch(1)), edit)
    frame = pd.read_csv(directory / "sysinfo.csv")
    assert len(frame) == 1
    assert [frame[name][0] for name in ("hostname", "gpu_model")] == [hostile] * 2
    assert {str(frame[name].dtype) for name in list(frame)[list(frame).index("cu_per_gpu") :]} == {"int64"}


# --- files ----------------------------------------------------------------------------------------------------------


def test_a_directory_has_these_files_and_none_begins_with_sq(tmp_path: Path):
    journal = write_journal(tmp_path / "a.journal", run_of(launch(1)))
    done = export(journal, tmp_path / "compute", release="3.9")
    names = ["dispatches.csv", "notes.txt", "pmc_perf.csv", "pmc_perf.csv.gz", "profiling_config.yaml", "sysinfo.csv"]
    assert list(content(tmp_path / "compute")) == [f"gfx942/{name}" for name in names]
    assert done.files == tuple(tmp_path / "compute" / "gfx942" / name for name in names)
    config = yaml.safe_load((tmp_path / "compute/gfx942/profiling_config.yaml").read_text(encoding="utf-8"))
    assert config == {"format_rocprof_output": "rocpd"}
    assert (
        (tmp_path / "compute/gfx942/notes.txt")
        .read_text(encoding="utf-8")
        .endswith("\n  rocprof-compute analyze -p gfx942\n")
    )


def test_each_model_of_gpu_has_a_directory(tmp_path: Path):
    runs = [replace(run_of(launch(1, waves=k)), pid=10 + k, guid=f"g{k}") for k in range(4)]
    edits = [renamed("gfx942"), renamed("gfx90a", **MI210), renamed("gfx942", cu_count=228), renamed("gfx942")]
    journals = [
        write_journal(tmp_path / f"{k}.journal", run, edit)
        for k, (run, edit) in enumerate(zip(runs, edits, strict=True))
    ]
    done = export(journals, tmp_path / "compute")
    found = {model.path.name: [one["SQ_WAVES"] for one in by_dispatch(model.path).values()] for model in done.models}
    assert found == {"gfx90a": [1], "gfx942": [2], "gfx942-2": [0, 3]}
    assert [rows(model.path, "sysinfo.csv")[0]["cu_per_gpu"] for model in done.models] == ["104", "228", "304"]


def test_of_a_model_of_which_nothing_is_left_there_is_a_warning_and_no_directory(tmp_path: Path):
    one = write_journal(tmp_path / "a.journal", run_of(launch(1)))
    other = write_journal(
        tmp_path / "b.journal", replace(run_of(group(1, 0)), pid=9, guid="g"), renamed("gfx90a", **MI210)
    )
    done = export((one, other), tmp_path / "compute")
    assert [path.name for path in (tmp_path / "compute").iterdir()] == ["gfx942"]
    assert done.warnings == ("gfx90a: of it nothing is left to export (declined: budget (1)): no directory is written",)


@pytest.mark.parametrize(("hosts", "gpus"), [(("n1", "n1"), ["0", "1"]), (("n2", "n1"), ["1", "0"])])
def test_gpus_are_numbered_by_host_and_node(tmp_path: Path, hosts: tuple[str, str], gpus: list[str]):
    journals = []
    for k, (host, node) in enumerate(zip(hosts, (4, 6), strict=True)):

        def edit(one: pb.Frame, host: str = host, node: int = node) -> None:
            if one.HasField("run"):
                one.run.hostname = host
            if one.HasField("agent") and one.agent.gpu:
                one.agent.node_id = node

        run = replace(run_of(launch(1)), pid=9, guid=f"g{k}", rank=k)
        journals.append(write_journal(tmp_path / f"{k}.journal", run, edit))
    (model,) = export(journals, tmp_path / "compute").models
    assert [one["GPU_ID"] for one in rows(model.path, "dispatches.csv")] == gpus
    assert [one["GPU_ID"] for one in rows(model.path)] == [gpu for gpu in gpus for _ in range(4)]


def test_gpus_of_one_node_are_told_apart_by_their_ordinal():
    gpus = tuple(Agent(index=k, device=k, name="gfx942", node_id=0) for k in range(3))
    process = Process(path=Path("a.journal"), kind="journal", pid=1, agents=gpus, dispatches=(), guid="g")
    capture = Capture(process.path, process, 1)
    assert gpu_numbers((capture,)) == {(capture.key, 0): 0, (capture.key, 1): 1, (capture.key, 2): 2}


# --- replacing ------------------------------------------------------------------------------------------------------


def test_an_earlier_export_is_replaced_with_what_analyze_wrote_into_it(tmp_path: Path):
    first = exported(tmp_path, run_of(launch(1), launch(2)), release="3.9")
    before = content(tmp_path / "compute")
    for name in ("pmc_dispatch_info.csv", "pmc_kernel_top.csv"):
        (first / name).write_text("x", encoding="utf-8")
    exported(tmp_path, run_of(launch(1), launch(2)), release="3.9")
    assert content(tmp_path / "compute") == before
    assert sorted(one.name for one in tmp_path.iterdir()) == ["compute", "multipass-4711.journal"]


def test_a_new_folder_has_the_permissions_that_folders_have_here(tmp_path: Path):
    directory = exported(tmp_path, run_of(launch(1)))
    (tmp_path / "plain").mkdir()
    expected = stat.S_IMODE((tmp_path / "plain").stat().st_mode)
    assert [stat.S_IMODE(one.stat().st_mode) for one in (directory, directory.parent)] == [expected] * 2


@pytest.mark.parametrize(
    "foreign", ["mine.txt", "gfx942/mine.txt", "gfx942/workloads/x.csv", "other/notes.txt", "pmc_perf.csv"]
)
def test_a_folder_with_something_else_in_it_is_not_replaced(tmp_path: Path, foreign: str):
    exported(tmp_path, run_of(launch(1)))
    path = tmp_path / "compute" / foreign
    path.parent.mkdir(exist_ok=True)
    path.write_text("mine", encoding="utf-8")
    before = content(tmp_path)
    named = path if path.parent.name != "workloads" else path.parent
    with pytest.raises(OutputError, match=f"^{named}: it is in the place of an export .*: move it$"):
        exported(tmp_path, run_of(launch(1), launch(2)))
    assert content(tmp_path).keys() == before.keys()
    assert content(tmp_path / "compute") == {
        name.removeprefix("compute/"): data for name, data in before.items() if name.startswith("compute/")
    }


def test_a_file_or_link_in_the_place_of_a_directory_is_not_replaced(tmp_path: Path):
    journal = write_journal(tmp_path / "a.journal", run_of(launch(1)))
    (tmp_path / "compute").write_text("mine", encoding="utf-8")
    with pytest.raises(OutputError, match=f"^{tmp_path}/compute: it is in the place"):
        export(journal, tmp_path / "compute")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other/gfx942").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OutputError, match=f"^{tmp_path}/other/gfx942: it is in the place"):
        export(journal, tmp_path / "other")


def test_what_fails_in_the_middle_leaves_the_old_export_and_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    exported(tmp_path, run_of(launch(1)))
    before = content(tmp_path / "compute")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Directory, "_pack", full)
    with pytest.raises(OutputError) as caught:
        exported(tmp_path, run_of(launch(1), launch(2)), release="3.9")
    assert str(caught.value) == (
        f"{tmp_path}/compute could not be written: No space left on device (ENOSPC, errno 28); make room there, or "
        "choose another place"
    )
    assert content(tmp_path / "compute") == before
    assert sorted(one.name for one in tmp_path.iterdir()) == ["compute", "multipass-4711.journal"]


def test_an_earlier_export_is_there_until_the_new_one_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Names are exchanged in one step: who is killed, or looks there, finds one of the two whole."""
    exported(tmp_path, run_of(launch(1)))

    def refused(self: Path, target: Path) -> Path:
        if self.name == "compute":
            raise AssertionError(target)
        return rename(self, target)

    rename = Path.rename
    monkeypatch.setattr(Path, "rename", refused)
    assert list(by_dispatch(exported(tmp_path, run_of(launch(1), launch(2))))) == [0, 1]
    assert sorted(one.name for one in tmp_path.iterdir()) == ["compute", "multipass-4711.journal"]


@pytest.mark.parametrize("exchanges", [True, False])
def test_exports_to_one_place_at_once_leave_one_whole(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    exchanges: bool,  # noqa: FBT001
):
    if not exchanges:
        monkeypatch.setattr(folder, "exchanged", lambda *_: False)
    journal = write_journal(tmp_path / "a.journal", run_of(launch(1)))
    failed: list[Exception] = []

    def often() -> None:
        try:
            for _ in range(5):
                export(journal, tmp_path / "compute")
        except Exception as error:  # noqa: BLE001
            failed.append(error)

    threads = [threading.Thread(target=often) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert failed == []
    assert list(content(tmp_path / "compute/gfx942")) == [
        *("dispatches.csv", "notes.txt", "pmc_perf.csv", "profiling_config.yaml", "sysinfo.csv")
    ]
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.journal", "compute"]


def test_a_link_that_leads_to_itself_is_named_with_errno(tmp_path: Path):
    journal = write_journal(tmp_path / "a.journal", run_of(launch(1)))
    (tmp_path / "compute").symlink_to("compute")
    with pytest.raises(OutputError, match=r"compute could not be written: .*ELOOP"):
        export(journal, tmp_path / "compute")


def test_a_rename_that_fails_puts_the_old_export_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    exported(tmp_path, run_of(launch(1)))
    before = content(tmp_path / "compute")
    rename = Path.rename

    def refused(self: Path, target: Path) -> Path:
        if self.name == "new":
            raise OSError(errno.EACCES, os.strerror(errno.EACCES))
        return rename(self, target)

    monkeypatch.setattr(folder, "exchanged", lambda *_: False)
    monkeypatch.setattr(Path, "rename", refused)
    with pytest.raises(OutputError, match=r"compute could not be written: Permission denied \(EACCES, errno 13\)"):
        exported(tmp_path, run_of(launch(1), launch(2)))
    assert content(tmp_path / "compute") == before
    assert sorted(one.name for one in tmp_path.iterdir()) == ["compute", "multipass-4711.journal"]


def test_a_place_that_cannot_be_made_is_named_with_errno(tmp_path: Path):
    journal = write_journal(tmp_path / "a.journal", run_of(launch(1)))
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(OutputError, match=r"file.* could not be written: .*errno"):
        export(journal, tmp_path / "file" / "compute")
