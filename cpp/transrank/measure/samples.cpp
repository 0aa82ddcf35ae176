// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/measure/samples.hpp"

namespace transrank::measure {
namespace {

std::vector<double> without(std::span<const double> values, std::span<const std::uint8_t> flags,
                            unsigned mask) {
    std::vector<double> kept;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if ((flags[i] & mask) == 0) {
            kept.push_back(values[i]);
        }
    }
    return kept;
}

}  // namespace

std::vector<double> clean_values(std::span<const double> values,
                                 std::span<const std::uint8_t> flags) {
    auto kept = without(values, flags, warm_up | lost_core | clock_gap | late_start);
    return kept.size() < least_clean ? without(values, flags, warm_up) : kept;
}

}  // namespace transrank::measure
