# SPDX-License-Identifier: MIT
"""`--replay rotate`: no launch is replayed, and every file says which group of counters each of them read."""

from __future__ import annotations

from pathlib import Path

import expected
import pytest
from e2e_tools import PROBE, TWO_PASSES, Cli, Outputs, probe_counters

import rocprofsys_multipass as mp
from rocprofsys_multipass import Run

TURNS = (0, 1, 1, 0, 0)  # of two groups: every second cycle is the other way round


@pytest.fixture(scope="module")
def rotated(environment: dict[str, str], axpy: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Five launches of one shape, in two groups."""
    output = tmp_path_factory.mktemp("rotated") / "out"
    return mp.run(
        [axpy], events=TWO_PASSES, replay="rotate", simulate="gfx942", output=output, env=environment, capture=True
    )


def groups_of(run: Run) -> list[tuple[str, ...]]:
    assert run.summary is not None
    (agent,) = run.summary["agents"]
    return [tuple(names) for names in agent["passes"]]


def test_the_application_is_not_changed(rotated: Run) -> None:
    assert (rotated.exit_code, rotated.stdout) == (0, "axpy c7dd443c6490ff50\n")


def test_each_file_has_the_group_that_was_read_and_no_pass(rotated: Run) -> None:
    groups = groups_of(rotated)
    assert len(groups) == 2
    outputs = Outputs.of(rotated.output_dir)
    for path in (outputs.journal, outputs.trace, outputs.database):
        dispatches = mp.open_trace(path).dispatches()
        assert [(d.outcome, d.reason) for d in dispatches] == [("declined", "rotate_mode")] * 5
        assert [[(p.index, p.group) for p in d.passes] for d in dispatches] == [[(None, group)] for group in TURNS]
        assert [tuple(sorted(d.counters)) for d in dispatches] == [groups[group] for group in TURNS]


def test_what_was_read_is_what_the_launch_did(rotated: Run) -> None:
    launches, _ = expected.axpy_example()
    for number, dispatch in enumerate(mp.open_trace(rotated.output_dir).dispatches()):
        assert dict(dispatch.counters) == pytest.approx(
            {name: launches[number].counter(name, "gfx942") for name in dispatch.counters}
        )


def test_the_summary_counts_them_as_declined_by_the_mode(rotated: Run) -> None:
    summary = rotated.summary
    assert summary is not None
    assert summary["replay_mode"] == "rotate"
    assert summary["dispatches"] == {
        "seen": 5,
        "replayed": 0,
        "single_pass": 0,
        "declined": 5,
        "filtered": 0,
        "incomplete": 0,
        "declined_reasons": {"rotate_mode": 5},
        "filtered_reasons": {},
        "replayed_reasons": {},
        "incomplete_reasons": {},
    }
    assert summary["warnings"] == []


def test_verify_takes_it_for_well(rotated: Run) -> None:
    findings = mp.verify(rotated.output_dir)
    assert [f for f in findings if f.severity != "info"] == []
    assert [f.message for f in findings if f.check == "outcomes-declared"] == ["5 dispatches declined (rotate_mode)"]


def test_a_kernel_that_was_launched_once_lacks_a_group_and_is_named(
    cli: Cli, probe: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    out = tmp_path / "out"
    done = cli(
        "run", "--replay", "rotate", "--simulate", "gfx942", "--events", ",".join(TWO_PASSES), "-o", out, "--", probe,
        "exit", "0",
    )  # fmt: skip
    assert done.returncode == 0
    said = f"{PROBE}: group 1 of 2 was never read (1 launch)"
    assert said in done.stderr
    assert "1 dispatch: 1 declined (1 rotate_mode)" in done.stderr
    trace = mp.open_trace(out)
    (dispatch,) = trace.dispatches()
    read = tuple(dispatch.counters)
    assert dict(dispatch.counters) == probe_counters(1000, read)
    unread = sorted(set(TWO_PASSES) - set(read))
    assert unread != []
    for path in (out, *Outputs.of(out).journal.parent.glob("*.db")):
        assert f"! not read (--replay rotate): {', '.join(unread)}" in mp.report(path, "text")
    findings = mp.verify(out)
    assert [f for f in findings if f.severity != "info"] == []
    assert [f for f in findings if f.check == "warnings" and said in f.message] != []
    csv = mp.report(out, "csv").splitlines()
    assert len(csv) == 1 + len(read), "no line for what was not read"


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("rotate", ()),
        ("auto", ("kernels run once, for SDK 1.0.0 has no kernel replay (1.4.1 and later have it): ",)),
        (
            "kernel",
            ("kernels are not replayed, as 'replay kernel' wants: SDK 1.0.0 has no kernel",),
        ),
    ],
)
def test_on_an_sdk_before_replay_the_launches_take_turns(
    environment: dict[str, str], axpy: Path, tmp_path: Path, mode: str, said: tuple[str, ...]
) -> None:
    run = mp.run(
        [axpy],
        events=TWO_PASSES,
        replay=mode,
        simulate="gfx942",
        output=tmp_path / "out",
        env=environment | {"ROCPROFSYS_MULTIPASS_SIM_FAULTS": "sdk_1_0_0"},
        capture=True,
    )
    assert (run.exit_code, run.stdout) == (0, "axpy c7dd443c6490ff50\n")
    reason = "rotate_mode" if mode == "rotate" else "no_kernel_replay"
    dispatches = mp.open_trace(run.output_dir).dispatches()
    assert [(d.outcome, d.reason, d.passes[0].group) for d in dispatches] == [
        ("declined", reason, group) for group in TURNS
    ]
    assert len(run.warnings) == len(said)
    assert all(warning.startswith(text) for warning, text in zip(run.warnings, said, strict=True))
    findings = [f.severity for f in mp.verify(run.output_dir) if f.severity != "info"]
    assert findings == (["warning"] if mode == "kernel" else []), "a wish that cannot be met is more than a note"
