// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "transrank/copy/field.hpp"
#include "transrank/copy/run_table.hpp"
#include "transrank/copy/runs.hpp"
#include "transrank/route/leg.hpp"

namespace transrank::copy {

/// What runs count from: an address, or one that is read again at each execution.
template <class Byte>
class Base {
public:
    Base(Byte* fixed) noexcept : fixed_(fixed) {}  // NOLINT(google-explicit-constructor)
    Base(Byte* const* present) noexcept
        : present_(present) {}  // NOLINT(google-explicit-constructor)
    [[nodiscard]] Byte* get() const noexcept { return present_ != nullptr ? *present_ : fixed_; }

private:
    Byte* fixed_ = nullptr;
    Byte* const* present_ = nullptr;
};

/// Runs of one field of one leg, with the bases they count from: ready to be executed.
struct Move {
    Base<const std::byte> source;
    Base<std::byte> destination;
    Combine combine;  ///< nullptr: assign
    std::shared_ptr<const RunTable> runs;
};

/// Executes moves in their order.
void execute(std::span<const Move> moves);

/// The move of one field along a leg, whose `runs` are given.
[[nodiscard]] Move make_move(std::shared_ptr<const RunTable> runs, const Field& field,
                             Operation operation, Base<const std::byte> source,
                             Base<std::byte> destination);
[[nodiscard]] inline Move make_move(const route::Leg& leg, const Field& field, Operation operation,
                                    const std::byte* source, std::byte* destination) {
    return make_move(runs_of(leg, field.unit_bytes, {}), field, operation, source, destination);
}

/// Bytes that all fields have in a unit, and on a leg.
[[nodiscard]] std::int64_t unit_bytes_of(std::span<const Field> fields);
[[nodiscard]] std::int64_t packed_bytes(const route::Leg& leg, std::span<const Field> fields);

/// How long the stretches of the source are, in bytes of one field, on average, in which a leg's
/// runs lie one after the other; 0 without any run. The same however the runs are cut into
/// segments.
[[nodiscard]] std::int64_t source_stretch_bytes(const route::Leg& leg, std::int64_t unit_bytes);

/// Where the data of a leg begin in the source, in units, if they lie there one after the other in
/// their order, so that they need not be packed; the same for the destination.
[[nodiscard]] std::optional<std::int64_t> contiguous_source(const route::Leg& leg);
[[nodiscard]] std::optional<std::int64_t> contiguous_destination(const route::Leg& leg);

/// For each portion of a leg (Cutter), at least one, the moves that gather its data, field after
/// field, into its part of `buffer`, of packed_bytes in all. The addresses of the fields are read
/// at each execution: they stay where they are.
[[nodiscard]] std::vector<std::vector<Move>> make_packing(const route::Leg& leg,
                                                          std::span<const Field> fields,
                                                          std::byte* buffer,
                                                          std::int64_t portion_units);
/// The same of the leg in one.
[[nodiscard]] inline std::vector<Move> make_packing(const route::Leg& leg,
                                                    std::span<const Field> fields,
                                                    std::byte* buffer) {
    return make_packing(leg, fields, buffer, INT64_MAX).front();
}

/// Moves that bring such a buffer to its destinations.
[[nodiscard]] std::vector<std::vector<Move>> make_unpacking(const route::Leg& leg,
                                                            std::span<const Field> fields,
                                                            Operation operation,
                                                            const std::byte* buffer,
                                                            std::int64_t portion_units);
[[nodiscard]] inline std::vector<Move> make_unpacking(const route::Leg& leg,
                                                      std::span<const Field> fields,
                                                      Operation operation,
                                                      const std::byte* buffer) {
    return make_unpacking(leg, fields, operation, buffer, INT64_MAX).front();
}

}  // namespace transrank::copy
