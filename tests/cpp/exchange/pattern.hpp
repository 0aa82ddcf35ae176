// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "testing.hpp"
#include "transrank/route/route.hpp"

namespace testing {

using Random = std::mt19937_64;

inline std::int64_t between(Random& random, std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

inline bool chance(Random& random, double probability) {
    return std::bernoulli_distribution(probability)(random);
}

/// What all ranks move, known on every rank.
struct Pattern {
    int ranks = 1;
    std::vector<std::int64_t> source_units;
    std::vector<std::int64_t> destination_units;
    std::map<std::pair<int, int>, std::vector<transrank::route::Segment>> legs;  ///< (from, to)

    explicit Pattern(int count)
        : ranks(count),
          source_units(static_cast<std::size_t>(count)),
          destination_units(static_cast<std::size_t>(count)) {}

    [[nodiscard]] transrank::route::Route route(int rank) const {
        std::vector<transrank::route::Leg> sends;
        std::vector<transrank::route::Leg> receives;
        for (const auto& [pair, segments] : legs) {
            if (pair.first == rank) {
                sends.push_back({.peer = pair.second, .segments = segments});
            }
            if (pair.second == rank) {
                receives.push_back({.peer = pair.first, .segments = segments});
            }
        }
        const auto own = static_cast<std::size_t>(rank);
        return {rank, ranks, source_units[own], destination_units[own], sends, receives};
    }

    [[nodiscard]] Pattern transposed() const {
        Pattern back(ranks);
        back.source_units = destination_units;
        back.destination_units = source_units;
        for (const auto& [pair, segments] : legs) {
            auto& swapped = back.legs[{pair.second, pair.first}];
            for (auto segment : segments) {
                std::swap(segment.source, segment.destination);
                std::swap(segment.source_stride, segment.destination_stride);
                for (auto& loop : segment.further) {
                    std::swap(loop.source_stride, loop.destination_stride);
                }
                swapped.push_back(segment);
            }
        }
        return back;
    }

    /// Whether some unit of the rank's destination is written more than once.
    [[nodiscard]] bool overwrites(int rank) const {
        std::vector<int> writes(
            static_cast<std::size_t>(destination_units[static_cast<std::size_t>(rank)]));
        for (const auto& [pair, segments] : legs) {
            if (pair.second == rank) {
                visit(segments, [&](std::int64_t, std::int64_t destination) {
                    ++writes[static_cast<std::size_t>(destination)];
                });
            }
        }
        return std::ranges::any_of(writes, [](int times) { return times > 1; });
    }

    /// Calls `move(source unit, destination unit)` in the order that the route defines.
    template <class Move>
    static void visit(const std::vector<transrank::route::Segment>& segments, const Move& move) {
        for (const auto& segment : segments) {
            std::vector<transrank::route::Loop> loops{
                {.count = segment.length, .source_stride = 1, .destination_stride = 1},
                segment.fastest()};
            loops.insert(loops.end(), segment.further.begin(), segment.further.end());
            transrank::route::for_each_step(loops, segment.source, segment.destination, move);
        }
    }
};

/// Appends a unit; one that goes on where the last run ended on both sides prolongs it.
inline void append(std::vector<transrank::route::Segment>& runs, std::int64_t source,
                   std::int64_t destination) {
    if (!runs.empty() && runs.back().source + runs.back().length == source &&
        runs.back().destination + runs.back().length == destination) {
        ++runs.back().length;
    } else {
        runs.push_back({.source = source, .destination = destination, .length = 1});
    }
}

/// Random lists of indices, as of ghosts: rows asked for twice, own rows, ranks that have nothing
/// or want nothing. With `overlap`, some rows arrive where another one does too.
inline Pattern random_lists(Random& random, int ranks, bool overlap) {
    Pattern pattern(ranks);
    for (int rank = 0; rank < ranks; ++rank) {
        const auto own = static_cast<std::size_t>(rank);
        pattern.source_units[own] = chance(random, 0.2) ? 0 : between(random, 1, 20);
        pattern.destination_units[own] = chance(random, 0.2) ? 0 : between(random, 1, 30);
    }
    for (int to = 0; to < ranks; ++to) {
        const auto wanted = pattern.destination_units[static_cast<std::size_t>(to)];
        for (int time = 0; time < (overlap ? 2 : 1); ++time) {
            int from = 0;
            std::int64_t unit = 0;
            for (std::int64_t destination = 0; destination < wanted; ++destination) {
                const bool goes_on =
                    unit + 1 < pattern.source_units[static_cast<std::size_t>(from)];
                if (goes_on && chance(random, 0.6)) {
                    ++unit;
                } else {
                    from = static_cast<int>(between(random, 0, ranks - 1));
                    const auto units = pattern.source_units[static_cast<std::size_t>(from)];
                    if (units == 0 || chance(random, 0.2)) {
                        continue;
                    }
                    unit = between(random, 0, units - 1);
                }
                if (pattern.source_units[static_cast<std::size_t>(from)] > 0) {
                    append(pattern.legs[{from, to}], unit, destination);
                }
            }
        }
    }
    return pattern;
}

/// Random segments of one to three loops, as of faces. With `overlap`, strides may be shorter than
/// runs.
inline Pattern random_segments(Random& random, int ranks, bool overlap) {
    Pattern pattern(ranks);
    for (int from = 0; from < ranks; ++from) {
        for (int to = 0; to < ranks; ++to) {
            if (chance(random, 0.4)) {
                continue;
            }
            auto& source_end = pattern.source_units[static_cast<std::size_t>(from)];
            auto& destination_end = pattern.destination_units[static_cast<std::size_t>(to)];
            for (auto left = between(random, 1, 3); left > 0; --left) {
                transrank::route::Segment segment{.length = between(random, 1, 4),
                                                  .count = between(random, 1, 5)};
                if (segment.count > 1) {
                    segment.source_stride = between(random, 0, 6);
                    segment.destination_stride =
                        between(random, overlap ? 0 : segment.length, segment.length + 3);
                }
                auto source_extent = ((segment.count - 1) * segment.source_stride) + segment.length;
                auto extent = ((segment.count - 1) * segment.destination_stride) + segment.length;
                for (auto loops = segment.count > 1 ? between(random, 0, 2) : 0; loops > 0;
                     --loops) {
                    const transrank::route::Loop loop{
                        .count = between(random, 2, 3),
                        .source_stride = between(random, 0, 9),
                        .destination_stride = between(random, overlap ? 0 : extent, extent + 2)};
                    source_extent += (loop.count - 1) * loop.source_stride;
                    extent += (loop.count - 1) * loop.destination_stride;
                    segment.further.push_back(loop);
                }
                // Sources anywhere, also where others read; destinations one after the other.
                segment.source = between(random, 0, source_end);
                segment.destination =
                    overlap ? between(random, 0, destination_end) : destination_end;
                source_end = std::max(source_end, segment.source + source_extent);
                destination_end = std::max(destination_end, segment.destination + extent);
                pattern.legs[{from, to}].push_back(segment);
            }
        }
    }
    return pattern;
}

}  // namespace testing
