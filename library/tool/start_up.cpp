// SPDX-License-Identifier: MIT
#include "tool/start_up.hpp"

#include <array>
#include <cstdio>
#include <utility>

namespace multipass::tool {
namespace {

std::string milliseconds(Stopwatch::Clock::duration duration) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", std::chrono::duration<double, std::milli>(duration).count());
  return text.data();
}

}  // namespace

std::string sentence(const StartUpCost& cost) {
  const std::array<std::pair<const char*, Stopwatch::Clock::duration>, 7> phases{{{"settings", cost.settings},
                                                                                  {"counters", cost.counters},
                                                                                  {"slots", cost.slots},
                                                                                  {"plan", cost.plan},
                                                                                  {"configurations", cost.configs},
                                                                                  {"journal", cost.journal},
                                                                                  {"services", cost.services}}};
  Stopwatch::Clock::duration all{};
  std::string list;
  for (const auto& [name, spent] : phases) {
    all += spent;
    list += std::string(list.empty() ? "" : ", ") + name + " " + milliseconds(spent);
  }
  return "ready after " + milliseconds(all) + " ms: " + list +
         "; configurations asked of the SDK: " + std::to_string(cost.configs_asked);
}

}  // namespace multipass::tool
