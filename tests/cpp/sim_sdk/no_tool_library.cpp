// SPDX-License-Identifier: MIT
// A shared library that is no tool.
extern "C" __attribute__((visibility("default"))) int sim_sdk_test_no_tool() {
  return 0;
}
