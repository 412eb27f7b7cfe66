# SPDX-License-Identifier: MIT
"""``doctor``: an SDK that answers, refuses, dies or hangs, played by a script; the package; and the command itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from doctor_tools import gpu, make_machine, one, probed
from fake_native import Cli, FakeNative, write_script

from rocprofsys_multipass import __version__
from rocprofsys_multipass.doctor.check import Status
from rocprofsys_multipass.doctor.package import VERSION_MARK, check_package
from rocprofsys_multipass.doctor.probe import Probe, ProbedServices, probe
from rocprofsys_multipass.doctor.selftest.ground import find_ground
from rocprofsys_multipass.native import Native

SDK = {
    "stage": "sdk",
    "schema": 1,
    "tool_version": __version__,
    "sdk": {
        "version": "1.4.1",
        "library": "/opt/rocm/lib/librocprofiler-sdk.so.1",
        "simulated": False,
        "kernel_replay": True,
        "before_replay": False,
        "set_agents": True,
        "kinds": ["KERNEL_DISPATCH", "MARKER_CORE_RANGE_API", "KERNEL_REPLAY"],
    },
    "copies": [],
    "agents": [
        {
            "index": 1,
            "type": "gpu",
            "device": 0,
            "name": "gfx942",
            "product_name": "MI300X",
            "node_id": 1,
            "uuid": "00",
            "memory_bytes": 1,
            "counters": 5,
            "reason": "",
            "refused": "",
        }
    ],
}
SERVICES = {"stage": "services", "setup": "", "replay": "", "counting": ""}


def program(path: Path, *stages: object, then: str = "") -> Path:
    """A script that prints these stages and does what `then` says."""
    lines = [f"print({json.dumps(json.dumps(stage))}, flush=True)" for stage in stages]
    return write_script(path, "\n".join(["import os, signal, sys, time", *lines, then]) + "\n")


def test_an_answer_is_read(tmp_path: Path) -> None:
    found = probe(program(tmp_path / "x", SDK, SERVICES), {})
    assert found.sdk is not None
    assert (found.sdk.version, found.sdk.kernel_replay, found.ended, found.said) == ("1.4.1", True, "", ())
    assert [(one.device, one.name, one.counters) for one in found.gpus] == [(0, "gfx942", 5)]
    assert found.services == ProbedServices("", "", "")


def test_a_refusal_is_what_it_says(tmp_path: Path) -> None:
    then = "sys.stderr.write('rocprof-sys-multipass: error: no SDK here\\n'); sys.exit(5)"
    assert probe(program(tmp_path / "x", then=then), {}) == Probe(said=("no SDK here",))


@pytest.mark.parametrize(
    ("then", "ended"),
    [
        ("os.kill(os.getpid(), signal.SIGSEGV)", "it was ended by SIGSEGV"),
        ("os._exit(3)", "it ended with exit code 3"),
    ],
)
def test_what_was_said_before_a_death_is_kept(tmp_path: Path, then: str, ended: str) -> None:
    found = probe(program(tmp_path / "x", SDK, then=f"os.write(2, b'last words\\n'); {then}"), {})
    assert found.sdk is not None
    assert (found.services, found.ended, found.said) == (None, ended, ("last words",))


def test_an_sdk_that_hangs_is_killed(tmp_path: Path) -> None:
    found = probe(program(tmp_path / "x", SDK, then="signal.pause()"), {}, patience_s=0.5)
    assert found.sdk is not None
    assert found.ended == "it did not answer within 0.5 s and was killed"


@pytest.mark.parametrize(
    ("stage", "ended"),
    [
        ({**SDK, "schema": 2}, "it answers in schema 2, this package reads 1"),
        ({"stage": "sdk", "schema": 1}, "its answer is not understood"),
        ("text", "its answer is not understood"),
    ],
)
def test_an_answer_of_another_version_is_told(tmp_path: Path, stage: object, ended: str) -> None:
    found = probe(program(tmp_path / "x", stage), {})
    assert found.sdk is None
    assert found.ended.startswith(ended)


def test_a_program_that_cannot_be_started_is_told(tmp_path: Path) -> None:
    (tmp_path / "x").touch()
    assert probe(tmp_path / "x", {}).ended == f"{tmp_path / 'x'} cannot be started: Permission denied"


@pytest.mark.parametrize(
    ("found", "devices", "why"),
    [
        (probed(gpu()), "", "hipcc, to build its programs for a real GPU, is not found"),
        (probed(gpu(counters=0, reason="none")), "", "there is no real GPU that can be counted on"),
        (probed(gpu(refused="denied")), "", "there is no real GPU that can be counted on"),
        (Probe(), "", "there is no real GPU that can be counted on"),
        (probed(gpu()), "gfx942", "as asked for"),
    ],
)
def test_a_self_test_on_a_simulated_gpu_says_why(tmp_path: Path, found: Probe, devices: str, why: str) -> None:
    machine = make_machine(tmp_path, PATH=str(tmp_path), ROCM_PATH=str(tmp_path))
    assert find_ground(machine, found, devices).title == f"on simulated gfx942 ({why})"


def test_a_self_test_on_a_real_gpu_takes_the_first_that_counts(tmp_path: Path) -> None:
    compiler = write_script(tmp_path / "rocm/bin/hipcc", "")
    machine = make_machine(tmp_path, PATH="/nowhere", ROCM_PATH=str(tmp_path / "rocm"))
    ground = find_ground(machine, probed(gpu(0, counters=0, reason="none"), gpu(1), gpu(2)), "")
    assert (ground.devices, ground.gpu, ground.compiler) == ("", gpu(1), compiler)
    assert ground.architectures == ("gfx942",)


@pytest.mark.parametrize("variable", ["ROCM_PATH", "HIP_PATH"])
def test_the_compiler_is_found_by_the_variables_of_rocm(tmp_path: Path, variable: str) -> None:
    compiler = write_script(tmp_path / "rocm/bin/hipcc", "")
    machine = make_machine(tmp_path, **{"PATH": "/nowhere", variable: str(tmp_path / "rocm")})
    assert find_ground(machine, probed(gpu()), "").compiler == compiler


def set_version(native: FakeNative, version: str) -> None:
    (native.root / "lib/librocprofsys-multipass.so").write_bytes(b"ELF" + VERSION_MARK + version.encode() + b"\0rest")


def test_a_package_that_is_whole_is_well(native: FakeNative, tmp_path: Path) -> None:
    set_version(native, "1.2.3")
    machine = make_machine(tmp_path / "root")
    checks = check_package(machine, Native(native.root), "1.2.3", probed(gpu(), tool_version="1.2.3"))
    assert {check.status for check in checks if check.id != "package.extras"} == {Status.OK}


def test_parts_of_other_versions_are_a_problem(native: FakeNative, tmp_path: Path) -> None:
    set_version(native, "1.2.2")
    checks = check_package(make_machine(tmp_path), Native(native.root), "1.2.3", probed(gpu(), tool_version="1.2.4"))
    check = one(checks, "package.version")
    assert check.status is Status.PROBLEM
    assert check.found == "the Python package is 1.2.3, the plugin is 1.2.2, the reader of counters is 1.2.4"


def test_parts_that_are_missing_or_closed_are_named(native: FakeNative, tmp_path: Path) -> None:
    (native.root / "lib/librocprofsys-multipass.so").unlink()
    closed = native.root / "bin/rocprofsys-multipass-export"
    machine = make_machine(tmp_path)
    machine = type(machine)(machine.environ, root=tmp_path, may=lambda path, _: path != closed)
    checks = check_package(machine, Native(native.root), "1.2.3", Probe())
    assert one(checks, "package.plugin").status is Status.PROBLEM
    assert "librocprofsys-multipass.so is missing" in one(checks, "package.plugin").found
    assert one(checks, "package.exporter").found == "the exporter cannot be executed"
    assert "the plugin is of an unknown version" in one(checks, "package.version").found


def test_an_output_folder_that_cannot_be_written_is_a_problem(native: FakeNative, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for closed, output, said in (
        ([str(tmp_path)], tmp_path / "a/b", "cannot be written"),
        ([], tmp_path / "file/b", "is no folder"),
    ):
        machine = make_machine(Path("/"), closed=closed, ROCPROFSYS_MULTIPASS_OUTPUT=str(output))
        check = one(check_package(machine, Native(native.root), "1", Probe()), "package.output")
        assert check.status is Status.PROBLEM
        assert said in check.found
        assert "(ROCPROFSYS_MULTIPASS_OUTPUT)" in check.found


def test_a_working_directory_that_was_deleted_is_a_problem(
    native: FakeNative, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    checks = check_package(make_machine(Path("/")), Native(native.root), "1", Probe())
    check = one(checks, "package.output")
    assert check.status is Status.PROBLEM
    assert check.found == "output folder rocprof-sys-multipass-output: the working directory does not exist any more"
    assert check.todo == "change to another one, or give an absolute path with --output"


def test_the_command_prints_the_checks_and_ends_with_6(cli: Cli, native: FakeNative) -> None:
    set_version(native, __version__)
    denied = {**SERVICES, "counting": "counting does not start: PERMISSION_DENIED (40)"}
    program(native.root / "bin/rocprofsys-multipass-counters", SDK, denied)
    code, out, err = cli("doctor", "--simulate", "gfx942")
    assert (code, err) == (6, "")
    lines = out.splitlines()
    assert lines[0].startswith("problem  sdk.services ")
    assert "counting does not start: PERMISSION_DENIED (40)" in lines[0]
    assert lines[-1].startswith("not ready (simulated gfx942): 1 problem, ")


def test_the_command_ends_with_0_without_a_problem(cli: Cli, native: FakeNative) -> None:
    set_version(native, __version__)
    program(native.root / "bin/rocprofsys-multipass-counters", SDK, SERVICES)
    code, out, _ = cli("doctor", "--simulate", "gfx942")
    assert code == 0
    assert out.splitlines()[-1].startswith("ready (simulated gfx942): ")


def test_json_has_every_check_and_the_same_exit_code(cli: Cli, native: FakeNative) -> None:
    set_version(native, __version__)
    program(native.root / "bin/rocprofsys-multipass-counters", then="os._exit(3)")
    code, out, _ = cli("doctor", "--simulate", "gfx942", "--json")
    data = json.loads(out)
    assert (code, data["schema"], data["exit_code"], data["sdk"], data["gpus"]) == (6, 1, 6, None, [])
    assert sum(data["counts"].values()) == len(data["checks"])
    assert data["counts"]["problem"] == 1
    (library,) = [check for check in data["checks"] if check["id"] == "sdk.library"]
    assert library["status"] == "problem"
    assert library["found"] == "the SDK cannot be asked: it ended with exit code 3"


def test_a_device_that_cannot_be_simulated_is_a_wrong_call(cli: Cli, native: FakeNative) -> None:
    code, _, err = cli("doctor", "--simulate", "gfx94")
    assert code == 2
    assert "'gfx94' is no device that can be simulated" in err
