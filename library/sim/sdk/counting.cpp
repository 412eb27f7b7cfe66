// SPDX-License-Identifier: MIT
#include "sim/sdk/counting.hpp"

#include <unistd.h>

#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "sim/sdk/diagnostics.hpp"
#include "sim/sdk/record_meeting.hpp"

namespace multipass_sim {

namespace {

std::vector<rocprofiler_counter_record_t> read_counters(const CountingRequest& request,
                                                        const multipass_sim_activity& activity) {
  std::vector<rocprofiler_counter_record_t> records;
  for (const Counter* counter : request.config->counters) {
    for (const InstanceValue& value : request.config->agent->model->read(*counter, activity, request.kernel_name)) {
      rocprofiler_counter_record_t record{};
      record.id = value.instance_id;
      record.counter_value = value.value;
      record.dispatch_id = request.data.dispatch_info.dispatch_id;
      record.agent_id = request.data.dispatch_info.agent_id;
      records.push_back(record);
    }
  }
  return records;
}

// Of the first record: to the uppermost place of each dimension, which no counter has.
void misplace(rocprofiler_counter_record_t& record) {
  constexpr rocprofiler_counter_instance_id_t kDimensions = (1ULL << 42U) - 1U;
  record.id |= kDimensions;
}

std::string describe(const CounterConfig& config) {
  std::string names;
  for (const Counter* counter : config.counters) names += (names.empty() ? "" : ", ") + counter->name;
  return names;
}

}  // namespace

void Counting::ask(const ContextPtr& context, const Launch& launch, rocprofiler_user_data_t external,
                   rocprofiler_user_data_t& user_data, std::vector<CountingRequest>& wanted) {
  for (const CountingService& service : context->counting) {
    if (service.dispatch == nullptr) continue;
    CountingRequest request{context, service, nullptr, {}, {0}, launch.packet->kernel->name, {}, nullptr};
    request.data.size = sizeof(request.data);
    request.data.correlation_id = {launch.correlation, external};
    request.data.dispatch_info = launch.info;
    rocprofiler_counter_config_id_t choice{0};
    service.dispatch(request.data, &choice, &user_data, service.dispatch_args);
    if (choice.handle == 0) continue;
    request.config = configs_.find(choice);
    if (!request.config) {
      fatal("the dispatch callback chose counter configuration " + std::to_string(choice.handle) +
            ", which does not exist");
    }
    if (request.config->overflows) {
      fatal("the counters need more registers than the hardware has: " + describe(*request.config));
    }
    wanted.push_back(std::move(request));
  }
}

void Counting::finished(CountingRequest request, const multipass_sim_execution& execution) {
  request.data.start_timestamp = execution.start_ns;
  request.data.end_timestamp = execution.end_ns;
  if (truth_.wanted()) tell_truth(request, execution);
  const FaultPlace place = request.place;
  if (faults_.hits(Fault::kRecordLost, place)) return;
  auto shared = std::make_shared<CountingRequest>(std::move(request));  // a task must be copyable
  const WorkThread::Task task = [this, shared, execution] { deliver(*shared, execution); };
  route(place, shared->hold.get(), task);
  if (faults_.hits(Fault::kRecordTwice, place)) route(place, shared->hold.get(), task);
}

void Counting::route(const FaultPlace& place, RecordHold* window, WorkThread::Task task) {
  if (faults_.hits(Fault::kRecordAfterFinalize, place)) {
    until_finalized_.add(std::move(task));
  } else if (faults_.hits(Fault::kRecordAtStop, place)) {
    until_stop_.add(std::move(task));
  } else if (window != nullptr) {
    window->add(std::move(task));
  } else if (faults_.on(Fault::kRecordsMeet) || faults_.hits(Fault::kRecordOnHandler, place) ||
             faults_.hits(Fault::kRecordBeforeComplete, place)) {
    task();
  } else {
    post(std::move(task));
  }
}

void Counting::post(WorkThread::Task task) {
  if (!consumer_.try_post(task)) task();
}

void Counting::post(std::vector<RecordHold::Task> tasks) {
  for (RecordHold::Task& task : tasks) post(std::move(task));
}

void Counting::drain() {
  wait_as_an_orphan();
  post(until_stop_.take());
  consumer_.drain();
}

void Counting::stop() {
  wait_as_an_orphan();
  post(until_finalized_.take());
  consumer_.stop();
}

void Counting::before_fork() {
  until_stop_.mutex().lock();
  until_finalized_.mutex().lock();
  consumer_.before_fork();
}

void Counting::after_fork_in_parent() {
  consumer_.after_fork_in_parent();
  until_finalized_.mutex().unlock();
  until_stop_.mutex().unlock();
}

void Counting::restart_in_child(bool hangs) {
  until_finalized_.mutex().unlock();
  until_stop_.mutex().unlock();
  orphan_ = hangs;
  if (!hangs) consumer_.restart_in_child();
}

void Counting::wait_as_an_orphan() const {
  while (orphan_) ::pause();
}

void Counting::tell_truth(const CountingRequest& request, const multipass_sim_execution& execution) {
  std::vector<std::string> lines;
  for (const Counter* counter : request.config->counters) {
    double sum = 0;
    for (const InstanceValue& value :
         request.config->agent->model->read(*counter, execution.activity, request.kernel_name))
      sum += value.value;
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), sum).ptr;
    lines.push_back(counter->name + "," + std::string(digits.data(), end));
  }
  truth_.write(request.place, request.kernel_name, lines);
}

void Counting::deliver(const CountingRequest& request, const multipass_sim_execution& execution) {
  std::vector<rocprofiler_counter_record_t> records = read_counters(request, execution.activity);
  if (records.empty()) return;
  if (faults_.hits(Fault::kInstanceMisplaced, request.place)) misplace(records.front());
  if (request.service.buffer.handle == 0) {
    if (request.service.record != nullptr) {
      const RecordMeeting::Callback callback;
      request.service.record(request.data, records.data(), records.size(), request.user_data,
                             request.service.record_args);
    }
    return;
  }
  rocprofiler_dispatch_counting_service_record_t header{};
  header.size = sizeof(header);
  header.num_records = records.size();
  header.correlation_id = request.data.correlation_id;
  header.start_timestamp = request.data.start_timestamp;
  header.end_timestamp = request.data.end_timestamp;
  header.dispatch_info = request.data.dispatch_info;
  buffers_.emplace(request.service.buffer, ROCPROFILER_BUFFER_CATEGORY_COUNTERS,
                   ROCPROFILER_COUNTER_RECORD_PROFILE_COUNTING_DISPATCH_HEADER, header);
  for (const rocprofiler_counter_record_t& record : records) {
    buffers_.emplace(request.service.buffer, ROCPROFILER_BUFFER_CATEGORY_COUNTERS, ROCPROFILER_COUNTER_RECORD_VALUE,
                     record);
  }
}

}  // namespace multipass_sim
