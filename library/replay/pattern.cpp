// SPDX-License-Identifier: MIT
#include "replay/pattern.hpp"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>
#include <utility>

namespace multipass::replay {
namespace {

// Names are UTF-8 as a rule; one that is not is searched too, around what is wrong in it.
constexpr std::uint32_t kOptions = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF;
constexpr std::uint32_t kMaxSteps = 1'000'000;  // about 10 ms
constexpr std::uint32_t kMaxHeapKiB = 4096;

PCRE2_SPTR units(std::string_view text) noexcept {
  return reinterpret_cast<PCRE2_SPTR>(text.data());
}

}  // namespace

struct Pattern::Code {
  std::unique_ptr<pcre2_code, decltype(&pcre2_code_free)> code{nullptr, &pcre2_code_free};
  std::unique_ptr<pcre2_match_context, decltype(&pcre2_match_context_free)> limits{nullptr, &pcre2_match_context_free};
};

Result<Pattern> Pattern::compile(const std::string& text) {
  int fault = 0;
  PCRE2_SIZE offset = 0;
  auto made = std::make_shared<Code>();
  made->code.reset(pcre2_compile(units(text), text.size(), kOptions, &fault, &offset, nullptr));
  if (!made->code) {
    std::array<PCRE2_UCHAR, 256> why{};
    pcre2_get_error_message(fault, why.data(), why.size());
    return Status::error("column " + std::to_string(offset + 1) + ": " + reinterpret_cast<const char*>(why.data()));
  }
  made->limits.reset(pcre2_match_context_create(nullptr));
  if (!made->limits) return Status::error("out of memory");
  pcre2_set_match_limit(made->limits.get(), kMaxSteps);
  pcre2_set_heap_limit(made->limits.get(), kMaxHeapKiB);
  return Pattern(std::move(made));
}

Result<std::optional<Pattern>> Pattern::of_setting(const char* setting, const std::string& text) {
  if (text.empty()) return std::optional<Pattern>();
  Result<Pattern> pattern = compile(text);
  if (!pattern) return Status::error(std::string(setting) + " '" + text + "': " + pattern.message());
  return std::optional<Pattern>(*std::move(pattern));
}

std::optional<bool> Pattern::found_in(std::string_view name) const noexcept {
  const std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> data(pcre2_match_data_create(1, nullptr),
                                                                                 &pcre2_match_data_free);
  if (!data) return std::nullopt;
  const int found = pcre2_match(code_->code.get(), units(name), name.size(), 0, 0, data.get(), code_->limits.get());
  if (found >= 0) return true;
  if (found == PCRE2_ERROR_NOMATCH) return false;
  return std::nullopt;
}

}  // namespace multipass::replay
