// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/compressor.hpp"

#include <utility>

namespace transrank::route {
namespace {

template <class Run>
bool make_pair(const Run& first, const Run& second) {
    return first.length == second.length && first.source <= second.source &&
           first.destination <= second.destination;
}

// Whether a run continues a row of runs as long as it is, at these strides.
template <class Run>
bool continues(const Run& last, std::int64_t source_stride, std::int64_t destination_stride,
               const Run& run) {
    return run.length == last.length && run.source - last.source == source_stride &&
           run.destination - last.destination == destination_stride;
}

}  // namespace

void Compressor::write_open() {
    if (open_.length > 0) {
        segments_.push_back(open_);
    }
}

void Compressor::open(const Run& run) {
    open_ = {.source = run.source, .destination = run.destination, .length = run.length};
    last_ = run;
}

void Compressor::join(const Run& run) {
    if (pending_.length > 0 && join_pending(run)) {
        return;
    }
    if (open_.count == 2) {
        pending_ = run;
    } else if (open_.count == 1 && open_.length > 0 && make_pair(last_, run)) {
        open_.count = 2;
        open_.source_stride = run.source - last_.source;
        open_.destination_stride = run.destination - last_.destination;
        last_ = run;
    } else {
        write_open();
        open(run);
    }
}

/// Two runs must not steal the first of a longer row that begins with the second: whether the row
/// is longer, is known with the fourth run. Returns true when it is, and the run is its third.
bool Compressor::join_pending(const Run& run) {
    const Run pending = std::exchange(pending_, {});
    const Run second = last_;
    const auto source_stride = pending.source - second.source;
    const auto destination_stride = pending.destination - second.destination;
    const bool is_row =
        make_pair(second, pending) && continues(pending, source_stride, destination_stride, run);
    if (!is_row) {
        write_open();
        open(pending);
        return false;
    }
    segments_.push_back(
        {.source = open_.source, .destination = open_.destination, .length = open_.length});
    open_ = {.source = second.source,
             .destination = second.destination,
             .length = second.length,
             .count = 3,
             .source_stride = source_stride,
             .destination_stride = destination_stride};
    last_ = run;
    return true;
}

Segments Compressor::finish() {
    end_run();
    write_open();
    if (pending_.length > 0) {
        open(std::exchange(pending_, {}));
        write_open();
    }
    open_ = {};
    segments_.shrink_to_fit();
    return std::exchange(segments_, {});
}

}  // namespace transrank::route
