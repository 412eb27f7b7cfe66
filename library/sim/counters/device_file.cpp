// SPDX-License-Identifier: MIT
#include "sim/counters/device_file.hpp"

#include <array>
#include <fstream>
#include <limits>
#include <set>
#include <utility>

#include "sim/counters/json_reader.hpp"

namespace multipass_sim {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMax32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMaxExact = std::uint64_t{1} << 53U;  // the largest integer up to which a double is exact
constexpr std::uint64_t kMaxDimension = 64;                   // a position has six bits in an instance id
constexpr std::uint64_t kMaxInstances = 65536;
constexpr std::uint64_t kMaxSlots = 1024;

constexpr std::array<std::pair<const char*, std::uint32_t>, 7> kDimensions{
    {{"XCC", 1}, {"AID", 2}, {"SHADER_ENGINE", 3}, {"AGENT", 4}, {"SHADER_ARRAY", 5}, {"WGP", 6}, {"INSTANCE", 7}}};

constexpr std::array<std::pair<const char*, std::uint32_t AgentProperties::*>, 17> kAgentNumbers{
    {{"cu_count", &AgentProperties::cu_count},
     {"simd_count", &AgentProperties::simd_count},
     {"simd_per_cu", &AgentProperties::simd_per_cu},
     {"wave_front_size", &AgentProperties::wave_front_size},
     {"num_xcc", &AgentProperties::num_xcc},
     {"num_shader_banks", &AgentProperties::num_shader_banks},
     {"simd_arrays_per_engine", &AgentProperties::simd_arrays_per_engine},
     {"cu_per_simd_array", &AgentProperties::cu_per_simd_array},
     {"array_count", &AgentProperties::array_count},
     {"cu_per_engine", &AgentProperties::cu_per_engine},
     {"max_waves_per_simd", &AgentProperties::max_waves_per_simd},
     {"max_waves_per_cu", &AgentProperties::max_waves_per_cu},
     {"gfx_target_version", &AgentProperties::gfx_target_version},
     {"lds_size_in_kb", &AgentProperties::lds_size_in_kb},
     {"device_id", &AgentProperties::device_id},
     {"vendor_id", &AgentProperties::vendor_id},
     {"max_engine_clk_fcompute", &AgentProperties::max_engine_clk_fcompute}}};

using Shapes = std::map<std::string, std::vector<Dimension>>;

AgentProperties read_agent(const json& value, const std::string& place) {
  JsonReader reader(value, place);
  AgentProperties agent;
  agent.name = reader.text("name");
  agent.vendor_name = reader.text("vendor_name");
  agent.product_name = reader.text("product_name");
  agent.model_name = reader.text("model_name");
  for (const auto& [name, field] : kAgentNumbers) {
    agent.*field = static_cast<std::uint32_t>(reader.integer(name, kMax32));
  }
  agent.local_mem_size = reader.integer("local_mem_size", kMaxExact);
  if (reader.has("mem_clk_max")) agent.mem_clk_max = static_cast<std::uint32_t>(reader.integer("mem_clk_max", kMax32));
  reader.finish();
  if (agent.name.empty()) reader.fail("\"name\" is empty");
  if (agent.wave_front_size == 0) reader.fail("\"wave_front_size\" is 0");
  if (agent.simd_count == 0) reader.fail("\"simd_count\" is 0");
  return agent;
}

Dimension read_dimension(const json& value, const std::string& place) {
  const bool is_pair = value.is_array() && value.size() == 2 && value[0].is_string() && value[1].is_number_unsigned();
  if (!is_pair) throw std::runtime_error(place + ": expected [name, size], found " + shown(value));
  const auto size = value[1].get<std::uint64_t>();
  if (size == 0 || size > kMaxDimension) {
    throw std::runtime_error(place + ": size " + std::to_string(size) + " is not in 1.." +
                             std::to_string(kMaxDimension));
  }
  const auto name = value[0].get<std::string>();
  for (const auto& [known, id] : kDimensions) {
    if (name == known) return {.id = id, .name = "DIMENSION_" + name, .size = static_cast<std::uint32_t>(size)};
  }
  throw std::runtime_error(place + ": unknown dimension \"" + name + "\"");
}

Shapes read_shapes(const json& value, const std::string& place) {
  if (!value.is_object()) throw std::runtime_error(place + ": expected an object, found " + shown(value));
  Shapes shapes;
  for (const auto& [name, list] : value.items()) {
    const std::string here = place + "." + name;
    if (!list.is_array() || list.empty()) throw std::runtime_error(here + ": expected a list of dimensions");
    std::vector<Dimension> dimensions;
    std::set<std::uint32_t> seen;
    std::uint64_t instances = 1;
    for (const json& entry : list) {
      dimensions.push_back(read_dimension(entry, here));
      if (!seen.insert(dimensions.back().id).second) {
        throw std::runtime_error(here + ": " + dimensions.back().name + " twice");
      }
      instances *= dimensions.back().size;
      if (instances > kMaxInstances) {
        throw std::runtime_error(here + ": more than " + std::to_string(kMaxInstances) + " instances");
      }
    }
    shapes.emplace(name, std::move(dimensions));
  }
  return shapes;
}

std::map<std::string, std::uint32_t> read_slots(const json& value, const std::string& place) {
  JsonReader reader(value, place);
  std::map<std::string, std::uint32_t> slots;
  for (const auto& [block, unused] : value.items()) {
    slots[block] = static_cast<std::uint32_t>(reader.integer(block.c_str(), kMaxSlots));
  }
  return slots;
}

// The registers that each block has: `slots`, where "real_slots" does not say that there are fewer.
std::map<std::string, std::uint32_t> read_real_slots(const json& value, const std::string& place,
                                                     const std::map<std::string, std::uint32_t>& slots) {
  std::map<std::string, std::uint32_t> real = slots;
  for (const auto& [block, count] : read_slots(value, place)) {
    const auto found = real.find(block);
    if (found == real.end()) throw std::runtime_error(place + ": block \"" + block + "\" has no slots");
    if (count > found->second) {
      throw std::runtime_error(place + ": \"" + block + "\" is " + std::to_string(count) + ", more than its " +
                               std::to_string(found->second) + " slots");
    }
    found->second = count;
  }
  return real;
}

std::vector<std::string> read_registers(JsonReader& reader) {
  const json& value = reader.member("registers");
  if (!value.is_array()) reader.fail("\"registers\": expected a list, found " + shown(value));
  std::vector<std::string> registers;
  for (const json& entry : value) {
    if (!entry.is_string()) reader.fail("\"registers\": expected text, found " + shown(entry));
    registers.push_back(entry.get<std::string>());
  }
  return registers;
}

void read_base(JsonReader& reader, const DeviceFile& file, FileCounter& result) {
  result.counter.block = reader.text("block");
  if (!file.slots.contains(result.counter.block)) {
    reader.fail("block \"" + result.counter.block + "\" has no slots");
  }
  result.registers = {result.counter.name};
  result.is_each = reader.has("each");
  if (result.is_each && reader.has("total")) reader.fail("\"total\" and \"each\" exclude each other");
  if (result.is_each || reader.has("total")) result.total = reader.text(result.is_each ? "each" : "total");
}

// Without an expression a derived counter reads the generic function, and "registers" alone says what it costs.
void read_derived(JsonReader& reader, FileCounter& result) {
  result.counter.is_derived = true;
  result.registers = read_registers(reader);
  if (reader.has("expression")) {
    result.counter.expression = reader.text("expression");
    if (result.counter.expression.empty())
      reader.fail("\"expression\" is empty: leave it out for the generic function");
  } else if (result.registers.empty()) {
    reader.fail("\"registers\" is empty: without \"expression\" there must be at least one");
  }
}

void read_constant(JsonReader& reader, const AgentProperties& agent, FileCounter& result) {
  const std::uint64_t value = reader.integer("constant", kMaxExact);
  result.counter.is_constant = true;
  result.constant = static_cast<double>(value);
  const auto check = [&](std::uint64_t known) {
    if (value != known) {
      reader.fail("\"constant\" is " + std::to_string(value) + ", but the agent has " + std::to_string(known));
    }
  };
  for (const auto& [name, field] : kAgentNumbers) {
    if (result.counter.name == name) check(agent.*field);
  }
  if (result.counter.name == "local_mem_size") check(agent.local_mem_size);
}

FileCounter read_counter(const json& value, const std::string& place, const DeviceFile& file, const Shapes& shapes) {
  JsonReader reader(value, place);
  FileCounter result;
  result.counter.name = reader.text("name");
  reader.rename(place + " \"" + result.counter.name + "\"");
  if (result.counter.name.empty()) reader.fail("\"name\" is empty");
  result.counter.id = static_cast<std::uint32_t>(reader.integer("id", 0xffff));
  result.counter.description = reader.text_or_empty("description");
  const bool is_base = reader.has("block");
  const bool is_derived = reader.has("expression") || reader.has("registers");
  const bool is_constant = reader.has("constant");
  if (int{is_base} + int{is_derived} + int{is_constant} != 1) {
    reader.fail(
        "exactly one of \"block\", \"registers\", \"constant\" is needed (\"expression\" goes with \"registers\")");
  }
  result.counter.dimensions = {{.id = 7, .name = "DIMENSION_INSTANCE", .size = 1}};
  if (is_base || (is_derived && reader.has("shape"))) {
    const std::string shape = reader.text("shape");
    const auto found = shapes.find(shape);
    if (found == shapes.end()) reader.fail("unknown shape \"" + shape + "\"");
    result.counter.dimensions = found->second;
  }
  if (is_base) read_base(reader, file, result);
  if (is_constant) read_constant(reader, file.agent, result);
  if (is_derived) read_derived(reader, result);
  reader.finish();
  return result;
}

void read_counters(const json& value, const std::string& path, const Shapes& shapes, DeviceFile& file) {
  if (!value.is_array()) throw std::runtime_error(path + ": \"counters\": expected a list");
  std::set<std::string> names;
  std::map<std::uint32_t, std::string> ids;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::string place = path + ": counters[" + std::to_string(i) + "]";
    FileCounter entry = read_counter(value[i], place, file, shapes);
    const std::string& name = entry.counter.name;
    if (!names.insert(name).second) throw std::runtime_error(place + " \"" + name + "\": this name is there twice");
    const auto [other, is_new] = ids.emplace(entry.counter.id, name);
    if (!is_new) {
      throw std::runtime_error(place + " \"" + name + "\": id " + std::to_string(entry.counter.id) + " is that of \"" +
                               other->second + "\"");
    }
    file.counters.push_back(std::move(entry));
  }
}

