// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace transrank::lab::measure {

/// What one sample times.
enum class TimingKind : std::uint8_t {
    bulk,     ///< common start, then the whole batch in one clock pair
    single,   ///< each operation of the batch in its own clock pair, a common start before each
    in_turn,  ///< of each node one rank after another, each its whole batch in one clock pair
    own,      ///< the operation clocks the parts of itself that count
};
[[nodiscard]] std::string_view name(TimingKind kind);

/// Whose clock counts.
enum class Clocks : std::uint8_t {
    all,   ///< the slowest rank's
    root,  ///< rank 0's
};
[[nodiscard]] std::string_view name(Clocks clocks);

using AxisValue = std::variant<std::int64_t, std::string>;

struct Axis {
    std::string name;
    AxisValue value;
};

/// One point of a study: what is measured there and how its number is counted.
struct Case {
    std::string study;
    std::vector<Axis> axes;
    /// Cases of one group are interleaved with each other.
    std::string group;
    /// What the others of its group are held against: measured before them in each round.
    bool control = false;
    TimingKind timing = TimingKind::bulk;
    Clocks clocks = Clocks::all;
    /// Operations in one repetition: 2 for a ping-pong, whose time is half a round trip.
    int operations_per_repetition = 1;
    /// Never fewer operations than this, whatever the precision.
    std::int64_t least_operations = 0;
    /// No batch is shorter than this, nor than the clock needs. For operations in which ranks that
    /// start at slightly different times would show.
    double least_batch_seconds = 0;
    /// Bytes that one operation counts for MB/s, by the convention of IMB or OSU.
    double bytes_counted = 0;
    /// What this rank's process needs, for one slot: what it sends from, what it receives into.
    std::int64_t send_bytes = 0;
    std::int64_t receive_bytes = 0;
    /// What the operation allocates beside the workspace.
    std::int64_t further_bytes = 0;
    /// Not empty: the case is not measured, and why.
    std::string skip_reason;

    /// `study/value/value`, sizes with their unit: the name of the case everywhere.
    [[nodiscard]] std::string id() const;
    /// The value of a whole-number axis; throws std::out_of_range when there is none.
    [[nodiscard]] std::int64_t number(std::string_view axis) const;
    /// The value of a text axis; throws std::out_of_range when there is none.
    [[nodiscard]] const std::string& text(std::string_view axis) const;
    /// The same of an axis that not every case names; `otherwise` where this one does not.
    [[nodiscard]] std::string text(std::string_view axis, std::string_view otherwise) const;
};

}  // namespace transrank::lab::measure
