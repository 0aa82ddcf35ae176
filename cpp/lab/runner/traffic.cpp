// SPDX-License-Identifier: BSD-3-Clause
#include "traffic.hpp"

#include <charconv>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "lab/text/json.hpp"
#include "transrank/schedule/traffic.hpp"

namespace transrank::lab::runner {
namespace {

using schedule::Algorithm;

// The lengths of `4x6x16`.
std::vector<int> parse_torus(std::string_view text) {
    std::vector<int> lengths;
    std::int64_t nodes = 1;
    for (const char* at = text.data(); true; ++at) {
        const char* const end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(at, end, lengths.emplace_back());
        nodes *= lengths.back();
        if (error != std::errc{} || lengths.back() < 1 || nodes > std::numeric_limits<int>::max() ||
            (rest != end && *rest != 'x')) {
            throw UsageError("--torus '" + std::string(text) + "': write lengths as 4x6x16");
        }
        if (rest == end) {
            return lengths;
        }
        at = rest;
    }
}

std::vector<const Algorithm*> selected(const Options& options) {
    std::vector<const Algorithm*> algorithms;
    const auto wanted = options.selection.axes.find("algorithm");
    if (wanted == options.selection.axes.end()) {
        for (const auto& algorithm : schedule::all()) {
            algorithms.push_back(&algorithm);
        }
        return algorithms;
    }
    for (const auto& name : wanted->second) {
        try {
            algorithms.push_back(&schedule::find(name));
        } catch (const std::invalid_argument& error) {
            throw UsageError(error.what());
        }
    }
    return algorithms;
}

std::string line(const std::string& torus, const Algorithm& algorithm,
                 const schedule::Traffic& traffic) {
    text::JsonWriter json;
    json.begin_object().key("torus").value(torus);
    json.key("algorithm").value(algorithm.name).key("direct").value(algorithm.direct);
    json.key("steps").value(traffic.steps).key("messages").value(traffic.messages);
    json.key("blocks").value(traffic.blocks).key("block_hops").value(traffic.block_hops);
    json.key("busiest_link").value(traffic.busiest_link);
    json.key("messages_in_turn").value(traffic.messages_in_turn);
    json.key("hops_in_turn").value(traffic.hops_in_turn);
    json.key("blocks_in_turn").value(traffic.blocks_in_turn);
    return json.end_object().text() + '\n';
}

}  // namespace

std::string list_traffic(const Options& options) {
    std::string lines;
    for (const auto& torus : options.tori) {
        const auto lengths = parse_torus(torus);
        schedule::Problem problem{.ranks = 1, .torus = lengths};
        for (const int length : lengths) {
            problem.ranks *= length;
        }
        for (const auto* algorithm : selected(options)) {
            if (algorithm->obstacle(problem).empty()) {
                lines +=
                    line(torus, *algorithm, schedule::count_traffic(*algorithm, problem, lengths));
            }
        }
    }
    return lines;
}

}  // namespace transrank::lab::runner
