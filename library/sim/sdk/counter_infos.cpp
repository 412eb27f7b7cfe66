// SPDX-License-Identifier: MIT
#include "sim/sdk/counter_infos.hpp"

#include <algorithm>
#include <exception>
#include <string>

#include "sim/sdk/diagnostics.hpp"

namespace multipass_sim {

namespace {

// Position of instance `index` in every dimension: the dimension listed first changes fastest.
std::vector<std::size_t> positions_of(const Counter& counter, std::size_t index) {
  std::vector<std::size_t> result;
  for (const Dimension& dimension : counter.dimensions) {
    result.push_back(index % dimension.size);
    index /= dimension.size;
  }
  return result;
}

// Bits of an instance id: rocprofiler-sdk, counter id code @243ccf13.
std::uint64_t instance_id(const Counter& counter, const std::vector<std::size_t>& positions) {
  std::uint64_t id = static_cast<std::uint64_t>(counter.id & 0xFFFFU) << 48U;
  for (std::size_t d = 0; d < positions.size(); ++d) {
    id |= static_cast<std::uint64_t>(positions[d]) << (6U * (counter.dimensions[d].id - 1U));
  }
  return id;
}

template <typename T>
std::vector<const T*> pointers_to(const std::vector<T>& values) {
  std::vector<const T*> result;
  result.reserve(values.size());
  for (const T& value : values) result.push_back(&value);
  return result;
}

}  // namespace

CounterView::CounterView(const Counter& source) : counter(&source) {
  for (const Dimension& dimension : source.dimensions) {
    dimensions.push_back({dimension.name.c_str(), dimension.size, dimension.id});
  }
  dimension_pointers = pointers_to(dimensions);
  const auto count = static_cast<std::size_t>(source.instances());
  std::vector<std::uint64_t> ids;
  for (std::size_t index = 0; index < count; ++index) {
    const std::vector<std::size_t> place = positions_of(source, index);
    ids.push_back(instance_id(source, place));
    for (std::size_t d = 0; d < place.size(); ++d) {
      positions.push_back({sizeof(rocprofiler_counter_dimension_info_t), source.dimensions[d].name.c_str(), place[d]});
    }
  }
  position_pointers = pointers_to(positions);
  for (std::size_t index = 0; index < count; ++index) {
    instances.push_back({sizeof(rocprofiler_counter_record_dimension_instance_info_t), ids[index], source.id,
                         dimensions.size(), position_pointers.data() + index * dimensions.size()});
  }
  instance_pointers = pointers_to(instances);
}

void CounterInfos::read_definitions() {
  if (definitions_read_.load()) return;
  const std::lock_guard lock(mutex_);
  definitions_read_ = true;
}

// Order of the checks and what an earlier text becomes: rocprofiler-sdk, counters/metrics.cpp
// setCustomCounterDefinition.
rocprofiler_status_t CounterInfos::load_definitions(std::string_view text, rocprofiler_counter_flag_t flags) {
  const std::lock_guard lock(mutex_);
  if (definitions_read_.load()) return ROCPROFILER_STATUS_ERROR;
  if (flags != ROCPROFILER_COUNTER_FLAG_APPEND_DEFINITION) return ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;
  try {
    agents_.define_counters(text);
    return ROCPROFILER_STATUS_SUCCESS;
  } catch (const std::exception& error) {
    std::string line = error.what();
    std::ranges::replace_if(line, [](unsigned char c) { return c < ' ' || c == 0x7f; }, '?');
    warn(line);
    return ROCPROFILER_STATUS_ERROR;
  }
}

const std::vector<Counter>& CounterInfos::counters_of(const Agent& gpu) {
  read_definitions();
  return gpu.model->counters();
}

const Counter* CounterInfos::find(rocprofiler_counter_id_t id) {
  read_definitions();
  if (id.handle > UINT32_MAX) return nullptr;
  for (const auto& agent : agents_.all()) {
    if (!agent->model) continue;
    if (const Counter* counter = agent->model->find(static_cast<std::uint32_t>(id.handle))) return counter;
  }
  return nullptr;
}

const CounterView* CounterInfos::view(rocprofiler_counter_id_t id) {
  const Counter* counter = find(id);
  if (counter == nullptr) return nullptr;
  const std::lock_guard lock(mutex_);
  std::unique_ptr<CounterView>& view = views_[id.handle];
  if (!view) view = std::make_unique<CounterView>(*counter);
  return view.get();
}

std::optional<rocprofiler_counter_info_v0_t> CounterInfos::info_v0(rocprofiler_counter_id_t id) {
  const Counter* counter = find(id);
  if (counter == nullptr) return std::nullopt;
  rocprofiler_counter_info_v0_t info{};
  info.id = id;
  info.name = counter->name.c_str();
  info.description = counter->description.c_str();
  info.block = counter->block.c_str();
  info.expression = counter->expression.c_str();
  info.is_constant = counter->is_constant ? 1 : 0;
  info.is_derived = counter->is_derived ? 1 : 0;
  return info;
}

std::optional<rocprofiler_counter_info_v1_t> CounterInfos::info_v1(rocprofiler_counter_id_t id) {
  const CounterView* arrays = view(id);
  if (arrays == nullptr) return std::nullopt;
  const Counter& counter = *arrays->counter;
  // The struct's lists are pointers to non-const pointers to const; nobody writes through them.
  auto& view_arrays = const_cast<CounterView&>(*arrays);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  rocprofiler_counter_info_v1_t info{};
  info.size = sizeof(info);
  info.id = id;
  info.name = counter.name.c_str();
  info.description = counter.description.c_str();
  info.block = counter.block.c_str();
  info.expression = counter.expression.c_str();
  info.is_constant = counter.is_constant ? 1 : 0;
  info.is_derived = counter.is_derived ? 1 : 0;
  info.dimensions_count = arrays->dimensions.size();
  info.dimensions = view_arrays.dimension_pointers.data();
  info.dimensions_instances_count = arrays->instances.size();
  info.dimensions_instances = view_arrays.instance_pointers.data();
  return info;
}

}  // namespace multipass_sim
