// SPDX-License-Identifier: MIT
#include "sim/counters/definitions.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "sim/counters/expression.hpp"
#include "sim/counters/json_reader.hpp"

namespace multipass_sim {
namespace {

using nlohmann::json;
using Model = std::shared_ptr<const DeviceModel>;

constexpr std::uint32_t kMaxId = 0xffff;  // an instance id has 16 bits for it

const json& list_of(JsonReader& reader, const char* member) {
  const json& value = reader.member(member);
  if (!value.is_array() || value.empty()) {
    reader.fail("\"" + std::string(member) + "\": expected a list with entries");
  }
  return value;
}

std::string text_of(JsonReader& reader, const char* member) {
  std::string text = reader.text(member);
  if (text.empty()) reader.fail("\"" + std::string(member) + "\" is empty");
  return text;
}

// Also for architectures that this process does not have, so that a fault does not wait for a machine that does.
void check_syntax(const JsonReader& reader, const std::string& expression) {
  try {
    static_cast<void>(parse_expression(expression));
  } catch (const ExpressionError& error) {
    reader.fail("expression column " + std::to_string(error.column()) + ": " + error.what());
  }
}

void read_definition(const json& value, CounterDefinition definition, std::vector<CounterDefinition>& result) {
  JsonReader reader(value, definition.place);
  if (reader.has("block") || reader.has("event")) {
    reader.fail("\"block\" and \"event\" define a base counter, the simulator takes an \"expression\" only");
  }
  definition.expression = text_of(reader, "expression");
  const json& architectures = list_of(reader, "architectures");
  reader.finish();
  check_syntax(reader, definition.expression);
  for (const json& entry : architectures) {
    if (!entry.is_string()) reader.fail("\"architectures\": expected text, found " + shown(entry));
    definition.architecture = entry.get<std::string>();
    result.push_back(definition);
  }
}

void read_counter(const json& value, const std::string& place, std::vector<CounterDefinition>& result) {
  JsonReader reader(value, place);
  CounterDefinition definition;
  definition.name = text_of(reader, "name");
  reader.rename(place + " \"" + definition.name + "\"");
  definition.description = reader.text("description");
  if (reader.has("properties")) static_cast<void>(reader.member("properties"));  // means nothing here
  const json& definitions = list_of(reader, "definitions");
  reader.finish();
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    definition.place = reader.place() + ": definitions[" + std::to_string(i) + "]";
    read_definition(definitions[i], definition, result);
  }
}

std::vector<CounterDefinition> read_text(std::string_view text) {
  const std::string place = "counter definitions";
  json value;
  try {
    value = json::parse(text);
  } catch (const json::exception& error) {
    throw std::runtime_error(place + ": not YAML in the flow style that is also JSON: " + error.what());
  }
  JsonReader outer(value, place);
  JsonReader reader(outer.member("rocprofiler-sdk"), place + ": rocprofiler-sdk");
  outer.finish();
  constexpr const char* kSchema = "counters-schema-version";
  if (reader.has(kSchema) && reader.integer(kSchema, UINT32_MAX) != 1) {
    reader.fail("\"" + std::string(kSchema) + "\" is " + shown(reader.member(kSchema)) + ", this library reads 1");
  }
  const json& counters = list_of(reader, "counters");
  reader.finish();
  std::vector<CounterDefinition> result;
  for (std::size_t i = 0; i < counters.size(); ++i) {
    read_counter(counters[i], place + ": counters[" + std::to_string(i) + "]", result);
  }
  return result;
}

class Extension {
 public:
  Extension(const std::vector<Model>& devices, std::vector<CounterDefinition> definitions)
      : definitions_(std::move(definitions)) {
    for (const Model& model : devices) {
      if (!model) continue;
      for (const Counter& counter : model->counters()) taken_.insert(counter.id);
    }
  }

  Model of(const Model& model) {
    if (!model || !model->countable()) return model;
    Model& extended = extended_[model];
    if (!extended) extended = extend(model);
    return extended;
  }

 private:
  Model extend(const Model& model) {
    std::uint32_t next = 0;
    for (const Counter& counter : model->counters()) next = std::max(next, counter.id + 1);
    std::set<std::string_view> names;
    std::vector<CounterDefinition> own;
    for (const CounterDefinition& definition : definitions_) {
      if (definition.architecture != model->agent().name) continue;
      if (model->find(definition.name) != nullptr || !names.insert(definition.name).second) {
        throw std::runtime_error(definition.place + ": " + definition.architecture +
                                 " already has a counter of this name");
      }
      own.push_back(definition);
      own.back().id = next = free_id(next, definition.place);
    }
    return own.empty() ? model : std::make_shared<const DeviceModel>(model->with(own));
  }

  std::uint32_t free_id(std::uint32_t from, const std::string& place) {
    while (from <= kMaxId && !taken_.insert(from).second) ++from;
    if (from > kMaxId)
      throw std::runtime_error(place + ": there is no counter id left up to " + std::to_string(kMaxId));
    return from;
  }

  std::vector<CounterDefinition> definitions_;
  std::set<std::uint32_t> taken_;
  std::map<Model, Model> extended_;
};

}  // namespace

std::vector<Model> with_definitions(const std::vector<Model>& devices, std::string_view text) {
  Extension extension(devices, read_text(text));
  std::vector<Model> result;
  result.reserve(devices.size());
  for (const Model& model : devices) result.push_back(extension.of(model));
  return result;
}

}  // namespace multipass_sim
