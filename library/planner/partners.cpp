// SPDX-License-Identifier: MIT
#include "planner/partners.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>

namespace multipass::planner {
namespace {

// Registers as the architectures of tests/data/packing have them. What is divided by what: the metrics of
// rocprofiler-compute 3.3.0 and of the SDK's own derived counters (ROCm/rocm-systems @1b1610fc), which name counters by
// these registers. Where more belongs together than a pass holds, the pairs that are divided most are kept.
constexpr std::array kPartners{
    // L2 (4 slots). The memory side is EA on gfx90a, EA0 later; gfx908 lists both.
    RatioPartners{"L2 hits and misses", "", "TCC_HIT TCC_MISS"},
    RatioPartners{"L2 requests by kind", "", "TCC_REQ TCC_READ TCC_WRITE TCC_ATOMIC"},
    RatioPartners{"L2 requests by coherence", "", "TCC_NC_REQ TCC_UC_REQ TCC_CC_REQ TCC_RW_REQ"},
    RatioPartners{"L2 reads from memory", "", "TCC_EA_RDREQ TCC_EA_RDREQ_32B TCC_EA_RDREQ_DRAM TCC_EA_RDREQ_LEVEL"},
    RatioPartners{"L2 reads from memory", "gfx908",
                  "TCC_EA0_RDREQ TCC_EA0_RDREQ_32B TCC_EA0_RDREQ_DRAM TCC_EA0_RDREQ_LEVEL"},
    RatioPartners{"L2 reads from memory", "gfx940 gfx941 gfx942",
                  "TCC_EA0_RDREQ TCC_EA0_RDREQ_32B TCC_BUBBLE TCC_EA0_RDREQ_LEVEL"},
    RatioPartners{"L2 reads from memory", "gfx950",
                  "TCC_EA0_RDREQ TCC_EA0_RDREQ_32B TCC_EA0_RDREQ_64B TCC_EA0_RDREQ_128B"},
    RatioPartners{"L2 reads from DRAM, by size", "gfx950", "TCC_EA0_RDREQ_DRAM TCC_EA0_RDREQ_DRAM_32B"},
    RatioPartners{"L2 writes to memory", "", "TCC_EA_WRREQ TCC_EA_WRREQ_64B TCC_EA_WRREQ_DRAM TCC_EA_WRREQ_LEVEL"},
    RatioPartners{"L2 writes to memory", "", "TCC_EA0_WRREQ TCC_EA0_WRREQ_64B TCC_EA0_WRREQ_DRAM TCC_EA0_WRREQ_LEVEL"},
    RatioPartners{"L2 atomics to memory", "", "TCC_EA_ATOMIC TCC_EA_ATOMIC_LEVEL"},
    RatioPartners{"L2 atomics to memory", "", "TCC_EA0_ATOMIC TCC_EA0_ATOMIC_LEVEL"},
    RatioPartners{"L2 busy and total cycles", "", "TCC_BUSY TCC_CYCLE TCC_TAG_STALL"},
    RatioPartners{"L2 writebacks by cause", "", "TCC_WRITEBACK TCC_NORMAL_WRITEBACK TCC_ALL_TC_OP_WB_WRITEBACK"},
    RatioPartners{"L2 evictions by cause", "", "TCC_NORMAL_EVICT TCC_ALL_TC_OP_INV_EVICT"},
    RatioPartners{"L2 arbiter busy and total cycles", "", "TCA_BUSY TCA_CYCLE"},
    RatioPartners{"L2 hits and misses", "", "GL2C_HIT GL2C_MISS"},
    RatioPartners{"L2 reads from memory by size", "gfx1030 gfx1100 gfx1101 gfx1102",
                  "GL2C_EA_RDREQ_32B GL2C_EA_RDREQ_64B GL2C_EA_RDREQ_96B GL2C_EA_RDREQ_128B"},
    RatioPartners{"L2 reads from memory by size", "gfx1200 gfx1201",
                  "GL2C_EA_RDREQ GL2C_EA_RDREQ_32B GL2C_EA_RDREQ_64B GL2C_EA_RDREQ_128B"},
    RatioPartners{"L2 writes to memory", "gfx1030 gfx1100 gfx1101 gfx1102",
                  "GL2C_MC_WRREQ GL2C_EA_WRREQ_64B GL2C_MC_WRREQ_STALL"},
    RatioPartners{"L2 writes to memory", "gfx1200 gfx1201", "GL2C_EA_WRREQ GL2C_EA_WRREQ_64B GL2C_EA_WRREQ_STALL"},

    // Vector L1 (4 slots).
    RatioPartners{"vector L1 accesses and requests to L2", "gfx908 gfx90a gfx940 gfx941 gfx942",
                  "TCP_TOTAL_CACHE_ACCESSES TCP_TCC_READ_REQ TCP_TCC_READ_REQ_LATENCY TCP_TCC_WRITE_REQ"},
    RatioPartners{"vector L1 accesses and misses", "gfx950", "TCP_TOTAL_CACHE_ACCESSES TCP_CACHE_MISS"},
    RatioPartners{"vector L1 requests to L2 and their latency", "gfx950",
                  "TCP_TCC_READ_REQ TCP_TCC_READ_REQ_LATENCY TCP_TCC_WRITE_REQ TCP_TCC_WRITE_REQ_LATENCY"},
    RatioPartners{"vector L1 accesses by kind", "", "TCP_TOTAL_ACCESSES TCP_TOTAL_READ TCP_TOTAL_WRITE"},
    RatioPartners{"vector L1 atomics", "", "TCP_TOTAL_ATOMIC_WITH_RET TCP_TOTAL_ATOMIC_WITHOUT_RET"},
    RatioPartners{"vector L1 atomics to L2", "", "TCP_TCC_ATOMIC_WITH_RET_REQ TCP_TCC_ATOMIC_WITHOUT_RET_REQ"},
    RatioPartners{"vector L1 address translations", "",
                  "TCP_UTCL1_REQUEST TCP_UTCL1_TRANSLATION_HIT TCP_UTCL1_TRANSLATION_MISS TCP_UTCL1_PERMISSION_MISS"},
    RatioPartners{"vector L1 active cycles and stalls", "",
                  "TCP_GATE_EN1 TCP_GATE_EN2 TCP_PENDING_STALL_CYCLES TCP_TCR_TCP_STALL_CYCLES"},
    RatioPartners{"vector L1 latency and accesses", "", "TCP_TCP_LATENCY TCP_TA_TCP_STATE_READ"},
    RatioPartners{"vector L1 reads from L2 by coherence", "",
                  "TCP_TCC_NC_READ_REQ TCP_TCC_UC_READ_REQ TCP_TCC_CC_READ_REQ TCP_TCC_RW_READ_REQ"},
    RatioPartners{"vector L1 writes to L2 by coherence", "",
                  "TCP_TCC_NC_WRITE_REQ TCP_TCC_UC_WRITE_REQ TCP_TCC_CC_WRITE_REQ TCP_TCC_RW_WRITE_REQ"},
    RatioPartners{"vector L1 atomics to L2 by coherence", "",
                  "TCP_TCC_NC_ATOMIC_REQ TCP_TCC_UC_ATOMIC_REQ TCP_TCC_CC_ATOMIC_REQ TCP_TCC_RW_ATOMIC_REQ"},
    RatioPartners{"vector L1 requests by tag bank", "",
                  "TCP_TAGRAM0_REQ TCP_TAGRAM1_REQ TCP_TAGRAM2_REQ TCP_TAGRAM3_REQ"},

    // Texture address and data units (2 slots each).
    RatioPartners{"address unit: busy cycles and wavefronts", "", "TA_TA_BUSY TA_TOTAL_WAVEFRONTS"},
    RatioPartners{"address unit: flat and buffer wavefronts", "", "TA_FLAT_WAVEFRONTS TA_BUFFER_WAVEFRONTS"},
    RatioPartners{"address unit: flat reads and writes", "", "TA_FLAT_READ_WAVEFRONTS TA_FLAT_WRITE_WAVEFRONTS"},
    RatioPartners{"address unit: flat loads and stores", "", "TA_FLAT_LOAD_WAVEFRONTS TA_FLAT_STORE_WAVEFRONTS"},
    RatioPartners{"address unit: buffer reads and writes", "", "TA_BUFFER_READ_WAVEFRONTS TA_BUFFER_WRITE_WAVEFRONTS"},
    RatioPartners{"address unit: buffer loads and stores", "", "TA_BUFFER_LOAD_WAVEFRONTS TA_BUFFER_STORE_WAVEFRONTS"},
    RatioPartners{"address unit: coalesced cycles", "",
                  "TA_BUFFER_COALESCED_READ_CYCLES TA_BUFFER_COALESCED_WRITE_CYCLES"},
    RatioPartners{"address unit: stalls by cause", "", "TA_ADDR_STALLED_BY_TC_CYCLES TA_ADDR_STALLED_BY_TD_CYCLES"},
    RatioPartners{"data unit: busy and stalled cycles", "", "TD_TD_BUSY TD_TC_STALL"},
    RatioPartners{"data unit: loads and stores", "", "TD_LOAD_WAVEFRONT TD_STORE_WAVEFRONT"},

    // Scalar and instruction caches (SQ registers, 8 slots).
    RatioPartners{"scalar cache hits and misses", "",
                  "SQC_DCACHE_REQ SQC_DCACHE_HITS SQC_DCACHE_MISSES SQC_DCACHE_MISSES_DUPLICATE"},
    RatioPartners{"instruction cache hits and misses", "",
                  "SQC_ICACHE_REQ SQC_ICACHE_HITS SQC_ICACHE_MISSES SQC_ICACHE_MISSES_DUPLICATE"},
    RatioPartners{"scalar cache requests by size", "",
                  "SQC_DCACHE_REQ_READ_1 SQC_DCACHE_REQ_READ_2 SQC_DCACHE_REQ_READ_4 SQC_DCACHE_REQ_READ_8 "
                  "SQC_DCACHE_REQ_READ_16 SQC_DCACHE_ATOMIC"},
    RatioPartners{"scalar caches: requests to L2", "",
                  "SQC_TC_REQ SQC_TC_INST_REQ SQC_TC_DATA_READ_REQ SQC_TC_DATA_WRITE_REQ SQC_TC_DATA_ATOMIC_REQ "
                  "SQC_TC_STALL"},

    // Shader (SQ, 8 slots).
    RatioPartners{"waves and instructions", "",
                  "SQ_WAVES SQ_INSTS SQ_INSTS_VALU SQ_INSTS_SALU SQ_INSTS_SMEM SQ_INSTS_VMEM SQ_INSTS_LDS "
                  "SQ_INSTS_FLAT"},
    RatioPartners{"vector memory instructions", "", "SQ_INSTS_VMEM_RD SQ_INSTS_VMEM_WR"},
    RatioPartners{"texture instructions", "", "SQ_INSTS_TEX_LOAD SQ_INSTS_TEX_STORE"},
    RatioPartners{"instructions of wave32 and wave64", "", "SQ_WAVE32_INSTS SQ_WAVE64_INSTS"},
    RatioPartners{"wave32 instructions by kind", "", "SQ_INSTS_WAVE32 SQ_INSTS_WAVE32_LDS SQ_INSTS_WAVE32_VALU"},
    RatioPartners{"active threads and active cycles", "",
                  "SQ_THREAD_CYCLES_VALU SQ_ACTIVE_INST_VALU SQ_ACTIVE_INST_ANY SQ_ACTIVE_INST_SCA "
                  "SQ_ACTIVE_INST_VMEM SQ_ACTIVE_INST_LDS SQ_ACTIVE_INST_MISC SQ_BUSY_CU_CYCLES"},
    RatioPartners{"wave cycles and waits", "",
                  "SQ_WAVE_CYCLES SQ_BUSY_CYCLES SQ_CYCLES SQ_WAIT_ANY SQ_WAIT_INST_ANY SQ_WAIT_INST_LDS "
                  "SQ_LEVEL_WAVES"},
    RatioPartners{"LDS bank conflicts and active cycles", "",
                  "SQ_LDS_BANK_CONFLICT SQ_LDS_IDX_ACTIVE SQ_LDS_ADDR_CONFLICT SQ_LDS_UNALIGNED_STALL"},
    RatioPartners{"LDS bank conflicts and active cycles", "", "SQC_LDS_BANK_CONFLICT SQC_LDS_IDX_ACTIVE"},
    RatioPartners{"instruction fetches and their level", "", "SQ_IFETCH SQ_IFETCH_LEVEL"},
    RatioPartners{"waves by active lanes", "",
                  "SQ_WAVES_EQ_64 SQ_WAVES_LT_64 SQ_WAVES_LT_48 SQ_WAVES_LT_32 SQ_WAVES_LT_16"},
    RatioPartners{"waves saved and restored", "", "SQ_WAVES_SAVED SQ_WAVES_RESTORED"},
    RatioPartners{"F16 operations by kind", "",
                  "SQ_INSTS_VALU_ADD_F16 SQ_INSTS_VALU_MUL_F16 SQ_INSTS_VALU_FMA_F16 SQ_INSTS_VALU_TRANS_F16"},
    RatioPartners{"F32 operations by kind", "",
                  "SQ_INSTS_VALU_ADD_F32 SQ_INSTS_VALU_MUL_F32 SQ_INSTS_VALU_FMA_F32 SQ_INSTS_VALU_TRANS_F32"},
    RatioPartners{"F64 operations by kind", "",
                  "SQ_INSTS_VALU_ADD_F64 SQ_INSTS_VALU_MUL_F64 SQ_INSTS_VALU_FMA_F64 SQ_INSTS_VALU_TRANS_F64"},
    RatioPartners{"integer operations by width", "", "SQ_INSTS_VALU_INT32 SQ_INSTS_VALU_INT64"},
    RatioPartners{"MFMA instructions and busy cycles", "", "SQ_INSTS_MFMA SQ_VALU_MFMA_BUSY_CYCLES"},
    RatioPartners{"MFMA operations by type", "",
                  "SQ_INSTS_VALU_MFMA_MOPS_I8 SQ_INSTS_VALU_MFMA_MOPS_F8 SQ_INSTS_VALU_MFMA_MOPS_F16 "
                  "SQ_INSTS_VALU_MFMA_MOPS_BF16 SQ_INSTS_VALU_MFMA_MOPS_F32 SQ_INSTS_VALU_MFMA_MOPS_F64 "
                  "SQ_INSTS_VALU_MFMA_MOPS_F6F4 SQ_INSTS_VALU_MFMA_MOPS_XF32"},

    // Front end: SPI (6 slots), command processors and GRBM (2 slots each).
    RatioPartners{"workgroups and waves launched", "",
                  "SPI_CSN_BUSY SPI_CSN_NUM_THREADGROUPS SPI_CSN_WAVE SPI_CSN_WINDOW_VALID"},
    RatioPartners{"launches refused, by cause", "",
                  "SPI_RA_REQ_NO_ALLOC_CSN SPI_RA_RES_STALL_CSN SPI_RA_LDS_CU_FULL_CSN SPI_RA_VGPR_SIMD_FULL_CSN "
                  "SPI_RA_SGPR_SIMD_FULL_CSN SPI_RA_WAVE_SIMD_FULL_CSN"},
    RatioPartners{"command processor: compute busy and idle", "", "CPC_CPC_STAT_BUSY CPC_CPC_STAT_IDLE"},
    RatioPartners{"command processor: compute to L2 busy and idle", "", "CPC_CPC_TCIU_BUSY CPC_CPC_TCIU_IDLE"},
    RatioPartners{"command processor: compute translation busy and idle", "",
                  "CPC_CPC_UTCL2IU_BUSY CPC_CPC_UTCL2IU_IDLE"},
    RatioPartners{"command processor: fetcher busy and idle", "", "CPF_CPF_STAT_BUSY CPF_CPF_STAT_IDLE"},
    RatioPartners{"command processor: fetcher to L2 busy and idle", "", "CPF_CPF_TCIU_BUSY CPF_CPF_TCIU_IDLE"},
    RatioPartners{"GPU active and total cycles", "", "GRBM_GUI_ACTIVE GRBM_COUNT"},
};

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || text[at - 1] == ' ') && (end == text.size() || text[end] == ' ')) return true;
  }
  return false;
}

