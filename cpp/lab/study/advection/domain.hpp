// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "lab/study/advection/grid.hpp"
#include "lab/study/advection/scheme.hpp"
#include "lab/study/advection/sweep.hpp"
#include "lab/study/baseline/baseline.hpp"
#include "transrank/memory/shared_segment.hpp"

namespace transrank::lab::study::advection {

/// Where a problem lives: the divided grid, a rank's field in memory that node-mates can map, and
/// the sweep. The communicator must outlive it.
class Domain {
public:
    Domain(const mpi::Communicator& comm, const Processes& processes, const Extents& extents,
           Stencil stencil);

    [[nodiscard]] const mpi::Communicator& comm() const noexcept { return comm_; }
    [[nodiscard]] const Extents& extents() const noexcept { return extents_; }
    /// The first of this rank's rows and of its columns in the whole grid.
    [[nodiscard]] std::array<std::int64_t, 2> origin() const;
    [[nodiscard]] const Block& block() const noexcept { return block_; }
    [[nodiscard]] const Stencil& stencil() const noexcept { return stencil_; }
    [[nodiscard]] const Sweep& sweep() const noexcept { return sweep_; }
    /// Owned points, ghosts and copies, as the block says.
    [[nodiscard]] std::span<double> field() const noexcept { return field_; }

    /// Collective. What brings the ghosts of the field up to date: a baseline, `auto`, or a
    /// transport of the library. Throws std::invalid_argument or mpi::AgreedError when there is
    /// none of that name, or when it cannot serve a peer.
    [[nodiscard]] std::unique_ptr<baseline::Mover> make_halo(std::string_view name,
                                                             Sources sources) const;
    /// What makes the copies that neighbors read: rows of segments within the field.
    [[nodiscard]] std::vector<route::Row> copies() const;

    /// Bytes of a rank's field.
    [[nodiscard]] static std::int64_t bytes(const Block& block);

private:
    const mpi::Communicator& comm_;
    Extents extents_;
    Stencil stencil_;
    layout::BlockGrid grid_;
    Block block_;
    Sweep sweep_;
    memory::SharedSegment memory_;
    std::span<double> field_;
};

}  // namespace transrank::lab::study::advection
