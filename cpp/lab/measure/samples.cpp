// SPDX-License-Identifier: BSD-3-Clause
#include "lab/measure/samples.hpp"

namespace transrank::lab::measure {
namespace {

constexpr unsigned any_flag = warm_up | lost_core | stolen | late_start | other_cores;

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
    auto kept = without(values, flags, any_flag);
    return kept.size() < least_clean ? without(values, flags, warm_up) : kept;
}

std::vector<double> values_after_warm_up(std::span<const double> values,
                                         std::span<const std::uint8_t> flags) {
    auto kept = without(values, flags, warm_up);
    return kept.empty() ? without(values, flags, 0) : kept;
}

std::vector<double> counted_values(std::span<const double> values,
                                   std::span<const std::uint8_t> flags) {
    auto kept = without(values, flags, any_flag);
    return kept.empty() ? values_after_warm_up(values, flags) : kept;
}

std::vector<std::uint8_t> ReducedSamples::flags_of_counting() const {
    auto marked = flags;
    std::size_t begin = 0;
    for (std::size_t round = 0; round < counts.size(); ++round) {
        const auto end = begin + static_cast<std::size_t>(rounds[round]);
        for (std::size_t i = begin; i < end && !counts[round]; ++i) {
            marked[i] |= other_cores;
        }
        begin = end;
    }
    return marked;
}

}  // namespace transrank::lab::measure