// The entry that has all of the registers; null when none has.
const RatioPartners* entry_of(const std::vector<const RatioPartners*>& entries, const std::vector<RegisterKey>& keys) {
  if (keys.empty()) return nullptr;
  for (const RatioPartners* entry : entries)
    if (std::all_of(keys.begin(), keys.end(),
                    [&](const RegisterKey& key) { return has_word(entry->registers, key.name); }))
      return entry;
  return nullptr;
}

}  // namespace

std::span<const RatioPartners> ratio_partners() noexcept {
  return kPartners;
}

std::vector<AskedPartners> asked_partners(const AgentCatalogue& catalogue, const std::vector<std::string>& counters) {
  std::vector<const RatioPartners*> entries;
  for (const RatioPartners& entry : kPartners)
    if (entry.archs.empty() || has_word(entry.archs, catalogue.agent.name)) entries.push_back(&entry);
  struct Members {
    std::set<std::string> counters;
    std::set<RegisterKey> keys;
  };
  std::map<const RatioPartners*, Members> members;
  for (const std::string& counter : counters) {
    const auto keys = catalogue.register_keys.find(counter);
    if (keys == catalogue.register_keys.end()) continue;
    const RatioPartners* const entry = entry_of(entries, keys->second);
    if (entry == nullptr) continue;
    members[entry].counters.insert(counter);
    members[entry].keys.insert(keys->second.begin(), keys->second.end());
  }
  std::vector<AskedPartners> asked;
  for (const RatioPartners* entry : entries) {
    const auto found = members.find(entry);
    if (found == members.end()) continue;
    const Members& of_entry = found->second;
    if (of_entry.counters.size() < 2 || of_entry.keys.size() < 2) continue;
    asked.push_back({std::string{entry->name}, {of_entry.counters.begin(), of_entry.counters.end()}});
  }
  return asked;
}

}  // namespace multipass::planner
