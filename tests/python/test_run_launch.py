# SPDX-License-Identifier: MIT
"""What the application is started with, and what happens when it cannot be."""

from __future__ import annotations

import json
import os
import re
import socket
from pathlib import Path
from typing import Any

import pytest
from fake_native import Applications, FakeNative
from hypothesis import given
from hypothesis import strategies as st

import rocprofsys_multipass as mp
from rocprofsys_multipass.errors import LaunchError, NativeError, UsageError
from rocprofsys_multipass.run.environment import tool_libraries


def seen_by_application(run: mp.Run) -> dict[str, Any]:
    """What an application of `Applications.profiled` told."""
    seen: dict[str, Any] = json.loads(run.stdout)
    return seen


def test_everything_is_handed_over_in_one_file(native: FakeNative, applications: Applications, tmp_path: Path) -> None:
    run = mp.run(
        [applications.profiled()],
        events=["A", "B:device=1"],
        groups=[["A", "B"]],
        output="out",
        replay="kernel",
        sentinel=["A", "C"],
        formats="rocpd",
        quiet=True,
        capture=True,
    )
    config = seen_by_application(run)["config"]
    assert len(config.pop("run_token")) == 32
    assert config.pop("host") == socket.gethostname()
    assert config == {
        "schema": 1,
        "events": "A,B:device=1",
        "groups": [["A", "B"]],
        "output": str(tmp_path / "out"),
        "replay": "kernel",
        "sentinel": "A,C",
        "formats": ["rocpd"],
        "outputs": ["rocpd"],
        "spawn_exporter": False,
        "quiet": True,
        "verbose": False,
    }
    environ = seen_by_application(run)["environ"]
    assert environ["ROCPROFSYS_MULTIPASS_RESOLVED"] == str(tmp_path / f"out/run-{os.getpid()}.config.json")
    assert environ["ROCP_TOOL_LIBRARIES"] == str(native.root / "lib/librocprofsys-multipass.so")


def test_the_rest_of_the_environment_is_left_alone(
    native: FakeNative, applications: Applications, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROCPROFSYS_ROCM_EVENTS", "A")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/a:/b")
    run = mp.run([applications.profiled()], output="out", capture=True)
    environ = seen_by_application(run)["environ"]
    changed = {
        name
        for name in {*environ, *os.environ}
        if environ.get(name) != os.environ.get(name) and name not in ("LC_CTYPE", "_")
    }
    assert changed == {"ROCPROFSYS_MULTIPASS_RESOLVED", "ROCP_TOOL_LIBRARIES"}


