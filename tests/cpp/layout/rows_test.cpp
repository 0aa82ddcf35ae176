// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/layout/rows.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <stdexcept>

using namespace transrank::layout;

TEST_CASE("rows of one length lie at one pitch") {
    const auto plain = Rows::fixed(3, 5);
    CHECK(plain.begin(2) == 10);
    CHECK(plain.units() == 15);
    CHECK(plain.is_fixed());
    const auto aligned = Rows::fixed(3, 5, 4);
    CHECK(aligned.pitch() == 8);
    CHECK(aligned.begin(2) == 16);
    CHECK(aligned.length(2) == 5);
    CHECK(aligned.units() == 24);
}

TEST_CASE("rows of a bounded length have room for the bound each") {
    const auto rows = Rows::bounded({2, 0, 3}, 3, 2);
    CHECK(rows.begin(2) == 8);
    CHECK(rows.length(1) == 0);
    CHECK(rows.length(2) == 3);
    CHECK(rows.units() == 12);
    CHECK(rows.pitch() == 4);
    CHECK_FALSE(rows.is_fixed());
}

TEST_CASE("rows of any length follow each other") {
    const auto rows = Rows::variable({2, 0, 3});
    CHECK(rows.begin(1) == 2);
    CHECK(rows.begin(2) == 2);
    CHECK(rows.units() == 5);
    CHECK(rows.pitch() == 0);
    const auto aligned = Rows::variable({2, 0, 5, 1}, 4);
    CHECK(aligned.begin(2) == 4);
    CHECK(aligned.begin(3) == 12);
    CHECK(aligned.units() == 16);
    const auto csr = Rows::from_offsets({4, 6, 6, 9});
    CHECK(csr.rows() == 3);
    CHECK(csr.begin(0) == 4);
    CHECK(csr.length(2) == 3);
    CHECK(csr.units() == 9);
    CHECK(Rows::variable({}).units() == 0);
}

TEST_CASE("what makes no rows is refused with its values") {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    CHECK_THROWS_WITH_AS((void)Rows::fixed(-1, 3),
                         "-1 rows of 3 units are out of range; both are at least 0",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(
        (void)Rows::fixed(1, 3, 0),
        "the row alignment is 0 units; it must be at least 1 (1: rows are not aligned)",
        std::invalid_argument);
    CHECK_THROWS_WITH_AS((void)Rows::bounded({2, 4}, 3),
                         "row 1 has 4 units, more than the bound 3; raise the bound",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS((void)Rows::variable({2, -4}), "row 1 has -4 units; a row has at least 0",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS((void)Rows::from_offsets({0, 3, 2}),
                         "row 1 begins at offset 3 and ends at 2; offsets must not descend",
                         std::invalid_argument);
    CHECK_THROWS_AS((void)Rows::from_offsets({}), std::invalid_argument);
    CHECK_THROWS_AS((void)Rows::from_offsets({-1, 2}), std::invalid_argument);
    CHECK_THROWS_WITH_AS((void)Rows::fixed(most, 2),
                         "the rows have more units than 64 bits can count", std::invalid_argument);
    CHECK_THROWS_AS((void)Rows::variable({most, 1}), std::invalid_argument);
    CHECK_THROWS_AS((void)Rows::variable({most}, 4), std::invalid_argument);
}
