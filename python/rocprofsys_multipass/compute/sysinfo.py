# SPDX-License-Identifier: MIT
"""The numbers of a GPU as ``sysinfo.csv`` has them, and which of them the capture does not tell.

Columns, rules and constants: ROCm/rocm-systems projects/rocprofiler-compute @1b1610fc (`src/utils/specs.py`,
`src/rocprof_compute_soc`), from properties that the SDK has of an agent.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import PurePath
from typing import Final

from rocprofsys_multipass.compute.numbering import Capture
from rocprofsys_multipass.trace.agent import Agent
from rocprofsys_multipass.trace.tidy import cell

_PARTITIONED: Final = ("gfx940", "gfx941", "gfx942", "gfx950")  # with several XCCs, and modes of memory
BANKS: Final[Mapping[str, int]] = {"gfx908": 32, "gfx90a": 32, **dict.fromkeys(_PARTITIONED, 16)}
"""Channels of the L2 cache of an XCC, for the architectures that ``analyze`` has panels of; on another it ends."""
_HBM_CHANNELS: Final = {"NPS1": 128, "NPS4": 32, "NPS8": 16}
_LDS_BANKS: Final = 32
_PIPES: Final = 4
_IP_BLOCKS: Final = "SQ|LDS|SQC|TA|TD|TCP|TCC|SPI|CPC|CPF"
_VERSION: Final = "3"  # of the form of the directory
CLOCKS: Final = ("max_sclk", "max_mclk", "cur_sclk", "cur_mclk")
"""MHz. Without them ``analyze`` warns; without another number it ends."""


@dataclass(frozen=True)
class Sysinfo:
    """What ``sysinfo.csv`` says of a model of GPU. Two GPUs with equal architecture and numbers are of one model.

    `numbers`: in order of column, None where they are not known. `assumed`: sentences on numbers that rest on a rule
    for want of the fact; they are no part of the identity.
    """

    architecture: str
    numbers: tuple[tuple[str, int | None], ...]
    assumed: tuple[str, ...] = field(default=(), compare=False)

    @property
    def is_readable(self) -> bool:
        """Whether ``analyze`` knows the architecture."""
        return self.architecture in BANKS

    @property
    def unknown(self) -> tuple[str, ...]:
        """The columns that are empty."""
        return tuple(name for name, value in self.numbers if value is None)

    @property
    def order(self) -> tuple[str, tuple[int, ...]]:
        """By which models are ordered."""
        return self.architecture, tuple(-1 if value is None else value for _, value in self.numbers)

    def get(self, name: str) -> int | None:
        """One of the numbers."""
        return dict(self.numbers)[name]


def architecture_of(agent: Agent) -> str:
    """``gfx942``: as ``analyze`` calls it, without the features that may stand behind (``gfx942:sramecc+:xnack-``)."""
    return agent.name.partition(":")[0]


def sysinfo_of(agent: Agent) -> Sysinfo:
    """What is known of a GPU; 0 in a capture is unknown."""
    of = dict(agent.properties)
    architecture = architecture_of(agent)
    banks = BANKS.get(architecture)
    cus, simds, engines = (of.get(name) or None for name in ("cu_count", "simd_per_cu", "num_shader_banks"))
    waves = of.get("max_waves_per_cu") or of.get("max_waves_per_simd", 0) * (simds or 0) or None
    xccs = 1 if architecture in BANKS and architecture not in _PARTITIONED else of.get("num_xcc") or None
    channels = banks * xccs if banks is not None and xccs is not None else None
    memory, assumed = _memory_channels(agent, channels)
    engine_clock, memory_clock = (of.get(name) or None for name in ("max_engine_clk_fcompute", "mem_clk_max"))
    numbers = {
        "cu_per_gpu": cus,
        "simd_per_cu": simds,
        "se_per_gpu": engines,
        "wave_size": of.get("wave_front_size") or None,
        "max_waves_per_cu": waves,
        "num_xcd": xccs,
        "max_sclk": engine_clock,
        "max_mclk": memory_clock,
        "cur_sclk": engine_clock,
        "cur_mclk": memory_clock,
        "sqc_per_gpu": _instruction_caches(architecture, cus, engines) if banks is not None else None,
        "total_l2_chan": channels,
        "lds_banks_per_cu": _LDS_BANKS if banks is not None else None,
        "pipes_per_gpu": _PIPES if banks is not None else None,
        "num_hbm_channels": memory,
        "num_memory_channels": memory,  # the same, as 3.8 and later call it
    }
    return Sysinfo(architecture, tuple(numbers.items()), assumed)


def _instruction_caches(architecture: str, cus: int | None, engines: int | None) -> int | None:
    """One is shared by two CUs of a shader engine, on MI100 by three."""
    if cus is None or engines is None:
        return None
    shared_by = 3 if architecture == "gfx908" else 2
    return -(-cus // (engines * shared_by)) * engines


def _memory_channels(agent: Agent, l2_channels: int | None) -> tuple[int | None, tuple[str, ...]]:
    mode, architecture = agent.memory_partition.upper(), architecture_of(agent)
    if architecture not in BANKS:
        return None, ()
    if mode in _HBM_CHANNELS:
        return _HBM_CHANNELS[mode], ()
    if l2_channels is None or (not mode and architecture not in _PARTITIONED):
        return l2_channels, ()
    told = f"the mode of the memory is {agent.memory_partition}" if mode else "the mode of the memory is not known"
    return l2_channels, (
        f"num_hbm_channels and num_memory_channels are taken as total_l2_chan ({l2_channels}): {told}",
    )


def sysinfo_text(sysinfo: Sysinfo, product: str, captures: Sequence[Capture]) -> str:
    """The file. What is only printed is of the first of the captures, and left out where that does not tell it."""
    first = captures[0].process
    hosts = sorted({capture.process.hostname for capture in captures} - {""})
    printed = {
        "workload_name": PurePath(first.command[0]).name if first.command else "",
        "command": shlex.join(first.command),
        "hostname": hosts[0] + (f" and {len(hosts) - 1} more" if len(hosts) > 1 else "") if hosts else "",
        "timestamp": _timestamp(captures[0].realtime_ns),
        "gpu_model": product,
        "rocm_version": f"rocprofiler-sdk {first.sdk_version}" if first.sdk_version else "",
    }
    columns: dict[str, object] = {name: text for name, text in printed.items() if text}
    columns |= {"version": _VERSION, "gpu_arch": sysinfo.architecture, "ip_blocks": _IP_BLOCKS, **dict(sysinfo.numbers)}
    return "".join(",".join(map(cell, line)) + "\n" for line in (columns.keys(), columns.values()))


def _timestamp(realtime_ns: int) -> str:
    if not realtime_ns:
        return ""
    return datetime.fromtimestamp(realtime_ns // 1_000_000_000, timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")
