// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/mpi/library.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>

#include "transrank/mpi/error.hpp"

namespace transrank::mpi {
namespace {

std::string_view kind_of(const std::string& version) {
    const auto names = [&](const char* name) { return version.find(name) != std::string::npos; };
    if (names("Open MPI")) {
        return "openmpi";
    }
    constexpr std::array derived{"MPICH", "Intel(R) MPI", "MVAPICH"};
    return std::ranges::any_of(derived, names) ? "mpich" : "other";
}

}  // namespace

std::string library_version() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    check(MPI_Get_library_version(text.data(), &length), "MPI_Get_library_version");
    return text.data();  // Open MPI counts its terminating zero
}

std::string_view library_kind() {
    static const std::string_view kind = kind_of(library_version());
    return kind;
}

}  // namespace transrank::mpi
