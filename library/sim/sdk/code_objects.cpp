// SPDX-License-Identifier: MIT
#include "sim/sdk/code_objects.hpp"

#include "sim/sdk/clock.hpp"

namespace multipass_sim {

namespace {

constexpr std::uint64_t kObjectSize = 0x100000;
constexpr std::uint64_t kKernelStride = 0x1000;
constexpr std::int64_t kEntryOffset = 0x100;

// Made-up, but different for every object of the process.
std::uint64_t load_base(std::uint64_t object_id) {
  return 0x7E00'0000'0000U + object_id * kObjectSize;
}

}  // namespace

void CodeObjects::add_kernel(const multipass_sim_kernel& kernel) {
  for (const News& news : register_everywhere(kernel)) {
    const Event event{*news.object, ROCPROFILER_CALLBACK_PHASE_LOAD};
    if (news.loaded) raise_object(event);
    raise_device_symbol(event, news.symbol);
    raise_host_symbol(event, news.symbol);
  }
}

void CodeObjects::unload_all() {
  std::map<std::uint64_t, std::shared_ptr<Object>> by_id;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [place, object] : objects_) by_id.emplace(object->id, object);
    objects_.clear();
  }
  for (const auto& [id, object] : by_id) {
    const Event event{*object, ROCPROFILER_CALLBACK_PHASE_UNLOAD};
    raise_object(event);
    for (const Symbol& symbol : object->symbols) {
      raise_device_symbol(event, symbol);
      raise_host_symbol(event, symbol);
    }
  }
}

rocprofiler_kernel_id_t CodeObjects::kernel_id(std::size_t device, const multipass_sim_kernel& kernel) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = kernels_.find({device, &kernel});
    if (found != kernels_.end()) return found->second;
  }
  add_kernel(kernel);
  const std::lock_guard lock(mutex_);
  const auto found = kernels_.find({device, &kernel});
  return found == kernels_.end() ? 0 : found->second;
}

std::vector<CodeObjects::News> CodeObjects::register_everywhere(const multipass_sim_kernel& kernel) {
  const std::vector<ContextPtr> active = contexts_.active();
  const std::size_t devices = agents_.gpu_count();
  std::vector<News> result;
  const std::lock_guard lock(mutex_);
  for (std::size_t device = 0; device < devices; ++device) {
    if (kernels_.contains({device, &kernel})) continue;
    News news;
    std::shared_ptr<Object>& object = objects_[{device, kernel.code_object}];
    if (!object) {
      object = std::make_shared<Object>();
      object->agent = agents_.gpu(device);
      object->id = ++last_object_;
      object->contexts = active;
      object->uri = "memory://simulated#object=" + std::to_string(object->id);
      news.loaded = true;
    }
    news.object = object;
    news.symbol = {kernel, ++last_kernel_, load_base(object->id) + kKernelStride * (object->symbols.size() + 1)};
    object->symbols.push_back(news.symbol);
    kernels_[{device, &kernel}] = news.symbol.id;
    result.push_back(news);
  }
  return result;
}

void CodeObjects::raise(const Event& event, rocprofiler_tracing_operation_t operation, void* payload) const {
  for (const ContextPtr& context : event.object.contexts) {
    if (!contexts_.contains(context->id)) continue;  // its client has been finalised meanwhile
    const CallbackTracing* service = context->traces(ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT, operation);
    if (service == nullptr || service->callback == nullptr) continue;
    rocprofiler_callback_tracing_record_t record{};
    record.context_id = context->id;
    record.thread_id = thread_id();
    record.kind = ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT;
    record.operation = operation;
    record.phase = event.phase;
    record.payload = payload;
    rocprofiler_user_data_t user_data{0};
    service->callback(record, &user_data, service->args);
  }
}

void CodeObjects::raise_object(const Event& event) const {
  const Object& object = event.object;
  rocprofiler_callback_tracing_code_object_load_data_t data{};
  data.size = sizeof(data);
  data.code_object_id = object.id;
  data.agent_id = object.agent->info.id;
  data.hsa_agent.handle = object.agent->info.id.handle;
  data.uri = object.uri.c_str();
  data.load_base = load_base(object.id);
  data.load_size = kObjectSize;
  data.load_delta = static_cast<std::int64_t>(data.load_base);
  data.storage_type = ROCPROFILER_CODE_OBJECT_STORAGE_TYPE_MEMORY;
  data.memory_base = data.load_base;
  data.memory_size = kObjectSize;
  raise(event, ROCPROFILER_CODE_OBJECT_LOAD, &data);
}

void CodeObjects::raise_device_symbol(const Event& event, const Symbol& symbol) const {
  const multipass_sim_kernel& kernel = symbol.kernel;
  rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t data{};
  data.size = sizeof(data);
  data.kernel_id = symbol.id;
  data.code_object_id = event.object.id;
  data.kernel_name = kernel.name;
  data.kernel_object = symbol.address;
  data.kernarg_segment_size = kernel.kernarg_segment_size;
  data.kernarg_segment_alignment = 16;
  data.group_segment_size = kernel.group_segment_size;
  data.private_segment_size = kernel.private_segment_size;
  data.sgpr_count = kernel.sgpr_count;
  data.arch_vgpr_count = kernel.arch_vgpr_count;
  data.accum_vgpr_count = kernel.accum_vgpr_count;
  data.kernel_code_entry_byte_offset = kEntryOffset;
  data.kernel_address.handle = symbol.address + static_cast<std::uint64_t>(kEntryOffset);
  raise(event, ROCPROFILER_CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER, &data);
}

void CodeObjects::raise_host_symbol(const Event& event, const Symbol& symbol) const {
  const multipass_sim_kernel& kernel = symbol.kernel;
  if (kernel.host_function == nullptr) return;
  rocprofiler_callback_tracing_code_object_host_kernel_symbol_register_data_t data{};
  data.size = sizeof(data);
  data.host_function_id = symbol.id;
  data.kernel_id = symbol.id;
  data.code_object_id = event.object.id;
  data.host_function.ptr = kernel.host_function;
  data.device_function = kernel.name;
  raise(event, ROCPROFILER_CODE_OBJECT_HOST_KERNEL_SYMBOL_REGISTER, &data);
}

}  // namespace multipass_sim
