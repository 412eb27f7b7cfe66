# SPDX-License-Identifier: MIT
"""A run whose trace is wanted: the application must end as expected, and something must have been collected."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rocprofsys_multipass.config import PYTHON, given_of, resolve_option
from rocprofsys_multipass.run import Run, run, signal_name, simulated_gpus
from rocprofsys_multipass.spelling import plural
from rocprofsys_multipass.testing.failure import CheckError, Failed, Failure
from rocprofsys_multipass.trace import Trace, open_trace

_TAIL: Final = 15  # lines of what the application printed


@dataclass(frozen=True, repr=False)
class RunTrace(Trace):
    """The trace of a run. `run` is the run itself: exit code, what the application printed, folder and files."""

    run: Run

    def __repr__(self) -> str:
        """What there is of it, in short: pytest shows it beside each failure."""
        found = f"{plural(len(self.dispatches()), 'dispatch')} of {plural(len(self.kernels), 'kernel')}"
        return f"<RunTrace {str(self.run.output_dir)!r}: {found}>"


def collect(
    command: Sequence[str | os.PathLike[str]],
    *,
    exit_code: int = 0,
    empty_ok: bool = False,
    **options: Any,  # noqa: ANN401 - those of `run`
) -> RunTrace:
    """Run `command` as `rocprofsys_multipass.run` does, its output captured, and read what was recorded.

    Args:
        command: the application and its arguments.
        exit_code: what the application must end with; 128 + n where signal n must end it.
        empty_ok: whether it is fine that no counter was read, as when a filter leaves out every launch.
        options: those of `rocprofsys_multipass.run`. Where nothing says how to replay, it is "kernel": a test wants all
            counters of all launches, and no budget that depends on the time.

    Raises:
        CheckError: the application ended in another way, no counter was read, or the GPUs were simulated ones that
            nothing asked for; it says why, as far as is known.
        MultipassError: as `rocprofsys_multipass.run`, before the application was started.
    """
    __tracebackhide__ = True
    done = run(command, capture=True, **_complete(options))
    program = os.fspath(command[0])
    unasked = [] if done.simulate else simulated_gpus(done.summaries)
    title = _problem(program, done, exit_code, unasked, empty_ok=empty_ok)
    if title:
        body = tuple(_body(command, done, options))
        hints = [f"run: {done.output_dir}"]
        if unasked:
            given = f"simulate={','.join(unasked)!r}"
            hints.insert(0, f"give {given} where that is meant; else build the program with hipcc")
        raise CheckError(Failed(title, (Failure(message=title),), body, tuple(hints)))
    return RunTrace(open_trace(done.output_dir).processes, done)


def _complete(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options, with replay without the limits of "auto" where no option, variable or file says how to replay."""
    given = given_of({name: options.get(name) for name in ("replay", "config")})
    environ = os.environ if options.get("env") is None else options["env"]
    _, source = resolve_option("replay", given["replay"], environ, PYTHON, config=given["config"])
    return dict(options) | ({"replay": "kernel"} if source.kind == "default" else {})


def _problem(program: str, done: Run, exit_code: int, unasked: Sequence[str], *, empty_ok: bool) -> str:
    """What is wrong with a run; empty: nothing."""
    if done.child_exit_code != exit_code:
        code = f"exit code {done.child_exit_code}"
        how = f"was ended by {signal_name(done.child_signal)} ({code})" if done.child_signal else f"ended with {code}"
        return f"{program} {how}, {exit_code} was expected"
    if not done.summaries:
        return f"nothing was collected of {program}: it used no GPU, or ran unprofiled"
    if unasked:  # a gate that lost its `simulate` would be green for ever, and say nothing of a GPU
        return f"{program} ran on a simulated {' and '.join(unasked)}, and nothing asked for simulation"
    if done.errors:
        return f"the run of {program} failed: {done.errors[0]}"
    return "" if empty_ok else _nothing_read(program, done.summaries)


def _nothing_read(program: str, summaries: Sequence[dict[str, Any]]) -> str:
    """That there is no reading at all, and why; empty: there is one."""
    seen = sum(summary["dispatches"]["seen"] for summary in summaries)
    if not seen:
        return f"nothing was collected of {program}: it launched no kernel"
    if any(summary["readings"] for summary in summaries):
        return ""
    filtered = sum(summary["dispatches"]["filtered"] for summary in summaries)
    why = f"{filtered} of {seen} launches were left out by a filter of the run"
    return f"no counter was read of {program}: {why}"


def _body(command: Sequence[str | os.PathLike[str]], done: Run, options: dict[str, Any]) -> Iterator[str]:
    yield f"command: {shlex.join(os.fspath(word) for word in command)}"
    for name, value in options.items():
        if value is not None and name not in ("output", "env"):
            yield f"{name}: {value if isinstance(value, str) else repr(value)}"
    for what, texts in (("error", done.errors), ("warning", done.warnings), ("note", done.notes)):
        for text in texts:
            yield f"{what}: {text}"
    for what, printed in (("stdout", done.stdout), ("stderr", done.stderr)):
        lines = printed.splitlines()
        if lines:
            yield f"{what}{f', the last {_TAIL} of {len(lines)} lines' if len(lines) > _TAIL else ''}:"
            yield from (f"  {line}" for line in lines[-_TAIL:])
