// SPDX-License-Identifier: BSD-3-Clause
#include "planning.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "lab/text/json.hpp"
#include "lab/text/numbers.hpp"
#include "lab/text/sizes.hpp"
#include "options.hpp"
#include "transrank/redistribution/redistribution.hpp"

namespace transrank::lab::runner {
namespace {

using layout::BlockGrid;
using Numbers = std::vector<std::int64_t>;

Numbers numbers_of(const std::string& words, std::int64_t most) {
    auto numbers = text::parse_numbers(words, most);
    if (numbers.empty()) {
        throw UsageError("'" + words + "' is no list of numbers such as 512x1024x16, each from " +
                         "1 to " + std::to_string(most));
    }
    return numbers;
}

BlockGrid grid_of(const Numbers& extents, const std::string& words) {
    Numbers parts = numbers_of(words, std::numeric_limits<int>::max());
    if (parts.size() > extents.size()) {
        throw UsageError("'" + words + "' divides " + std::to_string(parts.size()) +
                         " dimensions of a grid that has " + std::to_string(extents.size()));
    }
    parts.resize(extents.size(), 1);
    std::vector<layout::Distribution> distributions;
    for (std::size_t d = 0; d < extents.size(); ++d) {
        distributions.push_back(layout::Distribution::even(extents[d], static_cast<int>(parts[d])));
    }
    std::vector<int> order(extents.size());
    std::iota(order.begin(), order.end(), 0);
    return BlockGrid(std::move(distributions), {.part_order = layout::Order::first_fastest,
                                                .memory_order = std::move(order),
                                                .halo = {},
                                                .ranks = {}});
}

void write_legs(std::string_view key, std::span<const route::Leg> legs, text::JsonWriter& json) {
    json.key(key).begin_array();
    for (const auto& leg : legs) {
        json.begin_object().key("peer").value(leg.peer).key("cells").value(leg.units());
        json.key("runs").value(leg.runs()).end_object();
    }
    json.end_array();
}

int rank_of(const std::string& word, int ranks) {
    int rank = -1;
    const auto* const end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data(), end, rank);
    if (error != std::errc{} || rest != end || rank < 0 || rank >= ranks) {
        throw UsageError("'" + word + "' is no rank of the plan, which has ranks 0 to " +
                         std::to_string(ranks - 1));
    }
    return rank;
}

/// Of all ranks, or of one.
std::string lines_of(const BlockGrid& source, const BlockGrid& destination,
                     const std::string& wanted) {
    redistribution::check(source, destination);
    const int ranks = 1 + std::max(source.ranks().highest(), destination.ranks().highest());
    int rank = 0;
    int end = ranks;
    if (!wanted.empty()) {
        rank = rank_of(wanted, ranks);
        end = rank + 1;
    }
    std::string lines;
    for (; rank < end; ++rank) {
        const auto route = route::redistribution(rank, ranks, source, destination);
        text::JsonWriter json;
        json.begin_object().key("rank").value(rank);
        write_legs("sends", route.sends(), json);
        write_legs("receives", route.receives(), json);
        lines += json.end_object().text() + '\n';
    }
    return lines;
}

}  // namespace

std::string plan_redistribution(const std::string& words) {
    const auto given = text::split_list(words);
    if (given.size() != 3 && given.size() != 4) {
        throw UsageError("--plan '" + words +
                         "': write GRID,FROM,TO or GRID,FROM,TO,RANK, such as 512x1024x16,2x4,4x2");
    }
    try {
        const auto extents = numbers_of(given[0], std::int64_t{1} << 40U);
        return lines_of(grid_of(extents, given[1]), grid_of(extents, given[2]),
                        given.size() == 4 ? given[3] : "");
    } catch (const std::invalid_argument& error) {
        throw UsageError(error.what());
    }
}

}  // namespace transrank::lab::runner
