# SPDX-License-Identifier: BSD-3-Clause
# A libmpi.so.12 for where the library of MPICH is called libmpich.so.12, as Debian does: empty, and
# in need of that one. It serves who puts its folder on LD_LIBRARY_PATH.
set(_empty ${CMAKE_CURRENT_BINARY_DIR}/libmpich/empty.cpp)
file(CONFIGURE OUTPUT ${_empty} CONTENT "")
foreach(name IN ITEMS libmpich libmpi)
  add_library(transrank_${name} SHARED ${_empty})
  set_target_properties(
    transrank_${name}
    PROPERTIES
      OUTPUT_NAME ${name}
      PREFIX ""
      SUFFIX .so.12
      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/libmpich
      SKIP_BUILD_RPATH ON
      LINK_OPTIONS "-nostdlib;-Wl,--no-as-needed"
  )
endforeach()
target_link_libraries(transrank_libmpi PRIVATE transrank_libmpich)
add_dependencies(transrank_package transrank_libmpi)
install(TARGETS transrank_libmpi LIBRARY DESTINATION ${TRANSRANK_VARIANT}/libmpich)
