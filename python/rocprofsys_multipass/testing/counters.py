# SPDX-License-Identifier: MIT
"""Checks of the value of a counter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from shlex import quote
from typing import TYPE_CHECKING

from rocprofsys_multipass.spelling import nearest
from rocprofsys_multipass.testing.expected import Expected, expected_of
from rocprofsys_multipass.testing.failure import (
    MOST_SHOWN,
    Failed,
    Failure,
    Source,
    columns,
    count,
    counted,
    dispatches,
    exact,
    grouped,
    ids,
    launch_of,
    opened,
    raise_if,
    where_to_look,
)
from rocprofsys_multipass.trace.missing import reason_missing

if TYPE_CHECKING:
    from rocprofsys_multipass.trace import Dispatch, Trace

_HEAD = ("dispatch", "read in", "expected", "got", "difference")


def assert_counter(  # noqa: PLR0913 - the last ones by keyword only
    trace: Source,
    kernel: str | None,
    counter: str,
    expected: object,
    *,
    rel: float | None = None,
    abs: float | None = None,  # noqa: A002 - named as in pytest.approx
    dispatch: int | None = None,
    device: int | str | None = None,
    missing_ok: bool = False,
) -> None:
    """Assert that a counter is as expected in each dispatch of a kernel.

    Args:
        trace: a trace, or what `open_trace` takes: a run directory or a file.
        kernel: as in `Trace.dispatches`: a regular expression, or a part of the demangled name; None: every kernel.
        counter: its name. The value is the canonical one, instances summed, in the counter's unit.
        expected: a number; a tuple (low, high), both included, None for an open end; a function of the value that
            returns whether it is right; or anything that compares equal to right values, such as `pytest.approx`.
        rel: how far a value may be from the number, relative to it: 0.05 is 5 %. Without a tolerance it must be equal,
            but for the last digits of a sum (1e-9).
        abs: how far it may be, in the counter's unit; of the two the larger holds.
        dispatch: only the dispatch with this id. Without it all that the run's filters left in must hold, one at least.
        device: only on this GPU, by ordinal or by name.
        missing_ok: pass over dispatches without a reading of the counter, as long as one has it. They fail otherwise.

    Raises:
        CheckError: an AssertionError; it tells every dispatch that is not as expected, and why readings are missing.
        UsageError: `kernel` is no regular expression and in no name, or `expected` and its tolerances make no sense.
        TraceError: nothing there can be read.
    """
    __tracebackhide__ = True
    raise_if(
        check_counter(
            trace, kernel, counter, expected, rel=rel, abs=abs, dispatch=dispatch, device=device, missing_ok=missing_ok
        )
    )


def check_counter(  # noqa: PLR0913 - as above
    trace: Source,
    kernel: str | None,
    counter: str,
    expected: object,
    *,
    rel: float | None = None,
    abs: float | None = None,  # noqa: A002 - as above
    dispatch: int | None = None,
    device: int | str | None = None,
    missing_ok: bool = False,
) -> Failed | None:
    """As `assert_counter`, but what is wrong is returned."""
    wanted = expected_of(expected, rel, abs)
    source = opened(trace)
    chosen = [d for d in counted(source, kernel, device) if dispatch in (None, d.dispatch_id)]
    title = f"{counter} of {_kernel(kernel)}"
    if not chosen:
        return _none_counted(source, title, kernel, device, dispatch)
    missing = [d for d in chosen if counter not in d.counters]
    wrong = [d for d in chosen if counter in d.counters and not wanted.holds(d.counters[counter])]
    if missing_ok and len(missing) < len(chosen):
        missing = []
    if not (missing or wrong):
        return None
    command = "report {}" + (f" --kernel {quote(kernel)}" if kernel else "")
    return Failed(
        title=f"{title}: {_summary(chosen, wrong, missing, wanted)}",
        failures=tuple(_failure(d, counter, wanted) for d in (*wrong, *missing)),
        body=tuple(_body(chosen, wrong, missing, counter, wanted)),
        hints=(*_passes_differ(wrong, counter), *where_to_look(source, command)),
    )


def _kernel(kernel: str | None) -> str:
    return "every kernel" if kernel is None else f"kernel {kernel!r}"


def _summary(
    chosen: Sequence[Dispatch], wrong: Sequence[Dispatch], missing: Sequence[Dispatch], wanted: Expected
) -> str:
    """What is wrong of how many, in one line."""
    of = f" of {len(chosen)}"
    parts = []
    if wrong:
        parts.append(f"not {wanted.text} in {len(wrong)}{of} {_plural(chosen)}")
    if missing:
        parts.append(f"not read in {len(missing)}{of} {_plural(chosen)}")
    return ", ".join(parts)


def _plural(chosen: Sequence[Dispatch]) -> str:
    return "dispatch" if len(chosen) == 1 else "dispatches"


def _failure(d: Dispatch, counter: str, wanted: Expected) -> Failure:
    got = d.counters.get(counter)
    read_in = d.canonical_pass[counter].label if got is not None else ""
    told = f"{exact(got)} ({read_in})" if got is not None else f"not there: {reason_missing(d, counter)}"
    return Failure(
        message=f"{d.where} of {launch_of(d)}: {counter} is {told}, expected {wanted.text}",
        process=d.process,
        dispatch_id=d.dispatch_id,
        kernel=d.kernel,
        agent=d.agent.label,
        counter=counter,
        expected=wanted.text,
        got=got,
        read_in=read_in,
    )


def _body(
    chosen: Sequence[Dispatch], wrong: Sequence[Dispatch], missing: Sequence[Dispatch], counter: str, wanted: Expected
) -> Iterator[str]:
    """A table of the wrong values for each launch shape, then the missing ones by reason, then what is right."""
    several = len({d.process for d in chosen}) > 1
    for launch, group in grouped(wrong, launch_of):
        yield launch
        rows = [_row(d, counter, wanted, several=several) for d in group[:MOST_SHOWN]]
        yield from (f"  {line}" for line in columns([_HEAD, *rows], frozenset({1})))
        if len(group) > MOST_SHOWN:
            yield f"  and {len(group) - MOST_SHOWN} more"
    for why, group in grouped(missing, lambda d: (d.kernel, d.agent.label, _why(d, counter))):
        kernel, agent, reason = why
        yield f"{kernel} on {agent}"
        yield f"  no reading in {_named(group)}, {reason}"
        yield f"  read there: {', '.join(group[0].counters) or 'no counter'}"
    bad = {id(d) for d in (*wrong, *missing)}
    right = [d for d in chosen if id(d) not in bad]
    if right:
        yield f"as expected: {_named(right)}"


def _why(d: Dispatch, counter: str) -> str:
    reason = f" ({d.reason})" if d.reason else ""
    return f"{d.outcome}{reason}: {reason_missing(d, counter)}"


def _named(group: Sequence[Dispatch]) -> str:
    return f"{_plural(group)} {ids(group)}"


def _row(d: Dispatch, counter: str, wanted: Expected, *, several: bool) -> tuple[str, ...]:
    value = d.counters[counter]
    name = f"{d.dispatch_id} of process {d.process}" if several else str(d.dispatch_id)
    return (name, d.canonical_pass[counter].label, wanted.text, exact(value), wanted.difference(value))


def _passes_differ(wrong: Sequence[Dispatch], counter: str) -> Iterator[str]:
    """That the passes of a wrong dispatch do not agree on the counter, which is then no fault of the kernel's."""
    for d in wrong:
        read = d.by_counter[counter]
        if len({value for _, value in read}) > 1:
            values = ", ".join(f"{exact(value)} in {one.label}" for one, value in read[:MOST_SHOWN])
            yield f"passes of dispatch {d.dispatch_id} do not agree: {values}; they do different work where replay"
            yield "  does not restore all memory, or the kernel depends on time: mp.assert_same_work tells"
            return


