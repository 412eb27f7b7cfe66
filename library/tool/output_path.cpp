// SPDX-License-Identifier: MIT
#include "tool/output_path.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
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
  if (token.starts_with("env{") && token.ends_with('}'))
    return environment::get(token.substr(4, token.size() - 5)).value_or("");
  return std::nullopt;
}

}  // namespace

std::string expand_tokens(const std::string& path, std::vector<std::string>& unknown) {
  std::string out;
  std::size_t at = 0;
  while (at < path.size()) {
    const std::size_t open = path.find('%', at);
    const std::size_t close = open == std::string::npos ? open : path.find('%', open + 1);
    if (close == std::string::npos) break;
    out.append(path, at, open - at);
    const std::string token = path.substr(open + 1, close - open - 1);
    if (auto value = value_of(token)) {
      std::replace(value->begin(), value->end(), '/', '_');
      out += *value;
      at = close + 1;
    } else {  // the closing '%' may open the next token
      unknown.push_back(path.substr(open, close - open + 1));
      out.append(path, open, close - open);
      at = close;
    }
  }
  return out.append(path, at);
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
  const std::string id = "rank" + std::to_string(*rank);
  if (attempt == 0) return id;
  return attempt == 1 ? id + "-" + pid : id + "-" + pid + "-" + std::to_string(attempt - 1);
}

}  // namespace multipass::tool
