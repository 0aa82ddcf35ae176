# SPDX-License-Identifier: BSD-3-Clause
# The C++ package: library, headers, and what find_package(transrank) reads. Part of a plain
# installation; of a Python one only when asked for: cmake --install BUILD --component development.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(_development COMPONENT development)
if(SKBUILD)
  list(APPEND _development EXCLUDE_FROM_ALL)
endif()
set(_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/transrank)

set_target_properties(transrank_core PROPERTIES EXPORT_NAME transrank OUTPUT_NAME transrank)
install(
  TARGETS transrank_core
  EXPORT transrank
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ${_development}
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  ${_development}
)
install(
  EXPORT transrank
  FILE transrank-targets.cmake
  NAMESPACE transrank::
  DESTINATION ${_package_folder}
  ${_development}
)
configure_package_config_file(
  cmake/transrank-config.cmake.in
  transrank-config.cmake
  INSTALL_DESTINATION ${_package_folder}
)
write_basic_package_version_file(transrank-config-version.cmake COMPATIBILITY SameMinorVersion)
install(
  FILES
    ${CMAKE_CURRENT_BINARY_DIR}/transrank-config.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/transrank-config-version.cmake
  DESTINATION ${_package_folder}
  ${_development}
)