json parse_file(const std::string& path) {
  std::ifstream stream(path);
  if (!stream) throw std::runtime_error(path + ": cannot be opened");
  try {
    return json::parse(stream);
  } catch (const json::exception& error) {
    throw std::runtime_error(path + ": not JSON: " + error.what());
  }
}

}  // namespace

DeviceFile read_device_file(const std::string& path) {
  const json value = parse_file(path);
  JsonReader reader(value, path);
  if (const std::uint64_t schema = reader.integer("schema", kMax32); schema != 1) {
    reader.fail("schema " + std::to_string(schema) + " is not known, this program reads 1");
  }
  (void)reader.text("source");
  DeviceFile file;
  file.agent = read_agent(reader.member("agent"), path + ": agent");
  file.countable = reader.flag("countable", true);
  if (!file.countable) {
    reader.finish();  // slots, shapes and counters would never be looked at: they must not be there
    return file;
  }
  file.slots = read_slots(reader.member("slots"), path + ": slots");
  file.real_slots = file.slots;
  if (reader.has("real_slots")) {
    file.real_slots = read_real_slots(reader.member("real_slots"), path + ": real_slots", file.slots);
  }
  const Shapes shapes = read_shapes(reader.member("shapes"), path + ": shapes");
  read_counters(reader.member("counters"), path, shapes, file);
  reader.finish();
  return file;
}

}  // namespace multipass_sim
