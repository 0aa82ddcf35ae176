// SPDX-License-Identifier: BSD-3-Clause
#include "lab/measure/case.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

using namespace transrank;
using namespace transrank::lab;

namespace {

measure::Case sample_case() {
    measure::Case point;
    point.study = "collectives";
    point.axes = {{.name = "operation", .value = "allreduce"},
                  {.name = "root", .value = std::int64_t{3}},
                  {.name = "bytes", .value = std::int64_t{65536}}};
    return point;
}

}  // namespace

TEST_CASE("a case is named by its study and its values, sizes with their unit") {
    CHECK(sample_case().id() == "collectives/allreduce/3/64KiB");
    measure::Case plain;
    plain.study = "barrier";
    CHECK(plain.id() == "barrier");
}

TEST_CASE("a case tells its values by the axis") {
    const auto point = sample_case();
    CHECK(point.number("bytes") == 65536);
    CHECK(point.text("operation") == "allreduce");
}

TEST_CASE("an axis that a case does not have is named in the error") {
    const auto point = sample_case();
    CHECK_THROWS_WITH_AS((void)point.number("window"),
                         "case collectives/allreduce/3/64KiB has no axis 'window'",
                         std::out_of_range);
    CHECK_THROWS_AS((void)point.text("window"), std::out_of_range);
}
