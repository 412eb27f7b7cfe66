// SPDX-License-Identifier: MIT
#include "output/rocpd/run_rows.hpp"

#include <algorithm>
#include <utility>

#include "base/fnv1a.hpp"
#include "base/text.hpp"
#include "model/names.hpp"
#include "output/rocpd/json_text.hpp"

namespace multipass::output::rocpd {
namespace {

std::string describe(const RunMetadata& run, const std::vector<std::string>& warnings) {
  nlohmann::ordered_json text = {
      {"tool", "rocprofsys-multipass"},
      {"tool_version", run.tool_version},
      {"sdk_version", run.sdk_version},
      {"sdk_library", run.sdk_library},
      {"simulated", run.simulated},
      {"kernel_replay", run.kernel_replay},
      {"replay_mode", name_of(run.replay_mode)},
      {"events", run.events},
      {"command", run.command},
      {"rank", nullptr},
      {"clocks",
       {{"boottime_ns", run.boottime_ns}, {"monotonic_ns", run.monotonic_ns}, {"realtime_ns", run.realtime_ns}}},
      {"warnings", warnings}};
  if (run.rank) text["rank"] = *run.rank;
  if (!run.sets.empty()) text["sets"] = run.sets;
  if (run.extras.warm_up) text["warm_up_pass"] = true;
  if (run.extras.timing) text["timing_pass"] = true;
  if (run.extras.permute) text["permute_groups"] = true;
  return to_text(text);
}

}  // namespace

RunRows::RunRows(Database& database, const Naming& naming, RunMetadata run)
    : run_(std::move(run)),
      last_ns_(run_.start_ns),
      string_(database, naming, "string", "id, string"),
      node_(database, naming, "info_node", "id, hash, machine_id, system_name, hostname, release, version"),
      process_(database, naming, "info_process", "id, nid, ppid, pid, init, fini, start, \"end\", command, extdata"),
      thread_(database, naming, "info_thread", "id, nid, ppid, pid, tid, name"),
      queue_(database, naming, "info_queue", "id, nid, pid, name"),
      stream_(database, naming, "info_stream", "id, nid, pid, name") {}

Status RunRows::begin() {
  if (Status status = string_.run({kDispatchCategory, "KERNEL_DISPATCH"}); !status) return status;
  if (Status status = string_.run({kNoRegion, ""}); !status) return status;
  if (Status status = add_node(); !status) return status;
  if (Status status = use_thread(run_.pid); !status) return status;
  if (Status status = use_queue(0); !status) return status;
  return use_stream(0);
}

// The hash: a number for the column that wants one, the same for every process of a machine.
Status RunRows::add_node() {
  return node_.run({node_id(), signed_bits(fnv1a(run_.machine_id)), run_.machine_id, run_.system_name, run_.hostname,
                    run_.system_release, run_.system_version});
}

Status RunRows::use_thread(std::uint64_t thread_id) {
  if (!threads_.insert(thread_id).second) return Status::ok();
  std::string name = "Thread " + std::to_string(thread_id);
  if (thread_id == run_.pid) name = "Main thread";
  if (thread_id == 0) name = "Unknown thread";
  return thread_.run(
      {signed_bits(thread_id), node_id(), signed_bits(run_.ppid), process_id(), signed_bits(thread_id), name});
}

Status RunRows::use_queue(std::uint64_t queue_id) {
  if (!queues_.insert(queue_id).second) return Status::ok();
  const std::string name = queue_id == 0 ? "Default Queue" : "Queue " + std::to_string(queue_id);
  return queue_.run({signed_bits(queue_id), node_id(), process_id(), name});
}

Status RunRows::use_stream(std::uint64_t stream_id) {
  if (!streams_.insert(stream_id).second) return Status::ok();
  const std::string name = stream_id == 0 ? "Default Stream" : "Stream " + std::to_string(stream_id);
  return stream_.run({signed_bits(stream_id), node_id(), process_id(), name});
}

void RunRows::use_time(std::uint64_t time_ns) noexcept {
  last_ns_ = std::max(last_ns_, time_ns);
}

Status RunRows::finish() {
  return process_.run({process_id(), node_id(), signed_bits(run_.ppid), process_id(), signed_bits(run_.start_ns),
                       signed_bits(last_ns_), signed_bits(run_.start_ns), signed_bits(last_ns_),
                       joined(run_.command, " "), describe(run_, warnings_)});
}

}  // namespace multipass::output::rocpd
