# SPDX-License-Identifier: MIT
# Settings that every target of the project shares, and the one function that makes a module.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()

find_package(Threads REQUIRED)
find_package(nlohmann_json 3.10 REQUIRED)
if(NOT MULTIPASS_CORE_ONLY)
  find_package(CLI11 2.1 REQUIRED)
endif()
find_package(SQLite3 3.34 REQUIRED)
find_path(PROTOZERO_INCLUDE_DIR protozero/pbf_writer.hpp REQUIRED)  # header-only, ships no CMake package
add_library(multipass_protozero INTERFACE)
if(NOT PROTOZERO_INCLUDE_DIR STREQUAL "/usr/include")  # on the default path; naming it would reorder system headers
  target_include_directories(multipass_protozero SYSTEM INTERFACE ${PROTOZERO_INCLUDE_DIR})
endif()

# Into the plugin, so the archive: nothing of it may meet a copy in the profiled program.
find_path(PCRE2_INCLUDE_DIR pcre2.h REQUIRED)
find_library(PCRE2_ARCHIVE libpcre2-8.a REQUIRED)
add_library(multipass_pcre2 INTERFACE)
if(NOT PCRE2_INCLUDE_DIR STREQUAL "/usr/include")  # as above
  target_include_directories(multipass_pcre2 SYSTEM INTERFACE ${PCRE2_INCLUDE_DIR})
endif()
target_link_libraries(multipass_pcre2 INTERFACE ${PCRE2_ARCHIVE})

add_library(multipass_options INTERFACE)
target_include_directories(multipass_options INTERFACE ${PROJECT_SOURCE_DIR}/library)
target_compile_options(multipass_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
# libstdc++ 12 calls what it has deprecated itself (std::stable_sort), which clang blames on the caller.
target_compile_options(multipass_options INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
# GCC 12 sees an overlap in "text" + std::string that cannot be (its bug 105651), only where it optimizes.
target_compile_options(multipass_options INTERFACE
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>,$<NOT:$<CONFIG:Debug>>>:-Wno-restrict>)
if(MULTIPASS_DEVELOPER)
  target_compile_options(multipass_options INTERFACE -Werror)
endif()
if(MULTIPASS_SANITIZE)
  add_compile_options(-fsanitize=${MULTIPASS_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${MULTIPASS_SANITIZE})
endif()

# multipass_module(name SOURCES ... DEPENDS ...): one static library per module. It sees the headers of all, but links
# only what DEPENDS names; tests/lint checks that it includes nothing else.
function(multipass_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  if(ARG_SOURCES)
    add_library(multipass_${name} STATIC ${ARG_SOURCES})
    target_link_libraries(multipass_${name} PUBLIC multipass_options ${ARG_DEPENDS})
  else()
    add_library(multipass_${name} INTERFACE)
    target_link_libraries(multipass_${name} INTERFACE multipass_options ${ARG_DEPENDS})
  endif()
endfunction()
