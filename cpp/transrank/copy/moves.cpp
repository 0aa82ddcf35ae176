// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/copy/moves.hpp"

#include <map>
#include <utility>

namespace transrank::copy {
namespace {

/// Those of the fields of one leg, one for each length of their units, and for each view.
class DenseTables {
public:
    DenseTables(const route::Leg& leg, route::End side) : leg_(leg), side_(side) {}

    std::shared_ptr<const RunTable> of(const Field& field) {
        const auto* other =
            (side_ == route::End::source ? field.destination_view : field.source_view).get();
        auto& table = tables_[{field.unit_bytes, other}];
        if (!table) {
            table = dense_runs_of(side_, other, leg_, field.unit_bytes);
        }
        return table;
    }

private:
    const route::Leg& leg_;
    route::End side_;
    std::map<std::pair<std::int64_t, const View*>, std::shared_ptr<const RunTable>> tables_;
};

Combine kernel(Operation operation, Scalar scalar) {
    return operation == Operation::assign ? nullptr : combine_kernel(operation, scalar);
}

}  // namespace

void execute(std::span<const Move> moves) {
    for (const auto& move : moves) {
        if (move.combine == nullptr) {
            move.runs->copy(move.source.get(), move.destination.get());
        } else {
            move.runs->combine(move.source.get(), move.destination.get(), move.combine);
        }
    }
}

Move make_move(std::shared_ptr<const RunTable> runs, const Field& field, Operation operation,
               Base<const std::byte> source, Base<std::byte> destination) {
    return {.source = source,
            .destination = destination,
            .combine = kernel(operation, field.scalar),
            .runs = std::move(runs)};
}

std::int64_t unit_bytes_of(std::span<const Field> fields) {
    std::int64_t bytes = 0;
    for (const auto& field : fields) {
        bytes += field.unit_bytes;
    }
    return bytes;
}

std::int64_t packed_bytes(const route::Leg& leg, std::span<const Field> fields) {
    return leg.units() * unit_bytes_of(fields);
}

std::int64_t source_stretch_bytes(const route::Leg& leg, std::int64_t unit_bytes) {
    const auto outline = leg.segments.outline();
    return outline.source_stretches == 0 ? 0
                                         : outline.units * unit_bytes / outline.source_stretches;
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
    DenseTables tables(leg, route::End::destination);
    for (const auto& field : fields) {
        moves.push_back({.source = &field.source,
                         .destination = buffer,
                         .combine = nullptr,
                         .runs = tables.of(field)});
        buffer += moves.back().runs->bytes();
    }
    return moves;
}

std::vector<Move> make_unpacking(const route::Leg& leg, std::span<const Field> fields,
                                 Operation operation, const std::byte* buffer) {
    std::vector<Move> moves;
    DenseTables tables(leg, route::End::source);
    for (const auto& field : fields) {
        moves.push_back(make_move(tables.of(field), field, operation, buffer, &field.destination));
        buffer += moves.back().runs->bytes();
    }
    return moves;
}

}  // namespace transrank::copy
