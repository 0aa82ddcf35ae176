// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "lab/study/study.hpp"
#include "lab/text/sizes.hpp"

using namespace transrank;
using namespace transrank::lab;

TEST_CASE("the send modes are compared at 47 sizes, evenly spaced on a logarithmic axis") {
    std::set<std::int64_t> expected;
    for (int i = 0; i <= 49; ++i) {
        expected.insert(std::llround(std::pow(10.0, 5.0 * i / 49.0)));
    }
    const auto sizes = text::parse_sizes(study::find("send-modes").sizes);
    CHECK(sizes.size() == 47);
    CHECK(sizes.front() == 1);
    CHECK(sizes.back() == 100'000);
    CHECK(sizes == std::vector<std::int64_t>(expected.begin(), expected.end()));
}

TEST_CASE("every routine is repeated a thousand times at least, in one group with the others") {
    const auto points = study::select(study::find("send-modes"), {}, 2, measure::CacheMode::warm,
                                      std::int64_t{1} << 30);
    CHECK(points.size() == 6 * 47);
    for (const auto& point : points) {
        CAPTURE(point.id());
        const bool both_ways = point.text("routine") == "sendrecv";
        CHECK(point.operations_per_repetition == (both_ways ? 1 : 2));
        CHECK(point.least_operations == 1000 * point.operations_per_repetition);
        CHECK(point.group == "send-modes");
        CHECK(point.clocks == measure::Clocks::root);
        CHECK(point.bytes_counted == static_cast<double>(point.number("bytes")));
    }
}

TEST_CASE("a message that the attached buffer cannot hold skips only the buffered send") {
    study::Selection selection;
    selection.sizes = {std::int64_t{1} << 30};
    for (const auto& point : study::select(study::find("send-modes"), selection, 2,
                                           measure::CacheMode::warm, std::int64_t{1} << 33)) {
        CAPTURE(point.id());
        CHECK(point.skip_reason.empty() == (point.text("routine") != "bsend"));
    }
}
