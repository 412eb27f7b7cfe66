# SPDX-License-Identifier: MIT
# MULTIPASS_ROCM_HEADERS, and the function that compares library/sdk/abi with the rocprofiler-sdk headers of a folder.
set(MULTIPASS_ROCM_HEADERS "" CACHE STRING
  "Include folders of a ROCm installation to compare library/sdk/abi with; AUTO: the default installation; empty: none")

set(MULTIPASS_SDK_HEADERS_SOURCE ${PROJECT_SOURCE_DIR}/tests/sdk_headers)

# The folders that are meant, empty for none. AUTO takes $ROCM_PATH/include or /opt/rocm/include where the headers exist.
function(multipass_rocm_headers result)
  set(folders ${MULTIPASS_ROCM_HEADERS})
  if(folders STREQUAL "AUTO")
    unset(found)
    find_path(found rocprofiler-sdk/registration.h PATHS $ENV{ROCM_PATH}/include /opt/rocm/include
      NO_DEFAULT_PATH NO_CACHE)
    set(folders "")
    if(found)
      set(folders ${found})
      message(STATUS "rocprofiler-sdk headers: ${found} (compare them with: cmake --build . --target sdk_headers)")
    else()
      message(STATUS "rocprofiler-sdk headers: none found, the comparison is left out")
    endif()
  elseif(folders)
    unset(found)
    find_path(found rocprofiler-sdk/registration.h PATHS ${folders} NO_DEFAULT_PATH NO_CACHE)
    if(NOT found)
      message(FATAL_ERROR "MULTIPASS_ROCM_HEADERS: no rocprofiler-sdk/registration.h in \"${folders}\"; name the include "
        "folder of a ROCm installation, for example /opt/rocm/include")
    endif()
  endif()
  set(${result} ${folders} PARENT_SCOPE)
endfunction()

# multipass_compare_headers(name folders...): the program `name`, not part of "all": headers that this compiler cannot
# read must not stop a build. It prints the comparison and returns 1 when something differs.
function(multipass_compare_headers name)
  set(work ${CMAKE_CURRENT_BINARY_DIR}/${name}_pins)
  file(MAKE_DIRECTORY ${work})
  set(search "")
  foreach(folder IN LISTS ARGN)
    list(APPEND search -isystem ${folder})
  endforeach()
  set(preprocessed ${work}/upstream.ii)
  add_custom_command(
    OUTPUT ${preprocessed}
    COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -D__HIP_PLATFORM_AMD__=1 ${search} -E -P
            ${MULTIPASS_SDK_HEADERS_SOURCE}/upstream.cpp -o ${preprocessed} -MD -MF ${preprocessed}.d -MT ${preprocessed}
    DEPENDS ${MULTIPASS_SDK_HEADERS_SOURCE}/upstream.cpp ${MULTIPASS_SDK_HEADERS_SOURCE}/upstream.hpp
    DEPFILE ${preprocessed}.d
    COMMENT "Reading the rocprofiler-sdk headers of ${name}"
    VERBATIM)
  set(selected "")
  foreach(list enums layouts markers memory signatures)
    set(pins ${PROJECT_SOURCE_DIR}/library/sdk/abi/pin_${list}.h)
    set(script ${MULTIPASS_SDK_HEADERS_SOURCE}/select_pins.cmake)
    add_custom_command(
      OUTPUT ${work}/pins_${list}.inc
      COMMAND ${CMAKE_COMMAND} -DPREPROCESSED=${preprocessed} -DPINS=${pins} -DOUTPUT=${work}/pins_${list}.inc -P ${script}
      DEPENDS ${preprocessed} ${pins} ${script}
      VERBATIM)
    list(APPEND selected ${work}/pins_${list}.inc)
  endforeach()
  add_executable(${name} EXCLUDE_FROM_ALL ${MULTIPASS_SDK_HEADERS_SOURCE}/compare.cpp
    ${MULTIPASS_SDK_HEADERS_SOURCE}/report.cpp ${selected})
  target_include_directories(${name} PRIVATE ${MULTIPASS_SDK_HEADERS_SOURCE} ${work})
  target_include_directories(${name} SYSTEM PRIVATE ${ARGN})
  target_compile_definitions(${name} PRIVATE __HIP_PLATFORM_AMD__=1)
  # Their functions carry attributes and deprecations that do not matter to a comparison of types.
  target_compile_options(${name} PRIVATE -Wno-ignored-attributes -Wno-deprecated-declarations)
  set_target_properties(${name} PROPERTIES CXX_CLANG_TIDY "")
endfunction()

# The installation: target sdk_headers prints the comparison, the ctest tests sdk_headers_build and sdk_headers build and
# run it.
function(multipass_compare_installation)
  multipass_rocm_headers(folders)
  if(NOT folders)
    return()
  endif()
  multipass_compare_headers(sdk_headers_compare ${folders})
  add_custom_target(sdk_headers COMMAND sdk_headers_compare USES_TERMINAL)
  add_test(NAME sdk_headers_build
    COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --config $<CONFIG> --target sdk_headers_compare)
  set_tests_properties(sdk_headers_build PROPERTIES FIXTURES_SETUP sdk_headers)
  add_test(NAME sdk_headers COMMAND sdk_headers_compare)
  set_tests_properties(sdk_headers PROPERTIES FIXTURES_REQUIRED sdk_headers)
endfunction()
