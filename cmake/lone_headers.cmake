# SPDX-License-Identifier: BSD-3-Clause
# Every header compiles by itself. Where a source begins with its own header, the source shows that;
# transrank_lone_headers is a target of all others, which are verified one by one.
file(GLOB_RECURSE _headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cpp/*.hpp)
list(FILTER _headers EXCLUDE REGEX "/cpp/lab/runner/")
foreach(header IN LISTS _headers)
  string(REGEX REPLACE "hpp$" "cpp" source ${header})
  cmake_path(RELATIVE_PATH header BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/cpp OUTPUT_VARIABLE name)
  set(_first "")
  if(EXISTS ${source})
    file(STRINGS ${source} _first REGEX "^#include" LIMIT_COUNT 1)
  endif()
  if(NOT _first STREQUAL "#include \"${name}\"")
    list(APPEND _lone_headers ${header})
  endif()
endforeach()
add_library(transrank_lone_headers INTERFACE EXCLUDE_FROM_ALL)
target_sources(
  transrank_lone_headers
  INTERFACE FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/cpp FILES ${_lone_headers}
)
target_link_libraries(transrank_lone_headers INTERFACE transrank_lab transrank_flags)
set_target_properties(transrank_lone_headers PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
