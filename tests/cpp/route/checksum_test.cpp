// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/checksum.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <utility>

using namespace transrank::route;

TEST_CASE("the checksum is XXH64 of the words in little endian order") {
    // Computed by the reference implementation for words 1 + i * 0x0123456789abcdef.
    for (const auto& [words, expected] :
         {std::pair<std::uint64_t, std::uint64_t>{0, 0xef46db3751d8e999},
          {1, 0x9f29cb17a2a49995},
          {3, 0x9fca5d07f7ff028e},
          {4, 0xb12c2212fc853b0f},
          {5, 0xd4c4f93a60b8eabf},
          {8, 0xad2206b1f44fc08c},
          {12, 0x187b707fce4e48a7},
          {13, 0x83412b9d13787901}}) {
        Checksum sum;
        for (std::uint64_t i = 0; i < words; ++i) {
            sum.add((i * 0x0123456789ABCDEF) + 1);
        }
        CHECK(sum.value() == expected);
    }
}

TEST_CASE("the checksum of a leg depends on every field and not on the peer") {
    const Segment segment{.source = 1,
                          .destination = 2,
                          .length = 3,
                          .count = 4,
                          .source_stride = 5,
                          .destination_stride = 6};
    const std::uint64_t sum = checksum(Leg{.peer = 0, .segments = {segment}});
    CHECK(sum == checksum(Leg{.peer = 1, .segments = {segment}}));
    for (const auto field :
         {&Segment::source, &Segment::destination, &Segment::length, &Segment::count,
          &Segment::source_stride, &Segment::destination_stride}) {
        Segment other = segment;
        other.*field += 1;
        CHECK(checksum(Leg{.peer = 0, .segments = {other}}) != sum);
    }
    CHECK(checksum(Leg{.peer = 0, .segments = {segment, segment}}) != sum);
}
