// SPDX-License-Identifier: BSD-3-Clause
#include "lab/machine/clock.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <ctime>

using namespace transrank;
using namespace transrank::lab;

TEST_CASE("the clock never goes back") {
    double previous = machine::now();
    bool ascends = true;
    for (int i = 0; i < 100'000; ++i) {
        const double reading = machine::now();
        ascends = ascends && reading >= previous;
        previous = reading;
    }
    CHECK(ascends);
    CHECK(previous > 0);
}

TEST_CASE("the clock's resolution and cost are positive and far below a sample") {
    const auto quality = machine::measure_clock();
    CHECK(quality.resolution_seconds > 0);
    CHECK(quality.resolution_seconds < 1e-3);
    CHECK(quality.cost_seconds > 0);
    CHECK(quality.cost_seconds < 1e-3);
}

TEST_CASE("the time since the epoch is the system's") {
    const auto system =
        std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    CHECK(machine::epoch_now() > system - 1e-3);
    CHECK(machine::epoch_now() - system < 60);
}

TEST_CASE("date and time read back as the same moment") {
    const double before = machine::epoch_now();
    const std::string text = machine::utc_now();
    std::tm parts{};
    const char* rest = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
    REQUIRE(rest != nullptr);
    CHECK(std::string(rest) == "+00:00");
    const auto read = static_cast<double>(timegm(&parts));
    CHECK(read > before - 2);
    CHECK(read <= machine::epoch_now());
}
