// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <exception>
#include <span>

#include "transrank/mpi/communicator.hpp"

namespace transrank::lab::study::baseline {

/// Memory that other ranks may access one-sidedly; its errors are returned.
class Window {
public:
    /// Collective, as is destruction; but a rank that unwinds for an error leaves the window to
    /// MPI, since nobody would join it. Displacements count in units of `unit_bytes`.
    Window(std::span<std::byte> memory, int unit_bytes, const mpi::Communicator& comm);
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;
    ~Window();

    [[nodiscard]] MPI_Win handle() const noexcept { return window_; }

private:
    MPI_Win window_ = MPI_WIN_NULL;
    int errors_before_ = std::uncaught_exceptions();
};

}  // namespace transrank::lab::study::baseline
