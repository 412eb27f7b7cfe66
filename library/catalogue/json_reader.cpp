// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>
#include <set>
#include <type_traits>
#include <utility>

#include "catalogue/build.hpp"
#include "catalogue/json.hpp"

namespace multipass::catalogue {
namespace {

using Json = nlohmann::json;

// Walks one document and keeps the first thing that is wrong with it. Every reader below leaves its target alone when
// the member is absent, and does nothing after the first error.
class Reader final {
 public:
  explicit Reader(const std::string& source_name) : source_name_(source_name) {}

  [[nodiscard]] bool failed() const noexcept { return !static_cast<bool>(status_); }
  [[nodiscard]] const Status& status() const noexcept { return status_; }

  void fail(const std::string& place, const std::string& what) {
    if (!failed()) status_ = Status::error(source_name_ + ": " + place + ": " + what);
  }

  [[nodiscard]] const Json* member(const Json& object, const char* key) const {
    const auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
  }

  [[nodiscard]] const Json* required(const Json& object, const std::string& place, const char* key) {
    const Json* value = member(object, key);
    if (value == nullptr) fail(place, std::string{"\""} + key + "\" is missing");
    return value;
  }

  void text(const Json& object, const std::string& place, const char* key, std::string& target) {
    const Json* value = member(object, key);
    if (value == nullptr || failed()) return;
    if (!value->is_string()) return fail(place + "." + key, "must be a text");
    target = value->get_ref<const std::string&>();
  }

  void flag(const Json& object, const std::string& place, const char* key, bool& target) {
    const Json* value = member(object, key);
    if (value == nullptr || failed()) return;
    if (!value->is_boolean()) return fail(place + "." + key, "must be true or false");
    target = value->get<bool>();
  }

  template <typename Number>
  void number(const Json& object, const std::string& place, const char* key, Number& target) {
    const Json* value = member(object, key);
    if (value != nullptr && !failed()) target = integer<Number>(*value, place + "." + key);
  }

  template <typename Number>
  [[nodiscard]] Number integer(const Json& value, const std::string& place) {
    static_assert(std::is_integral_v<Number>);
    using Limits = std::numeric_limits<Number>;
    if (value.is_number_unsigned()) {
      if (const auto read = value.get<std::uint64_t>(); std::in_range<Number>(read)) return static_cast<Number>(read);
    } else if (value.is_number_integer()) {
      if (const auto read = value.get<std::int64_t>(); std::in_range<Number>(read)) return static_cast<Number>(read);
    }
    fail(place,
         "must be a whole number from " + std::to_string(Limits::min()) + " to " + std::to_string(Limits::max()));
    return 0;
  }