def _none_counted(
    trace: Trace, title: str, kernel: str | None, device: int | str | None, dispatch: int | None
) -> Failed:
    """There is nothing to compare: why, and what there is instead."""
    on_device = "" if device is None else f" on {_device(device)}"
    matching = trace.dispatches(kernel, agent=device)
    named = [d for d in matching if dispatch in (None, d.dispatch_id)]
    hints = where_to_look(trace)
    if named:
        reasons = ", ".join(sorted({d.reason for d in named if d.reason}))
        left_out = f"a filter of the run{f' ({reasons})' if reasons else ''} left out {_named(named)}"
        text = f"{title}: no dispatch was to be counted{on_device}, {left_out}"
    elif matching:
        text = f"{title}: dispatch {dispatch} is none of it{on_device}, {_named(matching)} would be"
    else:
        text = f"{title}: no dispatch of it was recorded{on_device}"
        near = nearest(kernel or "", [name.partition("(")[0] for name in trace.kernels])
        hints = [*([f"did you mean {near!r}?"] if near and near != kernel else []), *hints]
    failure = Failure(message=text, dispatch_id=dispatch, kernel=kernel or "")
    return Failed(text, (failure,), tuple(_kernels_there(trace)), tuple(hints))


def _device(device: int | str) -> str:
    return f"GPU {device}" if isinstance(device, int) else device


def _kernels_there(trace: Trace) -> list[str]:
    """The kernels of a trace, with their GPUs and how often they were launched."""
    launches = grouped(trace.dispatches(), lambda d: (d.kernel, d.agent.label))
    if not launches:
        return ["no kernel was recorded at all"]
    rows = [(kernel, agent, dispatches(len(group))) for (kernel, agent), group in launches[:MOST_SHOWN]]
    more = len(launches) - len(rows)
    return [
        "recorded were",
        *(f"  {line}" for line in columns(rows, frozenset({0, 1}))),
        *([f"  and {count(more, 'kernel')} more"] if more else []),
    ]
