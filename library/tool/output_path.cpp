// SPDX-License-Identifier: MIT
#include "tool/output_path.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/environment.hpp"
#include "tool/process_info.hpp"

namespace multipass::tool {
namespace {

std::optional<std::string> value_of(const std::string& token) {
  if (token == "pid") return std::to_string(::getpid());
  if (token == "ppid") return std::to_string(::getppid());
  if (token == "rank") return std::to_string(launcher_rank().value_or(0));
  if (token == "hostname") return host_name();
  if (token.starts_with("env{") && token.ends_with('}') && token.size() > std::string_view("env{}").size())
    return environment::get(token.substr(4, token.size() - 5)).value_or("");
  return std::nullopt;
}

// Length of the %word% or %word{argument}% that begins at `at`, 0 when it is none.
std::size_t token_length(const std::string& path, std::size_t at) {
  const auto is_word = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  std::size_t end = at + 1;
  while (end < path.size() && is_word(path[end])) ++end;
  if (end == at + 1 || end >= path.size()) return 0;
  if (path[end] == '{') {
    end = path.find_first_of("{}%", end + 1);
    if (end == std::string::npos || path[end] != '}') return 0;
    ++end;
  }
  return end < path.size() && path[end] == '%' ? end + 1 - at : 0;
}

}  // namespace

std::string expand_tokens(const std::string& path, std::vector<std::string>& unknown) {
  std::string out;
  std::size_t at = 0;
  while (at < path.size()) {
    const std::size_t open = path.find('%', at);
    const std::size_t length = open == std::string::npos ? 0 : token_length(path, open);
    if (open == std::string::npos) break;
    out.append(path, at, open - at);
    at = open + std::max<std::size_t>(length, 1);
    if (length == 0) {  // a percent sign
      out += '%';
      continue;
    }
    const std::string whole = path.substr(open, length);
    if (auto value = value_of(whole.substr(1, length - 2))) {
      std::replace(value->begin(), value->end(), '/', '_');
      out += *value;
    } else {
      unknown.push_back(whole);
      out += whole;
    }
  }
  return at < path.size() ? out.append(path, at) : out;
}

Status make_directories(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error && !std::filesystem::is_directory(path, error) && !error)
    error = std::make_error_code(std::errc::not_a_directory);
  if (error) return Status::error("cannot create the output folder " + path + ": " + error.message());
  if (::access(path.c_str(), W_OK | X_OK) != 0)
    return Status::error("cannot write into the output folder " + path + ": " +
                         std::error_code(errno, std::generic_category()).message());
  return Status::ok();
}

std::string file_id(unsigned attempt) {
  const std::string pid = std::to_string(::getpid());
  const auto rank = launcher_rank();
  if (!rank) return attempt == 0 ? pid : pid + "-" + std::to_string(attempt);
  std::string id = "rank" + std::to_string(*rank);
  if (attempt == 0) return id;
  return attempt == 1 ? id + "-" + pid : id + "-" + pid + "-" + std::to_string(attempt - 1);
}

}  // namespace multipass::tool
