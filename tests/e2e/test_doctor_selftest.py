# SPDX-License-Identifier: MIT
"""``doctor --selftest``: the application and the kit on the stand-in SDK, healthy and with faults; and the report."""

from __future__ import annotations

import getpass
import json
import re
import socket
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from doctor_tools import gpu, one, probed
from e2e_tools import Cli, Finished
from fault_tools import FAULTS_VARIABLE
from recordings import captured, play

from rocprofsys_multipass.doctor import Check, Machine, Status
from rocprofsys_multipass.doctor.probe import Probe
from rocprofsys_multipass.doctor.selftest import SelfTest, check_kit
from rocprofsys_multipass.doctor.selftest.application import check_application
from rocprofsys_multipass.doctor.selftest.ground import Bench, find_ground
from rocprofsys_multipass.native import Native

PATIENCE_S = 60.0
USER, HOST = "zaphod.b", "heartofgold"

Trial = Callable[..., tuple[Check, ...]]
Application = Callable[..., Check]


@dataclass(frozen=True)
class Whole:
    """The command once, on a machine without an SDK and a GPU."""

    done: Finished
    report: dict[str, Any]
    text: str
    private: tuple[str, ...]

    def check(self, name: str) -> dict[str, str]:
        (found,) = [check for check in self.report["checks"] if check["id"] == name]
        assert isinstance(found, dict)
        return found


@pytest.fixture(scope="module")
def whole(cli: Cli, tmp_path_factory: pytest.TempPathFactory) -> Whole:
    home = tmp_path_factory.mktemp("home of zaphod") / USER
    home.mkdir()
    path = home / "report.json"
    secret = "s3cret-value"
    env = {
        "HOME": str(home),
        "USER": USER,
        "LOGNAME": USER,
        "HOSTNAME": HOST,
        "ROCR_VISIBLE_DEVICES": secret,
        "ROCPROFSYS_MULTIPASS_KERNEL_INCLUDE": "no",
        "LD_LIBRARY_PATH": str(home / "lib"),
    }
    done = cli("doctor", "--selftest", "--report", path, env=env)
    text = path.read_text(encoding="utf-8")
    return Whole(done, json.loads(text), text, (str(home), "home of zaphod", USER, HOST, secret, str(home.parent)))


def test_without_a_gpu_the_kit_runs_on_two_simulated_ones_and_says_so(whole: Whole) -> None:
    assert whole.done.returncode == 6  # there is no SDK
    assert whole.done.stderr == ""
    assert whole.report["simulated"] == ["gfx942", "gfx942"]
    kit = whole.check("selftest.kit")
    assert kit["status"] == "note"
    assert "the kit ran on simulated GPUs, gfx942,gfx942: there is no real GPU that can be counted on" in kit["found"]
    assert "says nothing of hardware" in kit["found"]


def test_the_application_passes_whatever_options_of_runs_are_set(whole: Whole) -> None:
    found = whole.check("selftest")
    assert found["status"] == "ok"
    assert "passed on simulated gfx942" in found["found"]
    assert "12 launches" in found["found"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("counters", "all counters of 6 launches were read in 3 passes each"),
        ("waves", "SQ_WAVES is exact: as launched (up to 64) in 18 readings of 6 launches"),
        ("work_groups", "SPI_CSN_NUM_THREADGROUPS is exact: as launched (up to 64) in 6 readings of 6 launches"),
        (
            "instructions",
            "two kernels that differ by 64 instructions of each wave differ by so much, in 3 pairs",
        ),
        ("device_memory", "hipMalloc memory is restored between passes (1 after 3 passes)"),
        ("module_variable", "a __device__ variable is restored between passes (1 after 3 passes)"),
        ("graph", "graph launches are not offered for replay (not_offered): each of 4 read one group of counters"),
        ("streams", "two streams of one GPU: all counters of 6 launches were read, in up to 3 passes"),
        ("agents", "two GPUs at one time: all counters of 6 launches were read, in up to 3 passes"),
    ],
)
def test_what_holds_on_the_simulator_is_told(whole: Whole, name: str, said: str) -> None:
    found = whole.check(f"selftest.{name}")
    assert found["status"] == "ok"
    assert said in found["found"]


