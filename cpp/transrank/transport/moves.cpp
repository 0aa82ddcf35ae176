// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/transport/moves.hpp"

namespace transrank::transport {
namespace {

enum class Side : std::uint8_t { source, destination };

// The runs of a leg with one of their sides laid out densely, run after run, from 0 on.
std::vector<ByteRuns> dense(const route::Leg& leg, std::int64_t unit_bytes, Side side) {
    std::vector<ByteRuns> all;
    std::int64_t offset = 0;
    for (const auto& segment : leg.segments) {
        auto runs = in_bytes(segment, unit_bytes);
        (side == Side::source ? runs.source : runs.destination) = offset;
        (side == Side::source ? runs.source_stride : runs.destination_stride) = runs.length;
        offset += runs.length * runs.count;
        append(all, runs);
    }
    return all;
}

std::optional<std::int64_t> contiguous(const route::Leg& leg, std::int64_t route::Segment::* offset,
                                       std::int64_t route::Segment::* stride) {
    std::int64_t next = leg.segments.front().*offset;
    for (const auto& segment : leg.segments) {
        if (segment.*offset != next || (segment.count > 1 && segment.*stride != segment.length)) {
            return std::nullopt;
        }
        next += segment.units();
    }
    return leg.segments.front().*offset;
}

Combine kernel(Operation operation, Scalar scalar) {
    return operation == Operation::assign ? nullptr : combine_kernel(operation, scalar);
}

}  // namespace

void execute(std::span<const Move> moves) {
    for (const auto& move : moves) {
        for (const auto& runs : move.runs) {
            if (move.combine == nullptr) {
                copy_runs(runs, move.source, move.destination);
            } else {
                combine_runs(runs, move.source, move.destination, move.combine);
            }
        }
    }
}

Move make_move(const route::Leg& leg, const Field& field, Operation operation,
               const std::byte* source, std::byte* destination, LengthRange range) {
    Move move{.source = source,
              .destination = destination,
              .combine = kernel(operation, field.scalar),
              .runs = {}};
    for (const auto& segment : leg.segments) {
        const auto runs = in_bytes(segment, field.unit_bytes);
        if (runs.length >= range.from && runs.length < range.below) {
            append(move.runs, runs);
        }
    }
    return move;
}

std::int64_t packed_bytes(const route::Leg& leg, std::span<const Field> fields) {
    std::int64_t bytes = 0;
    for (const auto& field : fields) {
        bytes += leg.units() * field.unit_bytes;
    }
    return bytes;
}

std::int64_t source_stretch_bytes(const route::Leg& leg, std::int64_t unit_bytes) {
    std::int64_t stretches = 0;
    std::optional<std::int64_t> end;
    for (const auto& segment : leg.segments) {
        stretches += end == segment.source ? 0 : 1;
        stretches += segment.source_stride == segment.length ? 0 : segment.count - 1;
        end = segment.source + ((segment.count - 1) * segment.source_stride) + segment.length;
    }
    return stretches == 0 ? 0 : leg.units() * unit_bytes / stretches;
}

std::optional<std::int64_t> contiguous_source(const route::Leg& leg) {
    return contiguous(leg, &route::Segment::source, &route::Segment::source_stride);
}

std::optional<std::int64_t> contiguous_destination(const route::Leg& leg) {
    return contiguous(leg, &route::Segment::destination, &route::Segment::destination_stride);
}

std::vector<Move> make_packing(const route::Leg& leg, std::span<const Field> fields,
                               std::byte* buffer) {
    std::vector<Move> moves;
    for (const auto& field : fields) {
        moves.push_back({.source = field.source,
                         .destination = buffer,
                         .combine = nullptr,
                         .runs = dense(leg, field.unit_bytes, Side::destination)});
        buffer += leg.units() * field.unit_bytes;
    }
    return moves;
}

std::vector<Move> make_unpacking(const route::Leg& leg, std::span<const Field> fields,
                                 Operation operation, const std::byte* buffer) {
    std::vector<Move> moves;
    for (const auto& field : fields) {
        moves.push_back({.source = buffer,
                         .destination = field.destination,
                         .combine = kernel(operation, field.scalar),
                         .runs = dense(leg, field.unit_bytes, Side::source)});
        buffer += leg.units() * field.unit_bytes;
    }
    return moves;
}

}  // namespace transrank::transport
