# SPDX-License-Identifier: MIT
"""What the demonstration runs: a list of ordinary counters that is too large for one pass of an MI300X."""

from __future__ import annotations

DEMO_DEVICE = "gfx942"
DEMO_OUTPUT = "rocprof-sys-multipass-demo"

# 45 counters. gfx942 has 8 SQ registers per pass and 4 of TCC; the 17 TCC registers that these need make 5 passes.
DEMO_EVENTS: tuple[str, ...] = (
    # Shader sequencer: waves, instructions by kind, waiting.
    "SQ_WAVES",
    "SQ_CYCLES",
    "SQ_BUSY_CYCLES",
    "SQ_WAVE_CYCLES",
    "SQ_INSTS_VALU",
    "SQ_INSTS",
    "SQ_ACTIVE_INST_VALU",
    "SQ_INSTS_VMEM_RD",
    "SQ_INSTS_VMEM_WR",
    "SQ_INSTS_LDS",
    "SQ_WAIT_INST_ANY",
    "SQ_LDS_BANK_CONFLICT",
    # L2 cache, and the memory behind it: the last two cost 3 and 2 TCC registers and fit no pass together.
    "TCC_REQ",
    "TCC_READ",
    "TCC_WRITE",
    "TCC_ATOMIC",
    "TCC_HIT",
    "TCC_MISS",
    "TCC_BUSY",
    "TCC_TAG_STALL",
    "TCC_NORMAL_EVICT",
    "TCC_NORMAL_WRITEBACK",
    "TCC_EA0_RDREQ_DRAM",
    "TCC_EA0_WRREQ_DRAM",
    "FETCH_SIZE",
    "WRITE_SIZE",
    # Vector L1 cache.
    "TCP_TOTAL_ACCESSES",
    "TCP_TOTAL_READ",
    "TCP_TOTAL_WRITE",
    "TCP_TCC_READ_REQ",
    "TCP_TCC_WRITE_REQ",
    "TCP_PENDING_STALL_CYCLES",
    # Texture addresser and data.
    "TA_TA_BUSY",
    "TA_TOTAL_WAVEFRONTS",
    "TA_FLAT_READ_WAVEFRONTS",
    "TA_FLAT_WRITE_WAVEFRONTS",
    "TD_TD_BUSY",
    "TD_LOAD_WAVEFRONT",
    "TD_STORE_WAVEFRONT",
    # Front end.
    "GRBM_COUNT",
    "GRBM_GUI_ACTIVE",
    "SPI_CSN_WAVE",
    "SPI_CSN_BUSY",
    "CPC_CPC_STAT_BUSY",
    "CPF_CPF_STAT_BUSY",
)
