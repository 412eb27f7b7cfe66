# SPDX-License-Identifier: MIT
"""The stand-in of rocprof-sys does what is known of rocprof-sys; what is tested with it rests on that."""

from __future__ import annotations

import ast
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from e2e_tools import ROOT
from fault_tools import EVENTS, PASSES
from perfetto_tools import trace_processor
from rocprof_sys_tools import Launched, RocprofSys

import rocprofsys_multipass as mp
from rocprofsys_multipass.native import Native

SHOW = [sys.executable, "-S", "-c", "import os, sys; print((dict(os.environ), sys.argv[1:]))"]
LAUNCHES = 2

Shown = tuple[dict[str, str], list[str]]


@pytest.fixture
def shown(rocprof_sys: RocprofSys, tmp_path: Path) -> Callable[..., Shown]:
    """What a command sees that a launcher starts. The library is not in its way: no SDK is asked for."""

    def run(*words: str | Path, tool: str = "run", **variables: str) -> Shown:
        env = {"ROCPROFSYS_INIT_TOOLING": "false", **variables}
        done = rocprof_sys.run(words, tmp_path / "out", env=env, tool=tool)
        assert done.finished.returncode == 0, done.finished.stderr
        environment, arguments = ast.literal_eval(done.finished.stdout)
        return environment, arguments

    return run


# ---------------------------------------------------------------------------------------------------------------------
# The launchers

REWRITTEN = [
    ("a.so:b.so:", "a.so:b.so"),
    ("/a::/b:/a", "/a:/b"),
    ("A:device=0,B:device=1,A:device=0,B:device=2", "A:device=0,B:device=1,A:device=2"),
    ("", ""),
    ("one", "one"),
]


@pytest.mark.parametrize(("before", "after"), REWRITTEN)
def test_the_launcher_of_2026_rewrites_every_variable_at_its_colons(
    shown: Callable[..., Shown], before: str, after: str
) -> None:
    assert shown("--", *SHOW, SOME_VARIABLE=before)[0]["SOME_VARIABLE"] == after
    assert shown("--", *SHOW, SOME_VARIABLE=before, STANDIN_AGE="2025")[0]["SOME_VARIABLE"] == before


def test_events_are_rewritten_at_commas(shown: Callable[..., Shown]) -> None:
    environment, _ = shown("--", *SHOW, ROCPROFSYS_ROCM_EVENTS="A:device=0,B:device=0,,A:device=0")
    assert environment["ROCPROFSYS_ROCM_EVENTS"] == "A:device=0,B:device=0"


@pytest.mark.parametrize(
    ("words", "name", "value"),
    [
        (["-G", "A", "B:device=1", "A"], "ROCPROFSYS_ROCM_EVENTS", "A,B:device=1"),
        (["--gpu-events=A,B"], "ROCPROFSYS_ROCM_EVENTS", "A,B"),
        (["--rocm-events", "A", "B"], "ROCPROFSYS_ROCM_EVENTS", "A B"),
        (["-c", "one.cfg", "two.json"], "ROCPROFSYS_CONFIG_FILE", "one.cfg:two.json"),
        (["-o", "folder", "prefix-"], "ROCPROFSYS_OUTPUT_PREFIX", "prefix-"),
        (["--rocm=hip,kernel"], "ROCPROFSYS_ROCM_DOMAINS", "hip_runtime_api,kernel_dispatch"),
        (["-P", "-T"], "ROCPROFSYS_TRACE", "true"),
        (["-T", "false"], "ROCPROFSYS_TRACE", "false"),
        (["--trace-file", "other.pftrace"], "ROCPROFSYS_PERFETTO_FILE", "other.pftrace"),
    ],
)
def test_options_become_variables(shown: Callable[..., Shown], words: list[str], name: str, value: str) -> None:
    environment, arguments = shown(*words, "--", *SHOW, "-G", "its own")
    assert environment[name] == value
    assert arguments == ["-G", "its own"]