@pytest.mark.parametrize(
    ("kind", "title", "reason"),
    [
        ("pool", "hipMallocAsync memory", "pool_memory"),
        ("virtual", "memory mapped by hipMemMap", "virtual_memory"),
        ("managed", "managed memory", "managed_memory"),
        ("fine_grained", "fine-grained device memory", "fine_grained_memory"),
        ("host", "pinned host memory", "pinned_memory"),
    ],
)
def test_memory_that_is_not_restored_is_told_and_does_no_harm(whole: Whole, kind: str, title: str, reason: str) -> None:
    found = whole.check(f"selftest.{kind}_memory")
    assert found["status"] == "note"
    assert found["found"].startswith(f"{title} is not restored between passes (3 after 3 passes, --unsafe all)")
    assert f"by default such launches are not replayed ({reason}" in found["found"]


def test_nothing_of_the_self_test_is_a_problem_on_the_simulator(whole: Whole) -> None:
    checks = [check for check in whole.report["checks"] if check["id"].startswith("selftest")]
    assert [check for check in checks if check["status"] in {"problem", "warning"}] == []


def test_the_text_has_the_self_test_in_a_section_of_its_own(whole: Whole) -> None:
    lines = whole.done.stdout.splitlines()
    assert lines[0].startswith("problem  ")
    start = lines.index("What holds on the simulator (gfx942,gfx942)")
    assert [line.split()[1] for line in lines[start + 1 : start + 2]] == ["selftest"]
    assert lines[-2].startswith("not ready: ")
    assert lines[-1].startswith("report: ")


def test_the_report_has_what_was_measured(whole: Whole) -> None:
    runs = {(run["part"], run["how"]): run for run in whole.report["runs"]}
    assert runs["counters", "alone"]["capture"] is None
    assert runs["restore device", "default"]["printed"] == ["remains 1"]
    launches = runs["counters", "all"]["capture"]["dispatches"]
    assert [one["kernel"] for one in launches] == [
        "multipass_kit_few(unsigned int*)",
        "multipass_kit_more(unsigned int*)",
    ] * 3
    assert {entry["counters"]["SQ_WAVES"] for entry in launches[2]["passes"]} == {14}
    assert all(run["exit_code"] == 0 and run["seconds"] > 0 for run in runs.values())


def test_the_report_has_the_sequence_of_callbacks(whole: Whole) -> None:
    assert whole.check("selftest.recording")["found"].endswith(" of counters, graph, streams, agents")
    (graph,) = [run for run in whole.report["runs"] if (run["part"], run["how"]) == ("graph", "all")]
    first, *events = graph["recording"]
    assert first["recording"] == 1
    calls = [event["call"] for event in events if "call" in event]
    assert calls.count("counting") == 3 + 4  # passes of the launch, then the graph's launches
    assert calls[-1] == "finalize"
    names = {event["name"] for event in events if "kernel" in event and "name" in event}
    assert any("multipass_kit_graph_step" in name for name in names)


@pytest.mark.parametrize("part", ["counters", "graph"])
def test_a_recording_of_a_report_can_be_played(
    whole: Whole, part: str, environment: dict[str, str], tmp_path: Path
) -> None:
    (run,) = [run for run in whole.report["runs"] if run["part"] == part and run["recording"]]
    path = tmp_path / "calls.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in run["recording"]))
    played = play(path, tmp_path / "out", environment)
    assert played.exit_code == 0, played.stderr
    assert captured(played) == Counter(
        (
            launch["device"],
            launch["outcome"],
            launch["reason"],
            tuple((one["pass"], tuple(sorted(one["counters"].items()))) for one in launch["passes"]),
        )
        for launch in run["capture"]["dispatches"]
    )


def test_the_report_does_not_tell_who_or_where(whole: Whole) -> None:
    for word in (*whole.private, str(Path.home()), str(Path.cwd()), "_NATIVE", "/tmp", ".so/"):
        assert word not in whole.text, word
    for name in (socket.gethostname(), getpass.getuser()):
        assert not re.search(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])", whole.text), name
    assert {"uuid", "command", "host", "environ", "where"}.isdisjoint(members(whole.report))


