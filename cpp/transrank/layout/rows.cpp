// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/layout/rows.hpp"

#include <utility>

#include "transrank/layout/require.hpp"

namespace transrank::layout {
namespace {

[[noreturn]] void refuse_overflow() {
    refuse("the rows have more units than 64 bits can count");
}

std::int64_t sum(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (__builtin_add_overflow(a, b, &result)) {
        refuse_overflow();
    }
    return result;
}

std::int64_t product(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (__builtin_mul_overflow(a, b, &result)) {
        refuse_overflow();
    }
    return result;
}

std::int64_t aligned(std::int64_t units, std::int64_t alignment) {
    return product(sum(units, alignment - 1) / alignment, alignment);
}

void check_alignment(std::int64_t alignment) {
    require(alignment >= 1, "the row alignment is ", alignment,
            " units; it must be at least 1 (1: rows are not aligned)");
}

void check_lengths(const std::vector<std::int64_t>& lengths) {
    for (std::size_t row = 0; row < lengths.size(); ++row) {
        require(lengths[row] >= 0, "row ", counted(row), " has ", lengths[row],
                " units; a row has at least 0");
    }
}

void check_bound(const std::vector<std::int64_t>& lengths, std::int64_t bound) {
    for (std::size_t row = 0; row < lengths.size(); ++row) {
        require(lengths[row] <= bound, "row ", counted(row), " has ", lengths[row],
                " units, more than the bound ", bound, "; raise the bound");
    }
}

}  // namespace

Rows Rows::fixed(std::int64_t rows, std::int64_t length, std::int64_t alignment) {
    require(rows >= 0 && length >= 0, rows, " rows of ", length,
            " units are out of range; both are at least 0");
    check_alignment(alignment);
    Rows made;
    made.rows_ = rows;
    made.length_ = length;
    made.pitch_ = aligned(length, alignment);
    made.units_ = product(rows, made.pitch_);
    return made;
}

Rows Rows::bounded(std::vector<std::int64_t> lengths, std::int64_t bound, std::int64_t alignment) {
    check_lengths(lengths);
    check_bound(lengths, bound);
    Rows made = fixed(static_cast<std::int64_t>(lengths.size()), bound, alignment);
    made.lengths_ = std::make_shared<const std::vector<std::int64_t>>(std::move(lengths));
    return made;
}

Rows Rows::variable(const std::vector<std::int64_t>& lengths, std::int64_t alignment) {
    check_alignment(alignment);
    check_lengths(lengths);
    std::vector<std::int64_t> begins(lengths.size());
    std::int64_t end = 0;
    for (std::size_t row = 0; row < lengths.size(); ++row) {
        begins[row] = end;
        end = sum(end, aligned(lengths[row], alignment));
    }
    Rows made;
    made.rows_ = static_cast<std::int64_t>(lengths.size());
    made.units_ = end;
    made.lengths_ = std::make_shared<const std::vector<std::int64_t>>(lengths);
    made.begins_ = std::make_shared<const std::vector<std::int64_t>>(std::move(begins));
    return made;
}

Rows Rows::from_offsets(std::vector<std::int64_t> offsets) {
    require(!offsets.empty() && offsets.front() >= 0,
            "row offsets begin with the first row's unit, at least 0, and end with the last row's "
            "end: n rows have n + 1 offsets");
    std::vector<std::int64_t> lengths(offsets.size() - 1);
    for (std::size_t row = 0; row < lengths.size(); ++row) {
        require(offsets[row + 1] >= offsets[row], "row ", counted(row), " begins at offset ",
                counted(offsets[row]), " and ends at ", counted(offsets[row + 1]),
                "; offsets must not descend");
        lengths[row] = offsets[row + 1] - offsets[row];
    }
    Rows made;
    made.rows_ = static_cast<std::int64_t>(lengths.size());
    made.units_ = offsets.back();
    made.lengths_ = std::make_shared<const std::vector<std::int64_t>>(std::move(lengths));
    made.begins_ = std::make_shared<const std::vector<std::int64_t>>(std::move(offsets));
    return made;
}

bool operator==(const Rows& one, const Rows& other) {
    const auto same = [](const Rows::Table& a, const Rows::Table& b) {
        return a == b || (a && b && *a == *b);
    };
    return one.rows_ == other.rows_ && one.length_ == other.length_ && one.pitch_ == other.pitch_ &&
           one.units_ == other.units_ && same(one.lengths_, other.lengths_) &&
           same(one.begins_, other.begins_);
}

}  // namespace transrank::layout
