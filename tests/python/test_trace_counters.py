# SPDX-License-Identifier: MIT
"""A trace that was written without counters (`--trace-counters none`): nothing in it is taken for missing."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
import trace_tools as tools

import rocprofsys_multipass as mp
from rocprofsys_multipass.errors import UsageError
from rocprofsys_multipass.run import export, export_all, recover_all
from rocprofsys_multipass.trace import open_trace
from rocprofsys_multipass.trace.kernel_counters import kernel_counters_of
from rocprofsys_multipass.trace.missing import why_missing
from rocprofsys_multipass.verify import verify

if TYPE_CHECKING:
    from pathlib import Path

    from fake_native import Applications, Cli, FakeNative
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pt

RUN = tools.sample_run()
COUNTERS = {counter for counters in RUN.plan for counter in counters}


def bare(packet: pt.TracePacket) -> bool:
    """What the exporter leaves of each packet with that option; False: nothing."""
    event = packet.track_event
    if packet.track_descriptor.HasField("counter") or event.type == event.TYPE_COUNTER:
        return False
    if not packet.HasField("track_event"):
        return True
    kept = [a for a in event.debug_annotations if a.name not in COUNTERS]
    del event.debug_annotations[:]
    event.debug_annotations.extend(kept)
    if "rocm_multipass_run" in event.categories:
        tools.annotate(event, {"trace_counters": "none"})
    return True


def made(folder: Path, *files: str, run: tools.Run = RUN) -> Path:
    tools.write_run(folder, run, files=files)
    (folder / f"multipass-{run.pid}.pftrace").write_bytes(tools.trace_bytes(run, bare))
    return folder


@pytest.mark.parametrize("files", [(), ("journal", "pftrace", "json"), ("journal", "db", "pftrace", "json"), ("db",)])
def test_verify_finds_nothing_wrong_with_it_and_tells_of_it(tmp_path: Path, files: tuple[str, ...]) -> None:
    """Alone, and beside the files that have the counters."""
    findings = [one for one in verify(made(tmp_path / "run", *files)) if one.severity != "info"]
    assert findings == []
    told = [one for one in verify(tmp_path / "run") if one.check == "perfetto-counters"]
    assert [(one.severity, "--trace-counters none" in one.message) for one in told] == [("info", True)]


def test_times_are_still_compared(tmp_path: Path) -> None:
    """A pass that moved is found, although no reading of it is in the trace."""
    folder = made(tmp_path / "run", "journal")
    moved = tools.with_execution(RUN, 0, 1, start=RUN.launches[0].executions[1].start + 1)
    (folder / f"multipass-{RUN.pid}.pftrace").write_bytes(tools.trace_bytes(moved, bare))
    assert {one.check for one in verify(folder) if one.severity == "error"} == {"parity"}


def test_dispatches_and_passes_are_read_with_their_times(tmp_path: Path) -> None:
    """Passes are whole: no planned counter of theirs is missing."""
    (path,) = made(tmp_path / "run").glob("*.pftrace")
    trace = open_trace(path)
    whole = open_trace(tools.write_run(tmp_path / "whole", RUN, files=("pftrace",)))
    for one, other in zip(trace.dispatches(), whole.dispatches(), strict=True):
        assert [p.duration_ns for p in one.passes] == [p.duration_ns for p in other.passes]
        assert {p.status for p in one.passes} <= {"OK"}
        assert one.counters == {}


def test_a_counter_that_is_asked_for_is_said_to_be_elsewhere(tmp_path: Path) -> None:
    """Not that a pass did not deliver it."""
    first = open_trace(made(tmp_path / "run")).dispatches()[0]
    text = why_missing(first, RUN.plan[0][0])
    assert "the trace was written without counters (--trace-counters none)" in text
    assert "deliver" not in text


def test_a_trace_that_lacks_counters_without_saying_so_is_still_an_error(tmp_path: Path) -> None:
    """The mark of the run alone makes the difference."""

    def unsaid(packet: pt.TracePacket) -> bool:
        kept = bare(packet)
        if "rocm_multipass_run" in packet.track_event.categories:
            del packet.track_event.debug_annotations[-1]
        return kept

    folder = made(tmp_path / "run", "journal")
    (folder / f"multipass-{RUN.pid}.pftrace").write_bytes(tools.trace_bytes(RUN, unsaid))
    assert "parity" in {one.check for one in verify(folder) if one.severity == "error"}


def test_export_asks_the_exporter_for_it(native: FakeNative, cli: Cli, tmp_path: Path) -> None:
    """From the command line and from Python."""
    journal = tmp_path / "multipass-1.journal"
    journal.write_text("{}", encoding="utf-8")
    cli("export", str(journal), "--format", "perfetto", "--trace-counters", "none")
    export(journal, "perfetto", trace_counters="none")
    export(journal, "perfetto", trace_counters="all")
    wanted = [str(journal), "--format", "perfetto"]
    none = [*wanted, "--trace-counters", "none"]
    assert [call[:5] for call in native.exports] == [none, none, wanted]  # behind it the command has its progress


def test_another_word_is_refused(tmp_path: Path) -> None:
    """With the words that there are."""
    journal = tools.write_run(tmp_path / "run", RUN, files=("journal",))
    with pytest.raises(UsageError, match="trace_counters: 'some' is not one of all, none"):
        export(journal, trace_counters="some")


def test_recover_and_export_do_as_the_run_was_asked(
    native: FakeNative, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hand-over file tells; what is given beats it."""
    folder = tools.write_run(tmp_path / "run", RUN, files=("journal",))
    module = sys.modules["rocprofsys_multipass.run.asked"]
    monkeypatch.setattr(module, "handover_of", lambda _: (folder, {"trace_counters": "none", "layout": "strict"}))
    assert recover_all(folder, None, overwrite=True)
    assert native.exports[-1][-4:] == ["--layout", "strict", "--trace-counters", "none"]
    export_all(folder, None, None, overwrite=True)
    assert native.exports[-1][-4:] == ["--layout", "strict", "--trace-counters", "none"]
    export_all(folder, None, None, overwrite=True, layout="canonical", trace_counters="all")
    assert native.exports[-1][-2:] == ["--format", "perfetto,rocpd"]