def test_the_library_comes_after_the_users_and_leaves_the_process(
    rocprof_sys: RocprofSys, shown: Callable[..., Shown], native: Native
) -> None:
    mine = str(native.simulator / "libmultipass-sim-hip.so")
    environment, _ = shown("--", *SHOW, LD_PRELOAD=mine, LD_LIBRARY_PATH="/one")
    assert environment["LD_PRELOAD"] == mine, "it takes itself out when the program starts"
    assert environment["LD_LIBRARY_PATH"] == f"/one:{rocprof_sys.library.parent}"
    assert "ROCP_TOOL_LIBRARIES" not in environment
    show_preload = ["/bin/sh", "-c", "tr '\\0' '\\n' < /proc/$$/environ | grep LD_PRELOAD"]
    done = rocprof_sys.run(
        ["--", *show_preload], Path("/nowhere"), env={"LD_PRELOAD": mine, "ROCPROFSYS_INIT_TOOLING": "no"}
    )
    assert done.finished.stdout == f"LD_PRELOAD={mine}:{rocprof_sys.library}\n", "as the program was started"


@pytest.mark.parametrize(
    ("words", "tool", "age", "code"),
    [
        (["--no-such-option", "--", "true"], "run", "2026", 1),
        (["-G", "A", "--", "true"], "run", "2025", 1),
        (["word", "--", "true"], "run", "2026", 1),
        (["true"], "run", "2026", 1),
        (["true"], "run", "2025", 0),
        (["-T", "true"], "run", "2025", 1),
        (["true"], "sample", "2025", 0),
        (["--", "no-such-program"], "run", "2026", 255),
        (["--"], "run", "2026", 1),
        (["-P", "-F", "--", "true"], "run", "2026", 1),
        (["--fork", "--", "sh", "-c", "exit 7"], "run", "2026", 7),
    ],
)
def test_words_that_it_takes_and_refuses(
    rocprof_sys: RocprofSys, words: list[str], tool: str, age: str, code: int
) -> None:
    env = {"STANDIN_AGE": age, "ROCPROFSYS_INIT_TOOLING": "false"}
    assert rocprof_sys.run(words, Path("/nowhere"), env=env, tool=tool).finished.returncode == code


def test_sample_turns_sampling_on(shown: Callable[..., Shown]) -> None:
    assert shown("--", *SHOW, tool="sample")[0]["ROCPROFSYS_USE_SAMPLING"] == "true"
    assert "ROCPROFSYS_USE_SAMPLING" not in shown("--", *SHOW)[0]


def test_it_puts_itself_before_the_program_that_launcher_means(shown: Callable[..., Shown]) -> None:
    environment, arguments = shown("-G", "A", "-l", "python", "--", "env", "MORE=1", *SHOW, "x")
    assert (environment["MORE"], environment["ROCPROFSYS_ROCM_EVENTS"], arguments) == ("1", "A", ["x"])


# ---------------------------------------------------------------------------------------------------------------------
# Settings and files


@pytest.fixture
def launch(rocprof_sys: RocprofSys, faults_application: Path, tmp_path: Path) -> Callable[..., Launched]:
    """The application of the fault tests, two launches, under rocprof-sys-run."""

    def run(*words: str | Path, **variables: str) -> Launched:
        command = [*words, "--", faults_application, "1", str(LAUNCHES)]
        done = rocprof_sys.run(command, tmp_path / "out", env=variables, cwd=tmp_path)
        assert (done.finished.stdout, done.finished.returncode) == ("thread 0 GPU 0 wrong: 0\n", 5)
        return done

    return run


def counters_of(path: Path) -> list[dict[str, float]]:
    return [dict(one.counters) for one in mp.open_trace(path).dispatches()]


def test_a_list_of_one_pass_is_in_its_trace_and_its_database(launch: Callable[..., Launched]) -> None:
    done = launch("-T", "-G", "SQ_WAVES", "--use-rocpd")
    assert counters_of(done.trace) == counters_of(done.database) == [{"SQ_WAVES": 1.0}] * LAUNCHES


def test_a_list_of_more_than_one_pass_is_missing_as_a_whole_and_the_application_goes_on(
    launch: Callable[..., Launched],
) -> None:
    done = launch("-T", "-G", *EVENTS)
    assert "rocprofiler_create_counter_config failed with error code 38" in done.finished.stderr
    assert counters_of(done.trace) == [{}] * LAUNCHES


@pytest.mark.parametrize(("age", "code"), [("2025", -6), ("2026", 5)])
def test_an_unknown_counter_ends_the_application_of_2025(
    rocprof_sys: RocprofSys, faults_application: Path, tmp_path: Path, age: str, code: int
) -> None:
    env = {"ROCPROFSYS_ROCM_EVENTS": "NO_SUCH,SQ_WAVES", "STANDIN_AGE": age}
    done = rocprof_sys.run(["--", faults_application, "1", "2"], tmp_path, env=env)
    assert done.finished.returncode == code
    assert "NO_SUCH" in done.finished.stderr


