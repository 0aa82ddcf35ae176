// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "lab/study/advection/domain.hpp"
#include "lab/study/baseline/baseline.hpp"
#include "transrank/copy/runs.hpp"

namespace transrank::lab::study::advection {

/// When points are computed that do not need the halo.
enum class Overlap : std::uint8_t {
    none,   ///< with all others, when the halo is there
    split,  ///< while the halo travels; the others afterwards
};

/// Where a march needs its halo to read: it overwrites what still travels.
[[nodiscard]] constexpr Sources sources_of(Overlap overlap) {
    return overlap == Overlap::split ? Sources::copied : Sources::owned;
}

/// Advances the field of a domain step by step. `halo` reads from sources_of(overlap); it may be
/// null: then nothing is communicated, and the result is wrong.
class March {
public:
    March(const Domain& domain, baseline::Mover* halo, Overlap overlap);

    /// Collective.
    void step();

    [[nodiscard]] std::int64_t steps() const noexcept { return steps_; }
    /// Says that the caller has written a new field.
    void restart() noexcept;

private:
    const Domain& domain_;
    baseline::Mover* halo_;
    std::vector<copy::ByteRuns> copies_;  ///< of what neighbors read
    std::vector<Region> before_;          ///< computed while the halo travels
    std::vector<Region> after_;
    std::int64_t steps_ = 0;
};

}  // namespace transrank::lab::study::advection
