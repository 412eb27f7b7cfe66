// SPDX-License-Identifier: MIT
#include "output/rocpd/rocpd_sink.hpp"

#include <optional>
#include <string>
#include <utility>

#include "output/rocpd/agent_rows.hpp"
#include "output/rocpd/database_file.hpp"
#include "output/rocpd/dispatch_rows.hpp"
#include "output/rocpd/kernel_rows.hpp"
#include "output/rocpd/naming.hpp"
#include "output/rocpd/run_rows.hpp"

namespace multipass::output {
namespace rocpd {
namespace {

// The tables of one run. Lives from begin() to finish(), inside the life of the database.
struct Rows {
  Rows(Database& database, const Naming& naming, const RunMetadata& metadata)
      : run(database, naming, metadata),
        agents(database, naming, run.node_id(), run.process_id()),
        kernels(database, naming, run.node_id(), run.process_id()),
        dispatches(database, naming, run.node_id(), run.process_id()) {}

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
  explicit RocpdSink(std::filesystem::path target) : target_(target.string()), file_(std::move(target)) {}

  Status begin(const RunMetadata& run) override;
  Status agent(const AgentInfo& agent, const std::vector<CounterInfo>& counters, const AgentPlan& plan) override;
  Status kernel(const KernelSymbol& kernel) override;
  Status dispatch(const DispatchRecord& dispatch) override;
  Status warning(const std::string& text) override;
  Status finish() override;

 private:
  // Says which output it was; every message of the sink goes through here.
  [[nodiscard]] Status named(const Status& status) const {
    return status ? Status::ok() : Status::error("rocpd output " + target_ + ": " + status.message());
  }
  [[nodiscard]] Status not_open() const { return named(Status::error("internal: not between begin and finish")); }

  std::string target_;
  DatabaseFile file_;
  std::optional<Rows> rows_;  // destroyed before the file
};

Status RocpdSink::begin(const RunMetadata& run) {
  const Result<Naming> naming = Naming::from_guid(run.guid);
  if (!naming) return named(naming.status());
  if (Status status = file_.create(*naming); !status) return named(status);
  rows_.emplace(file_.database(), *naming, run);
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
  return named(file_.publish());
}

}  // namespace
}  // namespace rocpd

std::unique_ptr<Sink> make_rocpd_sink(std::filesystem::path target) {
  return std::make_unique<rocpd::RocpdSink>(std::move(target));
}

}  // namespace multipass::output
