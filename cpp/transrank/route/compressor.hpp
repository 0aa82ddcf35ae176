// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "transrank/route/segment.hpp"
#include "transrank/route/segments.hpp"

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
    /// The same as adding runs of one unit each, from sources[i] + shift to destination + i, which
    /// are not negative.
    void add_units(std::span<const std::int64_t> sources, std::int64_t shift,
                   std::int64_t destination);
    /// The segments of all that was added; leaves the compressor empty.
    [[nodiscard]] Segments finish();

private:
    /// Length 0: none.
    struct Run {
        std::int64_t source = 0;
        std::int64_t destination = 0;
        std::int64_t length = 0;
    };

    void end_run() {
        if (run_.length > 0) {
            if (!continues_row()) {
                join(run_);
            }
            run_.length = 0;
        }
    }
    // Whether the run was one more of the open segment's.
    [[nodiscard]] bool continues_row() {
        if (open_.count < 2 || pending_.length > 0 || run_.length != last_.length ||
            run_.source - last_.source != open_.source_stride ||
            run_.destination - last_.destination != open_.destination_stride) {
            return false;
        }
        ++open_.count;
        // Not a copy of the run, which was stored piecewise: to load it whole would wait for that.
        last_.source += open_.source_stride;
        last_.destination += open_.destination_stride;
        return true;
    }
    void join(const Run& run);
    [[nodiscard]] bool join_pending(const Run& run);
    void open(const Run& run);
    void write_open();
    [[nodiscard]] std::size_t write_units(std::span<const std::int64_t> sources, std::int64_t shift,
                                          std::int64_t destination, std::size_t at);

    Run run_;       // may still grow
    Segment open_;  // the segment that ends with the run before; length 0: none
    Run last_;      // its last run
    Run pending_;   // a run that did not continue a pair
    Segments segments_;
};

}  // namespace transrank::route
