// SPDX-License-Identifier: MIT
#include "output/rocpd/kernel_rows.hpp"

#include <string>

#include "output/rocpd/json_text.hpp"
#include "output/rocpd/kernel_name.hpp"

namespace multipass::output::rocpd {
namespace {

// The keys are those that view kernel_symbols reads, as far as they are known.
std::string describe(const KernelSymbol& kernel, const std::string& display_name) {
  return to_text({{"kernel_id", kernel.id.value},
                  {"formatted_kernel_name", display_name},
                  {"demangled_kernel_name", display_name},
                  {"truncated_kernel_name", truncated_kernel_name(display_name)}});
}

}  // namespace

KernelRows::KernelRows(Database& database, const Naming& naming, std::int64_t node_id, std::int64_t process_id)
    : node_id_(node_id),
      process_id_(process_id),
      code_object_(database, naming, "info_code_object", "id, nid, pid, agent_id"),
      symbol_(database, naming, "info_kernel_symbol",
              "id, nid, pid, code_object_id, kernel_name, display_name, kernarg_segment_size, "
              "kernarg_segment_alignment, group_segment_size, private_segment_size, sgpr_count, arch_vgpr_count, "
              "accum_vgpr_count, extdata") {}

Status KernelRows::add(const KernelSymbol& kernel, std::int64_t agent_id) {
  if (!added_.insert(kernel.id).second) return Status::ok();
  used_.erase(kernel.id);
  if (Status status = add_code_object(kernel.code_object_id, agent_id); !status) return status;
  const std::string& display_name = kernel.demangled.empty() ? kernel.name : kernel.demangled;
  Status status = symbol_.run({signed_bits(kernel.id.value), node_id_, process_id_, signed_bits(kernel.code_object_id),
                               kernel.name, display_name, std::int64_t{kernel.kernarg_segment_size},
                               std::int64_t{kernel.kernarg_segment_alignment}, std::int64_t{kernel.group_segment_size},
                               std::int64_t{kernel.private_segment_size}, std::int64_t{kernel.sgpr_count},
                               std::int64_t{kernel.arch_vgpr_count}, std::int64_t{kernel.accum_vgpr_count},
                               describe(kernel, display_name)});
  return status ? Status::ok() : Status::error("kernel " + std::to_string(kernel.id.value) + ": " + status.message());
}

Status KernelRows::add_code_object(std::uint64_t code_object_id, std::int64_t agent_id) {
  if (!code_objects_.insert(code_object_id).second) return Status::ok();
  Status status = code_object_.run({signed_bits(code_object_id), node_id_, process_id_, agent_id});
  return status ? Status::ok()
                : Status::error("code object " + std::to_string(code_object_id) + ": " + status.message());
}

void KernelRows::use(KernelId kernel, std::int64_t agent_id) {
  if (!added_.contains(kernel)) used_.emplace(kernel, agent_id);
}

Status KernelRows::add_unknown(KernelId kernel, std::int64_t agent_id) {
  constexpr std::uint64_t kNoCodeObject = 0;  // the SDK numbers them from 1
  if (Status status = add_code_object(kNoCodeObject, agent_id); !status) return status;
  const std::string name = "kernel " + std::to_string(kernel.value) + " (symbol unknown)";
  const nlohmann::ordered_json text = {{"kernel_id", kernel.value},
                                       {"formatted_kernel_name", name},
                                       {"truncated_kernel_name", name},
                                       {"symbol_unknown", true}};
  return symbol_.run({signed_bits(kernel.value), node_id_, process_id_, signed_bits(kNoCodeObject), nullptr, name,
                      nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, to_text(text)});
}

Status KernelRows::finish() {
  for (const auto& [kernel, agent_id] : used_)
    if (Status status = add_unknown(kernel, agent_id); !status) return status;
  return Status::ok();
}

}  // namespace multipass::output::rocpd
