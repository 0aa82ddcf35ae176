// SPDX-License-Identifier: BSD-3-Clause
// ranks: 2 3
// What an exchange tells about itself, and that the threshold is measured once.
#include <regex>
#include <sched.h>

#include "pretended_nodes.hpp"
#include "ring.hpp"

using namespace testing;

namespace {

std::string explain(const Ring& ring, std::optional<std::int64_t> push_below_bytes,
                    MPI_Comm comm = all_ranks) {
    Options options;
    options.push_below_bytes = push_below_bytes;
    return Exchange(ring.route(), comm, ring.fields(), options).explain();
}

/// The threshold and its origin.
std::pair<std::string, std::string> threshold_in(const std::string& words) {
    const std::regex line(
        "shared-direct pushes runs of less than (\\d+) bytes and pulls the "
        "others \\((.*)\\)");
    std::smatch found;
    REQUIRE(std::regex_search(words, found, line));
    return {found[1], found[2]};
}

int proposals = 0;  // to measure together

int usable_cores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof(set), &set);
    return CPU_COUNT(&set);
}

}  // namespace

extern "C" int MPI_Sendrecv(const void* send, int send_count, MPI_Datatype send_type, int to,
                            int send_tag, void* receive, int receive_count,
                            MPI_Datatype receive_type, int from, int receive_tag, MPI_Comm comm,
                            MPI_Status* status) {
    ++proposals;
    return PMPI_Sendrecv(send, send_count, send_type, to, send_tag, receive, receive_count,
                         receive_type, from, receive_tag, comm, status);
}

TEST_CASE("a threshold that was given is used and told") {
    const Ring ring(world_rank(), world_size(), true);
    CHECK(threshold_in(explain(ring, 48)) == std::pair<std::string, std::string>{"48", "given"});
}

TEST_CASE("a rank is not a peer of its own, and one is not called many") {
    const Ring ring(world_rank(), world_size(), true);
    const auto words = explain(ring, std::nullopt);
    CAPTURE(words);
    CHECK(words.starts_with("rank " + std::to_string(world_rank()) + " of " +
                            std::to_string(world_size()) + ": " +
                            (world_size() == 2 ? "1 peer" : "2 peers") + ", 1 field\n"));
    CHECK(words.find("itself") == std::string::npos);
    const auto alone = explain(Ring(0, 1, true), std::nullopt, MPI_COMM_SELF);
    CAPTURE(alone);
    CHECK(alone.starts_with("rank 0 of 1: 0 peers, 1 field\n"));
    CHECK(alone.find("\nitself  ") != std::string::npos);
    CHECK(alone.find("the best there is") == std::string::npos);
}

TEST_CASE("a threshold is measured until that has succeeded, and is the same on every rank") {
    const Ring ring(world_rank(), world_size(), true);
    auto first = threshold_in(explain(ring, std::nullopt));
    for (int attempts = 1; attempts < 4 && first.second != "measured"; ++attempts) {
        CHECK(first.first == "128");  // a busy machine is measured again in the next bind
        first = threshold_in(explain(ring, std::nullopt));
    }
    CHECK(same_on_all_ranks(first.first + first.second));
    if (usable_cores() < world_size()) {
        CHECK(first.first == "128");
        CHECK(first.second == "default: no two ranks with a core each could measure");
    } else {
        CHECK((first.second == "measured" || first.second.starts_with("default: ")));
    }
    const int before = proposals;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < 3; ++i) {
        CHECK(threshold_in(explain(ring, std::nullopt, i == 0 ? all_ranks : comm)) == first);
    }
    CHECK(proposals == before);
    MPI_Comm_free(&comm);
}

