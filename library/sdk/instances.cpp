// SPDX-License-Identifier: MIT
#include "sdk/instances.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "sdk/abi/rocprofiler.h"
#include "sdk/status_text.hpp"

namespace multipass::sdk {
namespace {

// Called through C by the SDK: nothing may be thrown out of it.
rocprofiler_status_t collect_dimensions(rocprofiler_counter_id_t,
                                        const rocprofiler_counter_record_dimension_info_t* dimensions, size_t count,
                                        void* out) noexcept {
  try {
    auto& shape = *static_cast<InstanceShape*>(out);
    for (const auto& dimension : std::span(dimensions, dimensions == nullptr ? 0 : count)) {
      shape.dimensions.push_back({dimension.name == nullptr ? "" : dimension.name, dimension.instance_size});
      shape.ids.push_back(dimension.id);
    }
    return ROCPROFILER_STATUS_SUCCESS;
  } catch (...) {
    return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
  }
}

// A position has 32 bits; a dimension that comes twice would have one digit for both.
bool plausible(const InstanceShape& shape) {
  std::uint64_t instances = 1;
  for (const CounterDimension& dimension : shape.dimensions) {
    if (dimension.size == 0 || dimension.size > UINT32_MAX / instances) return false;
    instances *= dimension.size;
  }
  std::vector<std::uint64_t> ids = shape.ids;
  std::sort(ids.begin(), ids.end());
  return std::adjacent_find(ids.begin(), ids.end()) == ids.end();
}

}  // namespace

std::optional<std::uint32_t> InstanceShape::position(std::uint64_t instance) const noexcept {
  std::uint64_t position = 0;
  std::uint64_t weight = 1;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    std::size_t digit = 0;
    if (rocprofiler_query_record_dimension_position(instance, ids[i], &digit) != ROCPROFILER_STATUS_SUCCESS ||
        digit >= dimensions[i].size)
      return std::nullopt;
    position += digit * weight;
    weight *= dimensions[i].size;
  }
  return static_cast<std::uint32_t>(position);
}

Result<InstanceShape> find_instances(std::uint64_t counter) {
  InstanceShape shape;
  const rocprofiler_status_t status = rocprofiler_iterate_counter_dimensions({counter}, collect_dimensions, &shape);
  if (status != ROCPROFILER_STATUS_SUCCESS) return Status::error(status_text(status));
  if (!plausible(shape)) return Status::error("their dimensions cannot be");
  return shape;
}

}  // namespace multipass::sdk
