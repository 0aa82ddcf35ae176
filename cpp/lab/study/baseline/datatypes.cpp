// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/baseline/datatypes.hpp"

#include "transrank/mpi/error.hpp"
#include "transrank/route/leg.hpp"

namespace transrank::lab::study::baseline {
namespace {

using route::End;
using route::Segment;

std::int64_t offset_of(const Segment& segment, End end) {
    return end == End::source ? segment.source : segment.destination;
}

std::int64_t stride_of(const Segment& segment, End end) {
    return end == End::source ? segment.source_stride : segment.destination_stride;
}

FieldType rows(const route::Leg& leg, End end, std::int64_t unit_bytes) {
    std::vector<MPI_Aint> displacements;
    route::for_each_run(leg, [&](std::int64_t source, std::int64_t destination, std::int64_t rows) {
        const auto first = end == End::source ? source : destination;
        for (auto row = first; row < first + rows; ++row) {
            displacements.push_back(static_cast<MPI_Aint>(row * unit_bytes));
        }
    });
    const std::vector<int> lengths(displacements.size(), static_cast<int>(unit_bytes));
    return {.offset = 0, .type = Datatype::of_blocks(lengths, displacements)};
}

/// Segments of one shape, at even distances from each other.
struct Stack {
    const Segment* first;
    std::int64_t count;
    std::int64_t stride;
};

std::vector<Stack> stacks(const route::Leg& leg, End end) {
    std::vector<Stack> all;
    for (const auto& segment : leg.segments) {
        if (!all.empty()) {
            auto& last = all.back();
            const auto& first = *last.first;
            const auto ahead = offset_of(segment, end) - offset_of(first, end);
            const bool alike = segment.length == first.length && segment.count == first.count &&
                               stride_of(segment, end) == stride_of(first, end);
            if (alike && (last.count == 1 || ahead == last.count * last.stride)) {
                last.stride = last.count == 1 ? ahead : last.stride;
                ++last.count;
                continue;
            }
        }
        all.push_back({.first = &segment, .count = 1, .stride = 0});
    }
    return all;
}

Datatype type_of(const Stack& stack, End end, std::int64_t unit_bytes) {
    const auto doubles = unit_bytes / static_cast<std::int64_t>(sizeof(double));
    auto type = Datatype::of_vector(
        static_cast<int>(stack.first->count), static_cast<int>(stack.first->length * doubles),
        static_cast<int>(stride_of(*stack.first, end) * doubles), MPI_DOUBLE);
    return stack.count == 1
               ? std::move(type)
               : Datatype::repeated(static_cast<int>(stack.count), stack.stride * unit_bytes, type);
}

FieldType boxes(const route::Leg& leg, End end, std::int64_t unit_bytes) {
    const auto all = stacks(leg, end);
    if (all.size() == 1) {
        return {.offset = offset_of(*all.front().first, end) * unit_bytes,
                .type = type_of(all.front(), end, unit_bytes)};
    }
    std::vector<Datatype> types;
    std::vector<Datatype::Part> parts;
    for (const auto& stack : all) {
        types.push_back(type_of(stack, end, unit_bytes));
        parts.push_back({.displacement = offset_of(*stack.first, end) * unit_bytes,
                         .type = types.back().handle()});
    }
    return {.offset = 0, .type = Datatype::of_parts(parts)};
}

std::byte* array_of(const copy::Field& field, End end) {
    // MPI takes what it only reads as a pointer to non-const as well.
    return end == End::source ? const_cast<std::byte*>(field.source) : field.destination;
}

}  // namespace

FieldType describe(const route::Leg& leg, End end, const Task& task) {
    return task.description == Description::rows ? rows(leg, end, task.unit_bytes())
                                                 : boxes(leg, end, task.unit_bytes());
}

JoinedType describe_joined(const route::Leg& leg, End end, const Task& task) {
    auto [offset, type] = describe(leg, end, task);
    if (task.fields.size() == 1) {
        return {.buffer = array_of(task.fields.front(), end) + offset, .type = std::move(type)};
    }
    std::vector<Datatype::Part> parts;
    for (const auto& field : task.fields) {
        parts.push_back(
            {.displacement = address(array_of(field, end) + offset), .type = type.handle()});
    }
    return {.buffer = MPI_BOTTOM, .type = Datatype::of_parts(parts)};
}

std::vector<route::Leg> parts(std::span<const route::Leg> legs, const Task& task) {
    if (task.description != Description::segments) {
        return {legs.begin(), legs.end()};
    }
    std::vector<route::Leg> all;
    for (const auto& leg : legs) {
        for (const auto& segment : leg.segments) {
            all.push_back({.peer = leg.peer, .segments = {segment}});
        }
    }
    return all;
}

}  // namespace transrank::lab::study::baseline
