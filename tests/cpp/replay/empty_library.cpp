// SPDX-License-Identifier: MIT
// A library that is looked for by its name.
extern "C" int multipass_test_library();
extern "C" int multipass_test_library() {
  return 1;
}
