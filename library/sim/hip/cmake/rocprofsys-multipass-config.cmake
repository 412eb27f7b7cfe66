# SPDX-License-Identifier: MIT
#
# The simulated HIP for projects of users:
#   find_package(rocprofsys-multipass CONFIG REQUIRED)
#   target_link_libraries(app PRIVATE rocprofsys-multipass::sim_hip)   # compiles as C++17 or later
#   rocprofsys_multipass_hip_sources(app.hip)                         # sources that do not end in .cpp
#   target_link_libraries(app PRIVATE rocprofsys-multipass::sim_roctx) # for those that call roctx
# The folder for CMAKE_PREFIX_PATH is what `rocprof-sys-multipass sim-flags --cmake` prints. This file lies in
# lib/cmake/rocprofsys-multipass below it, in a build tree as in an installation, and finds all from there.
get_filename_component(_rocprofsys_multipass_sim "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

foreach(_rocprofsys_multipass_file IN ITEMS libmultipass-sim-hip.so include/hip/hip_runtime.h
        librocprofiler-sdk-roctx.so.1 include/rocprofiler-sdk-roctx/roctx.h)
  if(NOT EXISTS "${_rocprofsys_multipass_sim}/${_rocprofsys_multipass_file}")
    set(rocprofsys-multipass_FOUND FALSE)
    set(rocprofsys-multipass_NOT_FOUND_MESSAGE
        "${_rocprofsys_multipass_sim}/${_rocprofsys_multipass_file} is missing: build or install the project again")
    return()
  endif()
endforeach()

if(NOT TARGET rocprofsys-multipass::sim_hip)
  add_library(rocprofsys-multipass::sim_hip SHARED IMPORTED)
  set_target_properties(rocprofsys-multipass::sim_hip PROPERTIES
    IMPORTED_LOCATION "${_rocprofsys_multipass_sim}/libmultipass-sim-hip.so"
    IMPORTED_SONAME "libmultipass-sim-hip.so"
    INTERFACE_INCLUDE_DIRECTORIES "${_rocprofsys_multipass_sim}/include"
    INTERFACE_COMPILE_FEATURES cxx_std_17)
endif()
if(NOT TARGET rocprofsys-multipass::sim_roctx)
  add_library(rocprofsys-multipass::sim_roctx SHARED IMPORTED)
  set_target_properties(rocprofsys-multipass::sim_roctx PROPERTIES
    IMPORTED_LOCATION "${_rocprofsys_multipass_sim}/librocprofiler-sdk-roctx.so.1"
    IMPORTED_SONAME "librocprofiler-sdk-roctx.so.1"
    INTERFACE_INCLUDE_DIRECTORIES "${_rocprofsys_multipass_sim}/include")
endif()
unset(_rocprofsys_multipass_sim)
unset(_rocprofsys_multipass_file)

# rocprofsys_multipass_hip_sources(file...): has the C++ compiler take the files as C++, whatever their names end in. To
# be called in the folder whose CMakeLists.txt makes the target.
function(rocprofsys_multipass_hip_sources)
  set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-x;c++")
endfunction()
