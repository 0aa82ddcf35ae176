// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "transrank/route/leg.hpp"

namespace transrank::transport {

/// The units of a rank's source that several legs read, each of them once, ascending.
class SourceUnion {
public:
    explicit SourceUnion(std::span<const route::Leg* const> legs);

    [[nodiscard]] std::int64_t units() const noexcept { return units_; }
    /// How many of them lie before that one, which some leg reads. A run of a leg that begins there
    /// goes on without a gap.
    [[nodiscard]] std::int64_t position(std::int64_t source) const;
    /// A leg that gathers them.
    [[nodiscard]] route::Leg gathering() const;

private:
    struct Stretch {
        std::int64_t begin;
        std::int64_t end;
        std::int64_t position;
    };
    std::vector<Stretch> stretches_;
    std::int64_t units_ = 0;
};

/// Whether two legs may read the same unit: the ranges that they read from overlap.
[[nodiscard]] bool may_read_alike(std::span<const route::Leg* const> legs);

}  // namespace transrank::transport
