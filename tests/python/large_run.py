# SPDX-License-Identifier: MIT
"""A run of any length as model objects, for what is about size: no file is written or read.

45 counters in 5 passes on gfx942 as the demo has them, three kernels of unlike length in turn. All values and times of
a dispatch differ a little from those of others of its kernel; a few dispatches are declined, incomplete or filtered.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from rocprofsys_multipass.trace.agent import Agent, BlockUse, CounterInfo, PlannedPass
from rocprofsys_multipass.trace.canonical import mark_canonical
from rocprofsys_multipass.trace.model import Dispatch, Kernel, Outcome, Pass, Process, Reading, Trace

SENTINELS = ("GRBM_GUI_ACTIVE", "SQ_INSTS_VALU")
CAPACITY = {"CPC": 2, "CPF": 2, "GRBM": 2, "SPI": 4, "SQ": 8, "TA": 2, "TCC": 4, "TCP": 4, "TD": 2}
KERNELS = (
    ("void histogram<256, unsigned int>(unsigned int*, unsigned int const*, unsigned long)", 480_000),
    ("transpose(unsigned int*, unsigned int const*, unsigned int)", 460_000),
    ("axpy(float*, float const*, float, float, unsigned long)", 300_000),
)
PASSES: tuple[tuple[str, ...], ...] = (
    (
        *("CPC_CPC_STAT_BUSY", "CPF_CPF_STAT_BUSY", "GRBM_COUNT", "GRBM_GUI_ACTIVE", "SPI_CSN_BUSY", "SPI_CSN_WAVE"),
        *("SQ_BUSY_CYCLES", "SQ_CYCLES", "SQ_INSTS", "SQ_INSTS_LDS", "SQ_INSTS_VALU", "SQ_WAIT_INST_ANY", "SQ_WAVES"),
        *("SQ_WAVE_CYCLES", "TA_FLAT_READ_WAVEFRONTS", "TA_FLAT_WRITE_WAVEFRONTS", "TCC_ATOMIC", "TCC_READ", "TCC_REQ"),
        *("TCC_WRITE", "TCP_PENDING_STALL_CYCLES", "TCP_TOTAL_ACCESSES", "TCP_TOTAL_READ", "TCP_TOTAL_WRITE"),
        *("TD_LOAD_WAVEFRONT", "TD_STORE_WAVEFRONT"),
    ),
    (
        *("FETCH_SIZE", "SQ_ACTIVE_INST_VALU", "SQ_INSTS_VMEM_RD", "SQ_INSTS_VMEM_WR", "SQ_LDS_BANK_CONFLICT"),
        *("TA_TA_BUSY", "TA_TOTAL_WAVEFRONTS", "TCC_EA0_RDREQ_DRAM", "TCP_TCC_READ_REQ", "TCP_TCC_WRITE_REQ"),
        *("TD_TD_BUSY", *SENTINELS),
    ),
    ("TCC_BUSY", "TCC_HIT", "TCC_MISS", "TCC_TAG_STALL", *SENTINELS),
    ("TCC_EA0_WRREQ_DRAM", "TCC_NORMAL_EVICT", "WRITE_SIZE", *SENTINELS),
    ("TCC_NORMAL_WRITEBACK", "TCC_MISS", *SENTINELS),
)
_GUESTS: tuple[tuple[str, ...], ...] = ((), SENTINELS, SENTINELS, SENTINELS, ("TCC_MISS", *SENTINELS))


def agent_of(device: int = 0) -> Agent:
    """A GPU with its plan and the registers of it."""
    names = sorted({c for p in PASSES for c in p})
    return Agent(
        index=device + 1,
        device=device,
        name="gfx942",
        product_name="Simulated gfx942",
        counters=tuple(CounterInfo(n, n.split("_")[0]) for n in names if not n.endswith("_SIZE")),
        passes=tuple(_planned(p, guests) for p, guests in zip(PASSES, _GUESTS, strict=True)),
        lower_bound=len(PASSES),
        proof="bound",
    )


def _planned(counters: tuple[str, ...], guests: tuple[str, ...]) -> PlannedPass:
    used: dict[str, int] = {}
    for name in counters:
        block, registers = ("TCC", 3) if name.endswith("_SIZE") else (name.split("_")[0], 1)
        used[block] = used.get(block, 0) + registers
    return PlannedPass(counters, guests, tuple(BlockUse(b, min(n, CAPACITY[b]), CAPACITY[b]) for b, n in used.items()))


def process_of(count: int, *, gpus: int = 1, rank: int | None = None, seed: int = 1, spread: float = 0.01) -> Process:
    """A process of so many dispatches; values differ by `spread` of themselves at most."""
    agents = tuple(agent_of(device) for device in range(gpus))
    kernels = tuple(Kernel(id=n, name=name, demangled=name) for n, (name, _) in enumerate(KERNELS))
    return Process(
        path=Path(f"multipass-{4711 if rank is None else f'rank{rank}'}.journal"),
        kind="journal",
        pid=4711 + (rank or 0),
        agents=agents,
        kernels=kernels,
        rank=rank,
        hostname="node7",
        command=("./solver", "--steps", str(count)),
        sdk_version="1.4.1",
        replay_mode="auto",
        dispatches=tuple(_dispatches(count, agents, kernels, random.Random(seed), spread)),
    )


def trace_of(count: int, **options: float) -> Trace:
    """A trace of one such process."""
    return Trace((process_of(count, **options),))  # type: ignore[arg-type]


def _dispatches(
    count: int, agents: tuple[Agent, ...], kernels: tuple[Kernel, ...], chance: random.Random, spread: float
) -> Iterator[Dispatch]:
    now = 5_000_000_000
    for number in range(count):
        kind = number % len(kernels)
        agent = agents[number % len(agents)]
        outcome, reason, planned = _fate(number)
        passes = []
        for index in planned:
            length = int(KERNELS[kind][1] * (1 + 0.3 * chance.random()))
            start, now = now, now + length
            readings = () if outcome == "filtered" else _readings(kind, index, chance, spread)
            passes.append(Pass(index if len(planned) > 1 else None, index, start, now, readings))
            now += int(150_000 * (1 + chance.random()))
        yield Dispatch(
            process=4711,
            dispatch_id=number + 1,
            agent=agent,
            symbol=kernels[kind],
            outcome=outcome,
            reason=reason,
            passes_planned=len(PASSES),
            passes=mark_canonical(passes, agent),
            queue_id=number % 2,
            thread_id=900 + number % 3,
            grid=(1024 << kind, 1, 1),
            workgroup=(256, 1, 1),
        )


def _fate(number: int) -> tuple[Outcome, str, range]:
    """Outcome, reason and groups that were read."""
    if number % 97 == 40:
        group = number % len(PASSES)
        return "declined", "not_offered" if number % 2 else "unknown", range(group, group + 1)
    if number % 250 == 125:
        return "incomplete", "pass 4 did not deliver its counters", range(4)
    if number % 250 == 170:
        return "filtered", "range", range(1)
    return "replayed", "", range(len(PASSES))


def _readings(kind: int, index: int, chance: random.Random, spread: float) -> tuple[Reading, ...]:
    found = []
    for place, name in enumerate(PASSES[index]):
        base = (kind + 1) * 17_000 * (1 if name in SENTINELS else place + 1)
        value = base if name == "SQ_INSTS_VALU" else int(base * (1 + spread * chance.random()))
        found.append(Reading(name, value / 32 if name.endswith("_SIZE") else float(value)))
    return tuple(found)
