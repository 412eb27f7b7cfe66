# SPDX-License-Identifier: MIT
"""``doctor``: tools that the environment brings along, and variables that switch things off."""

from __future__ import annotations

import io
import struct
from pathlib import Path

import pytest
from doctor_tools import make_machine, one, statuses

from rocprofsys_multipass.cli import command
from rocprofsys_multipass.cli.doctor_table import show_diagnosis
from rocprofsys_multipass.doctor.check import Status
from rocprofsys_multipass.doctor.diagnosis import Diagnosis
from rocprofsys_multipass.doctor.probe import Probe
from rocprofsys_multipass.doctor.tools import check_tools, events_of
from rocprofsys_multipass.doctor.variables import check_variables

LIST = "tools.rocp_tool_libraries"
EVENTS = "tools.rocm_events"
TOOLS = {"/a.so": "", "/b.so": "", "/x/librocprofsys-multipass.so": ""}


def test_an_empty_environment_is_well(tmp_path: Path) -> None:
    machine = make_machine(tmp_path)
    assert {check.status for check in (*check_tools(machine), *check_variables(machine))} == {Status.OK}


@pytest.mark.parametrize("value", ["/a.so", "/a.so:/b.so:", "/a.so:/b.so:/./a.so", ":/a.so:"])
def test_a_list_that_the_sdk_reads_as_it_is_meant_is_well(tmp_path: Path, value: str) -> None:
    checks = check_tools(make_machine(tmp_path, TOOLS, ROCP_TOOL_LIBRARIES=value))
    assert one(checks, LIST).status is Status.OK


@pytest.mark.parametrize(
    ("value", "dropped", "better"),
    [
        ("/a.so:/b.so", "/b.so", "/a.so:/b.so:/./a.so"),
        (":/a.so", "/a.so", "/a.so"),
    ],
)
def test_what_follows_the_last_colon_is_dropped(tmp_path: Path, value: str, dropped: str, better: str) -> None:
    check = one(check_tools(make_machine(tmp_path, TOOLS, ROCP_TOOL_LIBRARIES=value)), LIST)
    assert check.status is Status.WARNING
    assert f"last colon: {dropped} is not loaded" in check.found
    assert check.todo.endswith(f"ROCP_TOOL_LIBRARIES={better}")


def test_a_plugin_that_is_dropped_is_a_problem(tmp_path: Path) -> None:
    value = "/a.so:/x/librocprofsys-multipass.so"
    check = one(check_tools(make_machine(tmp_path, TOOLS, ROCP_TOOL_LIBRARIES=value)), LIST)
    assert (check.status, check.todo.endswith(f"={value}:/./a.so")) == (Status.PROBLEM, True)


def test_a_tool_that_does_not_exist_ends_the_application(tmp_path: Path) -> None:
    machine = make_machine(tmp_path, TOOLS, ROCP_TOOL_LIBRARIES="/a.so:/gone.so:")
    check = one(check_tools(machine), LIST)
    assert check.status is Status.PROBLEM
    assert "/gone.so does not exist" in check.found
    assert check.todo == "take it out: set\nROCP_TOOL_LIBRARIES=/a.so"


def test_a_list_of_which_nothing_is_left_is_unset(tmp_path: Path) -> None:
    check = one(check_tools(make_machine(tmp_path, ROCP_TOOL_LIBRARIES="/gone.so")), LIST)
    assert check.todo == "take it out: unset ROCP_TOOL_LIBRARIES"


def test_a_list_to_copy_has_a_line_of_its_own(tmp_path: Path) -> None:
    long = [f"/{'x' * 60}{n}.so" for n in range(3)]
    machine = make_machine(tmp_path, dict.fromkeys(long, b""), ROCP_TOOL_LIBRARIES=":".join([*long, "/gone.so", ""]))
    stream = io.StringIO()
    show_diagnosis(Diagnosis("", Probe(), tuple(check_tools(machine))), command.console(stream))
    assert f"\nROCP_TOOL_LIBRARIES={':'.join(long)}:/.{long[0]}\n" in stream.getvalue()
    starts = {line.index("tools.") for line in stream.getvalue().splitlines() if "  tools." in line}
    assert len(starts) == 1


def test_a_list_with_several_faults_is_corrected_in_one_step(tmp_path: Path) -> None:
    machine = make_machine(tmp_path, TOOLS, ROCP_TOOL_LIBRARIES="/a.so:/gone.so:/b.so")
    checks = [check for check in check_tools(machine) if check.id == LIST]
    assert [check.status for check in checks] == [Status.PROBLEM, Status.WARNING]
    assert all(check.todo.endswith(": set\nROCP_TOOL_LIBRARIES=/a.so:/b.so:/./a.so") for check in checks)


