/* SPDX-License-Identifier: MIT */

/* The one function of librocprofiler-sdk.so.1 (the player's) that is not the SDK's: makes the calls of the recording in
 * `file` to the tool that ROCP_TOOL_LIBRARIES names. 0, or 1 when one of them cannot be read, which stderr is told.
 * Once in a process. */
#ifndef MULTIPASS_SIM_PLAY_PLAY_H
#define MULTIPASS_SIM_PLAY_PLAY_H

#ifdef __cplusplus
extern "C" {
#endif

__attribute__((visibility("default"))) int rocprofiler_multipass_play(const char* file);

#ifdef __cplusplus
}
#endif

#endif
