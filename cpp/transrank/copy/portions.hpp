// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "transrank/copy/transposed_runs.hpp"
#include "transrank/route/segment.hpp"

namespace transrank::copy {

/// Cuts segments into portions of at most `units` units each, at the ends of runs where these are
/// no longer than that; consecutive ones, but for transposed nests, which are cut into blocks. Both
/// ranks of a pair come to the same cuts.
class Cutter {
public:
    explicit Cutter(std::int64_t units) : units_(units), room_(units) {}
    Cutter(const Cutter&) = delete;
    Cutter& operator=(const Cutter&) = delete;
    virtual ~Cutter() = default;

    void add(const route::Segment& segment);

protected:
    /// Whether so many units more belong to this portion; then they do.
    [[nodiscard]] bool takes(std::int64_t units) noexcept {
        const bool fit = units <= room_;
        room_ -= fit ? units : 0;
        return fit;
    }

private:
    /// A segment of this portion.
    virtual void write(const route::Segment& segment) = 0;
    /// What is written from here on, which is something, belongs to the next one.
    virtual void begin_portion() = 0;

    void write_next(const route::Segment& segment);
    void add_steps(route::Segment inner, const route::Loop& loop);
    void add_run(const route::Segment& run);
    void add_blocks(const route::Segment& segment, const Planes& planes);

    std::int64_t units_;
    std::int64_t room_;
};

}  // namespace transrank::copy
