# SPDX-License-Identifier: MIT
#
# The simulated roctx under the name of the real package:
#   find_package(rocprofiler-sdk-roctx REQUIRED)
#   target_link_libraries(app PRIVATE rocprofiler-sdk-roctx::rocprofiler-sdk-roctx)
# This file lies in lib/cmake/rocprofiler-sdk-roctx of the simulator's folder and finds all from there.
get_filename_component(_rocprofiler_sdk_roctx_sim "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(NOT TARGET rocprofiler-sdk-roctx::rocprofiler-sdk-roctx)
  add_library(rocprofiler-sdk-roctx::rocprofiler-sdk-roctx SHARED IMPORTED)
  set_target_properties(rocprofiler-sdk-roctx::rocprofiler-sdk-roctx PROPERTIES
    IMPORTED_LOCATION "${_rocprofiler_sdk_roctx_sim}/librocprofiler-sdk-roctx.so.1"
    IMPORTED_SONAME "librocprofiler-sdk-roctx.so.1"
    INTERFACE_INCLUDE_DIRECTORIES "${_rocprofiler_sdk_roctx_sim}/include")
endif()
unset(_rocprofiler_sdk_roctx_sim)
