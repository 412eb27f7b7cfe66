// SPDX-License-Identifier: MIT
//
// Hands everything of a capture to the outputs and the summary, each independent of the others: an output gets nothing
// more after its first error. Borrows all it is made of. One thread. Errors are added to the list.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/export/summary_sink.hpp"
#include "output/sink.hpp"

namespace multipass::apps {

// One output on its way; without a sink it has failed.
struct Output {
  OutputFile file;
  std::unique_ptr<output::Sink> sink;
};

class Distributor final {
 public:
  Distributor(std::vector<Output>& outputs, SummarySink& summary, std::vector<std::string>& errors)
      : outputs_(outputs), summary_(summary), errors_(errors) {}

  // `call` takes a Sink& and returns its Status.
  template <typename Call>
  void each(Call&& call) {
    each_output(call);
    if (Status status = call(static_cast<output::Sink&>(summary_)); !status) errors_.push_back(status.message());
  }

  // So much of the input was read; what outputs foretell of themselves by then.
  [[nodiscard]] std::vector<std::string> progress(std::uint64_t read, std::uint64_t total) const {
    std::vector<std::string> texts;
    for (const Output& output : outputs_)
      if (output.sink)
        if (std::optional<std::string> text = output.sink->progress(read, total)) texts.push_back(*std::move(text));
    return texts;
  }

  // Completes the outputs; the summary, which names them, is not one of them. `starting` is called with each of them.
  template <typename Starting>
  void finish_outputs(Starting&& starting) {
    for (Output& output : outputs_) {
      if (!output.sink) continue;
      starting(output.file);
      finish(output);
    }
  }

 private:
  template <typename Call>
  void each_output(Call&& call) {
    for (Output& output : outputs_) {
      if (!output.sink) continue;
      if (Status status = call(*output.sink); !status) {
        errors_.push_back(status.message());
        output.sink.reset();
      }
    }
  }

  void finish(Output& output) {
    if (Status status = output.sink->finish(); !status) {
      errors_.push_back(status.message());
      output.sink.reset();
    }
  }

  std::vector<Output>& outputs_;
  SummarySink& summary_;
  std::vector<std::string>& errors_;
};

}  // namespace multipass::apps