TEST_CASE("the environment names the transport of exchanges whose program names none") {
    const Ring ring(world_rank(), world_size(), true);
    const auto explained = [&](const char* value, const Options& options = {}) {
        (void)setenv(transrank::exchange::transport_variable, value, 1);
        std::string words;
        try {
            words = Exchange(ring.route(), all_ranks, ring.fields(), options).explain();
        } catch (const transrank::mpi::AgreedError& error) {
            words = error.what();
            CHECK(same_on_all_ranks(words));
        }
        (void)unsetenv(transrank::exchange::transport_variable);
        return words;
    };
    const auto named = explained("message");
    CHECK(named.find("the transport is the one that TRANSRANK_TRANSPORT names\n") !=
          std::string::npos);
    CHECK(named.find("  message        as asked for") != std::string::npos);
    CHECK(named.find("shared-direct") == std::string::npos);
    Options direct;
    direct.transport = "shared-direct";
    const auto own = explained("message", direct);
    CHECK(own.find("TRANSRANK_TRANSPORT") == std::string::npos);
    CHECK(own.find("shared-direct  as asked for") != std::string::npos);
    CHECK(explained("").find("TRANSRANK_TRANSPORT") == std::string::npos);
    CHECK(explained("nosuch").starts_with(
        "TRANSRANK_TRANSPORT: unknown transport 'nosuch'; known: auto, "));
    CHECK(explained(world_rank() == 0 ? "message" : "shared-direct") ==
          "rank 1 binds an exchange with transport shared-direct (TRANSRANK_TRANSPORT), rank 0 "
          "transport message (TRANSRANK_TRANSPORT); these must be equal on all ranks");
    CHECK(explained(world_rank() == 0 ? "message" : "")
              .find("transport auto, rank 0 transport "
                    "message (TRANSRANK_TRANSPORT)") != std::string::npos);
    const PretendedNodes nodes(1);
    CHECK(explained("shared-direct")
              .starts_with("TRANSRANK_TRANSPORT: transport shared-direct cannot serve rank "));
}

TEST_CASE("what is not known of peers on other nodes is said, and no threshold") {
    const PretendedNodes nodes(1);
    const Ring ring(world_rank(), world_size(), true);
    const auto words = explain(ring, std::nullopt);
    CAPTURE(words);
    CHECK(words.find("peers not watched, so that only MPI can notice their end: ") !=
          std::string::npos);
    CHECK(words.find("pushes runs") == std::string::npos);
}

TEST_CASE("short and long runs that alternate go the same way") {
    constexpr std::int64_t runs = 100;
    constexpr std::int64_t distance = 12;
    Ring ring(world_rank(), world_size(), true, runs * distance);
    const auto ways = {std::pair{5,
                                 "640 bytes in shorter runs alternate with 1280 in longer ones: "
                                 "all are pulled"},
                       std::pair{10,
                                 "720 bytes in shorter runs alternate with 640 in longer ones: "
                                 "all are pushed"}};
    for (const auto& [between_long, words] : ways) {
        std::vector<transrank::route::Segment> mixed;
        for (std::int64_t i = 0; i < runs; ++i) {
            mixed.push_back({.source = i * distance,
                             .destination = i * distance,
                             .length = i % between_long == 0 ? 8 : 1});
        }
        const transrank::route::Route route(
            world_rank(), world_size(), runs * distance, runs * distance,
            {{.peer = (world_rank() + 1) % world_size(), .segments = mixed}},
            {{.peer = ring.previous(), .segments = mixed}});
        Options options;
        options.push_below_bytes = 64;
        options.transport = "shared-direct";
        Exchange exchange(route, all_ranks, ring.fields(), options);
        CHECK(exchange.explain().find(words) != std::string::npos);
        ring.write(between_long);
        exchange.run();
        const auto* arrived =
            reinterpret_cast<const std::int64_t*>(ring.fields().front().destination);
        for (const auto& segment : mixed) {
            CHECK(arrived[segment.destination] == between_long + segment.source);
            CHECK(arrived[segment.destination + segment.length - 1] ==
                  between_long + segment.source + segment.length - 1);
        }
    }
}
