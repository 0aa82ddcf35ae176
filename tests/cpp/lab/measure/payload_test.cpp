// SPDX-License-Identifier: BSD-3-Clause
#include "lab/measure/payload.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

using namespace transrank::lab::measure;

namespace {

constexpr Payload message{.source = 3, .target = 5, .stamp = 7};

std::vector<std::byte> written(const Payload& payload, std::size_t bytes) {
    std::vector<std::byte> buffer(bytes);
    payload.write(buffer);
    return buffer;
}

bool passes(const Payload& payload, std::span<const std::byte> buffer) {
    try {
        payload.check(buffer);
        return true;
    } catch (const WrongPayload&) {
        return false;
    }
}

}  // namespace

TEST_CASE("what was written passes, at every length") {
    for (std::size_t bytes = 0; bytes < 300; ++bytes) {
        REQUIRE(passes(message, written(message, bytes)));
    }
}

TEST_CASE("a buffer of no particular alignment is written and checked too") {
    std::vector<std::byte> memory(100);
    for (std::size_t offset = 0; offset < 16; ++offset) {
        const auto part = std::span(memory).subspan(offset, 53);
        message.write(part);
        REQUIRE(std::ranges::equal(part, written(message, 53)));
        REQUIRE(passes(message, part));
    }
}

TEST_CASE("one changed byte is noticed, wherever it is and whatever it becomes") {
    int unnoticed = 0;
    for (std::size_t bytes = 1; bytes < 20; ++bytes) {
        auto buffer = written(message, bytes);
        for (auto& byte : buffer) {
            for (int change = 1; change < 256; ++change) {
                byte ^= static_cast<std::byte>(change);
                unnoticed += passes(message, buffer) ? 1 : 0;
                byte ^= static_cast<std::byte>(change);
            }
        }
        REQUIRE(passes(message, buffer));
    }
    CHECK(unnoticed == 0);
}

TEST_CASE("changes that cancel each other are noticed") {
    auto buffer = written(message, 64);
    for (std::size_t first = 0; first < 64; first += 8) {
        for (std::size_t second = 0; second < first; second += 8) {
            std::swap_ranges(&buffer[first], &buffer[first] + 8, &buffer[second]);
            CHECK(!passes(message, buffer));
            std::swap_ranges(&buffer[first], &buffer[first] + 8, &buffer[second]);
        }
    }
}

TEST_CASE("a message that arrived at another place is noticed") {
    const auto longer = written(message, 600);
    for (std::size_t shift = 1; shift < 500; ++shift) {
        REQUIRE(!passes(message, std::span(longer).subspan(shift, 100)));
    }
}

TEST_CASE("another rank's message, one to another rank and an older one are noticed") {
    for (const std::size_t bytes : {8U, 9U, 100U}) {
        CAPTURE(bytes);
        const auto buffer = written(message, bytes);
        CHECK(!passes({.source = 5, .target = 3, .stamp = 7}, buffer));
        for (int other = 0; other < 1000; ++other) {
            const bool same_source = other == message.source;
            const bool same_target = other == message.target;
            const auto stamp = static_cast<std::uint64_t>(other);
            REQUIRE(passes({.source = other, .target = 5, .stamp = 7}, buffer) == same_source);
            REQUIRE(passes({.source = 3, .target = other, .stamp = 7}, buffer) == same_target);
            REQUIRE(passes({.source = 3, .target = 5, .stamp = stamp}, buffer) == (stamp == 7));
        }
    }
}

TEST_CASE("even of messages of one byte, hardly any passes for another") {
    int unnoticed = 0;
    for (std::uint64_t stamp = 8; stamp < 8 + 2560; ++stamp) {
        const Payload other{.source = 3, .target = 5, .stamp = stamp};
        unnoticed += passes(message, written(other, 1)) ? 1 : 0;
    }
    CHECK(unnoticed < 30);  // one in 256 is 10
}

TEST_CASE("a message that did not arrive, or not all of it, is noticed") {
    int unnoticed = 0;
    for (std::size_t bytes = 8; bytes < 40; ++bytes) {
        for (std::size_t arrived = 0; arrived + 8 <= bytes; ++arrived) {
            std::vector<std::byte> buffer(bytes);
            poison(buffer);
            std::ranges::copy_n(written(message, bytes).begin(),
                                static_cast<std::ptrdiff_t>(arrived), buffer.begin());
            unnoticed += passes(message, buffer) ? 1 : 0;
        }
    }
    CHECK(unnoticed == 0);
}

TEST_CASE("the error names the ranks, the iteration and the first wrong byte's word") {
    auto buffer = written(message, 100);
    buffer[21] ^= std::byte{1};
    buffer[50] ^= std::byte{1};
    std::string what;
    try {
        message.check(buffer);
    } catch (const WrongPayload& wrong) {
        what = wrong.what();
    }
    CHECK(what.find("from rank 3 to rank 5, iteration 7, byte 16:") != std::string::npos);
}

TEST_CASE("reduction elements are small whole numbers that differ from place to place") {
    for (int rank = 0; rank < 100; ++rank) {
        for (std::size_t position = 0; position < 200; ++position) {
            const int element = reduction_element(rank, position, 11);
            REQUIRE(element >= 0);
            REQUIRE(element < static_cast<int>(reduction_period));
            REQUIRE(element == reduction_element(rank, position + reduction_period, 11));
            REQUIRE(element != reduction_element(rank, position + 1, 11));
            REQUIRE(element != reduction_element(rank + 1, position, 11));
            REQUIRE(element != reduction_element(rank, position, 12));
        }
    }
    // What 2^18 ranks add up to is below 2^24, so exact in float whatever the order.
    constexpr std::size_t most = (reduction_period - 1) << 18U;
    constexpr std::size_t exact = std::size_t{1} << 24U;
    CHECK(most < exact);
}
