// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/copy/moves.hpp"

#include <map>
#include <utility>

namespace transrank::copy {
namespace {

using Tables = std::vector<std::shared_ptr<const RunTable>>;

/// For each portion of a leg the moves of all fields that `make(field, table, place)` makes, where
/// `place` is that of a field in a buffer.
template <class Byte, class Make>
std::vector<std::vector<Move>> in_portions(const route::Leg& leg, std::span<const Field> fields,
                                           route::End dense, Byte* buffer, std::int64_t units,
                                           const Make& make) {
    std::map<std::pair<std::int64_t, const View*>, Tables> all;
    std::vector<const Tables*> of_field;
    for (const auto& field : fields) {
        const auto& view = dense == route::End::source ? field.destination_view : field.source_view;
        auto& tables = all[{field.unit_bytes, view.get()}];
        if (tables.empty()) {
            tables = dense_runs_of(dense, view.get(), leg, field.unit_bytes, units);
        }
        of_field.push_back(&tables);
    }
    std::vector<std::vector<Move>> portions(fields.empty() ? 1 : of_field.front()->size());
    for (std::size_t portion = 0; portion < portions.size(); ++portion) {
        for (std::size_t i = 0; i < fields.size(); ++i) {
            const auto& table = (*of_field[i])[portion];
            portions[portion].push_back(make(fields[i], table, buffer));
            buffer += table->bytes();
        }
    }
    return portions;
}

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

std::vector<std::vector<Move>> make_packing(const route::Leg& leg, std::span<const Field> fields,
                                            std::byte* buffer, std::int64_t portion_units) {
    return in_portions(
        leg, fields, route::End::destination, buffer, portion_units,
        [](const Field& field, const auto& runs, std::byte* place) {
            return Move{
                .source = &field.source, .destination = place, .combine = nullptr, .runs = runs};
        });
}

std::vector<std::vector<Move>> make_unpacking(const route::Leg& leg, std::span<const Field> fields,
                                              Operation operation, const std::byte* buffer,
                                              std::int64_t portion_units) {
    return in_portions(leg, fields, route::End::source, buffer, portion_units,
                       [&](const Field& field, const auto& runs, const std::byte* place) {
                           return make_move(runs, field, operation, place, &field.destination);
                       });
}

}  // namespace transrank::copy
