// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3 4
// Messages of any length reach ranks that do not expect them.
#include "transrank/discovery/messages.hpp"

#include <doctest/doctest.h>
#include <mpi.h>

#include "oracle.hpp"

using namespace testing;
using namespace transrank::discovery;
using transrank::mpi::Message;

namespace {

/// What `from` writes to `to` in a round; empty when it writes nothing.
std::vector<std::byte> content(Random& random, int from, int to) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(between(random, 0, 60)));
    for (auto& byte : bytes) {
        byte = static_cast<std::byte>((16 * from) + to + between(random, 0, 3));
    }
    return bytes;
}

}  // namespace

TEST_CASE("messages arrive whole, in pieces or not, also one after the other") {
    for (const std::size_t piece_bytes : {std::size_t{1}, std::size_t{7}, std::size_t{1000}}) {
        for (std::uint64_t seed = 0; seed < 30; ++seed) {
            CAPTURE(seed);
            Random random(seed);
            std::vector<Message> own;
            std::vector<Message> expected;
            for (int from = 0; from < world_size(); ++from) {
                for (int to = 0; to < world_size(); ++to) {
                    if (chance(random, 0.4)) {
                        continue;
                    }
                    const auto bytes = content(random, from, to);
                    if (from == world_rank()) {
                        own.push_back({.peer = to, .bytes = bytes});
                    }
                    if (to == world_rank()) {
                        expected.push_back({.peer = from, .bytes = bytes});
                    }
                }
            }
            const auto got = deliver(world(), own, Subject::index_lists, piece_bytes);
            REQUIRE(got.size() == expected.size());
            for (std::size_t i = 0; i < got.size(); ++i) {
                CHECK(got[i].peer == expected[i].peer);
                CHECK(got[i].bytes == expected[i].bytes);
            }
        }
    }
}

TEST_CASE("a message that ends too early is refused") {
    Writer writer;
    writer.add(std::uint64_t{1000});
    const auto message = std::move(writer).to(0);
    CHECK_THROWS((void)Reader(message).take_all<std::int64_t>());
    Reader reader(message);
    CHECK(reader.take<std::uint64_t>() == 1000);
    CHECK(reader.at_end());
    CHECK_THROWS((void)reader.take<std::uint64_t>());
}
