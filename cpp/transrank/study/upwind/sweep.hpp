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

/// So many rows of so many points, `pitch` doubles from one to the next.
struct Box {
    std::int64_t rows;
    std::int64_t columns;
    std::int64_t pitch;
};

/// The weighted sum at every point of a box: `from[t]` is where tap t reads for the first.
using Kernel = void (*)(double* to, const double* const* from, const double* weights,
                        const Box& box);

/// Both kernels of an instruction set; `streamed` is null where it has no stores past the caches.
struct Kernels {
    memory::InstructionSet instruction_set;
    Kernel cached;
    Kernel streamed;
};

/// Those that this processor can run for a stencil of so many taps, 3 or 9, the widest last. All of
/// them, and any division of a box, give the same bits.
[[nodiscard]] std::vector<Kernels> kernels_of(std::size_t taps);

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
    Kernels kernels_;
    std::vector<double> weights_;
    std::vector<std::int64_t> offsets_;
    Stores stores_ = Stores::cached;
};

}  // namespace transrank::study::upwind
