// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace transrank::lab::measure {

/// What a case has been through when it is asked whether it goes on.
struct Progress {
    std::span<const double> seconds;  ///< clean samples so far; all but warm-up when few are clean
    std::int64_t clean = 0;           ///< samples without a flag
    int rounds = 0;                   ///< that are not of the warm-up
    int uncounted = 0;                ///< how many of these do not count
    std::int64_t operations = 0;
    double measuring_seconds = 0;
};

enum class StopReason : std::uint8_t { go_on, precise, max_time, count };
[[nodiscard]] std::string_view name(StopReason reason);

class Stopping {
public:
    Stopping() = default;
    Stopping(const Stopping&) = delete;
    Stopping& operator=(const Stopping&) = delete;
    virtual ~Stopping() = default;
    [[nodiscard]] virtual StopReason judge(const Progress& progress) const = 0;
};

/// Stops when the 95 % order-statistic interval of the median is narrower than `precision` times
/// the median, or after `max_seconds`.
[[nodiscard]] std::unique_ptr<Stopping> make_interval_stopping(double precision,
                                                               double max_seconds);

/// Stops after `operations` operations, whatever they show.
[[nodiscard]] std::unique_ptr<Stopping> make_count_stopping(std::int64_t operations);

/// An interval of sorted values by their places.
struct MedianInterval {
    double low;
    double median;
    double high;
};

/// The median of `values` and its distribution-free interval of at least 95 %: the order statistics
/// between which the median of the population lies by the binomial law (David & Nagaraja, Order
/// Statistics, 2003, 7.1). Below six values no such interval exists: the range is returned.
/// `values` must not be empty; they are sorted in place.
[[nodiscard]] MedianInterval median_interval(std::span<double> values);

}  // namespace transrank::lab::measure
