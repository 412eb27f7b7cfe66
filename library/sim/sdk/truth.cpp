// SPDX-License-Identifier: MIT
#include "sim/sdk/truth.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

#include "sim/sdk/diagnostics.hpp"

namespace multipass_sim {

void Truth::open() {
  constexpr const char* kVariable = "ROCPROFSYS_MULTIPASS_SIM_TRUTH";
  const char* path = std::getenv(kVariable);
  if (path == nullptr || *path == '\0') return;
  file_ = ::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) fatal(std::string(kVariable) + ": " + path + " cannot be written");
}

bool Truth::wanted() {
  std::call_once(opened_, [this] { open(); });
  return file_ >= 0;
}

void Truth::write(const FaultPlace& execution, std::string_view kernel, const std::vector<std::string>& lines) {
  const std::string head = std::to_string(execution.dispatch) + "," +
                           (execution.pass ? std::to_string(*execution.pass) : std::string()) + "," +
                           std::to_string(execution.device) + "," + std::string(kernel) + ",";
  std::string text;
  for (const std::string& line : lines) text += head + line + "\n";
  if (lines.empty()) text = head + ",\n";
  if (::write(file_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    fatal("ROCPROFSYS_MULTIPASS_SIM_TRUTH: a line could not be written");
  }
}

}  // namespace multipass_sim