 private:
  const std::string& source_name_;
  Status status_;
};

void read_agent(Reader& reader, const Json& json, AgentInfo& agent) {
  const std::string place = "agent";
  std::string type = "gpu";
  reader.text(json, place, "type", type);
  if (type != "gpu" && type != "cpu") reader.fail("agent.type", "must be \"gpu\" or \"cpu\"");
  agent.type = type == "cpu" ? AgentType::kCpu : AgentType::kGpu;
  if (reader.required(json, place, "name") == nullptr) return;
  reader.text(json, place, "name", agent.name);
  reader.text(json, place, "vendor_name", agent.vendor_name);
  reader.text(json, place, "product_name", agent.product_name);
  reader.text(json, place, "model_name", agent.model_name);
  reader.text(json, place, "uuid", agent.uuid);
  reader.number(json, place, "index", agent.index.value);
  reader.number(json, place, "device", agent.device);
  reader.number(json, place, "node_id", agent.node_id);
  reader.number(json, place, "logical_node_id", agent.logical_node_id);
  reader.number(json, place, "logical_node_type_id", agent.logical_node_type_id);
  reader.number(json, place, "device_id", agent.device_id);
  reader.number(json, place, "cu_count", agent.cu_count);
  reader.number(json, place, "simd_count", agent.simd_count);
  reader.number(json, place, "simd_per_cu", agent.simd_per_cu);
  reader.number(json, place, "wave_front_size", agent.wave_front_size);
  reader.number(json, place, "num_xcc", agent.num_xcc);
  reader.number(json, place, "num_shader_banks", agent.num_shader_banks);
  reader.number(json, place, "max_waves_per_simd", agent.max_waves_per_simd);
  reader.number(json, place, "max_engine_clk_fcompute", agent.max_engine_clk_fcompute);
  reader.number(json, place, "local_mem_size", agent.local_mem_size);
  if (agent.name.empty()) reader.fail("agent.name", "must not be empty");
}

void read_slots(Reader& reader, const Json& json, std::map<std::string, std::uint32_t>& slots) {
  for (const auto& [block, value] : json.items()) slots[block] = reader.integer<std::uint32_t>(value, "slots." + block);
}

// "TCC:TCC_HIT": block, colon, key.
RegisterKey read_register(Reader& reader, const Json& json, const std::string& place) {
  if (!json.is_string()) {
    reader.fail(place, "must be a text");
    return {};
  }
  const auto& text = json.get_ref<const std::string&>();
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == text.size()) {
    reader.fail(place, "\"" + text + "\" must be BLOCK:COUNTER or BLOCK:COUNTER@FLAG");
    return {};
  }
  return {text.substr(0, colon), text.substr(colon + 1)};
}

// The "registers" of a counter; nothing when the member is absent.
std::optional<std::vector<RegisterKey>> read_registers(Reader& reader, const Json& counter, const std::string& place,
                                                       const std::map<std::string, std::uint32_t>& slots) {
  const Json* json = reader.member(counter, "registers");
  if (json == nullptr) return std::nullopt;
  std::set<RegisterKey> keys;
  if (!json->is_array()) reader.fail(place + ".registers", "must be a list");
  for (std::size_t i = 0; !reader.failed() && i < json->size(); ++i) {
    const std::string where = place + ".registers[" + std::to_string(i) + "]";
    RegisterKey key = read_register(reader, (*json)[i], where);
    if (!reader.failed() && !slots.contains(key.block))
      reader.fail(where, "block " + key.block + " is not in \"slots\"");
    keys.insert(std::move(key));
  }
  return std::vector<RegisterKey>{keys.begin(), keys.end()};
}

void read_counter(Reader& reader, const Json& json, const std::string& place, AgentCatalogue& catalogue) {
  if (!json.is_object()) return reader.fail(place, "must be an object");
  if (reader.required(json, place, "name") == nullptr) return;
  CounterInfo counter;
  reader.text(json, place, "name", counter.name);
  reader.text(json, place, "description", counter.description);
  reader.text(json, place, "block", counter.block);
  reader.text(json, place, "expression", counter.expression);
  reader.flag(json, place, "is_constant", counter.is_constant);
  reader.flag(json, place, "is_derived", counter.is_derived);
  reader.number(json, place, "instances", counter.instances);
  std::optional<std::vector<RegisterKey>> registers = read_registers(reader, json, place, catalogue.slots);
  if (reader.failed()) return;
  std::string name = counter.name;
  if (name.empty()) return reader.fail(place + ".name", "must not be empty");
  if (!catalogue.counters.emplace(name, std::move(counter)).second)
    return reader.fail(place + ".name", "\"" + name + "\" is there twice");
  if (registers) catalogue.register_keys.emplace(std::move(name), std::move(*registers));
}

void read_catalogue(Reader& reader, const Json& json, AgentCatalogue& catalogue) {
  if (!json.is_object()) return reader.fail("document", "must be an object");
  int schema = 0;
  reader.number(json, "document", "schema", schema);
  if (schema != kCatalogueSchema) reader.fail("schema", "must be " + std::to_string(kCatalogueSchema));
  if (json.contains("agents"))
    return reader.fail("document",
                       "is a plan or a list of counters, not a catalogue as 'counters --save FILE' writes it");
  const Json* agent = reader.required(json, "document", "agent");
  const Json* slots = reader.required(json, "document", "slots");
  const Json* counters = reader.required(json, "document", "counters");
  if (reader.failed()) return;
  if (!agent->is_object()) return reader.fail("agent", "must be an object");
  if (!slots->is_object()) return reader.fail("slots", "must be an object");
  if (!counters->is_array()) return reader.fail("counters", "must be a list");
  read_agent(reader, *agent, catalogue.agent);
  read_slots(reader, *slots, catalogue.slots);
  for (std::size_t i = 0; !reader.failed() && i < counters->size(); ++i)
    read_counter(reader, (*counters)[i], "counters[" + std::to_string(i) + "]", catalogue);
  for (const auto& [name, counter] : catalogue.counters)
    if (!catalogue.register_keys.contains(name))
      catalogue.register_keys.emplace(name, register_keys(counter, catalogue.counters));
}

}  // namespace

Result<AgentCatalogue> from_json(std::string_view text, const std::string& source_name) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception& error) {
    return Status::error(source_name + ": not valid JSON: " + error.what());
  }
  Reader reader{source_name};
  AgentCatalogue catalogue;
  read_catalogue(reader, json, catalogue);
  if (reader.failed()) return reader.status();
  return catalogue;
}

}  // namespace multipass::catalogue