@pytest.mark.parametrize(
    ("events", "counted"),
    [
        ("SQ_WAVES[0] SQ_WAVES[1]", True),
        (",,SQ_WAVES;;\t", True),
        ("SQ_WAVES:device=0", True),
        ("SQ_WAVES:device=7", False),
        ("sq_waves", False),
        ("SQ_WAVES[1][2]", False),
    ],
)
def test_the_list_is_read_as_rocprof_sys_reads_it(
    launch: Callable[..., Launched], events: str, *, counted: bool
) -> None:
    done = launch("-T", ROCPROFSYS_ROCM_EVENTS=events)
    assert counters_of(done.trace) == [{"SQ_WAVES": 1.0} if counted else {}] * LAUNCHES


def test_a_bad_device_ends_the_application(rocprof_sys: RocprofSys, faults_application: Path, tmp_path: Path) -> None:
    env = {"ROCPROFSYS_ROCM_EVENTS": "SQ_WAVES:device=0test"}
    done = rocprof_sys.run(["--", faults_application, "1", "2"], tmp_path, env=env)
    assert (done.finished.returncode, done.files("*.proto")) == (-6, [])


TEXT = "# counters\n$LIST = SQ_WAVES\nrocprofsys_rocm_events = $LIST\nROCPROFSYS_TRACE=ON\nROCPROFSYS_SOME_OTHER = 7\n"
JSON = '{"rocprof-sys": {"settings": {"ROCPROFSYS_ROCM_EVENTS": {"value": "SQ_WAVES"}}}}'


@pytest.mark.parametrize("text", [TEXT, JSON], ids=["text", "json"])
def test_configuration_files_are_read_and_the_environment_comes_first(
    launch: Callable[..., Launched], tmp_path: Path, text: str
) -> None:
    file = tmp_path / "my.cfg"
    file.write_text(text)
    assert counters_of(launch("-c", file).trace) == [{"SQ_WAVES": 1.0}] * LAUNCHES


def test_whether_an_empty_variable_hides_the_file_is_not_known_so_both_can_be_played(
    launch: Callable[..., Launched], tmp_path: Path
) -> None:
    file = tmp_path / "my.cfg"
    file.write_text(TEXT)
    named = {"ROCPROFSYS_CONFIG_FILE": str(file), "ROCPROFSYS_ROCM_EVENTS": ""}
    first = launch(**named, ROCPROFSYS_OUTPUT_PREFIX="a-")
    assert counters_of(first.one("a-perfetto-trace*")) == [{}] * LAUNCHES
    second = launch(**named, ROCPROFSYS_OUTPUT_PREFIX="b-", STANDIN_EMPTY="loses")
    assert counters_of(second.one("b-perfetto-trace*")) == [{"SQ_WAVES": 1.0}] * LAUNCHES


@pytest.mark.parametrize(
    ("variables", "names"),
    [
        ({}, ["metadata-PID.json", "perfetto-trace-PID.proto"]),
        ({"ROCPROFSYS_USE_PID": "OFF"}, ["metadata.json", "perfetto-trace.proto"]),
        ({"OMPI_COMM_WORLD_RANK": "3"}, ["metadata-3.json", "perfetto-trace-3.proto"]),
        (
            {"ROCPROFSYS_OUTPUT_PREFIX": "%tag%/%rank%-"},
            ["faults/0-metadata-PID.json", "faults/0-perfetto-trace-PID.proto"],
        ),
        ({"ROCPROFSYS_PERFETTO_FILE": "mine.pftrace"}, ["metadata-PID.json", "mine-PID.pftrace"]),
        ({"ROCPROFSYS_PROFILE": "ON"}, ["metadata-PID.json", "wall_clock-PID.json", "wall_clock-PID.txt"]),
    ],
)
def test_files_are_named_by_its_rule(
    launch: Callable[..., Launched], variables: dict[str, str], names: list[str]
) -> None:
    done = launch(**variables)
    found = [path.relative_to(done.folder).as_posix() for path in done.files("*") if path.is_file()]
    pids = {part for name in found for part in name.replace(".", "-").split("-") if len(part) > 1 and part.isdigit()}
    assert len(pids) <= 1
    assert [name.replace(pid, "PID") for name in found for pid in pids or {"PID"}] == names


