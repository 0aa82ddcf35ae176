// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/compressor.hpp"

#include <utility>

namespace transrank::route {
namespace {

bool make_pair(const Segment& first, const Segment& second) {
    return first.length == second.length && first.source <= second.source &&
           first.destination <= second.destination;
}

Segment pair(Segment first, const Segment& second) {
    first.count = 2;
    first.source_stride = second.source - first.source;
    first.destination_stride = second.destination - first.destination;
    return first;
}

Segment last_run(const Segment& segment) {
    const std::int64_t steps = segment.count - 1;
    return {.source = segment.source + (steps * segment.source_stride),
            .destination = segment.destination + (steps * segment.destination_stride),
            .length = segment.length};
}

bool continues(const Segment& segment, const Segment& run) {
    const Segment last = last_run(segment);
    return run.length == last.length && run.source - last.source == segment.source_stride &&
           run.destination - last.destination == segment.destination_stride;
}

}  // namespace

void Compressor::write(Segment& segment) {
    if (segment.length > 0) {
        segments_.push_back(std::exchange(segment, {}));
    }
}

void Compressor::join(const Segment& run) {
    if (pending_.length > 0 && join_pending(run)) {
        return;
    }
    if (open_.count > 1 && continues(open_, run)) {
        ++open_.count;
    } else if (open_.count == 2) {
        pending_ = run;
    } else if (open_.count == 1 && open_.length > 0 && make_pair(open_, run)) {
        open_ = pair(open_, run);
    } else {
        write(open_);
        open_ = run;
    }
}

/// Two runs must not steal the first of a longer row that begins with the second: whether the row
/// is longer, is known with the fourth run. Returns true when it is, and the run is its third.
bool Compressor::join_pending(const Segment& run) {
    const Segment second = last_run(open_);
    if (make_pair(second, pending_) && continues(pair(second, pending_), run)) {
        Segment first{
            .source = open_.source, .destination = open_.destination, .length = open_.length};
        write(first);
        open_ = pair(second, std::exchange(pending_, {}));
        open_.count = 3;
        return true;
    }
    write(open_);
    open_ = std::exchange(pending_, {});
    return false;
}

std::vector<Segment> Compressor::finish() {
    end_run();
    write(open_);
    write(pending_);
    return std::exchange(segments_, {});
}

}  // namespace transrank::route
