# SPDX-License-Identifier: MIT
"""Checks of the value of a counter or a metric."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING, Final

from rocprofsys_multipass.spelling import nearest, plural
from rocprofsys_multipass.testing.expected import Expected, expected_of
from rocprofsys_multipass.testing.failure import (
    MOST_SHOWN,
    Failed,
    Failure,
    Source,
    columns,
    counted,
    exact,
    grouped,
    launch_of,
    numbered,
    opened,
    outcome_text,
    raise_if,
    where_to_look,
)
from rocprofsys_multipass.testing.quantities import CounterOf, MetricOf, Quantity

if TYPE_CHECKING:
    from rocprofsys_multipass.trace import Dispatch, Trace

_MOST_NAMES: Final = 12  # of counters in a line
_HEAD: Final = ("dispatch", "read in", "expected", "got", "difference")


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
        missing_ok: pass over dispatches without a value, as long as one has it. They fail otherwise.

    Raises:
        CheckError: an AssertionError; it tells every dispatch that is not as expected, and why readings are missing.
        UsageError: `kernel` is no regular expression and in no name, or `expected` and its tolerances make no sense.
        TraceError: nothing there can be read.
    """
    __tracebackhide__ = True
    chosen = _Chosen(kernel, dispatch, device, missing_ok)
    raise_if(_check(trace, CounterOf(counter), expected_of(expected, rel, abs), chosen))


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
    chosen = _Chosen(kernel, dispatch, device, missing_ok)
    return _check(trace, CounterOf(counter), expected_of(expected, rel, abs), chosen)


def assert_metric(  # noqa: PLR0913 - as `assert_counter`
    trace: Source,
    kernel: str | None,
    metric: str,
    expected: object,
    *,
    rel: float | None = None,
    abs: float | None = None,  # noqa: A002 - as above
    dispatch: int | None = None,
    device: int | str | None = None,
    missing_ok: bool = False,
) -> None:
    """Assert that a metric, such as `l2_hit_rate`, is as expected in each dispatch of a kernel.

    As `assert_counter`, in the unit of the metric (docs/metrics.md). All counters of a value are of one pass; a run
    with ``sets=...`` keeps them together.

    Raises:
        CheckError: an AssertionError; it tells every dispatch that is not as expected, and why there is no value.
        UsageError: as `assert_counter`, and where there is no metric of that name.
        TraceError: nothing there can be read.
    """
    __tracebackhide__ = True
    chosen = _Chosen(kernel, dispatch, device, missing_ok)
    raise_if(_check(trace, MetricOf(metric), expected_of(expected, rel, abs), chosen))


def check_metric(  # noqa: PLR0913 - as above
    trace: Source,
    kernel: str | None,
    metric: str,
    expected: object,
    *,
    rel: float | None = None,
    abs: float | None = None,  # noqa: A002 - as above
    dispatch: int | None = None,
    device: int | str | None = None,
    missing_ok: bool = False,
) -> Failed | None:
    """As `assert_metric`, but what is wrong is returned."""
    chosen = _Chosen(kernel, dispatch, device, missing_ok)
    return _check(trace, MetricOf(metric), expected_of(expected, rel, abs), chosen)


@dataclass(frozen=True, slots=True)
class _Chosen:
    """Which dispatches an assertion is about."""

    kernel: str | None
    dispatch: int | None
    device: int | str | None
    missing_ok: bool


def _check(trace: Source, quantity: Quantity, wanted: Expected, which: _Chosen) -> Failed | None:
    source = opened(trace)
    chosen = [d for d in counted(source, which.kernel, which.device) if which.dispatch in (None, d.dispatch_id)]
    title = f"{quantity.title} of {_kernel(which.kernel)}"
    if not chosen:
        return none_counted(source, title, which.kernel, which.device, which.dispatch)
    read = [(d, quantity.read(d)) for d in chosen]
    missing = [d for d, value in read if value is None]
    wrong = [d for d, value in read if value is not None and not wanted.holds(value[0])]
    if which.missing_ok and len(missing) < len(chosen):
        missing = []
    if not (missing or wrong):
        return None
    command = "report {}" + (f" --kernel {quote(which.kernel)}" if which.kernel else "")
    return Failed(
        title=f"{title}: {_summary(chosen, wrong, missing, wanted)}",
        failures=tuple(_failure(d, quantity, wanted) for d in (*wrong, *missing)),
        body=tuple(_body(chosen, wrong, missing, quantity, wanted)),
        hints=(*_passes_differ(wrong, quantity), *where_to_look(source, command)),
    )


def _kernel(kernel: str | None) -> str:
    return "every kernel" if kernel is None else f"kernel {kernel!r}"


