// SPDX-License-Identifier: BSD-3-Clause
// ranks: 2 3
// What an exchange tells about itself, and that the threshold is measured once.
#include <doctest/doctest.h>
#include <mpi.h>

#include <regex>
#include <sched.h>

#include "pretended_nodes.hpp"
#include "ring.hpp"
#include "world.hpp"

using namespace testing;
using transrank::exchange::Exchange;
using transrank::exchange::Options;

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

TEST_CASE("a threshold is measured once for a communicator, and is the same on every rank") {
    const Ring ring(world_rank(), world_size(), true);
    const auto first = threshold_in(explain(ring, std::nullopt));
    CHECK(same_on_all_ranks(first.first + first.second));
    if (usable_cores() < world_size()) {
        CHECK(first.first == "128");
        CHECK(first.second == "default: no two ranks with a core each could measure");
    } else {
        CHECK((first.second == "measured" || first.second.starts_with("default: ")));
    }
    for (int i = 0; i < 3; ++i) {
        CHECK(threshold_in(explain(ring, std::nullopt)) == first);
    }
}

TEST_CASE("what was measured serves all communicators of the same ranks") {
    const Ring ring(world_rank(), world_size(), true);
    const auto first = threshold_in(explain(ring, std::nullopt));
    const int before = proposals;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    CHECK(threshold_in(explain(ring, std::nullopt, comm)) == first);
    CHECK(proposals == before);
    MPI_Comm_free(&comm);
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
