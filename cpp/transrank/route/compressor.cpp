// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/compressor.hpp"

#include <algorithm>
#include <array>
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
    open_.source = run.source;
    open_.destination = run.destination;
    open_.length = run.length;
    open_.set_fastest({});
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

void Compressor::add_units(std::span<const std::int64_t> sources, std::int64_t shift,
                           std::int64_t destination) {
    constexpr std::size_t by_one = 32;
    for (std::size_t at = 0; at < sources.size();) {
        // What is open begins a segment wherever it stands, so it may as well be added once more.
        const auto open = static_cast<std::size_t>((open_.length > 0 ? open_.units() : 0) +
                                                   pending_.length + run_.length);
        if (open_.count < 3 && open <= std::min(at, by_one / 2) && segments_.has_code()) {
            open_ = {};
            pending_ = run_ = {};
            at = write_units(sources, shift, destination, at - open);
        }
        for (const auto end = std::min(at + by_one, sources.size()); at < end; ++at) {
            add(sources[at] + shift, destination + static_cast<std::int64_t>(at), 1);
        }
    }
}

/// Writes the segments of what is at `at` and behind it as far as they are certain, as `join` would
/// but without branches that random sources mislead; returns where they end. Nothing is open.
std::size_t Compressor::write_units(std::span<const std::int64_t> sources, std::int64_t shift,
                                    std::int64_t destination, std::size_t at) {
    Segments::Rows rows(segments_);
    std::array<std::size_t, 513> begins;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    for (std::size_t end = at; end < sources.size();) {
        end = std::min(at + begins.size() - 1, sources.size());
        std::size_t runs = 0;
        auto greatest = sources[at];  // also of those that are added later
        for (std::size_t i = at; i < end; ++i) {
            begins[runs] = i;
            runs += i == at || sources[i] != sources[i - 1] + 1 ? 1 : 0;
            greatest = std::max(greatest, sources[i]);
        }
        const auto length = [&](std::size_t run) {
            return static_cast<std::int64_t>(begins[run + 1] - begins[run]);
        };
        const auto step = [&](std::size_t run) {
            return sources[begins[run + 1]] - sources[begins[run]];
        };
        // Whether a run and the next one are a row, and whether they and the one after these.
        const auto alike = [&](std::size_t run) {
            return static_cast<unsigned>(length(run) == length(run + 1)) &
                   static_cast<unsigned>(step(run) >= 0);
        };
        const auto three = [&](std::size_t run) {
            return alike(run) & static_cast<unsigned>(length(run) == length(run + 2)) &
                   static_cast<unsigned>(step(run) == step(run + 1));
        };
        auto& outline = rows.outline();
        const auto before = rows.last();
        std::size_t run = 0;
        while (run + 5 < runs) {  // the last one may go on behind these
            const auto here = three(run);
            const auto next = three(run + 1);
            std::size_t count = 1 + (here * (2 + next)) + ((1 - here) * (alike(run) & ~next));
            if ((here & next & three(run + 2)) != 0) {
                for (count = 5; run + count + 1 < runs && three(run + count - 2) != 0;) {
                    ++count;
                }
                if (run + count + 1 >= runs) {
                    break;
                }
            }
            outline.shortest_run = std::min(outline.shortest_run, length(run));
            outline.longest_run = std::max(outline.longest_run, length(run));
            rows.add(sources[begins[run]] + shift,
                     destination + static_cast<std::int64_t>(begins[run]), length(run),
                     static_cast<std::int64_t>(count), count > 1 ? step(run) : 0);
            run += count;
        }
        if (run == 0) {
            break;
        }
        const auto taken = sources.subspan(at, begins[run] - at);
        const auto gap = destination + static_cast<std::int64_t>(at) -
                         static_cast<std::int64_t>(before.destination);
        const bool goes_on = taken[0] + shift == static_cast<std::int64_t>(before.source);
        at = begins[run];
        outline.destination_stretches += gap == 0 ? 0 : 1;
        outline.descents += gap < 0 ? 1 : 0;
        outline.units += std::ssize(taken);
        outline.runs += static_cast<std::int64_t>(run);
        outline.source_stretches += static_cast<std::int64_t>(run) - (goes_on ? 1 : 0);
        outline.source_end = std::max(outline.source_end, greatest + shift + 1);
        outline.destination_end =
            std::max(outline.destination_end, destination + static_cast<std::int64_t>(at));
    }
    return at;
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
