// SPDX-License-Identifier: MIT
// What the application has of memory that a replay does not restore, from the call to the recorded reason.
#include <gtest/gtest.h>

#include "application.hpp"

namespace multipass::e2e {
namespace {

using Texts = std::vector<std::string>;

// Outcome and reason of the launch while the memory is live, and of the one after it.
Texts outcomes(const char* kind, Environment environment = {}) {
  const Folder folder;
  environment["ROCPROFSYS_MULTIPASS_SIMULATE"] = "tiny";
  const Outcome outcome =
      run_profiled(MULTIPASS_MEMORY_APPLICATION, "SQ_INSTS_VALU SQ_INSTS_VMEM_RD SQ_WAVE_CYCLES SQ_LEVEL_WAVES", folder,
                   std::move(environment), {kind});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "2\n");
  Texts texts;
  for (const DispatchRecord& dispatch : read_capture(folder).dispatches)
    texts.push_back((dispatch.outcome == multipass::Outcome::kReplayed ? "replayed " : "declined ") + dispatch.reason);
  return texts;
}

TEST(SeenMemory, OfADeviceOrAHostIsNoReasonToDecline) {
  EXPECT_EQ(outcomes("device"), (Texts{"replayed ", "replayed "}));
  EXPECT_EQ(outcomes("host"), (Texts{"replayed ", "replayed "}));
}

TEST(SeenMemory, ThatIsNotRestoredDeclinesWhileItIsLive) {
  EXPECT_EQ(outcomes("managed"), (Texts{"declined managed_memory", "replayed "}));
  EXPECT_EQ(outcomes("fine"), (Texts{"declined fine_grained_memory", "replayed "}));
}

}  // namespace
}  // namespace multipass::e2e
