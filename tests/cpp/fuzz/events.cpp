// SPDX-License-Identifier: MIT
// Any text has a result; what was accepted, written again, is accepted again and means the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "events/parse.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto parsed = multipass::events::parse({reinterpret_cast<const char*>(data), size});
  std::string list;
  for (const multipass::CounterRequest& request : parsed.requests) list += multipass::events::text_of(request) + " ";
  const auto again = multipass::events::parse(list);
  if (!again.problems.empty() || again.requests.size() != parsed.requests.size()) std::abort();
  for (std::size_t i = 0; i < again.requests.size(); ++i)
    if (again.requests[i].counter != parsed.requests[i].counter ||
        again.requests[i].device != parsed.requests[i].device)
      std::abort();
  return 0;
}