def members(found: Any) -> set[str]:
    """Names of all members, at any depth."""
    if isinstance(found, dict):
        return set(found).union(*map(members, found.values()))
    return set().union(*map(members, found)) if isinstance(found, list) else set()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--report", "new.json"], 2, "--report: there is none without the self-test: give --selftest too"),
        (["--selftest", "--report", "no/folder.json"], 7, "no/folder.json"),
        (["--selftest", "--report", "."], 7, ". is there already and was not replaced"),
    ],
)
def test_a_report_that_cannot_be_is_told_before_anything_runs(cli: Cli, words: list[str], code: int, said: str) -> None:
    done = cli("doctor", *words)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr


@pytest.fixture
def trial(native: Native, environment: dict[str, str]) -> Trial:
    """Some parts of the kit, on simulated GPUs with faults."""

    def run(
        *parts: str, faults: str = "", devices: str = "gfx942", patience_s: float = PATIENCE_S
    ) -> tuple[Check, ...]:
        machine = Machine(environment | {FAULTS_VARIABLE: faults})
        return check_kit(native, machine, find_ground(machine, Probe(), devices), parts, patience_s=patience_s).checks

    return run


@pytest.mark.parametrize(
    ("part", "faults", "name", "status", "said"),
    [
        (
            "device",
            "restore_wrong",
            "device_memory",
            Status.PROBLEM,
            "hipMalloc memory is restored wrongly between passes",
        ),
        (
            "device",
            "restore_skipped",
            "device_memory",
            Status.PROBLEM,
            "hipMalloc memory is not restored between passes (3 after 3 passes; without the tool 1)",
        ),
        (
            "counters",
            "record_lost:every=2",
            "counters",
            Status.PROBLEM,
            "of 6 launches, 3 were read completely (3 replayed, 3 incomplete (pass 0 delivered no counters)): GPU 0",
        ),
        (
            "counters",
            "payload_short",
            "counters",
            Status.NOTE,
            "of 6 launches, 0 were read completely (6 declined (replay_unusable)): launches are not replayed",
        ),
        (
            "counters",
            "sdk_1_0_0",
            "counters",
            Status.NOTE,
            "this SDK has no kernel replay; each launch reads one group of counters in turn",
        ),
        (
            "variable",
            "sdk_1_0_0",
            "module_variable",
            Status.NOTE,
            "a __device__ variable: not tried, this SDK has no kernel replay",
        ),
        ("graph", "sdk_1_0_0", "graph", Status.NOTE, "captured like others: this SDK has no kernel replay"),
        ("streams", "snapshot_refused", "streams", Status.NOTE, "6 launches with one group of counters each"),
        ("streams", "abort_after_pass:dispatch=2", "streams", Status.PROBLEM, "was ended by SIGABRT"),
        ("streams", "counting_conflict", "streams", Status.PROBLEM, "CONTEXT_CONFLICT (12)"),
        ("agents", "", "agents", Status.NOTE, "two GPUs at one time: not tried, the application sees 1 GPU"),
    ],
)
def test_a_fault_of_the_sdk_gives_its_line(  # noqa: PLR0913, PLR0917 - a table
    trial: Trial, part: str, faults: str, name: str, status: Status, said: str
) -> None:
    found = one(trial(part, faults=faults), f"selftest.{name}")
    assert said in found.found
    assert found.status is status


def test_a_part_that_hangs_is_ended_and_told(trial: Trial) -> None:
    found = one(trial("streams", faults="pass_waits:dispatch=3", patience_s=3), "selftest.streams")
    assert found.status is Status.PROBLEM
    assert "the part 'streams' of the kit did not end within 3 s" in found.found
    assert "under the tool, and ends well without it" in found.found


