// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace transrank::lab::measure {

/// Why a sample stays out of headline figures; bits of a mask.
enum Flag : std::uint8_t {
    warm_up = 1,      ///< taken while caches, connections and predictors settle
    lost_core = 2,    ///< some rank was descheduled against its will
    stolen = 4,       ///< a hypervisor took time from the CPU of some rank
    late_start = 8,   ///< some rank missed the agreed start
    other_cores = 16  ///< of a round that does not count; in no record: its readers judge anew
};

/// The samples of one case; index i is the same sample everywhere.
struct Samples {
    std::vector<double> seconds;      ///< per operation; NaN on a rank that has no part in the case
    std::vector<std::uint8_t> flags;  ///< once reduced, the union over ranks
    std::vector<double> late_seconds;

    void append(double one, std::uint8_t flag, double late) {
        seconds.push_back(one);
        flags.push_back(flag);
        late_seconds.push_back(late);
    }
};

/// Fewer clean samples than this have no interval.
inline constexpr std::size_t least_clean = 6;

/// What stopping is decided by: those of `values` whose flag is 0; all but warm-up when fewer than
/// least_clean are.
[[nodiscard]] std::vector<double> clean_values(std::span<const double> values,
                                               std::span<const std::uint8_t> flags);

/// Those of `values` that are not of the warm-up; all where there are no others.
[[nodiscard]] std::vector<double> values_after_warm_up(std::span<const double> values,
                                                       std::span<const std::uint8_t> flags);

/// What counts of a launch, by the rule of the record's readers: those of `values` whose flag is 0;
/// where there is none, those after warm-up.
[[nodiscard]] std::vector<double> counted_values(std::span<const double> values,
                                                 std::span<const std::uint8_t> flags);

/// What rank 0 knows of a case in one launch.
struct ReducedSamples {
    std::vector<double> slowest;       ///< maximum over the ranks whose clock counts
    std::vector<double> fastest;       ///< minimum over the ranks that have a part
    std::vector<double> late_seconds;  ///< maximum over ranks
    std::vector<std::uint8_t> flags;   ///< union over ranks
    std::vector<std::int64_t> rounds;  ///< samples per round
    std::vector<bool> counts;          ///< whether a round does

    /// The flags, with other_cores where a round does not count.
    [[nodiscard]] std::vector<std::uint8_t> flags_of_counting() const;

    /// The slowest times of the clean samples of rounds that count; see clean_values.
    [[nodiscard]] std::vector<double> clean() const {
        return clean_values(slowest, flags_of_counting());
    }
};

}  // namespace transrank::lab::measure
