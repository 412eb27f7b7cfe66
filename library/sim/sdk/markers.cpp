// SPDX-License-Identifier: MIT
#include "sim/sdk/markers.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "sim/sdk/diagnostics.hpp"
#include "sim/sdk/sdk.hpp"

namespace multipass_sim {

namespace {

constexpr auto kCore = ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_API;
constexpr auto kControl = ROCPROFILER_CALLBACK_TRACING_MARKER_CONTROL_API;
constexpr auto kName = ROCPROFILER_CALLBACK_TRACING_MARKER_NAME_API;
constexpr auto kRange = ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_RANGE_API;

using Ranges = std::vector<TracedMarker>;

// The open push ranges of this thread. Beside a pointer that can always be read: destructors of the application's own
// thread-local objects may still push and pop.
constinit thread_local Ranges* t_ranges = nullptr;

struct FreeRanges {
  FreeRanges() = default;
  FreeRanges(const FreeRanges&) = delete;
  FreeRanges& operator=(const FreeRanges&) = delete;
  ~FreeRanges() { const std::unique_ptr<Ranges> last(std::exchange(t_ranges, nullptr)); }
};

Ranges& thread_ranges() {
  if (t_ranges == nullptr) {
    t_ranges = std::make_unique<Ranges>().release();
    thread_local const FreeRanges at_its_end;
    static_cast<void>(at_its_end);
  }
  return *t_ranges;
}

Markers& markers() noexcept {
  return sdk().markers;
}

// ENTER, the call itself, EXIT. `fill` writes the arguments, `call` gives the result as a 64-bit number.
template <typename Fill, typename Call>
std::uint64_t traced(rocprofiler_callback_tracing_kind_t kind, int operation, Fill&& fill, Call&& call) {
  TracedMarker marker(sdk(), kind, operation);
  if (marker.empty()) return call();
  fill(marker.data().args);
  marker.enter(sdk());
  const std::uint64_t result = call();
  marker.data().retval.roctx_range_id_t_retval = result;
  marker.exit(sdk());
  return result;
}

int as_int(std::uint64_t result) noexcept {
  return static_cast<int>(static_cast<std::uint32_t>(result));
}

std::uint64_t from_int(int result) noexcept {
  return static_cast<std::uint32_t>(result);
}

void mark(const char* message) {
  const auto fill = [message](auto& args) { args.roctxMarkA.message = message; };
  traced(kCore, ROCPROFILER_MARKER_CORE_API_ID_roctxMarkA, fill, [&] {
    return traced(kRange, ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxMarkA, fill, [message] {
      markers().core().mark(message);
      return std::uint64_t{0};
    });
  });
}

int range_push(const char* message) {
  return as_int(traced(
      kCore, ROCPROFILER_MARKER_CORE_API_ID_roctxRangePushA,
      [message](auto& args) { args.roctxRangePushA.message = message; },
      [message] {
        TracedMarker range(sdk(), kRange, ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxThreadRangeA);
        range.data().args.roctxThreadRangeA.message = message;
        range.enter(sdk());
        const int level = markers().core().range_push(message);
        range.data().retval.int32_t_retval = level;
        // As upstream: one that nobody traces is not put down, so its pop ends an outer one that somebody does.
        if (!range.empty()) thread_ranges().push_back(std::move(range));
        return from_int(level);
      }));
}

int range_pop() {
  return as_int(traced(
      kCore, ROCPROFILER_MARKER_CORE_API_ID_roctxRangePop, [](auto& args) { args.roctxRangePop.no_args.empty = '\0'; },
      [] {
        TracedMarker range;
        if (!thread_ranges().empty()) {
          range = std::move(thread_ranges().back());
          thread_ranges().pop_back();
        }
        const int level = markers().core().range_pop();
        range.exit(sdk());
        return from_int(level);
      }));
}

std::uint64_t range_start(const char* message) {
  return traced(
      kCore, ROCPROFILER_MARKER_CORE_API_ID_roctxRangeStartA,
      [message](auto& args) { args.roctxRangeStartA.message = message; },
      [message] {
        TracedMarker range(sdk(), kRange, ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxProcessRangeA);
        range.data().args.roctxProcessRangeA.message = message;
        range.enter(sdk());
        const std::uint64_t id = markers().core().range_start(message);
        range.data().retval.roctx_range_id_t_retval = id;
        if (!range.empty()) markers().keep(id, std::move(range));
        return id;
      });
}

void range_stop(std::uint64_t id) {
  traced(
      kCore, ROCPROFILER_MARKER_CORE_API_ID_roctxRangeStop, [id](auto& args) { args.roctxRangeStop.id = id; },
      [id] {
        TracedMarker range = markers().take(id);
        markers().core().range_stop(id);
        range.exit(sdk());
        return std::uint64_t{0};
      });
}

int get_thread_id(std::uint64_t* tid) {
  const auto fill = [tid](auto& args) { args.roctxGetThreadId.tid = tid; };
  return as_int(traced(kCore, ROCPROFILER_MARKER_CORE_API_ID_roctxGetThreadId, fill, [&] {
    return traced(kRange, ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxGetThreadId, fill,
                  [tid] { return from_int(markers().core().get_thread_id(tid)); });
  }));
}

int profiler_pause(std::uint64_t tid) {
  return as_int(traced(
      kControl, ROCPROFILER_MARKER_CONTROL_API_ID_roctxProfilerPause,
      [tid](auto& args) { args.roctxProfilerPause.tid = tid; },
      [tid] { return from_int(markers().control().profiler_pause(tid)); }));
}

int profiler_resume(std::uint64_t tid) {
  return as_int(traced(
      kControl, ROCPROFILER_MARKER_CONTROL_API_ID_roctxProfilerResume,
      [tid](auto& args) { args.roctxProfilerResume.tid = tid; },
      [tid] { return from_int(markers().control().profiler_resume(tid)); }));
}

int name_os_thread(const char* name) {
  return as_int(traced(
      kName, ROCPROFILER_MARKER_NAME_API_ID_roctxNameOsThread,
      [name](auto& args) { args.roctxNameOsThread.name = name; },
      [name] { return from_int(markers().name().name_os_thread(name)); }));
}

int name_hsa_agent(const char* name, const hsa_agent_s* agent) {
  return as_int(traced(
      kName, ROCPROFILER_MARKER_NAME_API_ID_roctxNameHsaAgent,
      [&](auto& args) { args.roctxNameHsaAgent = {name, agent}; },
      [&] { return from_int(markers().name().name_hsa_agent(name, agent)); }));
}

int name_hip_device(const char* name, int device) {
  return as_int(traced(
      kName, ROCPROFILER_MARKER_NAME_API_ID_roctxNameHipDevice,
      [&](auto& args) { args.roctxNameHipDevice = {name, device}; },
      [&] { return from_int(markers().name().name_hip_device(name, device)); }));
}

int name_hip_stream(const char* name, const ihipStream_t* stream) {
  return as_int(traced(
      kName, ROCPROFILER_MARKER_NAME_API_ID_roctxNameHipStream,
      [&](auto& args) { args.roctxNameHipStream = {name, stream}; },
      [&] { return from_int(markers().name().name_hip_stream(name, stream)); }));
}

template <typename Table>
Table& table_of(void* table) {
  auto* known = static_cast<Table*>(table);
  if (known == nullptr || known->size < sizeof(Table))
    fatal("a table of the roctx library is shorter than the known one");
  return *known;
}

}  // namespace

void Markers::intercept(void** tables) noexcept {
  auto& core = table_of<multipass_sim_roctx_core>(tables[0]);
  auto& control = table_of<multipass_sim_roctx_control>(tables[1]);
  auto& name = table_of<multipass_sim_roctx_name>(tables[2]);
  std::call_once(first_, [&] {
    core_ = core;
    control_ = control;
    name_ = name;
  });
  core = {core.size, &mark, &range_push, &range_pop, &range_start, &range_stop, &get_thread_id};
  control = {control.size, &profiler_pause, &profiler_resume};
  name = {name.size, &name_os_thread, &name_hsa_agent, &name_hip_device, &name_hip_stream};
}

void Markers::keep(std::uint64_t range, TracedMarker&& marker) {
  const std::lock_guard lock(mutex_);
  process_ranges_.insert_or_assign(range, std::move(marker));
}

TracedMarker Markers::take(std::uint64_t range) {
  const std::lock_guard lock(mutex_);
  auto node = process_ranges_.extract(range);
  return node.empty() ? TracedMarker{} : std::move(node.mapped());
}

}  // namespace multipass_sim
