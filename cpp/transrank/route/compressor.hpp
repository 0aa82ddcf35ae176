// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "transrank/route/segment.hpp"

namespace transrank::route {

/// Makes segments from runs as they come, in constant time per run and without keeping the runs:
/// neighbors on both sides become one run, runs of equal length at equal distances one segment. The
/// order of the units stays; strides are never negative.
class Compressor {
public:
    void add(std::int64_t source, std::int64_t destination, std::int64_t length) {
        if (run_.source + run_.length == source && run_.destination + run_.length == destination &&
            run_.length > 0) {
            run_.length += length;
            return;
        }
        end_run();
        run_ = {.source = source, .destination = destination, .length = length};
    }
    /// The segments of all that was added; leaves the compressor empty.
    [[nodiscard]] std::vector<Segment> finish();

private:
    void end_run() {
        if (run_.length > 0) {
            join(run_);
            run_ = {};
        }
    }
    void join(const Segment& run);
    bool join_pending(const Segment& run);
    void write(Segment& segment);

    Segment run_;      // may still grow; length 0: none
    Segment open_;     // the segment that ends with the run before; length 0: none
    Segment pending_;  // a run that did not continue a pair; length 0: none
    std::vector<Segment> segments_;
};

}  // namespace transrank::route
