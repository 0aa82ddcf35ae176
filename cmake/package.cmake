# SPDX-License-Identifier: BSD-3-Clause
# The packages for C++, C and Fortran: libraries, headers, and what find_package(transrank) and pkg-config read.
# Part of a plain installation; of a Python one only when asked for:
# cmake --install BUILD --component development.
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
install(
  TARGETS transrank_c
  EXPORT transrank-c
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ${_development}
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  ${_development}
)
install(
  EXPORT transrank-c
  FILE transrank-c-targets.cmake
  NAMESPACE transrank::
  DESTINATION ${_package_folder}
  ${_development}
)
# The Fortran module is compiled in the project that uses it: what one compiler writes of a module,
# another one does not read.
install(
  FILES fortran/transrank.f90
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/transrank
  ${_development}
)
# Without the folder of the installation: what pkg-config reads is found relative to itself.
cmake_path(
  RELATIVE_PATH CMAKE_INSTALL_PREFIX
  BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig
  OUTPUT_VARIABLE _prefix_from_pc
)
configure_file(cmake/transrank.pc.in transrank.pc @ONLY)
install(
  FILES ${CMAKE_CURRENT_BINARY_DIR}/transrank.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
  ${_development}
)
configure_package_config_file(
  cmake/transrank-config.cmake.in
  transrank-config.cmake
  INSTALL_DESTINATION ${_package_folder}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR
)
write_basic_package_version_file(transrank-config-version.cmake COMPATIBILITY SameMinorVersion)
install(
  FILES
    ${CMAKE_CURRENT_BINARY_DIR}/transrank-config.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/transrank-config-version.cmake
  DESTINATION ${_package_folder}
  ${_development}
)