@pytest.mark.parametrize(
    ("variable", "file", "tool"),
    [
        ("LD_PRELOAD", "/opt/lib/librocprof-sys-dl.so", "rocprof-sys"),
        ("LD_PRELOAD", "/opt/lib/libfoo.so /opt/lib/librocprofiler-sdk-tool.so.1", "rocprofv3"),
        ("ROCP_TOOL_LIBRARIES", "/opt/lib/librocprofiler-sdk-tool.so", "rocprofv3"),
        ("HSA_TOOLS_LIB", "librocprofiler64.so.2", "rocprof of ROCm 5 and 6"),
    ],
)
def test_other_profilers_are_named(tmp_path: Path, variable: str, file: str, tool: str) -> None:
    files = dict.fromkeys(file.split(), "")
    check = one(check_tools(make_machine(tmp_path, files, **{variable: file})), "tools.others")
    assert check.status is Status.WARNING
    assert f"{tool} ({file.rsplit(maxsplit=1)[-1]})" in check.found
    assert check.where == variable


def test_the_plugin_itself_is_no_other_profiler(tmp_path: Path) -> None:
    machine = make_machine(tmp_path, TOOLS, ROCP_TOOL_LIBRARIES="/x/librocprofsys-multipass.so")
    assert one(check_tools(machine), "tools.others").status is Status.OK


def test_a_preloaded_file_that_is_missing_is_named(tmp_path: Path) -> None:
    check = one(check_tools(make_machine(tmp_path, LD_PRELOAD="/gone.so:libm.so.6")), "tools.ld_preload")
    assert (check.status, check.found) == (Status.WARNING, "/gone.so does not exist")


def test_a_list_for_rocprof_sys_is_a_second_counting_client(tmp_path: Path) -> None:
    preload = "/opt/librocprof-sys-dl.so"
    alone = check_tools(make_machine(tmp_path, ROCPROFSYS_ROCM_EVENTS="SQ_WAVES"))
    assert one(alone, EVENTS).status is Status.WARNING
    beside = make_machine(tmp_path, {preload: ""}, ROCPROFSYS_ROCM_EVENTS="SQ_WAVES", LD_PRELOAD=preload)
    check = one(check_tools(beside), EVENTS)
    assert check.status is Status.PROBLEM
    assert "counts 'SQ_WAVES'" in check.found
    assert check.where == "ROCPROFSYS_ROCM_EVENTS"


def test_lists_in_settings_files_of_rocprof_sys_are_found(tmp_path: Path) -> None:
    files = {"/a.cfg": "# x\nROCPROFSYS_ROCM_EVENTS = SQ_WAVES, SQ_BUSY # y\n", "/b.cfg": "ROCPROFSYS_TRACE = on\n"}
    machine = make_machine(tmp_path, files, ROCPROFSYS_CONFIG_FILE="/a.cfg;/b.cfg")
    check = one(check_tools(machine), EVENTS)
    assert (check.status, check.where) == (Status.WARNING, str(tmp_path / "a.cfg"))
    assert "counts 'SQ_WAVES, SQ_BUSY'" in check.found


def test_the_settings_file_at_home_is_the_default(tmp_path: Path) -> None:
    files = {"/home/me/.rocprof-sys.cfg": "rocprofsys_rocm_events = GRBM_COUNT\n", "/a.cfg": ""}
    assert statuses(check_tools(make_machine(tmp_path, files)), EVENTS) == [Status.WARNING]
    named = make_machine(tmp_path, files, ROCPROFSYS_CONFIG_FILE="/a.cfg")
    assert statuses(check_tools(named), EVENTS) == [Status.OK]


def test_the_variable_beats_a_settings_file(tmp_path: Path) -> None:
    files = {"/home/me/.rocprof-sys.cfg": "ROCPROFSYS_ROCM_EVENTS = GRBM_COUNT\n"}
    assert statuses(check_tools(make_machine(tmp_path, files, ROCPROFSYS_ROCM_EVENTS="")), EVENTS) == [Status.OK]


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ("ROCPROFSYS_ROCM_EVENTS=A,B", "A,B"),
        ("  rocprofsys_rocm_events   = A\n", "A"),
        ("#ROCPROFSYS_ROCM_EVENTS = A\n", ""),
        ("ROCPROFSYS_ROCM_EVENTS = \nROCPROFSYS_TRACE = on", ""),
        ('{"rocprof-sys": {"ROCPROFSYS_ROCM_EVENTS": {"name": "rocm_events", "value": "A"}}}', "A"),
        ('{"rocm_events": "B"}', "B"),
        ('{"ROCPROFSYS_ROCM_EVENTS": null}', ""),
        ("<x><ROCPROFSYS_ROCM_EVENTS><name>e</name><value>A B</value></ROCPROFSYS_ROCM_EVENTS></x>", "A B"),
        ("", ""),
        ("{broken", ""),
    ],
)
def test_settings_are_read_in_each_of_their_forms(text: str, events: str) -> None:
    assert events_of(text) == events