def test_the_simulated_sdk_comes_first_in_the_library_path(
    native: FakeNative, applications: Applications, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", "/theirs")
    run = mp.run([applications.profiled()], events="A", simulate=["gfx942", "gfx90a"], output="out", capture=True)
    environ = seen_by_application(run)["environ"]
    assert environ["LD_LIBRARY_PATH"] == f"{native.root / 'sim'}:/theirs"
    assert environ["ROCPROFSYS_MULTIPASS_SIMULATE"] == "gfx942,gfx90a"


@pytest.mark.parametrize(
    ("existing", "value"),
    [
        ("", "/lib/p.so"),
        ("/lib/p.so", "/lib/p.so"),
        ("/theirs.so", "/lib/p.so:/theirs.so:/lib/./p.so"),
        ("/a.so:/b.so:", "/lib/p.so:/a.so:/b.so:/lib/./p.so"),
        ("/a.so:/lib/p.so", "/lib/p.so:/a.so:/lib/./p.so"),
        ("/lib/p.so:/a.so:/lib/./p.so", "/lib/p.so:/a.so:/lib/./p.so"),
    ],
)
def test_tools_of_the_user_are_loaded_after_the_plugin(existing: str, value: str) -> None:
    assert tool_libraries("/lib/p.so", existing) == value


def as_launchers_rewrite(value: str) -> str:
    """What launchers of rocprof-sys make of a variable (ROCm/rocm-systems, common/environment.hpp of 2026)."""
    return ":".join(dict.fromkeys(part for part in value.split(":") if part))


def loaded_by_sdk(value: str) -> list[str]:
    """What the SDK makes of it: nothing behind the last colon, no file twice (registration.cpp @0028ad56)."""
    parts = value.split(":")[:-1] if ":" in value else [value]
    return list(dict.fromkeys(os.path.normpath(part) for part in parts if part))


@given(
    st.lists(st.sampled_from(["/a.so", "/b.so", "/lib/p.so", "/lib/./p.so", "", "./c.so"]), max_size=5).map(":".join)
)
def test_all_tools_are_loaded_with_and_without_a_launcher(existing: str) -> None:
    value = tool_libraries("/lib/p.so", existing)
    wanted = dict.fromkeys(["/lib/p.so", *(os.path.normpath(part) for part in existing.split(":") if part)])
    assert loaded_by_sdk(value) == list(wanted)
    assert loaded_by_sdk(as_launchers_rewrite(value)) == list(wanted)


def test_the_application_gets_its_arguments_unchanged(native: FakeNative, applications: Applications) -> None:
    arguments = ["--events", "", "a b", "%pid%", "--", "'\""]
    run = mp.run([applications.profiled(), *arguments], events="A", output="out", capture=True)
    assert seen_by_application(run)["arguments"] == arguments


def test_the_application_starts_in_the_folder_that_is_asked_for(
    native: FakeNative, applications: Applications, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    program = applications.make("import os; print(os.getcwd())")
    run = mp.run([program], events="A", output="out", cwd="elsewhere", capture=True)
    assert run.stdout == f"{tmp_path / 'elsewhere'}\n"
    assert run.output_dir == tmp_path / "out"


def test_a_program_is_looked_for_in_the_path_of_its_environment(
    native: FakeNative, applications: Applications, monkeypatch: pytest.MonkeyPatch
) -> None:
    applications.make("print('found')", "my-solver")
    monkeypatch.setenv("PATH", f"{applications.folder}:{os.environ['PATH']}")
    assert mp.run(["my-solver"], events="A", output="out", capture=True).stdout == "found\n"


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("no-such-program-anywhere", "no-such-program-anywhere was not found in PATH"),
        ("./missing", "./missing does not exist"),
        ("./plain", "./plain is not executable"),
        ("./folder", "./folder is not executable"),
    ],
)
def test_a_command_that_cannot_be_started_leaves_nothing_behind(
    native: FakeNative, tmp_path: Path, command: str, reason: str
) -> None:
    (tmp_path / "plain").touch()
    (tmp_path / "folder").mkdir()
    with pytest.raises(LaunchError, match=reason) as raised:
        mp.run([command], events="A", output="a/b")
    assert raised.value.exit_code == 5
    assert not (tmp_path / "a").exists()


def test_a_script_without_an_interpreter_line_is_explained(native: FakeNative, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("echo hello\n", encoding="utf-8")
    script.chmod(0o755)
    with pytest.raises(LaunchError, match=r"a script needs a first line such as #!/bin/sh"):
        mp.run([script], events="A", output="a/b")
    assert not (tmp_path / "a").exists()


def test_an_unknown_simulated_device_is_misuse(native: FakeNative, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"'gfx94' is no device .* did you mean gfx942"):
        mp.run(["/bin/true"], events="A", simulate="gfx90a,gfx94", output="out")
    assert not (tmp_path / "out").exists()


def test_a_missing_plugin_is_named_before_anything_starts(
    native: FakeNative, applications: Applications, tmp_path: Path
) -> None:
    (native.root / "lib/librocprofsys-multipass.so").unlink()
    program = applications.make("import pathlib; pathlib.Path('started').touch()")
    with pytest.raises(NativeError, match=r"librocprofsys-multipass\.so is missing"):
        mp.run([program], events="A", output="out")
    assert not (tmp_path / "started").exists()
    assert not (tmp_path / "out").exists()


def test_an_empty_command_is_misuse(native: FakeNative) -> None:
    with pytest.raises(UsageError, match="no application was given: pass its command line as a list"):
        mp.run([], events="A")


@pytest.mark.parametrize(
    ("command", "words"), [("./app -n 3", "['./app', '-n', '3']"), (b"./app", "['./app']"), (Path("app"), "['app']")]
)
def test_a_command_that_is_no_list_is_misuse(native: FakeNative, command: Any, words: str) -> None:
    with pytest.raises(UsageError, match=f"command is not a list: .*{re.escape(words)}"):
        mp.run(command, events="A")


@pytest.mark.parametrize(
    ("command", "options", "message"),
    [
        (["sleep", 1], {}, "command: 1 is neither text nor a path: give '1'"),
        (["echo", "a\0b"], {}, "command: 'a.x00b' has a character that ends every word"),
        (["true"], {"cwd": "/no/such"}, "cwd: /no/such is no folder: give one that is there; nothing was started"),
        (["true"], {"env": {"A": 1}}, "env: 'A': 1 is no text: give '1'"),
    ],
)
def test_what_cannot_be_passed_to_an_application_is_refused(
    native: FakeNative, tmp_path: Path, command: list[Any], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        mp.run(command, events="A", output=tmp_path / "out", **options)
    assert not (tmp_path / "out").exists()
