# SPDX-License-Identifier: MIT
"""Counters and kernel dispatches are taken from rocprof-sys wherever it could see them, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest
from takeover_home import Home, changes, with_copies

from rocprofsys_multipass.errors import ConfigError
from rocprofsys_multipass.rocprof_sys.command import parse_command
from rocprofsys_multipass.rocprof_sys.found import find_settings
from rocprofsys_multipass.rocprof_sys.launch import output_path, polled_counters
from rocprofsys_multipass.rocprof_sys.options import CONFIG, DOMAINS, EVENTS, POLLED, STREAMED
from rocprofsys_multipass.rocprof_sys.takeover import (
    refuse_streamed,
    refuse_unreadable,
    take_over,
    without_kernels,
)

WITHOUT_KERNELS = "hip_runtime_api,marker_api,memory_copy,scratch_memory"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.mark.parametrize(
    ("command", "place", "events", "left"),
    [
        (
            "rocprof-sys-run -T -G A B:device=1 -P -- app -G x",
            "-G",
            "A,B:device=1",
            "rocprof-sys-run -T -P -- app -G x",
        ),
        ("rocprof-sys-run --gpu-events=A,B -- app", "--gpu-events", "A,B", "rocprof-sys-run -- app"),
        ("rocprof-sys-run -G A -T -G B -- app", "-G", "A,B", "rocprof-sys-run -T -- app"),
        ("rocprof-sys-sample --rocm-events A B -- app", "--rocm-events", "A,B", "rocprof-sys-sample -- app"),
        ("mpirun -n 2 rocprof-sys-run -G A -- app", "-G", "A", "mpirun -n 2 rocprof-sys-run -- app"),
        ("rocprof-sys-run -G A -- mpirun -n 2 app", "-G", "A", "rocprof-sys-run -- mpirun -n 2 app"),
        (
            f"env A=b {EVENTS}=A rocprof-sys-run -- app",
            f"{EVENTS} (in the command line)",
            "A",
            "env A=b rocprof-sys-run -- app",
        ),
        (
            f"mpirun -x {EVENTS}=A -n 2 rocprof-sys-run -- app",
            f"{EVENTS} (in the command line)",
            "A",
            "mpirun -n 2 rocprof-sys-run -- app",
        ),
        (
            f"rocprof-sys-run -G A -- env {EVENTS}=B app",
            f"{EVENTS} (in the command line)",
            "B",
            "rocprof-sys-run -- env app",
        ),
    ],
)
def test_counters_in_a_command_line_are_taken(home: Home, command: str, place: str, events: str, left: str) -> None:
    giving = home.find(command).effective(EVENTS)
    assert giving is not None
    assert (giving.place, giving.value) == (place, events)
    assert " ".join(home.take(command).command) == left


def test_counters_in_a_variable_are_taken(home: Home) -> None:
    environ = {EVENTS: "A B", "LD_PRELOAD": "/mine.so:", "ROCPROFSYS_TRACE": "ON"}
    giving = home.find("rocprof-sys-run -- app", environ).effective(EVENTS)
    assert giving is not None
    assert (giving.place, giving.value) == (EVENTS, "A B")
    taken = home.take("rocprof-sys-run -- app", environ)
    assert changes(taken, home.environ(environ)) == {EVENTS: None, DOMAINS: WITHOUT_KERNELS}
    assert taken.command == ("rocprof-sys-run", "--", "app")


TEXT = "# mine\r\nROCPROFSYS_TRACE=ON\n  rocprofsys_rocm_events = A  B # two\n\nROCPROFSYS_PROFILE = \xff no end"


def test_counters_in_a_text_file_are_taken_and_the_copy_differs_in_that_line_alone(home: Home) -> None:
    home.write(my__cfg=TEXT)
    giving = home.find("rocprof-sys-run -c my.cfg -- app").effective(EVENTS)
    assert giving is not None
    assert (giving.place, giving.value) == (f"{home.path}/my.cfg:3", "A,B")
    taken = home.take("rocprof-sys-run -c my.cfg other.cfg -T -- app")
    (copy,) = taken.copies
    assert " ".join(taken.command) == f"rocprof-sys-run -c {home.path}/run/1.cfg other.cfg -T -- app"
    assert copy.source == home.path / "my.cfg"
    assert copy.content.decode() == TEXT.replace("  rocp", "# taken by rocprof-sys-multipass:   rocp")
    assert (home.path / "my.cfg").read_bytes().decode() == TEXT


def test_bytes_that_are_no_text_stay_in_a_copy(home: Home) -> None:
    content = b"ROCPROFSYS_ROCM_EVENTS = A\nROCPROFSYS_OUTPUT_PREFIX = \xff\xfe\n"
    (home.path / "my.cfg").write_bytes(content)
    (copy,) = home.take("rocprof-sys-run -c my.cfg -- app").copies
    assert copy.content == b"# taken by rocprof-sys-multipass: " + content


JSON = """{
  "rocprof-sys": {"settings": {
     "ROCPROFSYS_ROCM_DOMAINS": {"value": "kernel_dispatch memory_copy", "initial": "kernel_dispatch"},
     "ROCPROFSYS_ROCM_EVENTS": { "value" : "A,B" }, "ROCPROFSYS_TRACE": {"value": true}
  }}
}
"""


def test_counters_in_a_json_file_are_taken_and_the_copy_differs_in_these_values_alone(home: Home) -> None:
    home.write(my__json=JSON)
    environ = {CONFIG: "my.json;none.cfg"}
    giving = home.find("rocprof-sys-run -- app", environ).effective(EVENTS)
    assert giving is not None
    assert (giving.place, giving.value) == (f"{home.path}/my.json:4", "A,B")
    taken = home.take("rocprof-sys-run -- app", environ)
    expected = JSON.replace('"value" : "A,B"', '"value" : ""').replace('"kernel_dispatch memory_copy"', '"memory_copy"')
    assert [copy.content.decode() for copy in taken.copies] == [expected]
    assert changes(taken, home.environ(environ)) == {CONFIG: f"{home.path}/run/1.json;none.cfg"}


def test_default_files_are_named_when_one_of_them_is_replaced(home: Home) -> None:
    home.write(__rocprof_sys__cfg="")
    (home.path / ".rocprof-sys.cfg").write_text("ROCM_EVENTS = A\n")
    (home.path / ".rocprof-sys.json").write_text("{}")
    taken = home.take("rocprof-sys-run -- app")
    assert taken.environ[CONFIG] == f"{home.path}/run/1.cfg:{home.path}/.rocprof-sys.json"
    (home.path / ".rocprof-sys.cfg").write_text("ROCPROFSYS_TRACE = ON\n")
    assert CONFIG not in home.take("rocprof-sys-run -G A -- app").environ


def test_a_file_that_names_another_names_its_copy(home: Home) -> None:
    home.write(one__cfg="ROCPROFSYS_CONFIG_FILE = two.cfg none.cfg\n", two__cfg="ROCPROFSYS_ROCM_EVENTS = A\n")
    taken = home.take("rocprof-sys-run -c one.cfg -- app")
    contents = {copy.source.name: copy.content.decode() for copy in taken.copies}
    assert contents["one.cfg"] == f"ROCPROFSYS_CONFIG_FILE = {home.path}/run/1.cfg none.cfg\n"
    assert taken.command[2] == f"{home.path}/run/2.cfg"


@pytest.mark.parametrize(
    ("command", "environ", "events"),
    [
        ("rocprof-sys-run -G OPTION -c my.cfg -- app", {EVENTS: "VARIABLE"}, "OPTION"),
        ("rocprof-sys-run -c my.cfg -- app", {EVENTS: "VARIABLE"}, "VARIABLE"),
        (f"env {EVENTS}=WORD rocprof-sys-run -- app", {EVENTS: "VARIABLE"}, "WORD"),
        ("rocprof-sys-run -c my.cfg -- app", {}, "FILE"),
        ("rocprof-sys-run -c my.cfg other.cfg -- app", {}, "OTHER"),
        ("rocprof-sys-run -c my.cfg -- app", {CONFIG: "other.cfg"}, "FILE"),
        ("rocprof-sys-run -- app", {CONFIG: "my.cfg:other.cfg"}, "OTHER"),
        ("rocprof-sys-run -- app", {}, "HOME"),
        ("rocprof-sys-run -- app", {CONFIG: ""}, ""),
        ("rocprof-sys-run -- app", {EVENTS: ""}, ""),
        ("rocprof-sys-run -- app", {"ROCPROFSYS_SUPPRESS_CONFIG": "on"}, ""),
        ("rocprof-sys-run -c last.cfg my.cfg -- app", {}, ""),
        ("rocprof-sys-run --preset ./p.json -G OPTION -- app", {}, "PRESET"),
    ],
)
def test_one_list_is_taken_by_the_precedence_of_rocprof_sys(
    home: Home, command: str, environ: dict[str, str], events: str
) -> None:
    home.write(
        my__cfg=f"{EVENTS}=FILE\n",
        other__cfg=f"{EVENTS}=OTHER\n",
        last__cfg="ROCPROFSYS_SUPPRESS_CONFIG=ON\n",
        p__json='{"hardware_counters": {"enabled": true, "rocm_events": {"value": "PRESET"}}}',
    )
    (home.path / ".rocprof-sys.cfg").write_text(f"{EVENTS} = HOME\n")
    giving = home.find(command, environ).effective(EVENTS)
    assert (giving.value if giving else "") == events
    taken = home.take(command, environ)
    again = find_settings(parse_command(taken.command), with_copies(taken), home.path)
    assert not [one for one in again.givings if one.name == EVENTS]


@pytest.mark.parametrize(
    ("domains", "left"),
    [
        ("kernel_dispatch", ""),
        ("hip_runtime_api,kernel_dispatch", "hip_runtime_api"),
        ("kernel_dispatch memory_copy:hsa_api", "memory_copy,hsa_api"),
        ("memory_copy : hsa_api", "memory_copy : hsa_api"),
        ("", ""),
    ],
)
def test_kernel_dispatches_are_taken_out_of_domains(domains: str, left: str) -> None:
    assert without_kernels(domains) == left


@pytest.mark.parametrize(
    ("options", "left"),
    [
        ("--rocm", f"--rocm={WITHOUT_KERNELS}"),
        ("--rocm=hip,kernel,memory", "--rocm=hip,memory"),
        ("--rocm hip,kernel", "--rocm hip"),
        ("--rocm=kernel", "--rocm=marker_api"),
        ("--rocm-domains kernel_dispatch hsa_api", "--rocm-domains hsa_api"),
        ("--rocm-domains kernel_dispatch", "--rocm-domains marker_api"),
        ("--rocm=hip", "--rocm=hip"),
    ],
)
def test_domains_of_options_lose_kernel_dispatches(home: Home, options: str, left: str) -> None:
    taken = home.take(f"rocprof-sys-run {options} -T -- app")
    assert " ".join(taken.command) == f"rocprof-sys-run {left} -T -- app"
    assert DOMAINS not in taken.environ


def test_domains_of_variables_and_files_lose_kernel_dispatches(home: Home) -> None:
    environ = {DOMAINS: "kernel_dispatch,hsa_api", CONFIG: "my.cfg"}
    home.write(my__cfg=f"{DOMAINS} = kernel_dispatch\n", preset__json='{"domains": {"rocm": {"api_domains": {}}}}')
    taken = home.take(f"rocprof-sys-run -- env {DOMAINS}=hip_api,kernel_dispatch app", environ)
    assert taken.command[2:] == ("env", f"{DOMAINS}=hip_api", "app")
    assert taken.environ[DOMAINS] == "hsa_api"
    assert [copy.content.decode() for copy in taken.copies] == [f"{DOMAINS} = marker_api\n"]


def test_kernel_dispatches_of_a_preset_that_is_a_file_are_switched_off(home: Home) -> None:
    text = (
        '{"domains": {"rocm": {"api_domains": {"kernel_dispatch": {"enabled": true}, "hsa_api": {"enabled": true}}}}}'
    )
    home.write(p__json=text)
    taken = home.take("rocprof-sys-run --preset=./p.json -G A -- app")
    assert [copy.content.decode() for copy in taken.copies] == [text.replace("true", "false", 1)]
    assert taken.command[1] == f"--preset={home.path}/run/1.json"


def test_a_preset_with_nothing_but_kernel_dispatches_does_not_fall_back_to_the_default_domains(home: Home) -> None:
    home.write(p__json='{"domains": {"rocm": {"api_domains": {"kernel_dispatch": {"enabled": true}}}}}')
    assert home.take("rocprof-sys-run --preset=./p.json -G A -- app").environ[DOMAINS] == "marker_api"


def test_a_list_of_counters_in_a_preset_that_is_a_file_is_taken_out(home: Home) -> None:
    counters = '{{"hardware_counters": {{"enabled": true, "rocm_events": {{"value": {}}}}}}}'
    home.write(p__json=counters.format('["A", "B"]'))
    giving = home.find("rocprof-sys-run --preset=./p.json -- app").effective(EVENTS)
    assert giving is not None
    assert giving.value == "A,B"
    taken = home.take("rocprof-sys-run --preset=./p.json -- app")
    assert [copy.content.decode() for copy in taken.copies] == [counters.format('""')]


def test_a_folder_whose_name_divides_lists_is_refused_where_a_copy_is_needed(home: Home) -> None:
    home.write(my__cfg=f"{EVENTS} = A\n")
    found = home.find("rocprof-sys-run -c my.cfg -- app")
    with pytest.raises(ConfigError, match="one of ',;:' in its name, and it needs a copy"):
        take_over(found, {}, lambda number, suffix: Path(f"/a:b/{number}{suffix}"))


XML = "<s><ROCPROFSYS_ROCM_EVENTS><name>rocm_events</name><value>{}</value></ROCPROFSYS_ROCM_EVENTS></s>"


@pytest.mark.parametrize(
    ("command", "refused"),
    [
        (
            "rocprof-sys-run -c full.xml -- app",
            "full.xml: it sets ROCPROFSYS_ROCM_EVENTS, and XML is not rewritten here",
        ),
        (
            f"srun --export=ALL,{EVENTS}=A rocprof-sys-run -- app",
            f"--export=ALL,{EVENTS}=A: it sets {EVENTS}, and is not rewritten here: set that variable before srun",
        ),
        (f"srun --export ALL,{EVENTS}=A rocprof-sys-run -- app", f"--export=ALL,{EVENTS}=A: it sets {EVENTS}, and"),
        ("rocprof-sys-run --preset trace-hw-counters -- app", "--preset trace-hw-counters: it has counters of its own"),
        ("rocprof-sys-run --trace-hw-counters -- app", "--trace-hw-counters: it has counters of its own"),
    ],
)
def test_counters_that_cannot_be_taken_are_refused(home: Home, command: str, refused: str) -> None:
    home.write(full__xml=XML.format("A,B"))
    with pytest.raises(ConfigError, match=refused):
        refuse_unreadable(home.find(command))


@pytest.mark.parametrize(
    ("command", "environ", "place"),
    [
        ("rocprof-sys-run --spm-events A B -- app", {}, "--spm-events"),
        ("rocprof-sys-run -- app", {STREAMED: "A,B"}, STREAMED),
        ("rocprof-sys-run -c my.cfg -- app", {}, "my.cfg:1"),
    ],
)
def test_counters_that_are_streamed_are_refused(home: Home, command: str, environ: dict[str, str], place: str) -> None:
    home.write(my__cfg=f"{STREAMED} = A B\n")
    with pytest.raises(ConfigError, match=f"{place}: rocprof-sys streams A,B "):
        refuse_streamed(home.find(command, environ))
    refuse_streamed(home.find("rocprof-sys-run -c my.cfg -- app", {STREAMED: ""}))


def test_a_process_that_is_not_collected_keeps_its_kernel_dispatches(home: Home) -> None:
    home.write(my__cfg=f"{EVENTS} = A\n{DOMAINS} = kernel_dispatch\n")
    found = home.find("rocprof-sys-run --rocm=kernel -c my.cfg -- app", {DOMAINS: "kernel_dispatch"})
    taken = take_over(found, {DOMAINS: "kernel_dispatch"}, lambda number, _: home.path / str(number), kernels=False)
    assert taken.command == ("rocprof-sys-run", "--rocm=kernel", "-c", f"{home.path}/1", "--", "app")
    assert taken.environ == {DOMAINS: "kernel_dispatch"}
    (copy,) = taken.copies
    assert copy.content.decode() == f"# taken by rocprof-sys-multipass: {EVENTS} = A\n{DOMAINS} = kernel_dispatch\n"


def test_a_preset_is_looked_into_where_its_file_is_found(home: Home) -> None:
    folder = home.path / "share/rocprofiler-systems/presets"
    folder.mkdir(parents=True)
    (folder / "plain.json").write_text('{"tracing": {"enabled": true}}')
    (folder / "mine.json").write_text('{"hardware_counters": {"enabled": true, "rocm_events": {"value": ["A"]}}}')
    launcher = home.path / "bin/rocprof-sys-run"
    launcher.parent.mkdir()
    launcher.write_text("#!/bin/sh\n")
    launcher.chmod(0o755)
    for environ in ({"PATH": str(launcher.parent)}, {"ROCPROFSYS_PRESET_DIR": str(folder)}, {"ROCM_PATH": "."}):
        plain = home.find("rocprof-sys-run --preset=plain -- app", environ)
        assert plain.presets == ()
        refuse_unreadable(plain)
        with pytest.raises(ConfigError, match=f"--preset mine: it has counters .*--preset={folder.resolve()}/mine"):
            refuse_unreadable(home.find("rocprof-sys-run --preset mine -- app", environ))
    assert home.find("rocprof-sys-run --preset gone -- app", {"ROCM_PATH": "."}).presets == ("gone",)


def test_xml_without_counters_is_no_hindrance(home: Home) -> None:
    home.write(empty__xml=XML.format(""))
    refuse_unreadable(home.find("rocprof-sys-run -c empty.xml --preset balanced -- app"))


@pytest.mark.parametrize(
    "option", ["--help", "-h", "--version", "--explain=balanced", "--list-presets", "--export-config"]
)
def test_options_that_start_nothing_are_known(home: Home, option: str) -> None:
    assert home.find(f"rocprof-sys-run {option} -G A -- app").tells
    assert not home.find(f"rocprof-sys-run -G A -- app {option}").tells


def test_a_pipe_is_not_read(home: Home) -> None:
    assert home.find("rocprof-sys-run -c /dev/null -- app").files["/dev/null"].fault == "it is no regular file"


def test_a_file_that_cannot_be_read_is_told_where_something_names_it(home: Home) -> None:
    (home.path / "loop.cfg").symlink_to("loop.cfg")
    home.write(my__cfg=f"{CONFIG} = gone.cfg loop.cfg\n")
    (home.path / ".rocprof-sys.json").mkdir()  # one of the two that nothing needs to name
    found = home.find("rocprof-sys-run -c my.cfg --preset ./no.json -- app")
    assert {name: file.fault for name, file in found.files.items() if file.fault} == {
        "gone.cfg": "it cannot be read (No such file or directory)",
        "loop.cfg": "it cannot be read (Too many levels of symbolic links)",
        "./no.json": "it cannot be read (No such file or directory)",
    }
    assert [file.fault for file in home.find("rocprof-sys-run -- app").files.values()] == ["it is no regular file"]


def test_what_rocprof_sys_polls_and_where_it_writes_is_told(home: Home) -> None:
    home.write(my__cfg=f"ROCPROFSYS_OUTPUT_PATH = elsewhere\n{POLLED} = A B\n")
    found = home.find("rocprof-sys-run -c my.cfg -o out/%tag% p- -- app")
    assert polled_counters(found) == "A,B"
    assert output_path(found, home.path) == home.path / "out/%tag%"
    plain = home.find("rocprof-sys-run -- app")
    assert (polled_counters(plain), output_path(plain, home.path)) == ("", home.path / "rocprof-sys-%tag%-output")


def test_the_folder_of_a_second_program_is_not_that_of_the_first(home: Home) -> None:
    found = home.find("mpirun -n 1 rocprof-sys-run -o one -- a : -n 1 rocprof-sys-run -o two p- -- a")
    assert output_path(found, home.path) == home.path / "one"
