// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1
#include "lab/measure/core_watch.hpp"

#include <doctest/doctest.h>

#include "lab/machine/clock.hpp"
#include "lab/machine/process.hpp"
#include "rival.hpp"

using namespace transrank;
using namespace transrank::lab;

TEST_CASE("a core lost for long is noticed, for short beside a long sample not, and forgotten") {
    bool noticed = false;
    bool shows_in_an_hour = true;
    bool forgotten = false;
    test::beside_rival([&] {
        measure::CoreWatch watch;
        watch.begin();
        const double begin = machine::now();
        double seconds = 0;
        while (!noticed && seconds < 10) {
            seconds = machine::now() - begin;
            noticed = seconds > 0.05 && watch.lost_in(seconds);
        }
        shows_in_an_hour = watch.lost_in(3600);
        for (int i = 0; i < 100 && !forgotten; ++i) {
            watch.begin();
            forgotten = !watch.lost_in(0);
        }
    });
    CHECK(noticed);
    CHECK(shows_in_an_hour == (machine::nanoseconds_without_core() < 0));
    CHECK(forgotten);
}
