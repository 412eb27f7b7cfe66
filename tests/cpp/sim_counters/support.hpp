// SPDX-License-Identifier: MIT
//
// What several tests of the simulated counters share: the shipped devices, one worked example of an execution.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/counters/device_model.hpp"

namespace multipass_sim {

inline std::string device_path(const std::string& name) {
  return std::string(MULTIPASS_SIM_DEVICES) + "/" + name + ".json";
}

// Loaded once; lives to the end. One thread.
inline const DeviceModel& device(const std::string& name) {
  static std::map<std::string, DeviceModel> models;
  const auto known = models.find(name);
  if (known != models.end()) return known->second;
  return models.emplace(name, DeviceModel::load(device_path(name))).first->second;
}

inline const DeviceModel& gfx942() {
  return device("gfx942");
}

inline const DeviceModel& tiny() {
  return device("tiny");
}

// Name of an instance of a test suite that has device names as parameters.
inline std::string device_name(const testing::TestParamInfo<const char*>& info) {
  return info.param;
}

inline std::vector<std::uint32_t> ids_of(const DeviceModel& model, const std::vector<std::string>& names) {
  std::vector<std::uint32_t> ids;
  for (const std::string& name : names) {
    const Counter* counter = model.find(name);
    if (counter == nullptr) {
      ADD_FAILURE() << "no counter " << name;
    } else {
      ids.push_back(counter->id);
    }
  }
  return ids;
}

constexpr const char* kKernel = "_Z4axpyPfPKffi.kd";

// 545 instructions; wave_cycles = 16 * 64 + 4 * 545.
inline multipass_sim_activity worked_example() {
  multipass_sim_activity activity{};
  activity.work_items = 1000;
  activity.workgroups = 4;
  activity.waves = 16;
  activity.insts_valu = 320;
  activity.insts_salu = 64;
  activity.insts_smem = 48;
  activity.insts_vmem_read = 33;
  activity.insts_vmem_write = 17;
  activity.insts_vmem_atomic = 3;
  activity.insts_lds = 40;
  activity.insts_branch = 20;
  activity.lanes_valu = 20000;
  activity.tcp_reads = 66;
  activity.tcp_writes = 34;
  activity.tcp_atomics = 5;
  activity.tcc_hits = 70;
  activity.tcc_misses = 35;
  activity.ea_reads_64b = 60;
  activity.ea_writes_64b = 40;
  activity.cycles = 1003;
  activity.wave_cycles = 3204;
  activity.insts_valu_add_f16 = 10;
  activity.insts_valu_add_f32 = 11;
  activity.insts_valu_add_f64 = 12;
  activity.insts_valu_mul_f16 = 13;
  activity.insts_valu_mul_f32 = 14;
  activity.insts_valu_mul_f64 = 15;
  activity.insts_valu_fma_f16 = 16;
  activity.insts_valu_fma_f32 = 17;
  activity.insts_valu_fma_f64 = 18;
  activity.insts_valu_trans_f16 = 19;
  activity.insts_valu_trans_f32 = 20;
  activity.insts_valu_trans_f64 = 21;
  activity.insts_valu_int32 = 22;
  activity.insts_valu_int64 = 23;
  activity.insts_valu_cvt = 24;
  return activity;
}

inline double sum_of(const std::vector<InstanceValue>& values) {
  double sum = 0;
  for (const InstanceValue& value : values) sum += value.value;
  return sum;
}

inline std::vector<InstanceValue> read_named(const DeviceModel& model, const std::string& name,
                                             const multipass_sim_activity& activity) {
  const Counter* counter = model.find(name);
  if (counter == nullptr) {
    ADD_FAILURE() << "no counter " << name;
    return {};
  }
  return model.read(*counter, activity, kKernel);
}

}  // namespace multipass_sim
