// SPDX-License-Identifier: MIT
#include "sdk/sdk_services.hpp"

#include "base/environment.hpp"

#include "sdk/status_text.hpp"
#include "sdk/tap.hpp"

namespace multipass::sdk {

namespace {

// Of this thread: how many of our callbacks it is in, and whether the SDK delivers records on it.
constinit thread_local unsigned t_callbacks = 0;
constinit thread_local bool t_delivers = false;

// The environment asks the SDK for its lite trace.
bool lite_trace() {
  const std::string value = environment::get("ROCPROF_LITE_TRACE").value_or("");
  return !value.empty() && environment::to_bool(value).value_or(true);
}

// Lite trace refuses tracing, counting and replay with this code (ROCm/rocm-systems PR #5510), which without it would
// mean a mistake of ours.
Status failed(const char* what, rocprofiler_status_t status) {
  if (status == ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT && lite_trace())
    return Status::error(
        "ROCPROF_LITE_TRACE is set: in this mode the SDK collects no counters and replays no kernels; unset it to "
        "collect them");
  return Status::error(std::string(what) + ": " + status_text(status));
}

}  // namespace

InCallback::InCallback() noexcept {
  ++t_callbacks;
}

InCallback::~InCallback() {
  --t_callbacks;
}

Result<std::unique_ptr<Services>> create_services(Listener& listener, const std::vector<AgentBinding>& agents,
                                                  std::optional<int> replay_kind, const MarkerKinds& markers,
                                                  const MemoryKinds& memory) {
  if (Recorder* to = recorder()) to->begin();
  auto services = std::make_unique<SdkServices>(listener);
  if (Status status = services->configure(agents, replay_kind, markers, memory); !status) return status;
  return std::unique_ptr<Services>(std::move(services));
}

Status SdkServices::configure(const std::vector<AgentBinding>& agents, std::optional<int> replay_kind,
                              const MarkerKinds& markers, const MemoryKinds& memory) {
  for (const AgentBinding& agent : agents) {
    handles_.push_back(agent.handle);
    agents_.push_back(
        {agent.index, agent.gpu, CounterTable(agent.counter_ids, agent.instances), std::make_unique<Use>()});
  }
  rocprofiler_status_t status = rocprofiler_create_context(&tracing_);
  if (status != ROCPROFILER_STATUS_SUCCESS) return failed("no context could be created", status);
  status = rocprofiler_create_context(&counting_);
  if (status != ROCPROFILER_STATUS_SUCCESS) return failed("no context could be created", status);

  status = rocprofiler_configure_callback_tracing_service(
      tracing_, ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT, nullptr, 0,
      [](rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t*, void* self) noexcept {
        const InCallback here;
        const TracingTap tap(record, nullptr);
        static_cast<SdkServices*>(self)->on_code_object(record);
      },
      this);
  if (status != ROCPROFILER_STATUS_SUCCESS) return failed("code objects cannot be traced", status);

  status = rocprofiler_configure_callback_tracing_service(
      tracing_, ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH, nullptr, 0,
      [](rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t* user_data, void* self) noexcept {
        const InCallback here;
        const TracingTap tap(record, user_data);
        static_cast<SdkServices*>(self)->on_kernel_dispatch(record, user_data);
      },
      this);
  if (status != ROCPROFILER_STATUS_SUCCESS) return failed("kernel dispatches cannot be traced", status);

  status = rocprofiler_configure_callback_dispatch_counting_service(
      counting_,
      [](rocprofiler_dispatch_counting_service_data_t data, rocprofiler_counter_config_id_t* config,
         rocprofiler_user_data_t* user_data, void* self) noexcept {
        const InCallback here;
        const CountingTap tap(data, config, user_data);
        static_cast<SdkServices*>(self)->on_counting(data, config, user_data);
      },
      this,
      [](rocprofiler_dispatch_counting_service_data_t data, rocprofiler_counter_record_t* records, size_t count,
         rocprofiler_user_data_t user_data, void* self) noexcept {
        const InCallback here;
        t_delivers = true;
        const RecordTap tap(data, records, count, user_data);
        static_cast<SdkServices*>(self)->on_record(data, records, count, user_data);
      },
      this);
  if (status != ROCPROFILER_STATUS_SUCCESS) return failed("counters cannot be collected", status);

  if (replay_kind) configure_replay(*replay_kind);
  if (replays_) memory_.configure(tracing_, memory, [this](std::uint64_t handle) { return whose(handle); });
  configure_markers(markers);
  return Status::ok();
}

void SdkServices::configure_replay(int kind) {
  const rocprofiler_status_t status = rocprofiler_configure_callback_tracing_service(
      counting_, static_cast<rocprofiler_callback_tracing_kind_t>(kind), nullptr, 0,
      [](rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t* user_data, void* self) noexcept {
        const InCallback here;
        const TracingTap tap(record, user_data);
        static_cast<SdkServices*>(self)->on_replay(record, user_data);
      },
      this);
  replays_ = status == ROCPROFILER_STATUS_SUCCESS;
  if (replays_) take_replays();
  if (Recorder* to = recorder()) to->call("configure", "replay", status);
  if (status == ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED) {
    why_no_replay_ = "another tool of this process owns kernel replay: " + status_text(status);
  } else if (!replays_) {
    why_no_replay_ = "the SDK refuses kernel replay: " + status_text(status);
  }
}

Status SdkServices::start_tracing() {
  const rocprofiler_status_t status = rocprofiler_start_context(tracing_);
  if (Recorder* to = recorder()) to->call("start", "tracing", status);
  return status == ROCPROFILER_STATUS_SUCCESS ? Status::ok() : failed("tracing does not start", status);
}

Status SdkServices::start_counting() {
  const rocprofiler_status_t status = rocprofiler_start_context(counting_);
  if (Recorder* to = recorder()) to->call("start", "counting", status);
  if (status == ROCPROFILER_STATUS_SUCCESS) return Status::ok();
  counting_is_taken_ = status == ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT;
  if (counting_is_taken_)
    return Status::error("no counters are collected: another tool of this process collects dispatch counters (" +
                         status_text(status) + ")");
  return failed("no counters are collected: counting does not start", status);
}

std::string SdkServices::odd_payload(const char* why) {
  return std::string("kernels are not replayed: the replay record of this SDK ") + why +
         "; each launch reads one group of counters, in turn";
}

ReplayUse SdkServices::replay_use() const {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  const char* why = odd_payload_why_.load(kRelaxed);
  ReplayUse use;
  use.given_up = why == nullptr ? std::string() : odd_payload(why);
  for (const Agent& agent : agents_) {
    use.offered += agent.use->offered.load(kRelaxed);
    use.wanted += agent.use->wanted.load(kRelaxed);
    use.replayed += agent.use->replayed.load(kRelaxed);
    use.lost += agent.use->lost.load(kRelaxed);
  }
  return use;
}

std::vector<MisplacedInstances> SdkServices::misplaced_instances() const {
  std::vector<MisplacedInstances> all;
  for (const Agent& agent : agents_) {
    const std::uint64_t times = agent.misplaced->times.load(std::memory_order_acquire);
    if (times != 0) all.push_back({agent.index, CounterIndex{agent.misplaced->first.load()}, times});
  }
  return all;
}

void SdkServices::stop() noexcept {
  // A context that is not active answers with an error, which is what is wanted.
  (void)rocprofiler_stop_context(counting_);
  (void)rocprofiler_stop_context(tracing_);
}

bool SdkServices::pause_counting() noexcept {
  return rocprofiler_stop_context(counting_) == ROCPROFILER_STATUS_SUCCESS;
}

Status SdkServices::resume_counting() {
  const rocprofiler_status_t status = rocprofiler_start_context(counting_);
  // Locked: the process is about to end, and nothing is left to be counted.
  if (status == ROCPROFILER_STATUS_SUCCESS || status == ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED)
    return Status::ok();
  return failed("no counters are collected any more: counting does not start again after a fork", status);
}

bool SdkServices::may_wait() const noexcept {
  return !in_callback() && !t_delivers;
}

bool SdkServices::in_callback() const noexcept {
  return t_callbacks != 0;
}

const SdkServices::Agent* SdkServices::find(rocprofiler_agent_id_t id) const noexcept {
  for (std::size_t i = 0; i < handles_.size(); ++i)
    if (handles_[i] == id.handle) return &agents_[i];
  return nullptr;
}

MemoryCallbacks::Whose SdkServices::whose(std::uint64_t handle) const noexcept {
  const Agent* agent = find({handle});
  if (agent == nullptr) return {};
  return {agent->gpu ? MemoryCallbacks::Place::kGpu : MemoryCallbacks::Place::kHost, agent->index};
}

}  // namespace multipass::sdk
