// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "lab/study/baseline/baseline.hpp"
#include "lab/study/baseline/mpi_datatype.hpp"
#include "transrank/route/rows.hpp"

namespace transrank::lab::study::baseline {

/// One end of a leg in one field, as MPI takes it: `offset` bytes into the field's array.
struct FieldType {
    std::int64_t offset;
    Datatype type;
};
[[nodiscard]] FieldType describe(const route::Leg& leg, route::End end, const Task& task);

/// One end of a leg in all fields, from `buffer` on.
struct JoinedType {
    void* buffer;
    Datatype type;
};
[[nodiscard]] JoinedType describe_joined(const route::Leg& leg, route::End end, const Task& task);

/// What is a message of its own where no collective needs all that goes to a peer: legs, or legs of
/// one segment each, in an order that both peers have.
[[nodiscard]] std::vector<route::Leg> parts(std::span<const route::Leg> legs, const Task& task);

}  // namespace transrank::lab::study::baseline
