# SPDX-License-Identifier: MIT
"""``merge``: which files are brought together, where to, what is never written over, and what is said.

How a trace and a database are merged is not looked at here: stand-ins for these two say what they were given.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
import trace_tools as tools
from fake_native import Cli
from rocprof_sys_folder import TEXTS, write_host

import rocprofsys_multipass as mp
from rocprofsys_multipass.errors import OutputError, TraceError, UsageError
from rocprofsys_multipass.merge import Merged, Unmatched, process
from rocprofsys_multipass.merge.join.joined import Joined

RUN = tools.sample_run()
Call = tuple[str, str, str, str, Mapping[int, int] | None]
Merger = Callable[..., Merged]


class Mergers:
    """Stand-ins: they write a line, and remember what they were given. `fail`: names of inputs, and what happens."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.fail: dict[str, Exception] = {}
        self.counts = Merged(Path(), matched=5, added=0, removed=0)

    def of(self, kind: str) -> Merger:
        def merge(host: Path, own: Path, target: Path, *, join: Mapping[int, int] | None = None) -> Merged:
            self.calls.append((kind, host.name, own.name, target.name, join))
            if host.name in self.fail:
                raise self.fail[host.name]
            target.write_text(f"{host.name} with {own.name}\n", encoding="utf-8")
            return replace(self.counts, target=target)

        return merge


@pytest.fixture
def mergers(monkeypatch: pytest.MonkeyPatch) -> Mergers:
    made = Mergers()
    monkeypatch.setattr(process, "_merger", made.of)
    return made


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """A run directory and rocprof-sys's folder, of one process."""
    run = tools.write_run(tmp_path / "out", RUN)
    return run, write_host(tmp_path / "host", RUN.pid)


def ranks(tmp_path: Path, own: tuple[int, ...], host: tuple[int, ...]) -> tuple[Path, Path]:
    for rank in own:
        tools.write_run(tmp_path / "out", replace(RUN, pid=100 + rank, rank=rank))
    for rank in host:
        write_host(tmp_path / "host", 100 + rank, suffix=rank)
    return tmp_path / "out", tmp_path / "host"


def test_trace_and_database_of_a_process_are_merged_under_rocprof_sys_s_names(
    mergers: Mergers, folders: tuple[Path, Path]
):
    run, host = folders
    result = mp.merge(run, host)
    own = f"multipass-{RUN.pid}"
    assert mergers.calls == [
        ("trace", f"perfetto-trace-{RUN.pid}.proto", f"{own}.pftrace", f"perfetto-trace-{RUN.pid}.pftrace", None),
        ("database", f"rocpd-{RUN.pid}.db", f"{own}.db", f"rocpd-{RUN.pid}.db", None),
    ]
    assert [path.relative_to(run) for path in result.files] == [
        Path(f"merged/perfetto-trace-{RUN.pid}.pftrace"),
        Path(f"merged/rocpd-{RUN.pid}.db"),
        Path(f"merged/merge-{RUN.pid}.json"),
    ]
    assert (result.errors, result.exit_code, result.only_own, result.only_host) == ((), 0, (), ())


def test_the_report_has_inputs_counts_and_what_has_no_match(mergers: Mergers, folders: tuple[Path, Path]):
    run, host = folders
    lost = Unmatched(9, "not in the database")
    mergers.counts = Merged(Path(), 3, 1, 4, unmatched=(lost,), unmatched_count=7, notes=("a note",))
    mp.merge(run, host)
    report = json.loads((run / "merged" / f"merge-{RUN.pid}.json").read_text(encoding="utf-8"))
    assert report["perfetto"] == {
        "file": str(run / "merged" / f"perfetto-trace-{RUN.pid}.pftrace"),
        "matched": 3,
        "added": 1,
        "removed": 4,
        "unmatched": 7,
        "unmatched_first": [{"dispatch_id": 9, "reason": "not in the database"}],
        "notes": ["a note"],
    }
    assert (report["schema"], report["pid"], report["rank"], report["join"]) == (1, RUN.pid, None, None)
    assert report["inputs"]["rocprof_sys"]["rocpd"] == str(host / f"rocpd-{RUN.pid}.db")
    assert report["inputs"]["own"]["perfetto"] == str(run / f"multipass-{RUN.pid}.pftrace")