def test_counters_for_rocprofv3_matter_with_its_tool(tmp_path: Path) -> None:
    tool = "/opt/librocprofiler-sdk-tool.so"
    name = "tools.rocprof_counters"
    assert statuses(check_tools(make_machine(tmp_path, ROCPROF_COUNTERS="pmc: A")), name) == [Status.NOTE]
    beside = make_machine(tmp_path, {tool: ""}, ROCPROF_COUNTERS="pmc: A", LD_PRELOAD=tool)
    assert statuses(check_tools(beside), name) == [Status.PROBLEM]


@pytest.mark.parametrize(
    ("value", "status"), [("0", Status.PROBLEM), ("off", Status.PROBLEM), ("1", Status.OK), ("", Status.OK)]
)
def test_a_runtime_that_loads_no_tools_is_a_problem(tmp_path: Path, value: str, status: Status) -> None:
    machine = make_machine(tmp_path, ROCPROFILER_REGISTER_ENABLED=value)
    assert one(check_variables(machine), "variables.register_enabled").status is status


@pytest.mark.parametrize(
    ("value", "status"), [("1", Status.PROBLEM), ("yes", Status.PROBLEM), ("0", Status.OK), ("FALSE", Status.OK)]
)
def test_lite_trace_is_a_problem(tmp_path: Path, value: str, status: Status) -> None:
    check = one(check_variables(make_machine(tmp_path, ROCPROF_LITE_TRACE=value)), "variables.lite_trace")
    assert check.status is status
    assert (status is Status.OK) != ("collects no counters and replays no kernels" in check.found)


def test_lite_trace_is_no_problem_of_the_simulator(tmp_path: Path) -> None:
    machine = make_machine(tmp_path, ROCPROF_LITE_TRACE="1")
    check = one(check_variables(machine, simulated=True), "variables.lite_trace")
    assert (check.status, "the simulator heeds it with the fault lite_trace only" in check.found) == (Status.NOTE, True)


@pytest.mark.parametrize(("value", "status"), [(0, Status.OK), (1, Status.WARNING)])
def test_more_rights_than_those_of_the_user_are_named(tmp_path: Path, value: int, status: Status) -> None:
    vector = struct.pack("=QQQQQQ", 6, 4096, 23, value, 0, 0)
    checks = check_variables(make_machine(tmp_path, {"/proc/self/auxv": vector}))
    assert one(checks, "variables.secure").status is status


def test_variables_of_kernel_replay_are_explained(tmp_path: Path) -> None:
    machine = make_machine(
        tmp_path, ROCPROFILER_KERNEL_REPLAY_WARN_SECONDS="3", ROCPROFILER_KERNEL_REPLAY_WARN_SECOND="4"
    )
    misspelt, known = [check for check in check_variables(machine) if check.id == "variables.kernel_replay"]
    assert (misspelt.status, known.status) == (Status.WARNING, Status.NOTE)
    assert "WARN_SECOND=4 is no known variable" in misspelt.found
    assert known.found.startswith("ROCPROFILER_KERNEL_REPLAY_WARN_SECONDS=3: seconds of one replay")


def test_a_variable_of_ours_that_nothing_reads_is_named(tmp_path: Path) -> None:
    check = one(check_variables(make_machine(tmp_path, ROCPROFSYS_MULTIPASS_EVENT="A")), "variables.unknown")
    assert check.status is Status.WARNING
    assert check.where == "ROCPROFSYS_MULTIPASS_EVENT"
    assert "did you mean ROCPROFSYS_MULTIPASS_EVENTS?" in check.found


@pytest.mark.parametrize("value", ["abc", "-1", "1.5", "86401", "8640000", "1 ", "\u0663"])
def test_a_time_to_stand_still_that_the_plugin_refuses_is_a_warning(tmp_path: Path, value: str) -> None:
    machine = make_machine(tmp_path, ROCPROFSYS_MULTIPASS_STALL_SECONDS=value)
    check = one(check_variables(machine), "variables.stall_seconds")
    assert check.status is Status.WARNING
    assert f"={value} is not a number from 0 to 86400: the plugin uses 10" in check.found
    assert check.todo == "give 0 to 86400, or unset it"


@pytest.mark.parametrize("value", ["", "0", "10", "86400", "0000010"])
def test_a_time_to_stand_still_that_the_plugin_takes_needs_no_word(tmp_path: Path, value: str) -> None:
    machine = make_machine(tmp_path, ROCPROFSYS_MULTIPASS_STALL_SECONDS=value)
    assert [c for c in check_variables(machine) if c.id == "variables.stall_seconds"] == []
