// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "lab/study/advection/block.hpp"
#include "lab/study/advection/scheme.hpp"
#include "transrank/copy/instruction_set.hpp"

namespace transrank::lab::study::advection {

/// Rows of points, and the order in which they are updated: in doubles, from the first
/// point of a row to that of the next row, and in a row from a point to the next, +1 or -1.
struct Box {
    std::int64_t rows;
    std::int64_t columns;
    std::int64_t row_step;
    std::int64_t column_step;
};

/// Replaces every point of a box by a weighted sum of itself and of points that come later in the
/// box's order, rows and columns alike. `first` is the point to begin with.
using Kernel = void (*)(double* first, const double* weights, const Box& box);

/// The kernel of an instruction set.
struct SweepKernel {
    copy::InstructionSet instruction_set;
    Kernel sweep;
};

/// Those that this processor can run for a stencil, the widest last; their weights are those of its
/// taps. All of them, and any division of a box, give the same bits. Throws std::invalid_argument
/// for a stencil of another shape than those of the schemes.
[[nodiscard]] std::vector<SweepKernel> kernels_of(const Stencil& stencil);

/// One step of time over a block, in place. A stencil that looks upwind alone allows it: against
/// the wind, each point is replaced when nothing reads it any more. So a step moves what a step
/// must, 16 bytes for a point, and needs half the caches that two arrays would.
class Sweep {
public:
    Sweep(const Stencil& stencil, const Block& block);

    /// Updates the points of `region` in `array`. Of a block that is divided, what lies downwind
    /// comes first.
    void operator()(double* array, const Region& region) const;

private:
    Block block_;
    Kernel kernel_;
    bool from_low_rows_;
    bool from_low_columns_;
    std::vector<double> weights_;
};

}  // namespace transrank::lab::study::advection