def test_processes_are_paired_and_those_of_one_side_are_named(mergers: Mergers, tmp_path: Path):
    run, host = ranks(tmp_path, own=(0, 2, 3), host=(0, 1, 2))
    result = mp.merge(run, host)
    assert [(call[1], call[2]) for call in mergers.calls if call[0] == "trace"] == [
        ("perfetto-trace-0.proto", "multipass-rank0.pftrace"),
        ("perfetto-trace-2.proto", "multipass-rank2.pftrace"),
    ]
    assert (result.only_own, result.only_host) == (("process 103 (rank 3)",), ("process 101 (rank 1)",))


def test_one_pid_on_two_nodes_is_told_apart_by_rank(mergers: Mergers, tmp_path: Path):
    for rank in (0, 1):
        tools.write_run(tmp_path / "out", replace(RUN, pid=100, rank=rank))
        write_host(tmp_path / "host", 100, suffix=rank)
    mp.merge(tmp_path / "out", tmp_path / "host")
    assert [(call[1], call[2]) for call in mergers.calls if call[0] == "database"] == [
        ("rocpd-0.db", "multipass-rank0.db"),
        ("rocpd-1.db", "multipass-rank1.db"),
    ]


def test_what_could_be_several_is_not_guessed(mergers: Mergers, tmp_path: Path):
    tools.write_run(tmp_path / "out", replace(RUN, pid=100))
    tools.write_run(tmp_path / "out", replace(RUN, pid=101))
    for rank in (0, 1):
        write_host(tmp_path / "host", 100, suffix=rank)
    write_host(tmp_path / "host", 101)
    result = mp.merge(tmp_path / "out", tmp_path / "host")
    assert [one.pid for one in result.processes] == [101]
    assert result.notes == ("process 100 may be any of 2 of rocprof-sys: name the folder of one run",)


def test_an_unreadable_file_is_paired_by_the_number_in_its_name(mergers: Mergers, tmp_path: Path):
    tools.write_run(tmp_path / "out", replace(RUN, pid=100, rank=3))
    tools.write_run(tmp_path / "out", replace(RUN, pid=101, rank=4))
    (tmp_path / "host").mkdir()
    for name in ("rocpd-101.db", "rocpd-3.db"):
        (tmp_path / "host" / name).write_bytes(b"")
    mp.merge(tmp_path / "out", tmp_path / "host")
    assert [(call[1], call[2]) for call in mergers.calls] == [
        ("rocpd-3.db", "multipass-rank3.db"),
        ("rocpd-101.db", "multipass-rank4.db"),
    ]


def test_without_a_process_in_common_nothing_is_made(mergers: Mergers, folders: tuple[Path, Path], tmp_path: Path):
    other = write_host(tmp_path / "other", 9)
    with pytest.raises(TraceError, match=rf"process {RUN.pid}, of rocprof-sys process 9, and none is in both"):
        mp.merge(folders[0], other)
    assert not (folders[0] / "merged").exists()


def test_a_trace_of_several_processes_is_named_and_not_merged(
    mergers: Mergers, folders: tuple[Path, Path], tmp_path: Path
):
    run, host = folders
    (host / "merged.proto").write_bytes(b"\n\0")
    assert mp.merge(run, host).notes == (
        "merged.proto: of several processes, left as it is; their own files are merged",
    )
    (tmp_path / "all").mkdir()
    (tmp_path / "all" / "merged.proto").write_bytes(b"\n\0")
    with pytest.raises(TraceError, match=r"merged\.proto: of several processes, and of each there is nothing: give"):
        mp.merge(run, tmp_path / "all")


def test_files_that_are_there_are_replaced_only_when_it_is_wanted(mergers: Mergers, folders: tuple[Path, Path]):
    mp.merge(*folders)
    target = folders[0] / "merged" / f"rocpd-{RUN.pid}.db"
    target.write_text("mine", encoding="utf-8")
    (folders[0] / "merged" / f"perfetto-trace-{RUN.pid}.pftrace").unlink()
    with pytest.raises(OutputError, match=r"rocpd-\d+\.db is there already and was not replaced: give overwrite=True"):
        mp.merge(*folders)
    assert target.read_text(encoding="utf-8") == "mine"
    assert len(mergers.calls) == 2  # of the first time
    mp.merge(*folders, overwrite=True)
    assert target.read_text(encoding="utf-8") != "mine"


