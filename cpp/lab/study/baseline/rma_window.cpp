// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/baseline/rma_window.hpp"

#include <algorithm>

#include "transrank/mpi/collectives.hpp"
#include "transrank/mpi/error.hpp"
#include "transrank/mpi/lifetime.hpp"

namespace transrank::lab::study {

Window::Window(std::span<std::byte> memory, int unit_bytes, const mpi::Communicator& comm)
    : memory_(memory) {
    mpi::check(MPI_Win_create(memory.data(), static_cast<MPI_Aint>(memory.size()), unit_bytes,
                              MPI_INFO_NULL, comm.handle(), &window_),
               "MPI_Win_create");
    return_errors();
}

Window::Window(Allocated how, std::int64_t bytes, int unit_bytes, const mpi::Communicator& comm) {
    void* memory = nullptr;
    const auto allocate = [&](auto function) {
        return function(static_cast<MPI_Aint>(bytes), unit_bytes, MPI_INFO_NULL, comm.handle(),
                        static_cast<void*>(&memory), &window_);
    };
    if (how == Allocated::shared) {
        mpi::check(allocate(MPI_Win_allocate_shared), "MPI_Win_allocate_shared");
    } else {
        mpi::check(allocate(MPI_Win_allocate), "MPI_Win_allocate");
    }
    memory_ = {static_cast<std::byte*>(memory), static_cast<std::size_t>(bytes)};
    return_errors();
}

Window::Window(Attached /*how*/, std::span<std::byte> memory, const mpi::Communicator& comm)
    : memory_(memory) {
    mpi::check(MPI_Win_create_dynamic(MPI_INFO_NULL, comm.handle(), &window_),
               "MPI_Win_create_dynamic");
    return_errors();
    if (!memory.empty()) {
        mpi::check(
            MPI_Win_attach(window_, memory.data(), static_cast<MPI_Aint>(memory.size_bytes())),
            "MPI_Win_attach");
    }
    MPI_Aint own = 0;
    mpi::check(MPI_Get_address(memory.data(), &own), "MPI_Get_address");
    addresses_ = mpi::gathered(comm, own);
}

void Window::return_errors() {
    mpi::check(MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
}

Window::~Window() {
    if (ends_together()) {
        if (!addresses_.empty() && !memory_.empty()) {
            MPI_Win_detach(window_, memory_.data());
        }
        MPI_Win_free(&window_);
    }
}

bool Window::ends_together() const {
    return mpi::is_usable() && std::uncaught_exceptions() == errors_before_;
}

RankGroup::RankGroup(std::vector<int> ranks, const mpi::Communicator& comm) {
    std::ranges::sort(ranks);
    const auto repeated = std::ranges::unique(ranks);
    ranks.erase(repeated.begin(), repeated.end());
    MPI_Group all = MPI_GROUP_NULL;
    mpi::check(MPI_Comm_group(comm.handle(), &all), "MPI_Comm_group");
    const int status = MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &group_);
    MPI_Group_free(&all);
    mpi::check(status, "MPI_Group_incl");
}

RankGroup::~RankGroup() {
    if (mpi::is_usable() && group_ != MPI_GROUP_EMPTY) {
        MPI_Group_free(&group_);
    }
}

}  // namespace transrank::lab::study
