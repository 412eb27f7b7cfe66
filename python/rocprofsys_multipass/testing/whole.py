# SPDX-License-Identifier: MIT
"""Checks of a run as a whole: that everything was read, in so many passes, and that the passes did the same work."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from shlex import quote
from typing import TYPE_CHECKING, Final

from rocprofsys_multipass.errors import UsageError
from rocprofsys_multipass.spelling import plural
from rocprofsys_multipass.testing.counters import none_counted
from rocprofsys_multipass.testing.failure import (
    Failed,
    Failure,
    Source,
    counted,
    grouped,
    numbered,
    opened,
    outcome_text,
    raise_if,
    where_to_look,
)
from rocprofsys_multipass.trace import verdicts

if TYPE_CHECKING:
    from rocprofsys_multipass.trace import Agent, Dispatch, KernelVerdicts, Trace

_REASONS: Final[dict[str, str]] = {
    "not_read": "no counter of work was read in two passes",
    "zero": "what was compared is 0 in every pass, which proves nothing",
    "waves_only": "only waves were read in two passes, which follow the size of the launch",
    "first_unread": "a warm-up or timing pass read no counters, and it alone saw the memory that the program left",
}
_NOTHING: Final = "no dispatch was recorded that was to be counted"


def assert_complete(trace: Source, *, allow: Collection[str] = ()) -> None:
    """Assert that every counter that was asked for was read in every dispatch, in a capture that is whole.

    Dispatches that a filter of the run left out do not count; one other must be there.

    Args:
        trace: a trace, or what `open_trace` takes.
        allow: outcomes or reasons that are no failure, such as ("declined",), or ("no_replay_list",) for collectives,
            which are never replayed.

    Raises:
        CheckError: an AssertionError; it tells the dispatches, their outcomes and what was not read.
        TraceError: nothing there can be read.
    """
    __tracebackhide__ = True
    raise_if(check_complete(trace, allow=allow))


def check_complete(trace: Source, *, allow: Collection[str] = ()) -> Failed | None:
    """As `assert_complete`, but what is wrong is returned."""
    if isinstance(allow, str):
        message = f"allow is {allow!r}: give a collection of outcomes or reasons, such as ({allow!r},)"
        raise UsageError(message)
    source = opened(trace)
    chosen = counted(source, None, None)
    if not chosen:
        return _nothing(source)
    lacking = [d for d in chosen if _lacks(d) and not {d.outcome, d.reason}.intersection(allow)]
    of_run = [*_unfinished(source), *_unplaceable(source)]
    if not (of_run or lacking):
        return None
    some = f"{len(lacking)} of {plural(len(chosen), 'dispatch')} without counters that were asked for"
    title = f"not complete: {some if lacking else of_run[0].message}"
    body = [one.message for one in of_run] + list(_lacking_lines(lacking))
    unfinished = bool(_unfinished(source))
    hints = ["a capture that was cut can be completed by `recover`"] if unfinished else []
    if declined := sorted({d.reason or "declined" for d in lacking if d.outcome == "declined"}):
        hints.append(f"launches that are not replayed read one group of counters: allow={tuple(declined)!r}")
        hints.append("  passes over them; fewer counters, which fit one pass, read all in every launch")
    commands = ["recover {}", "verify {}"] if unfinished else ["verify {}"]
    return Failed(title, (*of_run, *_lacking(lacking)), tuple(body), (*hints, *where_to_look(source, *commands)))


def _lacks(d: Dispatch) -> bool:
    """Whether it is without a counter that was to be read, as far as the file tells what was."""
    return d.outcome in ("incomplete", "declined") or bool(_unread(d))


def _unread(d: Dispatch) -> tuple[str, ...]:
    """Counters that were planned for their own sake on its GPU and that it has no reading of."""
    return tuple(sorted(d.agent.requested - d.counters.keys()))


def _lacking(lacking: list[Dispatch]) -> Iterator[Failure]:
    for d in lacking:
        yield Failure(
            message=f"{d.where} of {d.kernel} on {d.agent.label}: {outcome_text(d)}, not read: {_listed(_unread(d))}",
            process=d.process,
            dispatch_id=d.dispatch_id,
            kernel=d.kernel,
            agent=d.agent.label,
            expected="every counter of the plan",
        )


def _lacking_lines(lacking: list[Dispatch]) -> Iterator[str]:
    """The dispatches that lack the same for the same reason, together."""
    alike = grouped(lacking, lambda d: (d.kernel, d.agent.label, outcome_text(d), _unread(d)))
    for (kernel, agent, outcome, unread), group in alike:
        yield f"{kernel} on {agent}"
        yield f"  {outcome}: {numbered(group)}"
        yield f"  not read: {_listed(unread)}"


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "what the file does not tell"


def _unfinished(trace: Trace) -> list[Failure]:
    return [
        Failure(message=f"process {process.pid} ended before its capture was closed", process=process.pid)
        for process in trace.processes
        if not process.closed
    ]


def _unplaceable(trace: Trace) -> Iterator[Failure]:
    """Counters that were asked for and that no pass of the plan has."""
    for process in trace.processes:
        for agent in process.gpus:
            for one in agent.unplaceable_counters:
                yield Failure(
                    message=f"{one.counter} is in no pass of {agent.label}: {one.reason}",
                    process=process.pid,
                    agent=agent.label,
                    counter=one.counter,
                )


def _nothing(trace: Trace, what: str = "", kernel: str | None = None, device: int | str | None = None) -> Failed:
    """No dispatch was counted at all, or none that was to be looked at."""
    if counted(trace, None, None):
        of = "every kernel" if kernel is None else f"kernel {kernel!r}"
        return none_counted(trace, f"{what} of {of}", kernel, device)
    launched = len(trace.dispatches())
    text = (
        f"{_NOTHING}: filters of the run left out {plural(launched, 'dispatch')}, all there are"
        if launched
        else _NOTHING
    )
    return Failed(text, (Failure(message=text),), (), tuple(where_to_look(trace, "report {}")))


def assert_passes(trace: Source, n: int, *, kernel: str | None = None, device: int | str | None = None) -> None:
    """Assert that every dispatch that was to be counted was executed in `n` passes.

    The executions of `--warm-up-pass` and `--timing-pass` read no counters and are none of them.

    Args:
        trace: a trace, or what `open_trace` takes.
        n: how many passes. More counters, or other ones together, may take more.
        kernel: only of this kernel, as in `Trace.dispatches`.
        device: only on this GPU, by ordinal or by name.

    Raises:
        CheckError: an AssertionError; it tells what took how many, and the plan.
        UsageError: `n` is no whole number from 1 on, or `kernel` no regular expression and in no name.
        TraceError: nothing there can be read.
    """
    __tracebackhide__ = True
    raise_if(check_passes(trace, n, kernel=kernel, device=device))


def check_passes(trace: Source, n: int, *, kernel: str | None = None, device: int | str | None = None) -> Failed | None:
    """As `assert_passes`, but what is wrong is returned."""
    if isinstance(n, bool) or n < 1:
        message = f"n is {n!r}: give the number of passes, from 1 on"
        raise UsageError(message)
    source = opened(trace)
    chosen = counted(source, kernel, device)
    if not chosen:
        return _nothing(source, "passes", kernel, device)
    wrong = [d for d in chosen if len(d.passes) != n]
    if not wrong:
        return None
    body = []
    for (kernel_name, agent, outcome, passes), group in grouped(
        wrong, lambda d: (d.kernel, d.agent.label, outcome_text(d), len(d.passes))
    ):
        body += [f"{kernel_name} on {agent}", f"  {plural(passes, 'pass')}, {outcome}: {numbered(group)}"]
    agents = {d.agent.label: d.agent for d in wrong}
    body += [line for agent in agents.values() for line in _plan(agent)]
    return Failed(
        f"not {plural(n, 'pass')} in {len(wrong)} of {plural(len(chosen), 'dispatch')}",
        tuple(_wrong_passes(d, n) for d in wrong),
        tuple(body),
        (*map(_why_so_many, agents.values()), *where_to_look(source, "report {}")),
    )


def _wrong_passes(d: Dispatch, n: int) -> Failure:
    return Failure(
        message=f"{d.where} of {d.kernel} on {d.agent.label}: {outcome_text(d)} in {plural(len(d.passes), 'pass')}, "
        f"expected {n}",
        process=d.process,
        dispatch_id=d.dispatch_id,
        kernel=d.kernel,
        agent=d.agent.label,
        expected=str(n),
        got=len(d.passes),
    )


def _plan(agent: Agent) -> Iterator[str]:
    if agent.passes:
        yield f"plan of {agent.label}: {plural(len(agent.passes), 'pass')}"
    for k, one in enumerate(agent.passes):
        own = [name for name in one.counters if name not in one.sentinels]
        guests = f"  (to compare: {', '.join(one.sentinels)})" if one.sentinels else ""
        yield f"  pass {k}: {', '.join(own)}{guests}"


def _why_so_many(agent: Agent) -> str:
    events = quote(",".join(sorted(agent.requested)))
    return f"why so many: rocprof-sys-multipass plan --device {agent.name} --events {events} --explain"


def assert_same_work(trace: Source, *, kernel: str | None = None, unknown_ok: bool = False) -> None:
    """Assert that the passes of each dispatch did the same work, so that their counters belong together.

    As the verdict on work says (docs/verification.md): instructions and waves are compared where several passes read
    them. A kernel of one pass has nothing to compare, and holds.

    Args:
        trace: a trace, or what `open_trace` takes.
        kernel: only of this kernel, as in `Trace.dispatches`.
        unknown_ok: whether kernels hold of which it is not known, for example because no counter of work is in two
            passes. `sentinel="auto"`, the default of a run, puts one there where it can.

    Raises:
        CheckError: an AssertionError; it tells kernel, counters and how far they differ.
        UsageError: `kernel` is no regular expression and in no name.
        TraceError: nothing there can be read.
    """
    __tracebackhide__ = True
    raise_if(check_same_work(trace, kernel=kernel, unknown_ok=unknown_ok))


def check_same_work(trace: Source, *, kernel: str | None = None, unknown_ok: bool = False) -> Failed | None:
    """As `assert_same_work`, but what is wrong is returned."""
    source = opened(trace)
    judged = verdicts(source, kernel=kernel)
    if not judged:
        return _nothing(source, "work", kernel)
    wrong = [one for one in judged if one.work.verdict == "not"]
    unknown = [] if unknown_ok else [one for one in judged if _is_unknown(one)]
    if not (wrong or unknown):
        return None
    parts = [f"not the same work in the passes of {plural(len(wrong), 'kernel')}"] if wrong else []
    parts += [f"not known of {plural(len(unknown), 'kernel')} whether its passes did the same work"] if unknown else []
    hints = (
        ["memory that replay does not restore, or a kernel that depends on time, makes passes differ"] if wrong else []
    )
    hints += ["unknown_ok=True passes over those of which it is not known"] if unknown else []
    return Failed(
        ", ".join(parts),
        tuple(_of_work(one) for one in (*wrong, *unknown)),
        tuple(line for one in (*wrong, *unknown) for line in _work_lines(one)),
        (*hints, *where_to_look(source, "verify {}")),
    )


def _is_unknown(one: KernelVerdicts) -> bool:
    return one.work.verdict == "unknown" and one.work.reason != "not_replayed"


def _work_lines(one: KernelVerdicts) -> Iterator[str]:
    yield f"{one.kernel} on {one.agent.label}"
    yield f"  {_told(one)}"
    if one.work.counters:
        yield f"  compared in {plural(one.replayed, 'dispatch')}: {', '.join(one.work.counters)}"


def _told(one: KernelVerdicts) -> str:
    if one.work.spread is None:
        return f"not known: {_REASONS.get(one.work.reason, one.work.reason)}"
    worst = f", most in dispatch {one.work.worst}" if one.work.worst is not None else ""
    return f"passes differ by {one.work.spread * 100:.3g} %{worst}"


def _of_work(one: KernelVerdicts) -> Failure:
    return Failure(
        message=f"process {one.process}, {one.kernel} on {one.agent.label}: {_told(one)}",
        process=one.process,
        dispatch_id=one.work.worst,
        kernel=one.kernel,
        agent=one.agent.label,
        counter=", ".join(one.work.counters),
        expected="the same in every pass",
        got=one.work.spread,
    )
