// SPDX-License-Identifier: MIT
//
// rocprofsys-multipass-play RECORDING: plays it to the tool that ROCP_TOOL_LIBRARIES names (docs/formats/recording.md).
#include <cstdio>

#include "sim/play/play.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: rocprofsys-multipass-play RECORDING, with ROCP_TOOL_LIBRARIES=<the tool to play to>\n", stderr);
    return 2;
  }
  return rocprofiler_multipass_play(argv[1]);
}
