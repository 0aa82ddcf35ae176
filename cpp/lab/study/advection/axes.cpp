// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/advection/axes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "lab/study/baseline/baseline.hpp"
#include "lab/text/numbers.hpp"

namespace transrank::lab::study::advection {
namespace {

// Those that are measured unless others are asked for.
constexpr std::array<std::string_view, 3> compared{"mpi-messages", "mpi-put-fence", "mpi-put-post"};

constexpr int most_speed = 8;
constexpr std::int64_t most_points = 32768;

}  // namespace

std::vector<AxisChoice> domain_axes(const AxisChoice& scheme) {
    return {scheme,
            {.name = "processes", .values = {"even"}, .on_request = {"rows", "columns"}},
            {.name = "velocity",
             .values = {"++"},
             .on_request = {"+-", "-+", "--"},
             .open = pairs_within(most_speed)}};
}

AxisChoice points_axis(std::vector<std::string> values, std::int64_t least) {
    return {.name = "points",
            .values = std::move(values),
            .quick = {"200"},
            .open = whole_numbers(least, most_points),
            .numbers = true};
}

Velocity velocity_named(const std::string& text) {
    if (const auto pair = text::parse_pair(text); !pair.empty()) {
        return {.u = pair[0], .v = pair[1]};
    }
    const auto component = [&](std::size_t d) { return text[d] == '+' ? 0.5 : -0.5; };
    return {.u = component(0), .v = component(1)};
}

AxisChoice transports(std::vector<std::string> first) {
    AxisChoice axis{
        .name = "transport", .values = std::move(first), .on_request = baseline::transports()};
    axis.values.insert(axis.values.end(), compared.begin(), compared.end());
    // Copies within the rank would write other points than the halo.
    std::ranges::move(baseline::others_than(compared,
                                            [](const baseline::Entry& entry) {
                                                return !entry.own_memory && !entry.shared;
                                            }),
                      std::back_inserter(axis.on_request));
    return axis;
}

}  // namespace transrank::lab::study::advection
