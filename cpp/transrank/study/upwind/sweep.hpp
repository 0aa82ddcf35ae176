// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "transrank/memory/instruction_set.hpp"
#include "transrank/study/upwind/block.hpp"
#include "transrank/study/upwind/scheme.hpp"

namespace transrank::study::upwind {

/// Whether results enter the caches or are written past them.
enum class Stores : std::uint8_t { cached, streamed };
[[nodiscard]] std::string_view name(Stores stores);

/// The weighted sum over `columns` points of a row: `from[t]` is where tap t reads for the first.
using RowKernel = void (*)(double* to, const double* const* from, const double* weights,
                           std::int64_t columns);

/// Both kernels of an instruction set; `streamed` is null where it has no stores past the caches.
struct RowKernels {
    memory::InstructionSet instruction_set;
    RowKernel cached;
    RowKernel streamed;
};

/// Those that this processor can run for a stencil of so many taps, 3 or 9, the widest last. All of
/// them, and any division of a row, give the same bits.
[[nodiscard]] std::vector<RowKernels> row_kernels(std::size_t taps);

/// One step of time over a block: reads one array of it and writes another.
class Sweep {
public:
    Sweep(const Stencil& stencil, const Block& block);

    [[nodiscard]] bool can_stream() const noexcept { return kernels_.streamed != nullptr; }
    /// Streamed where possible, else cached.
    void choose(Stores stores) noexcept;
    [[nodiscard]] Stores stores() const noexcept { return stores_; }

    /// Computes the points of `region`; returns when others can see them.
    void operator()(double* to, const double* from, const Region& region) const;

private:
    Block block_;
    RowKernels kernels_;
    std::vector<double> weights_;
    std::vector<std::int64_t> offsets_;
    Stores stores_ = Stores::cached;
};

}  // namespace transrank::study::upwind
