// SPDX-License-Identifier: MIT
#include "sim/counters/device_model.hpp"

#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "sim/counters/definitions.hpp"
#include "sim/counters/device_file.hpp"
#include "sim/counters/evaluate.hpp"
#include "sim/counters/formulas.hpp"

namespace multipass_sim {
namespace {

constexpr unsigned kCounterShift = 48;
constexpr unsigned kDimensionBits = 6;

// The place of the i-th instance in each dimension, earlier-listed dimensions changing fastest.
std::uint64_t instance_id(const Counter& counter, std::uint64_t instance) noexcept {
  std::uint64_t id = static_cast<std::uint64_t>(counter.id) << kCounterShift;
  for (const Dimension& dimension : counter.dimensions) {
    id |= (instance % dimension.size) << (kDimensionBits * (dimension.id - 1));
    instance /= dimension.size;
  }
  return id;
}

struct BlockUse {
  std::uint64_t keys = 0;    // distinct register keys: what the SDK counts
  std::uint64_t hidden = 0;  // registers that accumulations need beside them
  std::uint64_t slots = 0;   // what the SDK allows
  std::uint64_t real = 0;    // what there is
};

std::map<std::size_t, BlockUse> count(const std::set<Register>& registers, const std::vector<Formula>& formulas) {
  std::map<std::size_t, std::uint64_t> accumulations;  // per base counter
  std::map<std::size_t, BlockUse> blocks;
  for (const Register& used : registers) {
    const Formula& base = formulas[used.base];
    BlockUse& block = blocks[base.block];
    block.slots = base.slots;
    block.real = base.real_slots;
    ++block.keys;
    if (used.resolution != Resolution::kPlain) ++accumulations[used.base];
  }
  // Each accumulation follows a register with the plain counter; a plain counter asked for anyway serves one of them.
  for (const auto& [base, number] : accumulations) {
    const bool has_plain = registers.contains({.base = base});
    blocks[formulas[base].block].hidden += has_plain ? number - 1 : number;
  }
  return blocks;
}

FileCounter file_counter(const CounterDefinition& definition) {
  FileCounter result;
  result.counter.id = definition.id;
  result.counter.name = definition.name;
  result.counter.description = definition.description;
  result.counter.expression = definition.expression;
  result.counter.is_derived = true;
  result.counter.dimensions = {{.id = 7, .name = "DIMENSION_INSTANCE", .size = 1}};
  result.definition = definition.place;
  return result;
}

// What the SDK says of a derived counter that reads the generic function. Tools find out from expressions which
// registers a counter costs, so there must be one; no counter is called "generic", words before "(" are functions.
std::string generic_expression(const std::vector<std::string>& registers) {
  std::string text;
  for (const std::string& key : registers) {
    const std::size_t at = key.find('@');
    text += text.empty() ? "generic(" : ", ";
    text += at == std::string::npos ? key : "accumulate(" + key.substr(0, at) + ", " + key.substr(at + 1) + ")";
  }
  return text + ")";
}

}  // namespace

struct DeviceModel::State {
  std::string path;
  AgentProperties agent;
  bool countable = true;
  std::vector<Counter> counters;
  std::vector<Formula> formulas;  // formulas[i] belongs to counters[i]
  std::unordered_map<std::uint32_t, std::size_t> by_id;
  std::map<std::string, std::size_t, std::less<>> by_name;
};

std::uint64_t Counter::instances() const noexcept {
  std::uint64_t product = 1;
  for (const Dimension& dimension : dimensions) product *= dimension.size;
  return product;
}

DeviceModel::DeviceModel(std::shared_ptr<const State> state) noexcept : state_(std::move(state)) {}

DeviceModel DeviceModel::load(const std::string& path) {
  return load(path, {});
}

DeviceModel DeviceModel::with(const std::vector<CounterDefinition>& definitions) const {
  return load(state_->path, definitions);
}

DeviceModel DeviceModel::load(const std::string& path, const std::vector<CounterDefinition>& definitions) {
  DeviceFile file = read_device_file(path);
  for (const CounterDefinition& definition : definitions) file.counters.push_back(file_counter(definition));
  auto state = std::make_shared<State>();
  state->path = path;
  state->formulas = bind_formulas(file, path);
  state->agent = std::move(file.agent);
  state->countable = file.countable;
  for (FileCounter& entry : file.counters) {
    const std::size_t position = state->counters.size();
    state->by_id.emplace(entry.counter.id, position);
    state->by_name.emplace(entry.counter.name, position);
    if (entry.counter.is_derived && entry.counter.expression.empty()) {
      entry.counter.expression = generic_expression(entry.registers);
    }
    state->counters.push_back(std::move(entry.counter));
  }
  return DeviceModel(std::move(state));
}

const AgentProperties& DeviceModel::agent() const noexcept {
  return state_->agent;
}

bool DeviceModel::countable() const noexcept {
  return state_->countable;
}

const std::vector<Counter>& DeviceModel::counters() const noexcept {
  return state_->counters;
}

const Counter* DeviceModel::find(std::uint32_t id) const noexcept {
  const auto found = state_->by_id.find(id);
  return found == state_->by_id.end() ? nullptr : &state_->counters[found->second];
}

const Counter* DeviceModel::find(std::string_view name) const noexcept {
  const auto found = state_->by_name.find(name);
  return found == state_->by_name.end() ? nullptr : &state_->counters[found->second];
}

// Ids of other devices cost nothing here: create_counter_config has answered before it asks for the fit.
Fit DeviceModel::fit(const std::vector<std::uint32_t>& counter_ids) const {
  std::set<Register> registers;
  for (const std::uint32_t id : counter_ids) {
    const auto found = state_->by_id.find(id);
    if (found == state_->by_id.end()) continue;
    const std::set<Register>& needed = state_->formulas[found->second].registers;
    registers.insert(needed.begin(), needed.end());
  }
  Fit result = Fit::kFits;
  for (const auto& [unused, block] : count(registers, state_->formulas)) {
    if (block.keys > block.slots) return Fit::kRefused;
    if (block.keys + block.hidden > block.real) result = Fit::kOverflows;
  }
  return result;
}

std::vector<InstanceValue> DeviceModel::read(const Counter& counter, const multipass_sim_activity& activity,
                                             std::string_view kernel_name) const {
  const auto found = state_->by_id.find(counter.id);
  if (found == state_->by_id.end()) return {};
  const std::size_t position = found->second;
  const Counter& own = state_->counters[position];
  const Evaluator evaluator(state_->counters, state_->formulas, activity, kernel_name);
  const std::vector<double> values = evaluator.instances(position);
  std::vector<InstanceValue> result;
  result.reserve(values.size());
  for (const double value : values) result.push_back({instance_id(own, result.size()), value});
  return result;
}

}  // namespace multipass_sim
