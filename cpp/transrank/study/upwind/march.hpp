// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "transrank/study/upwind/domain.hpp"
#include "transrank/study/upwind/halo.hpp"

namespace transrank::study::upwind {

/// When points are computed that do not need the halo.
enum class Overlap : std::uint8_t {
    none,   ///< with all others, when the halo is there
    split,  ///< while the halo travels; the others afterwards
};

/// Advances the field of a domain step by step. `halo` may be null: then nothing is communicated,
/// and the result is wrong.
class March {
public:
    March(const Domain& domain, Halo* halo, Overlap overlap);

    /// Collective.
    void step();

    /// Which array holds the field.
    [[nodiscard]] int current() const noexcept { return current_; }
    [[nodiscard]] std::int64_t steps() const noexcept { return steps_; }
    /// Says that the caller has written a new field into array 0.
    void restart() noexcept;

private:
    const Domain& domain_;
    Halo* halo_;
    std::vector<Region> before_;  ///< computed while the halo travels
    std::vector<Region> after_;
    int current_ = 0;
    std::int64_t steps_ = 0;
};

}  // namespace transrank::study::upwind
