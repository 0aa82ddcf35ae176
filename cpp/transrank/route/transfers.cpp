// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/transfers.hpp"

#include <algorithm>
#include <cstddef>

#include "transrank/route/compressor.hpp"

namespace transrank::route {

std::vector<ListRun> deliveries(std::span<const Leg> receives) {
    std::vector<ListRun> made;
    for (const auto& leg : receives) {
        for_each_run(leg, [&](std::int64_t source, std::int64_t begin, std::int64_t length) {
            made.push_back(
                {.rank = leg.peer, .begin = begin, .length = length, .position = source});
        });
    }
    return made;
}

std::optional<Clash> sort_deliveries(std::vector<ListRun>& deliveries) {
    std::ranges::sort(deliveries, {}, &ListRun::begin);
    for (std::size_t i = 1; i < deliveries.size(); ++i) {
        const auto& [rank, begin, length, position] = deliveries[i - 1];
        if (begin + length > deliveries[i].begin) {
            return Clash{.number = deliveries[i].begin, .one = rank, .other = deliveries[i].rank};
        }
    }
    return std::nullopt;
}

std::optional<std::int64_t> append_transfers(const std::vector<ListRun>& deliveries,
                                             const ListRun& wanted,
                                             std::vector<Transfer>& transfers) {
    auto from = std::ranges::upper_bound(deliveries, wanted.begin, {}, &ListRun::begin);
    from -= from == deliveries.begin() ? 0 : 1;
    for (std::int64_t done = 0; done < wanted.length; ++from) {
        const std::int64_t number = wanted.begin + done;
        if (from == deliveries.end() || number < from->begin ||
            number >= from->begin + from->length) {
            return number;
        }
        const std::int64_t skipped = number - from->begin;
        const std::int64_t length = std::min(from->length - skipped, wanted.length - done);
        transfers.push_back({.origin = from->rank,
                             .target = wanted.rank,
                             .destination = wanted.position + done,
                             .source = from->position + skipped,
                             .length = length});
        done += length;
    }
    return std::nullopt;
}

std::vector<Forward> join(std::vector<Transfer> transfers) {
    std::ranges::sort(transfers, {}, &Transfer::order);
    std::vector<Forward> made;
    for (auto next = transfers.begin(); next != transfers.end();) {
        const auto [origin, target, destination] = next->order();
        Compressor runs;
        for (; next != transfers.end() && next->origin == origin && next->target == target;
             ++next) {
            runs.add(next->source, next->destination, next->length);
        }
        made.push_back({.origin = origin, .leg = {.peer = target, .segments = runs.finish()}});
    }
    return made;
}

}  // namespace transrank::route
