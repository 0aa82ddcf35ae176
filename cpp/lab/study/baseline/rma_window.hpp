// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <vector>

#include "transrank/mpi/communicator.hpp"

namespace transrank::lab::study {

/// Memory that other ranks may access one-sidedly; its errors are returned.
class Window {
public:
    enum class Allocated : std::uint8_t { privately, shared };

    /// Collective, as is destruction; but a rank that unwinds for an error leaves the window to
    /// MPI, since nobody would join it. Displacements count in units of `unit_bytes`.
    Window(std::span<std::byte> memory, int unit_bytes, const mpi::Communicator& comm);
    /// The same over memory that MPI allocates; `shared`: that the ranks, all of one node, map.
    Window(Allocated how, std::int64_t bytes, int unit_bytes, const mpi::Communicator& comm);
    /// The same over memory that is attached to a dynamic window: displacements are addresses.
    struct Attached {};
    Window(Attached how, std::span<std::byte> memory, const mpi::Communicator& comm);
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;
    ~Window();

    [[nodiscard]] MPI_Win handle() const noexcept { return window_; }
    /// This rank's part.
    [[nodiscard]] std::span<std::byte> memory() const noexcept { return memory_; }
    /// The displacement of the first byte of `rank`'s part.
    [[nodiscard]] MPI_Aint first(int rank) const noexcept {
        return addresses_.empty() ? 0 : addresses_[static_cast<std::size_t>(rank)];
    }
    /// Whether all ranks come to its end.
    [[nodiscard]] bool ends_together() const;

private:
    void return_errors();

    std::span<std::byte> memory_;
    MPI_Win window_ = MPI_WIN_NULL;
    std::vector<MPI_Aint> addresses_;  ///< by rank; of a dynamic window
    int errors_before_ = std::uncaught_exceptions();
};

/// Some ranks of a communicator, each once, for MPI_Win_start and MPI_Win_post. Not collective.
class RankGroup {
public:
    /// `ranks` in any order, also repeatedly.
    RankGroup(std::vector<int> ranks, const mpi::Communicator& comm);
    RankGroup(const RankGroup&) = delete;
    RankGroup& operator=(const RankGroup&) = delete;
    ~RankGroup();

    [[nodiscard]] MPI_Group handle() const noexcept { return group_; }

private:
    MPI_Group group_ = MPI_GROUP_NULL;
};

}  // namespace transrank::lab::study
