// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/baseline/datatypes.hpp"

#include "transrank/mpi/error.hpp"
#include "transrank/route/leg.hpp"

namespace transrank::lab::study::baseline {
namespace {

using route::End;
using route::Loop;
using route::Segment;

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

/// Vectors of vectors, from the first unit of a segment on.
FieldType box(const Segment& segment, End end, std::int64_t unit_bytes) {
    const auto stride = end == End::source ? &Loop::source_stride : &Loop::destination_stride;
    const auto doubles = unit_bytes / static_cast<std::int64_t>(sizeof(double));
    FieldType made{
        .offset = (end == End::source ? segment.source : segment.destination) * unit_bytes,
        .type = Datatype::of_vector(
            static_cast<int>(segment.count), static_cast<int>(segment.length * doubles),
            static_cast<int>(segment.fastest().*stride * doubles), MPI_DOUBLE)};
    for (const auto& loop : segment.further) {
        made.type =
            Datatype::repeated(static_cast<int>(loop.count), loop.*stride * unit_bytes, made.type);
    }
    return made;
}

FieldType boxes(const route::Leg& leg, End end, std::int64_t unit_bytes) {
    std::vector<FieldType> all;
    for (const auto& segment : leg.segments) {
        all.push_back(box(segment, end, unit_bytes));
    }
    if (all.size() == 1) {
        return std::move(all.front());
    }
    std::vector<Datatype::Part> parts;
    for (const auto& [offset, type] : all) {
        parts.push_back({.displacement = offset, .type = type.handle()});
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
