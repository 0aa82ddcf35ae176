// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "transrank/memory/shared_segment.hpp"
#include "transrank/study/upwind/scheme.hpp"
#include "transrank/study/upwind/sweep.hpp"
#include "transrank/study/upwind/torus.hpp"

namespace transrank::study::upwind {

/// Where a problem lives: the torus, a rank's two arrays in memory that node-mates can map (each
/// step reads one and writes the other), and the sweep.
class Domain {
public:
    /// Collective. Chooses the stores of the sweep by measuring both, all ranks at once: past the
    /// caches pays where the arrays do not fit into them.
    Domain(const mpi::Communicator& comm, const Processes& processes, const Extents& extents,
           Stencil stencil);

    [[nodiscard]] const Torus& torus() const noexcept { return torus_; }
    [[nodiscard]] const Block& block() const noexcept { return block_; }
    [[nodiscard]] const Stencil& stencil() const noexcept { return stencil_; }
    [[nodiscard]] const Sweep& sweep() const noexcept { return sweep_; }
    [[nodiscard]] std::span<double> array(int which) const noexcept {
        return arrays_[static_cast<std::size_t>(which)];
    }

    /// Bytes of a rank's arrays.
    [[nodiscard]] static std::int64_t bytes(const Block& block);

private:
    void choose_stores();
    [[nodiscard]] double seconds_of_step(Stores stores);

    Torus torus_;
    Stencil stencil_;
    Block block_;
    Sweep sweep_;
    memory::SharedSegment memory_;
    std::array<std::span<double>, 2> arrays_;
};

}  // namespace transrank::study::upwind
