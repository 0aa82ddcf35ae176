// SPDX-License-Identifier: BSD-3-Clause
#include "lab/measure/spread.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string_view>

namespace transrank::lab::measure {
namespace {

double quantile(const Spread::Extremes& sorted, double probability) {
    const double place = probability * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const auto above = std::min(below + 1, sorted.size() - 1);
    return std::lerp(sorted[below].second, sorted[above].second,
                     place - static_cast<double>(below));
}

void describe_extremes(std::string_view key, const Spread::Extremes& extremes,
                       text::JsonWriter& json) {
    json.key(key).begin_object().key("ranks").begin_array();
    for (const auto& [rank, value] : extremes) {
        json.value(rank);
    }
    json.end_array().key("seconds").begin_array();
    for (const auto& [rank, value] : extremes) {
        json.value(value);
    }
    json.end_array().end_object();
}

}  // namespace

Spread spread_of(std::span<const double> by_rank) {
    Spread::Extremes sorted;
    for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
        if (!std::isnan(by_rank[rank])) {
            sorted.emplace_back(static_cast<int>(rank), by_rank[rank]);
        }
    }
    std::ranges::stable_sort(sorted, {}, &std::pair<int, double>::second);
    Spread spread;
    spread.count = sorted.size();
    spread.first = by_rank.front();
    if (sorted.empty()) {
        spread.quantiles.fill(spread.mean);
        return spread;
    }
    spread.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0,
                                  [](double sum, const auto& one) { return sum + one.second; }) /
                  static_cast<double>(sorted.size());
    std::ranges::transform(Spread::probabilities, spread.quantiles.begin(),
                           [&](double probability) { return quantile(sorted, probability); });
    const auto few = std::min(Spread::most_extremes, sorted.size());
    spread.fastest.assign(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(few));
    std::ranges::stable_sort(sorted, std::greater{}, &std::pair<int, double>::second);
    spread.slowest.assign(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(few));
    return spread;
}

void Spread::describe(text::JsonWriter& json) const {
    json.begin_object().key("count").value(count);
    json.key("first").value(first).key("mean").value(mean);
    json.key("quantiles").array(quantiles);
    describe_extremes("fastest", fastest, json);
    describe_extremes("slowest", slowest, json);
    json.end_object();
}

}  // namespace transrank::lab::measure