@pytest.mark.parametrize("overwrite", [False, True])
def test_what_rocprof_sys_wrote_is_never_in_danger(mergers: Mergers, folders: tuple[Path, Path], overwrite: bool):  # noqa: FBT001
    run, host = folders
    with pytest.raises(UsageError, match="would be beside or in place of what rocprof-sys wrote"):
        mp.merge(run, host, output=host, overwrite=overwrite)
    (host.parent / "link").symlink_to(host)
    with pytest.raises(UsageError, match="stays as it is: give another folder with output="):
        mp.merge(run, host, output=host.parent / "link", overwrite=overwrite)
    assert mergers.calls == []


def test_a_file_that_cannot_be_merged_does_not_keep_the_others_from_it(mergers: Mergers, tmp_path: Path):
    run, host = ranks(tmp_path, own=(0, 1), host=(0, 1))
    mergers.fail = {"rocpd-0.db": TraceError("rocpd-0.db: 0 bytes; x"), "perfetto-trace-1.proto": OSError(28, "full")}
    result = mp.merge(run, host)
    assert [path.name for path in result.files] == [
        "perfetto-trace-0.pftrace",
        "rocpd-1.db",
        "merge-rank0.json",
        "merge-rank1.json",
    ]
    assert result.errors[0] == "rocpd-0.db: 0 bytes; x"
    assert "perfetto-trace-1.pftrace could not be written: full (ENOSPC, errno 28)" in result.errors[1]
    assert result.exit_code == 7


def test_a_fault_of_this_tool_and_an_input_that_is_gone_are_told_as_what_they_are(mergers: Mergers, tmp_path: Path):
    run, host = ranks(tmp_path, own=(0, 1), host=(0, 1))
    gone = OSError(2, "No such file or directory", str(host / "perfetto-trace-1.proto"))
    mergers.fail = {"rocpd-0.db": KeyError("type_index"), "perfetto-trace-1.proto": gone}
    result = mp.merge(run, host)
    assert [path.name for path in result.files][:2] == ["perfetto-trace-0.pftrace", "rocpd-1.db"]
    database, trace = run / "merged" / "rocpd-0.db", host / "perfetto-trace-1.proto"
    fault = "not made by a fault of this tool (KeyError: 'type_index'): leave its inputs there and report it"
    assert result.errors == (
        f"{database}: {fault}",
        f"{trace}: No such file or directory; check the path and its permissions",
    )


def test_where_nothing_could_be_merged_the_code_is_that_of_the_first_error(
    mergers: Mergers, folders: tuple[Path, Path]
):
    mergers.fail = dict.fromkeys([f"rocpd-{RUN.pid}.db", f"perfetto-trace-{RUN.pid}.proto"], TraceError("damaged; x"))
    result = mp.merge(*folders)
    assert (result.exit_code, result.files) == (6, ())
    assert not result.output.exists()


def test_an_output_that_was_not_exported_is_asked_for(mergers: Mergers, tmp_path: Path):
    run = tools.write_run(tmp_path / "out", RUN, files=("journal", "pftrace", "json"))
    result = mp.merge(run, write_host(tmp_path / "host", RUN.pid))
    assert [one.target.suffix for one in result.processes[0].merged] == [".pftrace"]
    (error,) = result.errors
    assert error.endswith(f"make it with `rocprof-sys-multipass export {run} --format rocpd`")


def test_two_files_of_one_name_get_the_process_behind_it(mergers: Mergers, tmp_path: Path):
    for pid in (90, 91):
        tools.write_run(tmp_path / "out", replace(RUN, pid=pid))
        write_host(tmp_path / "host" / f"rank{pid}", pid, suffix="", files=("database",))
    result = mp.merge(tmp_path / "out", tmp_path / "host")
    assert [path.name for path in result.files][:2] == ["rocpd-90.db", "rocpd-91.db"]


@pytest.mark.parametrize(("removed", "told"), [(4, True), (0, False)])
def test_texts_that_count_passes_are_named(
    mergers: Mergers,
    tmp_path: Path,
    removed: int,
    told: bool,  # noqa: FBT001
):
    run = tools.write_run(tmp_path / "out", replace(RUN, pid=90))
    host = write_host(tmp_path / "host", 90, texts=TEXTS)
    mergers.counts = replace(mergers.counts, removed=removed)
    notes = mp.merge(run, host).processes[0].notes
    expected = (
        "wall_clock-90.json, wall_clock-90.txt count a kernel once for each pass (COUNT, SUM) and are left as they "
        "are: once for each dispatch it is counted in top_kernels of rocpd-90.db"
    )
    assert notes == ((expected,) if told else ())


