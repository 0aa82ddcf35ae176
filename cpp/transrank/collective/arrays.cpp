// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/collective/arrays.hpp"

#include <cstdlib>
#include <functional>
#include <utility>

#include "transrank/layout/require.hpp"

namespace transrank::collective {
namespace {

using copy::Field;
using layout::require;

bool are_one(const Field& field) {
    return field.source == field.destination && field.source != nullptr;
}

}  // namespace

Arrays::Arrays(int rank, const void* send, void* receive, const Blocks& blocks, bool any_memory,
               std::shared_ptr<void> keep_alive)
    : rank_(rank),
      any_memory_(any_memory),
      field_({.source = static_cast<const std::byte*>(send),
              .source_bytes = blocks.send_extent(),
              .destination = static_cast<std::byte*>(receive),
              .destination_bytes = blocks.receive_extent(),
              .unit_bytes = 1,
              .keep_alive = any_memory ? nullptr : std::move(keep_alive)}) {
    in_place_ = are_one(field_);
    check(field_);
}

void Arrays::check(const Field& field) const {
    const auto check_side = [&](const char* what, std::int64_t needed, const std::byte* array,
                                std::int64_t bytes) {
        require(needed == 0 || array != nullptr, "rank ", rank_, " ", what, " ", needed,
                " bytes, but its array is null");
        require(needed <= bytes, "rank ", rank_, " ", what, " ", needed,
                " bytes, but its array has ", bytes);
    };
    check_side("sends", field_.source_bytes, field.source, field.source_bytes);
    check_side("receives", field_.destination_bytes, field.destination, field.destination_bytes);
    const std::less_equal<const std::byte*> before;
    const auto distance = field.destination - field.source;
    require(
        in_place_ || before(field.source + field_.source_bytes, field.destination) ||
            before(field.destination + field_.destination_bytes, field.source),
        "on rank ", rank_, " the array to receive into begins ", std::abs(distance), " bytes ",
        distance < 0 ? "before" : "after",
        " the one to send from and overlaps it: what arrives would overwrite what is to be sent; "
        "give two arrays that do not overlap, or one for both");
}

void Arrays::take(std::optional<std::span<const Field>> given) {
    if (!given) {
        require(!any_memory_, "no arrays are given to start on rank ", rank_,
                "; an alltoall of any memory is given them at each start");
        return;
    }
    require(given->size() == 1 && !given->front().source_view && !given->front().destination_view,
            "rank ", rank_, " gives the start of an alltoall ", given->size(),
            " fields, or a view; give one field of arrays that are contiguous");
    const auto& field = given->front();
    require(
        any_memory_ || (field.source == field_.source && field.destination == field_.destination),
        "the arrays given to start on rank ", rank_,
        " are not those that were bound; bind with any_memory, or bind another alltoall");
    require(are_one(field) == in_place_, "rank ", rank_, " gives start ",
            in_place_ ? "two arrays, and one was bound" : "one array, and two were bound");
    check(field);
    field_.source = field.source;
    field_.destination = field.destination;
    if (any_memory_) {
        field_.keep_alive = field.keep_alive;
    }
}

}  // namespace transrank::collective
