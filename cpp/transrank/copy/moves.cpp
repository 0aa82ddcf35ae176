// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/copy/moves.hpp"

#include <map>
#include <utility>

namespace transrank::copy {
namespace {

enum class Side : std::uint8_t { source, destination };

// One side of runs made dense, run after run, from `offset` on; returns their units.
std::int64_t make_dense(route::Segment& runs, Side side, std::int64_t offset) {
    (side == Side::source ? runs.source : runs.destination) = offset;
    (side == Side::source ? runs.source_stride : runs.destination_stride) = runs.length;
    return runs.units();
}

std::int64_t make_dense(Nest& nest, Side side, std::int64_t offset) {
    (side == Side::source ? nest.source : nest.destination) = offset;
    auto units = nest.length;
    for (auto& loop : std::span(nest.loops).first(nest.depth)) {
        (side == Side::source ? loop.source_stride : loop.destination_stride) = units;
        units *= loop.count;
    }
    return units;
}

// The runs of a leg with one of their sides laid out densely, run after run, from 0 on.
std::shared_ptr<const RunTable> dense(const route::Leg& leg, std::int64_t unit_bytes, Side side) {
    auto table = std::make_shared<RunTable>(unit_bytes);
    std::int64_t offset = 0;
    const auto append = [&](auto runs) {
        offset += make_dense(runs, side, offset);
        table->append(runs);
    };
    for_each_box(leg, append, [&](const Nest& nest, auto /*segments*/) { append(nest); });
    table->finish();
    return table;
}

/// Those of the fields of one leg, one for each length of their units.
class DenseTables {
public:
    DenseTables(const route::Leg& leg, Side side) : leg_(leg), side_(side) {}

    std::shared_ptr<const RunTable> of(std::int64_t unit_bytes) {
        auto& table = tables_[unit_bytes];
        if (!table) {
            table = dense(leg_, unit_bytes, side_);
        }
        return table;
    }

private:
    const route::Leg& leg_;
    Side side_;
    std::map<std::int64_t, std::shared_ptr<const RunTable>> tables_;
};

Combine kernel(Operation operation, Scalar scalar) {
    return operation == Operation::assign ? nullptr : combine_kernel(operation, scalar);
}

}  // namespace

void execute(std::span<const Move> moves) {
    for (const auto& move : moves) {
        if (move.combine == nullptr) {
            move.runs->copy(move.source, move.destination);
        } else {
            move.runs->combine(move.source, move.destination, move.combine);
        }
    }
}

Move make_move(std::shared_ptr<const RunTable> runs, const Field& field, Operation operation,
               const std::byte* source, std::byte* destination) {
    return {.source = source,
            .destination = destination,
            .combine = kernel(operation, field.scalar),
            .runs = std::move(runs)};
}

std::int64_t packed_bytes(const route::Leg& leg, std::span<const Field> fields) {
    std::int64_t bytes = 0;
    for (const auto& field : fields) {
        bytes += leg.units() * field.unit_bytes;
    }
    return bytes;
}

std::int64_t source_stretch_bytes(const route::Leg& leg, std::int64_t unit_bytes) {
    const auto outline = leg.segments.outline();
    return leg.segments.empty() ? 0 : outline.units * unit_bytes / outline.source_stretches;
}

std::optional<std::int64_t> contiguous_source(const route::Leg& leg) {
    return leg.segments.outline().source_stretches == 1 ? std::optional(leg.segments.front().source)
                                                        : std::nullopt;
}

std::optional<std::int64_t> contiguous_destination(const route::Leg& leg) {
    return leg.segments.outline().destination_stretches == 1
               ? std::optional(leg.segments.front().destination)
               : std::nullopt;
}

std::vector<Move> make_packing(const route::Leg& leg, std::span<const Field> fields,
                               std::byte* buffer) {
    std::vector<Move> moves;
    DenseTables tables(leg, Side::destination);
    for (const auto& field : fields) {
        moves.push_back({.source = field.source,
                         .destination = buffer,
                         .combine = nullptr,
                         .runs = tables.of(field.unit_bytes)});
        buffer += moves.back().runs->bytes();
    }
    return moves;
}

std::vector<Move> make_unpacking(const route::Leg& leg, std::span<const Field> fields,
                                 Operation operation, const std::byte* buffer) {
    std::vector<Move> moves;
    DenseTables tables(leg, Side::source);
    for (const auto& field : fields) {
        moves.push_back(
            make_move(tables.of(field.unit_bytes), field, operation, buffer, field.destination));
        buffer += moves.back().runs->bytes();
    }
    return moves;
}

}  // namespace transrank::copy
