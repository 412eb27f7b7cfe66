// SPDX-License-Identifier: MIT
#include "sim/counters/formulas.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "sim/counters/activity_members.hpp"

namespace multipass_sim {
namespace {

constexpr double kMaxExact = 9007199254740992.0;  // 2^53
constexpr std::size_t kMaxNesting = 32;           // bounds the recursion through derived counters
constexpr const char* kLowSuffix = "@LOW_RES";
constexpr const char* kHighSuffix = "@HIGH_RES";

class Binder {
 public:
  Binder(DeviceFile& file, const std::string& path)
      : file_(file), path_(path), formulas_(file.counters.size()), states_(file.counters.size(), State::kUntouched) {
    for (std::size_t i = 0; i < file_.counters.size(); ++i) positions_.emplace(file_.counters[i].counter.name, i);
  }

  std::vector<Formula> bind_all() {
    for (std::size_t i = 0; i < formulas_.size(); ++i) bind(i);
    return std::move(formulas_);
  }

 private:
  enum class State : std::uint8_t { kUntouched, kInWork, kDone };
  using Shape = std::vector<Dimension>;  // empty: one number

  const Counter& counter(std::size_t position) const { return file_.counters[position].counter; }

  std::string place(std::size_t position) const {
    if (const std::string& defined = file_.counters[position].definition; !defined.empty()) return defined;
    return path_ + ": counters[" + std::to_string(position) + "] \"" + counter(position).name + "\"";
  }

  Expression parse(std::size_t position, const std::string& text, const char* member) const {
    return with_place(position, member, [&] { return parse_expression(text); });
  }

  // Adds file, counter and column to what goes wrong inside.
  template <typename Work>
  std::invoke_result_t<Work> with_place(std::size_t position, const char* member, Work work) const {
    try {
      return work();
    } catch (const ExpressionError& error) {
      throw std::runtime_error(place(position) + ": " + member + " column " + std::to_string(error.column()) + ": " +
                               error.what());
    }
  }

  void bind(std::size_t position) {
    if (states_[position] == State::kDone) return;
    if (in_work_.size() == kMaxNesting) {
      throw std::runtime_error(place(position) + ": derived counters nested more than " + std::to_string(kMaxNesting) +
                               " deep");
    }
    states_[position] = State::kInWork;
    in_work_.push_back(position);
    const FileCounter& entry = file_.counters[position];
    Formula& formula = formulas_[position];
    formula.instances = entry.counter.instances();
    formula.constant = entry.constant;
    if (entry.counter.is_derived) {
      bind_derived(position);
    } else if (!entry.counter.is_constant) {
      bind_base(position);
    }
    in_work_.pop_back();
    states_[position] = State::kDone;
  }

  void bind_base(std::size_t position) {
    Formula& formula = formulas_[position];
    const auto block = file_.slots.find(counter(position).block);
    formula.slots = block->second;
    formula.real_slots = file_.real_slots.at(block->first);
    formula.block = static_cast<std::size_t>(std::distance(file_.slots.begin(), block));
    formula.registers = {{.base = position}};
    if (const auto& text = file_.counters[position].total) {
      formula.is_each = file_.counters[position].is_each;
      const char* member = formula.is_each ? "each" : "total";
      Expression total = parse(position, *text, member);
      with_place(position, member, [&] { bind_total(total); });
      formula.total = std::move(total);
    }
  }

  static void bind_total(Expression& node) {
    switch (node.kind) {
      case Expression::Kind::kNumber:
        if (node.number > kMaxExact || node.number != std::floor(node.number)) {
          throw ExpressionError(node.column, "a total is made of integers up to 2^53");
        }
        break;
      case Expression::Kind::kName: {
        const auto found = std::ranges::find(kActivityMembers, node.name, &ActivityMember::name);
        if (found == kActivityMembers.end()) {
          throw ExpressionError(node.column, "unknown activity member \"" + node.name + "\"");
        }
        node.target = static_cast<std::size_t>(std::distance(kActivityMembers.begin(), found));
        break;
      }
      case Expression::Kind::kNegate:
      case Expression::Kind::kReduce:
      case Expression::Kind::kAccumulate:
        throw ExpressionError(node.column, "a total knows only names, integers, + - * / and parentheses");
      default:
        break;
    }
    for (Expression& operand : node.operands) bind_total(operand);
  }

  void bind_derived(std::size_t position) {
    if (counter(position).expression.empty()) {
      for (const std::string& key : file_.counters[position].registers) {
        formulas_[position].registers.insert(register_of(position, key));
      }
      return;
    }
    Expression tree = parse(position, counter(position).expression, "expression");
    const Shape shape = with_place(position, "expression", [&] { return bind_node(tree, position); });
    if (!file_.counters[position].definition.empty()) {
      if (!shape.empty()) file_.counters[position].counter.dimensions = shape;
      formulas_[position].instances = counter(position).instances();
      formulas_[position].expression = std::move(tree);
      return;
    }
    const bool is_scalar = shape.empty();
    if (is_scalar != (formulas_[position].instances == 1) || (!is_scalar && !same(shape, counter(position)))) {
      throw std::runtime_error(place(position) + ": the expression has " + std::to_string(instances_of(shape)) +
                               " instances, the counter has " + std::to_string(formulas_[position].instances) +
                               " or other dimensions");
    }
    formulas_[position].expression = std::move(tree);
    check_registers(position);
  }

