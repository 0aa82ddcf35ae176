// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <source_location>
#include <stdexcept>
#include <string>

namespace transrank::mpi {

/// A failed MPI call. what() names the call, the rank and MPI's own error text.
class Error : public std::runtime_error {
public:
    Error(int code, const std::string& message) : std::runtime_error(message), code_(code) {}
    [[nodiscard]] int code() const noexcept { return code_; }

private:
    int code_;
};

/// A call that must not be made now, or not by this process.
class Misuse : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

/// Throws Error unless `code` is MPI_SUCCESS. `call` is the MPI function's name.
void check(int code, const char* call,
           std::source_location where = std::source_location::current());

}  // namespace transrank::mpi
