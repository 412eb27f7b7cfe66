// SPDX-License-Identifier: MIT
#include "output/rocpd/rocpd_sink.hpp"

#include <optional>
#include <string>
#include <utility>

#include "output/rocpd/agent_rows.hpp"
#include "output/rocpd/dispatch_rows.hpp"
#include "output/rocpd/kernel_rows.hpp"
#include "output/rocpd/metadata_rows.hpp"
#include "output/rocpd/naming.hpp"
#include "output/rocpd/run_database.hpp"
#include "output/rocpd/run_rows.hpp"

namespace multipass::output {
namespace rocpd {
namespace {

// The tables of one run. Lives from begin() to finish(), inside the life of the database.
struct Rows {
  Rows(RunDatabase& database, const Naming& naming, const RunMetadata& metadata)
      : run(database.main(), naming, metadata),
        agents(database.main(), naming, run.node_id(), run.process_id()),
        kernels(database.main(), naming, run.node_id(), run.process_id()),
        dispatches(database.main(), naming, database.replay(), database.replay_naming(), run.node_id(),
                   run.process_id()) {}

  RunRows run;
  AgentRows agents;
  KernelRows kernels;
  DispatchRows dispatches;
};

Status unknown_agent(AgentIndex index) {
  return Status::error("agent index " + std::to_string(index.value) + " is not in the list of agents");
}

Status write(Rows& rows, const KernelSymbol& kernel) {
  const AgentEntry* agent = rows.agents.find(kernel.agent);
  if (agent == nullptr)
    return Status::error("kernel " + std::to_string(kernel.id.value) + ": " + unknown_agent(kernel.agent).message());
  return rows.kernels.add(kernel, agent->id);
}

Status write(Rows& rows, const DispatchRecord& dispatch) {
  const AgentEntry* agent = rows.agents.find(dispatch.agent);
  if (agent == nullptr) return unknown_agent(dispatch.agent);
  if (Status status = rows.run.use_thread(dispatch.thread_id); !status) return status;
  if (Status status = rows.run.use_queue(dispatch.queue_id); !status) return status;
  if (Status status = rows.run.use_stream(dispatch.stream_id); !status) return status;
  rows.kernels.use(dispatch.kernel, agent->id);
  for (const PassRecord& pass : dispatch.passes) {
    rows.run.use_time(pass.start_ns);
    rows.run.use_time(pass.end_ns);
  }
  for (const std::optional<Interval>& extra : {dispatch.warm_up, dispatch.timing}) {
    if (!extra) continue;
    rows.run.use_time(extra->start_ns);
    rows.run.use_time(extra->end_ns);
  }
  return rows.dispatches.add(dispatch, *agent);
}

Status write_last_rows(Rows& rows) {
  if (Status status = rows.dispatches.finish(); !status) return status;
  if (Status status = rows.kernels.finish(); !status) return status;
  for (const std::string& remark : rows.dispatches.remarks()) rows.run.add_warning(remark);
  return rows.run.finish();
}

class RocpdSink final : public Sink {
 public:
  RocpdSink(std::filesystem::path target, RocpdLayout layout)
      : target_(std::move(target)), layout_(layout), database_(target_, layout) {}

  Status begin(const RunMetadata& run) override;
  Status agent(const AgentInfo& agent, const std::vector<CounterInfo>& counters, const AgentPlan& plan) override;
  Status kernel(const KernelSymbol& kernel) override;
  Status dispatch(const DispatchRecord& dispatch) override;
  Status warning(const std::string& text) override;
  Status finish() override;

 private:
  // Says which output it was; every message of the sink goes through here.
  [[nodiscard]] Status named(const Status& status) const {
    return status ? Status::ok() : Status::error("rocpd output " + target_.string() + ": " + status.message());
  }
  [[nodiscard]] Status not_open() const { return named(Status::error("internal: not between begin and finish")); }

  // The tables and the rows that say what they are.
  Status create(const Naming& naming);

  std::filesystem::path target_;
  RocpdLayout layout_;
  RunDatabase database_;
  std::optional<Rows> rows_;  // destroyed before the database
};

Status RocpdSink::create(const Naming& naming) {
  if (Status status = database_.create(naming); !status) return status;
  if (Status status = add_metadata(database_.main(), naming, layout_, target_); !status) return status;
  if (!database_.has_sidecar()) return Status::ok();
  return add_sidecar_metadata(database_.replay(), database_.replay_naming(), time_text());
}

Status RocpdSink::begin(const RunMetadata& run) {
  const Result<Naming> naming = Naming::from_guid(run.guid);
  if (!naming) return named(naming.status());
  if (Status status = create(*naming); !status) return named(status);
  rows_.emplace(database_, *naming, run);
  return named(rows_->run.begin());
}

Status RocpdSink::agent(const AgentInfo& agent, const std::vector<CounterInfo>& counters, const AgentPlan& plan) {
  return rows_ ? named(rows_->agents.add(agent, counters, plan)) : not_open();
}

Status RocpdSink::kernel(const KernelSymbol& kernel) {
  return rows_ ? named(write(*rows_, kernel)) : not_open();
}

Status RocpdSink::dispatch(const DispatchRecord& dispatch) {
  if (!rows_) return not_open();
  Status status = write(*rows_, dispatch);
  if (!status)
    status = Status::error("dispatch " + std::to_string(dispatch.dispatch_id.value) + ": " + status.message());
  return named(status);
}

Status RocpdSink::warning(const std::string& text) {
  if (!rows_) return not_open();
  rows_->run.add_warning(text);
  return Status::ok();
}

Status RocpdSink::finish() {
  if (!rows_) return not_open();
  if (Status status = write_last_rows(*rows_); !status) return named(status);
  rows_.reset();  // its statements would keep the database open
  return named(database_.publish());
}

}  // namespace
}  // namespace rocpd

std::unique_ptr<Sink> make_rocpd_sink(std::filesystem::path target, RocpdLayout layout) {
  return std::make_unique<rocpd::RocpdSink>(std::move(target), layout);
}

}  // namespace multipass::output
