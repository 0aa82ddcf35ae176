// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/mpi/error.hpp"

#include <array>
#include <string_view>

namespace transrank::mpi {
namespace {

[[noreturn]] void fail(int code, const char* call, const std::source_location& where) {
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    MPI_Error_string(code, text.data(), &length);
    int rank = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::string_view file = where.file_name();
    file.remove_prefix(file.rfind('/') + 1);
    throw Error(code, std::string(call) + " failed on rank " + std::to_string(rank) + ": " +
                          std::string(text.data(), static_cast<std::size_t>(length)) + " (" +
                          std::string(file) + ":" + std::to_string(where.line()) + ")");
}

}  // namespace

void check(int code, const char* call, std::source_location where) {
    if (code != MPI_SUCCESS) {
        fail(code, call, where);
    }
}

}  // namespace transrank::mpi
