// SPDX-License-Identifier: MIT
#include "sim/counters/evaluate.hpp"

#include <algorithm>
#include <numeric>

#include "sim/counters/activity_members.hpp"

namespace multipass_sim {
namespace {

// What accumulate() makes of a counter. LOW_RES adds the level every fourth cycle, HIGH_RES in each.
constexpr double kLowResolutionFactor = 1;
constexpr double kHighResolutionFactor = 4;

constexpr std::uint32_t kFnvOffset = 2166136261U;
constexpr std::uint32_t kFnvPrime = 16777619U;

std::uint32_t fnv1a(std::uint32_t hash, std::string_view text) noexcept {
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= kFnvPrime;
  }
  return hash;
}

double combine(Expression::Kind kind, double left, double right) noexcept {
  switch (kind) {
    case Expression::Kind::kAdd:
      return left + right;
    case Expression::Kind::kSubtract:
      return left - right;
    case Expression::Kind::kMultiply:
      return left * right;
    default:
      return right == 0 ? 0 : left / right;
  }
}

double reduce(Reduction reduction, const std::vector<double>& values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  switch (reduction) {
    case Reduction::kMax:
      return *std::ranges::max_element(values);
    case Reduction::kMin:
      return *std::ranges::min_element(values);
    case Reduction::kAverage:
      return sum / static_cast<double>(values.size());
    default:
      return sum;
  }
}

void scale(std::vector<double>& values, double factor) noexcept {
  for (double& value : values) value *= factor;
}

}  // namespace

std::uint64_t generic_total(std::string_view counter, std::string_view kernel,
                            const multipass_sim_activity& activity) noexcept {
  const std::uint32_t hash = fnv1a(fnv1a(fnv1a(kFnvOffset, counter), "\n"), kernel);
  return activity.waves * (1 + hash % 97) + activity.workgroups;
}

std::vector<double> spread(std::uint64_t total, std::uint64_t instances) {
  std::vector<double> values(instances);
  for (std::uint64_t i = 0; i < instances; ++i) {
    const std::uint64_t extra = i < total % instances ? 1 : 0;
    const std::uint64_t value = total / instances + extra;
    values[i] = static_cast<double>(value);
  }
  return values;
}

std::vector<double> Evaluator::instances(std::size_t position) const {
  const Formula& formula = formulas_[position];
  if (formula.expression) return values(*formula.expression);
  if (counters_[position].is_constant) return {formula.constant};
  const std::uint64_t sum =
      formula.total ? total(*formula.total) : generic_total(counters_[position].name, kernel_, activity_);
  if (formula.is_each) return std::vector<double>(formula.instances, static_cast<double>(sum));
  return spread(sum, formula.instances);
}

std::uint64_t Evaluator::total(const Expression& node) const {
  if (node.kind == Expression::Kind::kNumber) return static_cast<std::uint64_t>(node.number);
  if (node.kind == Expression::Kind::kName) return activity_.*kActivityMembers[node.target].field;
  const std::uint64_t left = total(node.operands[0]);
  const std::uint64_t right = total(node.operands[1]);
  switch (node.kind) {
    case Expression::Kind::kAdd:
      return left + right;
    case Expression::Kind::kSubtract:
      return left > right ? left - right : 0;
    case Expression::Kind::kMultiply:
      return left * right;
    default:
      return right == 0 ? 0 : left / right;
  }
}

std::vector<double> Evaluator::values(const Expression& node) const {
  switch (node.kind) {
    case Expression::Kind::kNumber:
      return {node.number};
    case Expression::Kind::kName:
      return instances(node.target);
    case Expression::Kind::kReduce:
      return {reduce(node.reduction, values(node.operands[0]))};
    case Expression::Kind::kAccumulate: {
      std::vector<double> result = instances(node.target);
      scale(result, node.resolution == Resolution::kHigh ? kHighResolutionFactor : kLowResolutionFactor);
      return result;
    }
    case Expression::Kind::kNegate: {
      std::vector<double> result = values(node.operands[0]);
      scale(result, -1);
      return result;
    }
    default:
      break;
  }
  const std::vector<double> left = values(node.operands[0]);
  const std::vector<double> right = values(node.operands[1]);
  std::vector<double> result(std::max(left.size(), right.size()));
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = combine(node.kind, left[left.size() == 1 ? 0 : i], right[right.size() == 1 ? 0 : i]);
  }
  return result;
}

}  // namespace multipass_sim