def test_the_command_prints_what_was_matched_and_the_files(
    mergers: Mergers, cli: Cli, folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(folders[0].parent)
    unmatched = tuple(Unmatched(number, "only this tool has it") for number in range(7, 13))
    mergers.counts = replace(mergers.counts, removed=2, added=1, unmatched=unmatched, unmatched_count=1006)
    code, out, err = cli("merge", "out", "host")
    assert (code, err) == (0, "")
    counts = (
        "5 dispatches matched, 1 dispatch added, which rocprof-sys did not record, 2 repeated executions taken out, "
        "1,006 dispatches without a match:"
    )
    trace = f"out/merged/perfetto-trace-{RUN.pid}.pftrace"
    assert out.splitlines()[:9] == [
        f"process {RUN.pid}: merged with rocprof-sys's trace and database",
        f"  {counts}",
        *[f"    dispatch {number}: only this tool has it" for number in range(7, 12)],
        "    and 1,001 more",
        f"  {trace} (54 bytes): rocprof-sys-multipass open {trace}",
    ]


def test_many_ranks_alike_are_told_in_a_few_lines(
    mergers: Mergers, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    count = 10
    ranks(tmp_path, own=tuple(range(count)), host=tuple(range(count)))
    mergers.fail = {"rocpd-9.db": TraceError("rocpd-9.db: 0 bytes; run it again")}
    code, out, _ = cli("merge", "out", "host")
    lines = out.splitlines()
    assert code == 7
    assert lines[:4] == [
        "9 processes (ranks 0-8): merged with rocprof-sys's trace and database; of each:",
        "  5 dispatches matched",
        "process 109 (rank 9): merged with rocprof-sys's trace",
        "  5 dispatches matched",
    ]
    assert [line.partition(", ")[0] for line in lines[4:]] == [
        f"  out/merged/perfetto-*.pftrace ({count} files",
        f"  out/merged/rocpd-*.db ({count - 1} files",
        f"  out/merged/merge-*.json ({count} files",
    ]
    assert lines[4].endswith("): rocprof-sys-multipass open out/merged")
    assert lines[6].endswith("): how the dispatches were matched")


def test_a_join_names_the_processes_of_both_runs(
    mergers: Mergers, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    found = Joined(Path("rocpd.db"), Path("multipass.journal"), {1: 1}, 1, 1, 0, (), ())
    monkeypatch.setattr(process, "match_runs", lambda *_: found)
    one = tools.write_run(tmp_path / "one", RUN)
    code, out, _ = cli("merge", one, write_host(tmp_path / "clean", 77), "--join")
    assert code == 0
    assert out.startswith(f"process {RUN.pid}: merged with rocprof-sys's trace and database of process 77\n")
    many = ranks(tmp_path, own=(0, 1), host=())[0]
    for rank in (0, 1):
        write_host(tmp_path / "ranks", 200 + rank, suffix=rank, environment={"OMPI_COMM_WORLD_RANK": str(rank)})
    code, out, _ = cli("merge", many, tmp_path / "ranks", "--join")
    assert code == 0
    assert out.startswith("2 processes (ranks 0-1): merged with rocprof-sys's trace and database; of each:\n")


def test_json_is_the_whole_answer(mergers: Mergers, cli: Cli, folders: tuple[Path, Path]):
    code, out, err = cli("merge", *folders, "--json", "-o", folders[0] / "elsewhere")
    answer = json.loads(out)
    assert (code, err, answer["schema"], answer["output"]) == (0, "", 1, str(folders[0] / "elsewhere"))
    assert [one["pid"] for one in answer["processes"]] == [RUN.pid]
    assert (answer["only_own"], answer["only_rocprof_sys"], answer["join"]) == ([], [], False)


def test_errors_of_files_are_on_stderr_and_end_with_7(mergers: Mergers, cli: Cli, folders: tuple[Path, Path]):
    mergers.fail = {f"rocpd-{RUN.pid}.db": TraceError("rocpd.db: damaged; write it again")}
    code, out, err = cli("merge", *folders)
    assert code == 7
    assert err == "rocprof-sys-multipass: error: rocpd.db: damaged; write it again\n"
    assert "merged with rocprof-sys's trace\n" in out