# ---------------------------------------------------------------------------------------------------------------------
# Beside our plugin


@pytest.fixture
def beside(launch: Callable[..., Launched], native: Native, tmp_path: Path) -> Callable[..., Launched]:
    """Both, without the wrapper: our list is our own variable's, kernels are replayed."""

    def run(*words: str, order: str = "late", **variables: str) -> Launched:
        return launch(
            *words,
            ROCP_TOOL_LIBRARIES=str(native.plugin),
            ROCPROFSYS_MULTIPASS_EVENTS=",".join(EVENTS),
            ROCPROFSYS_MULTIPASS_OUTPUT=str(tmp_path / "own"),
            STANDIN_ORDER=order,
            **variables,
        )

    return run


@pytest.mark.parametrize("order", ["early", "late"])
def test_a_replayed_dispatch_is_in_its_files_once_for_each_pass(
    beside: Callable[..., Launched], tmp_path: Path, order: str
) -> None:
    done = beside("-T", "-P", "--use-rocpd", order=order)
    own = mp.open_trace(tmp_path / "own").dispatches()
    assert [one.outcome for one in own] == ["replayed"] * LAUNCHES
    times = [[(part.start_ns, part.end_ns) for part in one.passes] for one in own]
    assert [len(one) for one in times] == [PASSES] * LAUNCHES
    for path in (done.trace, done.database):
        found = mp.open_trace(path).dispatches()
        assert [[(part.start_ns, part.end_ns) for part in one.passes] for one in found] == times
    with closing(sqlite3.connect(done.database)) as database:
        assert database.execute(
            "SELECT COUNT(*), COUNT(DISTINCT dispatch_id) FROM rocpd_kernel_dispatch"
        ).fetchone() == (
            LAUNCHES * PASSES,
            LAUNCHES,
        )
        regions = database.execute(
            "SELECT r.start, r.end FROM rocpd_region r JOIN rocpd_string s ON s.id = r.name_id "
            "WHERE s.string = 'hipLaunchKernel' ORDER BY r.start"
        ).fetchall()
    assert len(regions) == LAUNCHES, "a launch that is replayed is one call"
    for region, passes in zip(regions, times, strict=True):
        assert region[0] < passes[0][0]
        assert passes[-1][1] < region[1], "and the call lasts until the last pass is over"
    (row,) = [line for line in done.wall_clock.read_text().splitlines() if "step(" in line]
    assert row.split("|")[3].strip() == str(LAUNCHES * PASSES)


@pytest.mark.parametrize(("order", "ours"), [("early", False), ("late", True)])
def test_of_two_that_count_the_second_gets_12_and_no_counters(
    beside: Callable[..., Launched], tmp_path: Path, order: str, *, ours: bool
) -> None:
    done = beside("-T", "-G", "SQ_WAVES", order=order)
    assert ("rocprofiler_start_context (counters) failed with error code 12" in done.finished.stderr) is ours
    assert counters_of(done.trace) == ([{}] if ours else [{"SQ_WAVES": 1.0}]) * LAUNCHES
    own = {one.outcome for one in mp.open_trace(tmp_path / "own").dispatches()}
    assert own == ({"replayed"} if ours else {"incomplete"})


def test_without_kernel_dispatch_among_its_domains_it_has_no_kernels_but_all_else(
    beside: Callable[..., Launched], tmp_path: Path
) -> None:
    done = beside("-T", "--use-rocpd", order="early", ROCPROFSYS_ROCM_DOMAINS="hip_runtime_api,memory_copy")
    with closing(sqlite3.connect(done.database)) as database:
        assert database.execute("SELECT COUNT(*) FROM rocpd_kernel_dispatch").fetchone() == (0,)
        assert database.execute("SELECT COUNT(*) FROM rocpd_region").fetchone() == (6,)
    assert [one.outcome for one in mp.open_trace(tmp_path / "own").dispatches()] == ["replayed"] * LAUNCHES


# ---------------------------------------------------------------------------------------------------------------------
# Shapes of its files


