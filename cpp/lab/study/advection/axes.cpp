// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/advection/axes.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "lab/study/baseline/baseline.hpp"
#include "transrank/transport/transport.hpp"

namespace transrank::lab::study::advection {
namespace {

// Those that are measured unless others are asked for.
constexpr std::array<std::string_view, 3> compared{"mpi-messages", "mpi-put-fence", "mpi-put-post"};

}  // namespace

std::vector<AxisChoice> domain_axes(const AxisChoice& scheme) {
    return {scheme,
            {.name = "processes", .values = {"even"}, .on_request = {"rows", "columns"}},
            {.name = "velocity", .values = {"++"}, .on_request = {"+-", "-+", "--"}}};
}

AxisChoice transports(std::vector<std::string> first) {
    AxisChoice axis{.name = "transport", .values = std::move(first)};
    axis.values.insert(axis.values.end(), compared.begin(), compared.end());
    for (const auto& entry : transport::all()) {
        if (!entry.within_rank) {
            axis.on_request.emplace_back(entry.name);
        }
    }
    // Copies within the rank would write other points than the halo.
    std::ranges::move(baseline::others_than(compared,
                                            [](const baseline::Entry& entry) {
                                                return !entry.own_memory && !entry.shared;
                                            }),
                      std::back_inserter(axis.on_request));
    return axis;
}

}  // namespace transrank::lab::study::advection
