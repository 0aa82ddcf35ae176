// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "transrank/memory/shared_segment.hpp"
#include "transrank/study/upwind/scheme.hpp"
#include "transrank/study/upwind/sweep.hpp"
#include "transrank/study/upwind/torus.hpp"

namespace transrank::study::upwind {

/// Where a problem lives: the torus, a rank's field in memory that node-mates can map, and the
/// sweep.
class Domain {
public:
    /// Collective.
    Domain(const mpi::Communicator& comm, const Processes& processes, const Extents& extents,
           Stencil stencil);

    [[nodiscard]] const Torus& torus() const noexcept { return torus_; }
    [[nodiscard]] const Block& block() const noexcept { return block_; }
    [[nodiscard]] const Stencil& stencil() const noexcept { return stencil_; }
    [[nodiscard]] const Sweep& sweep() const noexcept { return sweep_; }
    /// Owned points, ghosts and copies, as the block says.
    [[nodiscard]] std::span<double> field() const noexcept { return field_; }

    /// Bytes of a rank's field.
    [[nodiscard]] static std::int64_t bytes(const Block& block);

private:
    Torus torus_;
    Stencil stencil_;
    Block block_;
    Sweep sweep_;
    memory::SharedSegment memory_;
    std::span<double> field_;
};

}  // namespace transrank::study::upwind
