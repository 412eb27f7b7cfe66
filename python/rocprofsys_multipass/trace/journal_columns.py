# SPDX-License-Identifier: MIT
"""The readings of a journal column by column."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

from rocprofsys_multipass.trace import journal_pb2 as pb
from rocprofsys_multipass.trace.columns import Collector, Columns
from rocprofsys_multipass.trace.journal import Builder
from rocprofsys_multipass.trace.journal_messages import in_order, index_of, interval_of, times_of
from rocprofsys_multipass.trace.model import outcome_of


def columns_of(builder: Builder, messages: Iterable[pb.Dispatch]) -> Columns:
    """The readings of these dispatches; what is not laid out as others are is added as the dispatch that it makes."""
    collector = Collector()
    codes: dict[int, list[array[int]]] = {}  # by layout
    for d in messages:
        records = in_order(d.passes)
        values = [list(p.values) for p in records]
        outcome = outcome_of(d.outcome, f"{builder.path}: dispatch {d.dispatch_id}")
        layout = builder.layout(d.agent, outcome, records, values)
        if layout is None:
            collector.add(builder.dispatch(d))
            continue
        of_layout = codes.get(id(layout))
        if of_layout is None:
            of_layout = codes[id(layout)] = [collector.codes(names) for names in layout.names]
        symbol = builder.kernel(d.agent, d.kernel)
        timing = interval_of(d.timing).duration_ns if d.HasField("timing") else None
        collector.dispatch(
            builder.pid, d.dispatch_id, builder.agent(d.agent).device, symbol.demangled or symbol.name, timing
        )
        for p, of_pass, counters, canonical in zip(records, values, of_layout, layout.canonical, strict=True):
            collector.execution(index_of(p), p.group, *times_of(p))
            collector.readings(counters, of_pass, canonical)
    return collector.columns()
