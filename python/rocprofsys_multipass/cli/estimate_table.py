# SPDX-License-Identifier: MIT
"""An estimate as text: for each GPU the ways side by side, which to choose, and what it is built on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from rocprofsys_multipass.estimate import factor_text, size_text, time_text
from rocprofsys_multipass.spelling import plural

if TYPE_CHECKING:
    from rich.console import Console

    from rocprofsys_multipass.estimate import AgentEstimate, Estimate, Way, Workload

_DEFAULT = " (default)"
_NAMES = {"auto": f"--replay auto{_DEFAULT}", "kernel": "--replay kernel", "rotate": "--replay rotate"}


def show_estimate(estimate: Estimate, terminal: Console) -> None:
    """Print all of it."""
    for agent in estimate.agents:
        terminal.print()
        _show_agent(agent, estimate, terminal)
    terminal.print()
    terminal.print("[bold]This is arithmetic, not a measurement[/bold]; it assumes that")
    for text in estimate.assumptions:
        _item("  -", text, terminal)


def _show_agent(agent: AgentEstimate, estimate: Estimate, terminal: Console) -> None:
    terminal.print(f"[bold]estimate for {escape(agent.device)} (GPU {agent.device_index})[/bold]")
    if agent.choice is None:
        terminal.print(f"  {escape(agent.reason)}")
        return
    terminal.print(_facts(agent, estimate))
    if agent.pass_count > 1:
        terminal.print()
        terminal.print(Padding(_ways(agent, estimate), (0, 0, 0, 2), expand=False))
        terminal.print()
    name = _name(agent.choice, agent.pass_count).removesuffix(_DEFAULT)
    _item("  [green]choose[/green]", f"[bold]{escape(name)}[/bold]: {escape(agent.reason)}", terminal)
    for text in agent.warnings:
        _item("  [yellow]warning:[/yellow]", escape(text), terminal)


def _facts(agent: AgentEstimate, estimate: Estimate) -> Padding:
    """What the ways are computed from."""
    work, window = estimate.workload, agent.window
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row("application", escape(_application(work, estimate.application_ns)))
    if agent.pass_count > 1:
        table.add_row(
            "one replay",
            f"{time_text(window.time_ns)}: {size_text(window.copied_bytes)} copied "
            f"(1 snapshot, {plural(window.executions - 1, 'restore')}), {plural(window.executions, 'execution')}",
        )
        room = estimate.host_memory
        in_all = f"; {size_text(work.footprint * room.ranks)} in all" if room.ranks > 1 else ""
        table.add_row("host memory", f"{size_text(work.footprint)} for the copy, of {escape(str(room))}{in_all}")
    return Padding(table, (0, 0, 0, 2), expand=False)


def _application(work: Workload, total_ns: int) -> str:
    text = f"{time_text(total_ns)}: {plural(work.dispatches, 'launch')} of {plural(work.kernels, 'kernel')}"
    text += f", {time_text(work.kernel_time_ns)} each"
    return text + (f", and {time_text(work.startup_ns)} beside them" if work.startup_ns else "")


def _ways(agent: AgentEstimate, estimate: Estimate) -> Table:
    """What each takes, and what it reads: launches with all of their counters, and each counter of each kernel."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("", no_wrap=True)
    for title in ("\ntime", "\nslowdown", "\ncopied", "launches\nread whole", "readings of\na counter"):
        table.add_column(title, justify="right", no_wrap=True)
    for way in agent.ways:
        table.add_row(
            escape(_row_name(way, agent.pass_count)),
            time_text(way.time_ns),
            factor_text(way.time_ns, estimate.application_ns),
            size_text(way.copied_bytes) if way.copied_bytes else "-",
            f"{way.replays:,}",
            _readings(way),
        )
    return table


def _readings(way: Way) -> str:
    """The least; where that is none, the most too, since counters of some passes are read."""
    return f"{way.readings:,}" if way.readings else f"0-{way.most_readings:,}"


def _name(way: str, passes: int) -> str:
    return _NAMES.get(way) or f"{passes:,} application runs"


def _row_name(way: Way, passes: int) -> str:
    """The name; below it why no launch is replayed, a reason on each line, so that 80 columns hold the table."""
    head = "  declined: "
    return "\n".join(
        [_name(way.name, passes), *[(" " * len(head) if at else head) + r for at, r in enumerate(way.declined)]]
    )


def _item(head: str, text: str, terminal: Console) -> None:
    """A sentence, its further lines below its first word."""
    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row(head, text)
    terminal.print(table)