@pytest.mark.parametrize("made_of", ["journal", "pftrace"])
def test_tables_beside_it_are_not_said_to_have_too_much(tmp_path: Path, made_of: str) -> None:
    """Neither those of the whole run, whose journal is gone, nor those that were made of it."""
    folder = made(tmp_path / "run", "journal")
    export(folder / f"multipass-{RUN.pid}.{made_of}", "csv,csv-wide,json", output=folder, overwrite=True)
    (folder / f"multipass-{RUN.pid}.journal").unlink()
    assert [one for one in verify(folder) if one.severity != "info"] == []


def test_nothing_in_it_is_said_to_be_unread(tmp_path: Path) -> None:
    """It tells what was planned, and not what was read."""
    folder = made(tmp_path / "run")
    (process,) = open_trace(folder).processes
    assert [process.unread(agent) for agent in process.gpus] == [()]
    assert kernel_counters_of(process, process.dispatches) == []
    assert {one.check for one in verify(folder)}.isdisjoint({"coverage", "compared"})


def test_tables_made_of_it_come_with_a_warning(tmp_path: Path, cli: Cli) -> None:
    """They have no reading, which looks as if there had been none."""
    (path,) = made(tmp_path / "run").glob("*.pftrace")
    code, _, said = cli("export", str(path), "--format", "csv", "-o", str(tmp_path / "tables"))
    assert (code, "nor have its tables: export the journal" in said) == (0, True)


@pytest.mark.parametrize("ending", ["journal", "db"])
def test_it_is_refused_where_no_trace_is_written(tmp_path: Path, ending: str) -> None:
    """Rather than passed over."""
    folder = tools.write_run(tmp_path / "run", RUN, files=(ending,))
    with pytest.raises(UsageError, match="trace_counters: it is of the trace, and no perfetto is written of"):
        export(folder / f"multipass-{RUN.pid}.{ending}", "csv", trace_counters="none")


@pytest.mark.parametrize(
    ("formats", "options", "idle"),
    [
        ("perfetto", {"layout": "strict"}, ["layout"]),
        ("rocpd", {"layout": "strict", "trace_counters": "none"}, ["trace_counters"]),
        ("perfetto,rocpd", {"layout": "strict", "trace_counters": "none"}, []),
        ("csv", {"layout": "canonical", "trace_counters": "all"}, []),
    ],
)
def test_a_run_warns_of_an_option_of_an_output_that_is_not_written(
    native: FakeNative, applications: Applications, formats: str, options: dict[str, str], idle: list[str]
) -> None:
    """The layout is of the database, the counters are of the trace."""
    run = mp.run([applications.profiled()], events="A", output="out", formats=formats, capture=True, **options)
    assert [text.partition(":")[0] for text in run.warnings if "it has no effect" in text] == idle
