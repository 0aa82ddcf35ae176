// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <optional>
#include <string>

namespace transrank::lab::study::alltoall_algorithms {

/// A setting of the MPI library that is a whole number, by MPI's tools interface. Not collective.
class ControlVariable {
public:
    /// Nothing when the library has no such variable, or one of another type.
    [[nodiscard]] static std::optional<ControlVariable> find(const std::string& name);

    ControlVariable(const ControlVariable&) = delete;
    ControlVariable& operator=(const ControlVariable&) = delete;
    ControlVariable(ControlVariable&& other) noexcept;
    ControlVariable& operator=(ControlVariable&&) = delete;
    ~ControlVariable();

    [[nodiscard]] int value() const;

    /// Throws mpi::Error when the library does not take it.
    void set(int value);

private:
    ControlVariable() = default;

    bool initialised_ = false;
    MPI_T_cvar_handle handle_ = MPI_T_CVAR_HANDLE_NULL;
};

}  // namespace transrank::lab::study::alltoall_algorithms
