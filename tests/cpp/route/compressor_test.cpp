// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/compressor.hpp"

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "testing.hpp"

using namespace transrank::route;

namespace {

using Sources = std::vector<std::int64_t>;

/// Sources of one pattern each, from single rows at random distances to whole runs.
Sources random_sources(std::mt19937_64& random, unsigned pattern, std::size_t count) {
    const auto below = [&](std::int64_t end) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
    };
    const auto spread = 1 + below(40);
    std::int64_t source = 1'000'000;
    Sources sources(count);
    for (auto& each : sources) {
        switch (pattern) {
            case 0:
                source += 1 + below(spread);
                break;
            case 1:
                source += below(3) != 0 ? 1 : 2 + below(spread);
                break;
            case 2:
                source = below(100'000);
                break;
            case 3:
                source += below(20) != 0 ? spread : 1;
                break;
            case 4:
                source += below(50) != 0 ? 1 : spread;
                break;
            default:
                source += below(5) - 2 + (below(7) == 0 ? spread * 1000 : 0);
        }
        each = source;
    }
    return sources;
}

}  // namespace

TEST_CASE("units of a list become the segments that they become one by one") {
    std::mt19937_64 random(1);
    for (unsigned round = 0; round < 1200; ++round) {
        const auto sources =
            random_sources(random, round % 6, random() % (round % 10 == 0 ? 3000 : 300));
        const auto shift = static_cast<std::int64_t>(random() % 7);
        const auto to = static_cast<std::int64_t>(random() % 50);
        const auto cut = random() % (sources.size() + 1);
        Compressor one_by_one;
        Compressor together;
        if (random() % 2 == 0) {
            one_by_one.add(3, 0, 2);
            together.add(3, 0, 2);
        }
        for (std::size_t i = 0; i < sources.size(); ++i) {
            one_by_one.add(sources[i] + shift, to + static_cast<std::int64_t>(i), 1);
        }
        together.add_units(std::span(sources).first(cut), shift, to);
        together.add_units(std::span(sources).subspan(cut), shift,
                           to + static_cast<std::int64_t>(cut));
        const auto expected = one_by_one.finish();
        const auto found = together.finish();
        CAPTURE(round);
        CHECK(found == expected);
        CHECK(found.size() == expected.size());
        CHECK(found.outline() == expected.outline());
    }
}