  // "TCC_HIT" or "SQ_LEVEL_WAVES@HIGH_RES", as key_of writes them.
  Register register_of(std::size_t owner, const std::string& key) const {
    const std::size_t at = std::min(key.find('@'), key.size());
    Register found;
    if (at < key.size()) found.resolution = key.substr(at) == kLowSuffix ? Resolution::kLow : Resolution::kHigh;
    const auto base = positions_.find(key.substr(0, at));
    if (base != positions_.end()) found.base = base->second;
    if (base == positions_.end() || counter(found.base).block.empty() || key_of(found) != key) {
      throw std::runtime_error(place(owner) + ": register \"" + key +
                               "\" is not a base counter, or one with @LOW_RES or @HIGH_RES");
    }
    return found;
  }

  std::string key_of(const Register& used) const {
    const char* suffix = "";
    if (used.resolution == Resolution::kLow) suffix = kLowSuffix;
    if (used.resolution == Resolution::kHigh) suffix = kHighSuffix;
    return counter(used.base).name + suffix;
  }

  static std::uint64_t instances_of(const Shape& shape) {
    std::uint64_t product = 1;
    for (const Dimension& dimension : shape) product *= dimension.size;
    return product;
  }

  static bool same(const Shape& left, const Shape& right) {
    return std::ranges::equal(left, right,
                              [](const Dimension& a, const Dimension& b) { return a.id == b.id && a.size == b.size; });
  }
  static bool same(const Shape& left, const Counter& right) { return same(left, right.dimensions); }

  Shape bind_node(Expression& node, std::size_t owner) {
    switch (node.kind) {
      case Expression::Kind::kNumber:
        return {};
      case Expression::Kind::kName:
        return bind_name(node, owner);
      case Expression::Kind::kAccumulate:
        return bind_accumulate(node, owner);
      case Expression::Kind::kReduce:
        bind_node(node.operands[0], owner);
        return {};
      case Expression::Kind::kNegate:
        return bind_node(node.operands[0], owner);
      default:
        break;
    }
    Shape left = bind_node(node.operands[0], owner);
    Shape right = bind_node(node.operands[1], owner);
    if (!left.empty() && !right.empty() && !same(left, right)) {
      throw ExpressionError(node.column, "operands of " + std::to_string(instances_of(left)) + " and " +
                                             std::to_string(instances_of(right)) +
                                             " instances: reduce one of them first");
    }
    return left.empty() ? right : left;
  }

  std::size_t look_up(const Expression& node) const {
    const auto found = positions_.find(node.name);
    if (found == positions_.end()) throw ExpressionError(node.column, "unknown name \"" + node.name + "\"");
    return found->second;
  }

  Shape shape_of(std::size_t position) const {
    return counter(position).instances() == 1 ? Shape{} : counter(position).dimensions;
  }

  Shape bind_name(Expression& node, std::size_t owner) {
    node.target = look_up(node);
    if (states_[node.target] == State::kInWork) throw ExpressionError(node.column, cycle(node.target));
    bind(node.target);
    formulas_[owner].registers.insert(formulas_[node.target].registers.begin(), formulas_[node.target].registers.end());
    return shape_of(node.target);
  }

  Shape bind_accumulate(Expression& node, std::size_t owner) {
    node.target = look_up(node);
    if (counter(node.target).block.empty()) {
      throw ExpressionError(node.column, "accumulate of \"" + node.name + "\", which is not a base counter");
    }
    formulas_[owner].registers.insert({.base = node.target, .resolution = node.resolution});
    return shape_of(node.target);
  }

  std::string cycle(std::size_t back_to) const {
    std::string text = "recursion: ";
    const auto begin = std::ranges::find(in_work_, back_to);
    for (auto it = begin; it != in_work_.end(); ++it) text += counter(*it).name + " -> ";
    return text + counter(back_to).name;
  }

  // What the file says a derived counter costs must be what its expression costs.
  void check_registers(std::size_t position) const {
    std::set<std::string> made;
    for (const Register& used : formulas_[position].registers) made.insert(key_of(used));
    const auto& list = file_.counters[position].registers;
    const std::set<std::string> said(list.begin(), list.end());
    for (const std::string& key : said) {
      if (!made.contains(key))
        throw std::runtime_error(place(position) + ": the expression does not use register \"" + key + "\"");
    }
    for (const std::string& key : made) {
      if (!said.contains(key)) throw std::runtime_error(place(position) + ": \"registers\" lacks \"" + key + "\"");
    }
  }

  DeviceFile& file_;
  const std::string& path_;
  std::vector<Formula> formulas_;
  std::vector<State> states_;
  std::vector<std::size_t> in_work_;
  std::unordered_map<std::string, std::size_t> positions_;
};

}  // namespace

std::vector<Formula> bind_formulas(DeviceFile& file, const std::string& path) {
  return Binder(file, path).bind_all();
}

}  // namespace multipass_sim
