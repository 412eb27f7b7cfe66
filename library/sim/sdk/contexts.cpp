// SPDX-License-Identifier: MIT
#include "sim/sdk/contexts.hpp"

#include <algorithm>
#include <utility>

namespace multipass_sim {

namespace {

// Both count, and an agent exists whose dispatches both would count (context.cpp @003ba9fb).
bool share_an_agent(const Context& one, const Context& other) {
  if (one.counting.empty() || other.counting.empty()) return false;
  if (one.counted_agents.empty() || other.counted_agents.empty()) return true;
  return std::any_of(one.counted_agents.begin(), one.counted_agents.end(),
                     [&](rocprofiler_agent_id_t agent) { return other.counts_on(agent); });
}

}  // namespace

rocprofiler_context_id_t Contexts::create(std::size_t client) {
  const std::lock_guard lock(mutex_);
  auto context = std::make_shared<Context>();
  context->id.handle = ++last_;
  context->client = client;
  slots_[last_] = {context, false};
  return context->id;
}

bool Contexts::contains(rocprofiler_context_id_t id) const {
  const std::lock_guard lock(mutex_);
  return slots_.contains(id.handle);
}

bool Contexts::is_active(rocprofiler_context_id_t id) const {
  const std::lock_guard lock(mutex_);
  const auto found = slots_.find(id.handle);
  return found != slots_.end() && found->second.active;
}

bool Contexts::counts(rocprofiler_context_id_t id) const {
  const std::lock_guard lock(mutex_);
  const auto found = slots_.find(id.handle);
  return found != slots_.end() && !found->second.context->counting.empty();
}

bool Contexts::counting_on(rocprofiler_agent_id_t agent) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(slots_.begin(), slots_.end(), [agent](const auto& entry) {
    return entry.second.active && entry.second.context->counts_on(agent);
  });
}

bool Contexts::counting_anywhere() const {
  const std::lock_guard lock(mutex_);
  return std::any_of(slots_.begin(), slots_.end(),
                     [](const auto& entry) { return entry.second.active && !entry.second.context->counting.empty(); });
}

rocprofiler_status_t Contexts::start(rocprofiler_context_id_t id) {
  const std::lock_guard lock(mutex_);
  const auto found = slots_.find(id.handle);
  if (found == slots_.end()) return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
  Slot& slot = found->second;
  if (slot.active) return ROCPROFILER_STATUS_SUCCESS;
  for (const auto& [handle, other] : slots_) {
    if (other.active && share_an_agent(*slot.context, *other.context)) return ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT;
  }
  slot.active = true;
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t Contexts::stop(rocprofiler_context_id_t id) {
  const std::lock_guard lock(mutex_);
  const auto found = slots_.find(id.handle);
  if (found == slots_.end() || !found->second.active) return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
  found->second.active = false;
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t Contexts::change(rocprofiler_context_id_t id, rocprofiler_status_t if_unknown,
                                      const Change& apply) {
  const std::lock_guard lock(mutex_);
  const auto found = slots_.find(id.handle);
  if (found == slots_.end()) return if_unknown;
  auto changed = std::make_shared<Context>(*found->second.context);
  const rocprofiler_status_t status = apply(*changed);
  if (status == ROCPROFILER_STATUS_SUCCESS) found->second.context = std::move(changed);
  return status;
}

rocprofiler_status_t Contexts::add(rocprofiler_context_id_t id, const CallbackTracing& service) {
  return change(id, ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND, [&](Context& context) {
    const bool replay = service.kind == ROCPROFILER_CALLBACK_TRACING_KERNEL_REPLAY;
    if (replay && replay_owner_ != 0) return ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED;
    for (const CallbackTracing& other : context.callback_tracing) {
      if (other.kind == service.kind) return ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED;
    }
    context.callback_tracing.push_back(service);
    if (replay) replay_owner_ = id.handle;
    return ROCPROFILER_STATUS_SUCCESS;
  });
}

rocprofiler_status_t Contexts::add(rocprofiler_context_id_t id, const BufferTracing& service) {
  return change(id, ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND, [&](Context& context) {
    for (const BufferTracing& other : context.buffer_tracing) {
      if (other.kind == service.kind) return ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED;
    }
    context.buffer_tracing.push_back(service);
    return ROCPROFILER_STATUS_SUCCESS;
  });
}

rocprofiler_status_t Contexts::add(rocprofiler_context_id_t id, const CountingService& service) {
  return change(id, ROCPROFILER_STATUS_ERROR_CONTEXT_INVALID, [&](Context& context) {
    context.counting.push_back(service);
    return ROCPROFILER_STATUS_SUCCESS;
  });
}

rocprofiler_status_t Contexts::add(rocprofiler_context_id_t id, const CorrelationRequest& service) {
  return change(id, ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND, [&](Context& context) {
    if (context.correlation) return ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED;
    context.correlation = service;
    return ROCPROFILER_STATUS_SUCCESS;
  });
}

rocprofiler_status_t Contexts::set_agents(rocprofiler_context_id_t id, std::vector<rocprofiler_agent_id_t> agents) {
  const std::lock_guard lock(mutex_);
  const auto found = slots_.find(id.handle);
  if (found == slots_.end() || found->second.context->counting.empty())
    return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
  if (found->second.active) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
  auto changed = std::make_shared<Context>(*found->second.context);
  changed->counted_agents = std::move(agents);
  found->second.context = std::move(changed);
  return ROCPROFILER_STATUS_SUCCESS;
}

std::vector<ContextPtr> Contexts::active() const {
  const std::lock_guard lock(mutex_);
  std::vector<ContextPtr> result;
  for (const auto& [handle, slot] : slots_) {
    if (slot.active) result.push_back(slot.context);
  }
  return result;
}

ContextPtr Contexts::active_replay() const {
  const std::lock_guard lock(mutex_);
  const auto found = slots_.find(replay_owner_);
  if (found == slots_.end() || !found->second.active) return nullptr;
  const CallbackTracing* config =
      found->second.context->traces(ROCPROFILER_CALLBACK_TRACING_KERNEL_REPLAY, ROCPROFILER_KERNEL_REPLAY_CONFIG);
  return config == nullptr ? nullptr : found->second.context;
}

std::vector<rocprofiler_context_id_t> Contexts::of_client(std::size_t client) const {
  const std::lock_guard lock(mutex_);
  std::vector<rocprofiler_context_id_t> result;
  for (const auto& [handle, slot] : slots_) {
    if (slot.context->client == client) result.push_back(slot.context->id);
  }
  return result;
}

void Contexts::remove_client(std::size_t client) {
  const std::lock_guard lock(mutex_);
  std::erase_if(slots_, [&](const auto& entry) { return entry.second.context->client == client; });
}

}  // namespace multipass_sim
