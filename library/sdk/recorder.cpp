// SPDX-License-Identifier: MIT
#include "sdk/recorder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "base/write_signals.hpp"
#include "sdk/clock.hpp"

namespace multipass::sdk {

namespace detail {
constinit std::atomic<Recorder*> recorder{nullptr};
}

namespace {

// Never destroyed, for a callback may be in one until the process has ended. In a child that has left its parent's, it
// is reached from here all the same, and is no leak of the program.
std::vector<std::unique_ptr<Recorder>>& recorders() {
  static auto* const all = new std::vector<std::unique_ptr<Recorder>>;
  return *all;
}

}  // namespace

Status start_recording(const std::string& path, RecordedOptions options, std::uint64_t most_events) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0)
    return Status::error("no recording is written to " + path + ": " + std::strerror(errno) +
                         (errno == EEXIST ? "; ROCPROFSYS_MULTIPASS_RECORD must name a new file" : ""));
  Recorder* const made =
      recorders().emplace_back(std::make_unique<Recorder>(fd, std::move(options), most_events)).get();
  detail::recorder.store(made, std::memory_order_release);
  return Status::ok();
}

void note_finalize() noexcept {
  if (Recorder* to = recorder()) to->finalize();
}

void leave_recording() noexcept {
  detail::recorder.store(nullptr, std::memory_order_relaxed);
}

Recorder::Recorder(int fd, RecordedOptions options, std::uint64_t most_events)
    : fd_(fd), options_(std::move(options)), most_events_(most_events), base_(now_ns()) {
  struct stat status{};
  if (::fstat(fd, &status) != 0) return;
  device_ = status.st_dev;
  inode_ = status.st_ino;
}

Moment Recorder::enter(const rocprofiler_kernel_dispatch_info_t* dispatch, bool always) noexcept {
  Moment moment;
  try {
    const std::lock_guard lock(mutex_);
    moment.kept = !broken_ && (always || (events_ < most_events_ && bytes_ < kMostBytes));
    if (!moment.kept) {
      ++left_out_;
      return moment;
    }
    moment.number = events_++;
    moment.thread = threads_.of(static_cast<std::uint64_t>(::gettid()));
    if (dispatch != nullptr) {
      dispatches_.of(dispatch->dispatch_id);
      queues_.of(dispatch->queue_id.handle);
      kernels_.of(dispatch->kernel_id);
    }
    moment.ns = now_ns() - base_;
  } catch (...) {  // out of memory
    moment.kept = false;
  }
  return moment;
}

void Recorder::counting(const Moment& moment, const rocprofiler_dispatch_counting_service_data_t& service,
                        std::uint64_t data_before, const rocprofiler_counter_config_id_t* config,
                        const rocprofiler_user_data_t* data) noexcept {
  write_event(moment, "counting", [&](JsonLine& line) {
    line.add("size", service.size);
    line.add("correlation", service.correlation_id.internal);
    add_dispatch(line, service.dispatch_info);
    line.add("data_in", data_before);
    if (data != nullptr) line.add("data", data->value);
    const auto found = config == nullptr ? ordinals_.end() : ordinals_.find(config->handle);
    if (found == ordinals_.end())
      line.add_null("config");
    else
      line.add("config", found->second);
  });
}

void Recorder::records(const Moment& moment, const rocprofiler_dispatch_counting_service_data_t& service,
                       const rocprofiler_counter_record_t* from, std::size_t count, std::uint64_t data) noexcept {
  constexpr unsigned kCounterShift = 48;
  write_event(moment, "record", [&](JsonLine& line) {
    line.add("size", service.size);
    line.add("correlation", service.correlation_id.internal);
    add_dispatch(line, service.dispatch_info);
    add_time(line, "start", service.start_timestamp);
    add_time(line, "end", service.end_timestamp);
    line.add("data", data);
    line.add("count", count);
    line.open("records", '[');
    for (std::size_t i = 0; from != nullptr && i < count && i < kMostRecords; ++i) {
      line.open_item();
      line.item(from[i].id >> kCounterShift);
      line.item(from[i].id & ((std::uint64_t{1} << kCounterShift) - 1));
      line.item(from[i].counter_value);
      line.close(']');
    }
    line.close(']');
  });
}

void Recorder::pass_count(const rocprofiler_kernel_dispatch_info_t& dispatch, std::uint64_t data,
                          std::uint64_t answer) noexcept {
  write_event(enter(&dispatch), "pass_count", [&](JsonLine& line) {
    add_dispatch(line, dispatch);
    line.add("data", data);
    line.add("answer", answer);
  });
}

void Recorder::goes_on(const rocprofiler_kernel_dispatch_info_t& dispatch, std::uint64_t pass, std::uint64_t passes,
                       std::uint64_t data, int answer) noexcept {
  write_event(enter(&dispatch), "continue", [&](JsonLine& line) {
    add_dispatch(line, dispatch);
    line.add("pass", pass);
    line.add("passes", passes);
    line.add("data", data);
    line.add("answer", answer);
  });
}

void Recorder::call(const char* name, const char* context, int status) noexcept {
  write_event(enter(nullptr), name, [&](JsonLine& line) {
    line.add("context", context);
    line.add("status", status);
  });
}

void Recorder::finalize() noexcept {
  write_event(enter(nullptr, true), "finalize", [this](JsonLine& line) {
    line.add("events", events_);
    line.add("left_out", left_out_);
  });
}

std::optional<std::uint32_t> Recorder::index_of(std::uint64_t agent) const noexcept {
  const auto found = agents_.find(agent);
  return found == agents_.end() ? std::nullopt : std::optional(found->second.info.index.value);
}

void Recorder::add_agent(JsonLine& line, const char* name, rocprofiler_agent_id_t id) const {
  if (const auto index = index_of(id.handle))
    line.add(name, *index);
  else
    line.add_null(name);
}

void Recorder::add_time(JsonLine& line, const char* name, std::uint64_t ns) const {
  if (ns == 0)
    line.add_null(name);
  else
    line.add(name, static_cast<std::int64_t>(ns - base_));
}

void Recorder::add_dispatch(JsonLine& line, const rocprofiler_kernel_dispatch_info_t& dispatch) {
  const auto dim = [&line](const char* name, const rocprofiler_dim3_t& of) {
    line.open(name, '[');
    line.item(of.x);
    line.item(of.y);
    line.item(of.z);
    line.close(']');
  };
  line.open("dispatch", '{');
  line.add("size", dispatch.size);
  add_agent(line, "agent", dispatch.agent_id);
  line.add("queue", queues_.of(dispatch.queue_id.handle));
  line.add("kernel", kernels_.of(dispatch.kernel_id));
  line.add("id", dispatches_.of(dispatch.dispatch_id));
  line.add("private", dispatch.private_segment_size);
  line.add("group", dispatch.group_segment_size);
  dim("workgroup", dispatch.workgroup_size);
  dim("grid", dispatch.grid_size);
  line.close('}');
}

bool Recorder::is_ours() const noexcept {
  struct stat status{};
  return ::fstat(fd_, &status) == 0 && status.st_dev == device_ && status.st_ino == inode_;
}

// Under the lock. One write, so that a line is there whole or cut at the end of the file.
void Recorder::write(const std::string& line) noexcept {
  const int kept = errno;
  const WriteSignalsBlocked blocked;
  // A full disk, a closed descriptor: nothing more, so that but for the last one what is there is whole lines.
  broken_ = broken_ || !is_ours() || ::write(fd_, line.data(), line.size()) != static_cast<ssize_t>(line.size());
  bytes_ += line.size();
  errno = kept;
}

}  // namespace multipass::sdk
