// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3 4
// Lists of indices find each other through a directory that no rank holds as a whole.
#include "transrank/discovery/lists.hpp"

#include "oracle.hpp"
#include "transrank/discovery/ghost.hpp"
#include "transrank/discovery/messages.hpp"
#include "transrank/discovery/route_check.hpp"

using namespace testing;
using namespace transrank::discovery;
using transrank::mpi::Message;

TEST_CASE("lists of consecutive indices make the route of a pull") {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const auto owners = Distribution::even(between(random, 1, 60), world_size());
        const auto range = owners.range(world_rank());
        Indices source(static_cast<std::size_t>(range.length()));
        std::iota(source.begin(), source.end(), range.begin);
        Random own((100 * seed) + static_cast<std::uint64_t>(world_rank()));
        const auto ghosts = random_indices(own, owners.extent());
        CHECK(lists_to_lists(world(), source, ghosts) ==
              ghost_pull(world(), owners, ghosts,
                         {.begin = 0, .extent = static_cast<std::int64_t>(ghosts.size())}));
    }
}

TEST_CASE("lists without anything make a route without anything") {
    CHECK(lists_to_lists(world(), {}, {}) == Route(world_rank(), world_size(), 0, 0, {}, {}));
}

TEST_CASE("an index that stands in no list, or in two, is the same error on every rank") {
    // Each rank has two indices, the last one also one of rank 0's or twice its own.
    const std::int64_t first = 2 * world_rank();
    const auto words = [&](const Indices& bad_source, const Indices& bad_wish) {
        const Indices source{first, first + 1};
        const Indices wish{0};
        return agreed_words([&] {
            return lists_to_lists(world(), is_last() ? bad_source : source,
                                  is_last() ? bad_wish : wish);
        });
    };
    CHECK(words({first, first + 1}, {0, 0, first}).empty());
    CHECK(words({first, first + 1, 1}, {0}) ==
          "index 1 is in the source lists of rank 0 and of rank " + last() +
              "; an index has one owner");
    const auto twice = std::to_string((2 * world_size()) - 1);
    CHECK(words({first, first + 1, first + 1}, {0}) ==
          "index " + twice + " is in the source lists of rank " + last() + " and of rank " +
              last() + "; an index has one owner");
    CHECK(words({first, first + 1}, {0, 100}) ==
          "index 100, which rank " + last() + " wants, is in no source list");
    CHECK(words({first, -3}, {}) == "entry 1 of the source list of rank " + last() +
                                        " is index -3; an index is at least 0 and at most "
                                        "2^63 - 2");
    CHECK(words({first}, {std::numeric_limits<std::int64_t>::max()})
              .find("entry 0 of the destination list of rank " + last()) == 0);
}

// Messages of any length reach ranks that do not expect them.

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