def _summary(
    chosen: Sequence[Dispatch], wrong: Sequence[Dispatch], missing: Sequence[Dispatch], wanted: Expected
) -> str:
    """What is wrong of how many, in one line."""
    of = f" of {plural(len(chosen), 'dispatch')}"
    parts = []
    if wrong:
        parts.append(f"not {wanted.text} in {len(wrong)}{of}")
    if missing:
        parts.append(f"without a value in {len(missing)}{of}")
    return ", ".join(parts)


def _failure(d: Dispatch, quantity: Quantity, wanted: Expected) -> Failure:
    got, read_in = quantity.read(d) or (None, "")
    told = f"{exact(got)} ({read_in})" if got is not None else f"not there: {quantity.why_missing(d)}"
    return Failure(
        message=f"{d.where} of {launch_of(d)}: {quantity.name} is {told}, expected {wanted.text}",
        process=d.process,
        dispatch_id=d.dispatch_id,
        kernel=d.kernel,
        agent=d.agent.label,
        counter=quantity.name,
        expected=wanted.text,
        got=got,
        read_in=read_in,
    )


def _body(
    chosen: Sequence[Dispatch],
    wrong: Sequence[Dispatch],
    missing: Sequence[Dispatch],
    quantity: Quantity,
    wanted: Expected,
) -> Iterator[str]:
    """A table of the wrong values for each launch shape, then the missing ones by reason, then what is right."""
    several = len({d.process for d in chosen}) > 1
    for launch, group in grouped(wrong, launch_of):
        yield launch
        rows = [_row(d, quantity, wanted, several=several) for d in group[:MOST_SHOWN]]
        yield from (f"  {line}" for line in columns([_HEAD, *rows], frozenset({1})))
        if len(group) > MOST_SHOWN:
            yield f"  and {len(group) - MOST_SHOWN} more"
    for why, group in grouped(missing, lambda d: (d.kernel, d.agent.label, _why(d, quantity))):
        kernel, agent, reason = why
        yield f"{kernel} on {agent}"
        yield f"  no value in {numbered(group)}, {reason}"
        yield f"  read there: {_listed([*group[0].counters])}"
    bad = {id(d) for d in (*wrong, *missing)}
    right = [d for d in chosen if id(d) not in bad]
    if right:
        yield f"as expected: {numbered(right)}"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return (", ".join(names[:_MOST_NAMES]) or "no counter") + more


def _why(d: Dispatch, quantity: Quantity) -> str:
    return f"{outcome_text(d)}: {quantity.why_missing(d)}"


def _row(d: Dispatch, quantity: Quantity, wanted: Expected, *, several: bool) -> tuple[str, ...]:
    value, read_in = quantity.read(d) or (0.0, "")
    name = f"{d.dispatch_id} of process {d.process}" if several else str(d.dispatch_id)
    return (name, read_in, wanted.text, exact(value), wanted.difference(value))


def _passes_differ(wrong: Sequence[Dispatch], quantity: Quantity) -> Iterator[str]:
    """That the passes of a wrong dispatch do not agree on the counter, which is then no fault of the kernel's."""
    for d in wrong:
        read = quantity.all_read(d)
        if len({value for _, value in read}) > 1:
            values = ", ".join(f"{exact(value)} in {one.label}" for one, value in read[:MOST_SHOWN])
            yield f"passes of dispatch {d.dispatch_id} do not agree: {values}; they do different work where replay"
            yield "  does not restore all memory, or the kernel depends on time: mp.assert_same_work tells"
            return


def none_counted(
    trace: Trace, title: str, kernel: str | None, device: int | str | None, dispatch: int | None = None
) -> Failed:
    """There is nothing to compare: why, and what there is instead."""
    on_device = "" if device is None else f" on {_device(device)}"
    matching = trace.dispatches(kernel, agent=device)
    named = [d for d in matching if dispatch in (None, d.dispatch_id)]
    hints = where_to_look(trace)
    if named:
        reasons = ", ".join(sorted({d.reason for d in named if d.reason}))
        left_out = f"a filter of the run{f' ({reasons})' if reasons else ''} left out {numbered(named)}"
        text = f"{title}: no dispatch was to be counted{on_device}, {left_out}"
    elif matching:
        text = f"{title}: dispatch {dispatch!r} is none of it{on_device}; it has {numbered(matching)}"
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
    rows = [(kernel, agent, plural(len(group), "dispatch")) for (kernel, agent), group in launches[:MOST_SHOWN]]
    more = len(launches) - len(rows)
    return [
        "recorded were",
        *(f"  {line}" for line in columns(rows, frozenset({0, 1}))),
        *([f"  and {plural(more, 'kernel')} more"] if more else []),
    ]