@pytest.mark.parametrize(
    "variables",
    [{"STANDIN_CLEARED_EVERY": "7"}, {"STANDIN_COMPRESSED": "1"}, {"STANDIN_PLAIN": "1"}, {"STANDIN_BY": "stream"}],
    ids=lambda one: next(iter(one)),
)
def test_a_trace_of_another_shape_tells_what_the_database_does(
    launch: Callable[..., Launched], variables: dict[str, str]
) -> None:
    done = launch("-T", "--use-rocpd", "-G", "SQ_WAVES", **variables)
    trace, database = (
        [(one.dispatch_id, one.passes[0].start_ns, dict(one.counters)) for one in mp.open_trace(path).dispatches()]
        for path in (done.trace, done.database)
    )
    assert trace == database


def test_trace_processor_loads_it_without_a_complaint(launch: Callable[..., Launched]) -> None:
    done = launch("-T", "-G", "SQ_WAVES", STANDIN_CLEARED_EVERY="7")
    with trace_processor(done.trace) as engine:

        def ask(query: str) -> list[tuple[object, ...]]:
            return [tuple(vars(row).values()) for row in engine.query(query)]

        assert ask("SELECT name, value FROM stats WHERE severity IN ('error', 'data_loss') AND value > 0") == []
        assert ask("SELECT category, COUNT(*) AS n FROM slice GROUP BY 1 ORDER BY 1") == [
            ("rocm_hip_api", 6),
            ("rocm_kernel_dispatch", LAUNCHES),
        ]
        assert ask(
            "SELECT t.name, COUNT(*) AS n, MAX(value) AS m FROM counter c JOIN counter_track t ON t.id = c.track_id "
            "GROUP BY 1 ORDER BY 1"
        ) == [
            ("GPU SQ_WAVES [0]", 2 * LAUNCHES, 1.0),
            ("Peak Memory", 2, 11.0),
        ]


def test_its_database_refers_to_nothing_that_is_not_there(launch: Callable[..., Launched]) -> None:
    with closing(sqlite3.connect(launch("--use-rocpd", "-G", "SQ_WAVES").database)) as database:
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        assert database.execute("SELECT total_calls FROM top_kernels").fetchall() == [(LAUNCHES,)]


def test_its_database_of_2025_has_no_counters_and_a_guid_that_is_a_template(launch: Callable[..., Launched]) -> None:
    done = launch("--use-rocpd", ROCPROFSYS_ROCM_EVENTS="SQ_WAVES", STANDIN_AGE="2025")
    assert counters_of(done.database) == [{}] * LAUNCHES
    with closing(sqlite3.connect(done.database)) as database:
        assert database.execute("SELECT value FROM rocpd_metadata WHERE tag = 'guid'").fetchone() == ("{{guid}}",)


def test_kernels_have_the_ids_of_the_sdk(
    rocprof_sys: RocprofSys, native: Native, build: Callable[[Path], Path], tmp_path: Path
) -> None:
    env = {"ROCP_TOOL_LIBRARIES": str(native.plugin), "ROCPROFSYS_MULTIPASS_OUTPUT": str(tmp_path / "own")}
    env |= {"ROCPROFSYS_MULTIPASS_EVENTS": "SQ_WAVES", "ROCPROFSYS_MULTIPASS_SIMULATE": "gfx942"}
    done = rocprof_sys.run(
        ["--use-rocpd", "--", build(ROOT / "examples" / "histogram" / "histogram.cpp")], tmp_path / "out", env=env
    )
    found = []
    for path in (done.database, *(tmp_path / "own").glob("*.db")):
        with closing(sqlite3.connect(path)) as database:
            rows = database.execute("SELECT dispatch_id, kernel_id, name FROM kernels ORDER BY dispatch_id").fetchall()
        found.append(rows)
    assert found[0] == found[1]
    assert len({kernel for _, kernel, _ in found[0]}) > 1


def test_a_forked_child_writes_files_of_its_own_and_a_program_that_it_starts_writes_none(
    rocprof_sys: RocprofSys, tmp_path: Path
) -> None:
    code = "import os, subprocess\nif os.fork() == 0: raise SystemExit(0)\nos.wait(); subprocess.run(['true'])"
    done = rocprof_sys.run(["-T", "--", sys.executable, "-S", "-c", code], tmp_path / "out")
    assert done.finished.returncode == 0, done.finished.stderr
    assert len(done.files("perfetto-trace-*.proto")) == 2