def test_parts_are_not_begun_when_others_took_too_long(native: Native, environment: dict[str, str]) -> None:
    machine = Machine(environment)
    ground = find_ground(machine, Probe(), "gfx942")
    checks = check_kit(native, machine, ground, ("graph", "streams"), patience_s=PATIENCE_S, longest_s=0).checks
    (found,) = [check for check in checks if check.status is Status.WARNING]
    assert found.found == "after 0 s these parts of the kit were not begun: graph, streams"


@pytest.mark.parametrize("device", ["gfx1100", "gfx1201", "tiny"])
def test_counters_are_exact_on_gpus_of_other_kinds(trial: Trial, device: str) -> None:
    checks = trial("counters", devices=device)
    assert {one(checks, f"selftest.{name}").status for name in ("counters", "waves", "instructions")} == {Status.OK}
    assert one(checks, "selftest.work_groups").status is Status.NOTE


@pytest.fixture
def application(native: Native, environment: dict[str, str], tmp_path: Path) -> Application:
    """The application alone, on simulated GPUs with faults."""

    def run(faults: str) -> Check:
        variables = environment | {FAULTS_VARIABLE: faults}
        ground = find_ground(Machine(variables), Probe(), "gfx942")
        return check_application(Bench(native, ground, tmp_path, variables, PATIENCE_S))

    return run


@pytest.mark.parametrize(
    ("faults", "said"),
    [
        ("snapshot_refused", "of 12 launches, 0 were read completely"),
        ("restore_skipped", "its memory is not restored"),
    ],
)
def test_an_application_that_is_not_as_it_must_be_says_why(application: Application, faults: str, said: str) -> None:
    found = application(faults)
    assert found.status is Status.PROBLEM
    assert said in found.found


# A compiler for real GPUs, as far as the self-test uses it.
_HIPCC = """\
#!/bin/bash
echo "$@" >> {log}
words=()
for word in "$@"; do
  case "$word" in --offload-arch=*|-I*) ;; *) words+=("$word") ;; esac
done
exec g++ -x c++ "${{words[@]}}" -x none {flags}
"""


def with_compiler(environment: dict[str, str], folder: Path, text: str) -> Machine:
    """A machine with this compiler in its path, and a real GPU."""
    folder.mkdir()
    (folder / "hipcc").write_text(text)
    (folder / "hipcc").chmod(0o755)
    return Machine(environment | {"PATH": f"{folder}:{environment['PATH']}"})


def on_real(native: Native, machine: Machine, *parts: str, patience_s: float = PATIENCE_S) -> SelfTest:
    return check_kit(native, machine, find_ground(machine, probed(gpu()), ""), parts, patience_s=patience_s)


def test_the_kit_is_built_for_a_real_gpu(cli: Cli, native: Native, environment: dict[str, str], tmp_path: Path) -> None:
    log = tmp_path / "log"
    compiler = _HIPCC.format(log=log, flags=cli("sim-flags").stdout.strip())
    machine = with_compiler(environment, tmp_path / "bin", compiler)
    tested = on_real(native, machine, "counters")
    assert one(tested.checks, "selftest.kit").status is Status.OK
    assert f"on real GPUs, built by {tmp_path / 'bin/hipcc'}" in one(tested.checks, "selftest.kit").found
    assert one(tested.checks, "selftest.waves").status is Status.OK
    words = log.read_text().split()
    assert words[0] == "--offload-arch=gfx942"
    assert str(native.kit_source) in words


def test_a_compiler_that_fails_or_never_ends_is_told(
    native: Native, environment: dict[str, str], tmp_path: Path
) -> None:
    machine = with_compiler(environment, tmp_path / "bin", "#!/bin/sh\necho 'error: no such GPU' >&2\nexit 1\n")
    (failed,) = on_real(native, machine, "counters").checks
    assert (failed.id, failed.status) == ("selftest.kit", Status.PROBLEM)
    assert "cannot build kit.cpp: error: no such GPU; what holds here is not known" in failed.found
    (tmp_path / "bin/hipcc").write_text("#!/bin/sh\nexec /bin/sleep 100\n")
    (slow,) = on_real(native, machine, "counters", patience_s=0.5).checks
    assert slow.status is Status.PROBLEM
    assert "did not end within 0.5 s" in slow.found
