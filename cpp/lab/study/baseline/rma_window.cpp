// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/baseline/rma_window.hpp"

#include "transrank/mpi/error.hpp"
#include "transrank/mpi/lifetime.hpp"

namespace transrank::lab::study::baseline {

Window::Window(std::span<std::byte> memory, int unit_bytes, const mpi::Communicator& comm) {
    mpi::check(MPI_Win_create(memory.data(), static_cast<MPI_Aint>(memory.size()), unit_bytes,
                              MPI_INFO_NULL, comm.handle(), &window_),
               "MPI_Win_create");
    mpi::check(MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
}

Window::~Window() {
    if (mpi::is_usable() && std::uncaught_exceptions() == errors_before_) {
        MPI_Win_free(&window_);
    }
}

}  // namespace transrank::lab::study::baseline
