// SPDX-License-Identifier: BSD-3-Clause
// ranks: 2 3 4
// Ranks of several nodes, two on each, that send to all others: what they ask of MPI, seen through
// its profiling interface.
#include <algorithm>
#include <numeric>
#include <regex>

#include "few_descriptors.hpp"
#include "pretended_nodes.hpp"
#include "scenario.hpp"
#include "transrank/grid/ghosts.hpp"
#include "transrank/grid/grid.hpp"
#include "transrank/transport/node/node_link.hpp"

using namespace testing;

namespace {

constexpr int ranks_per_node = 2;

struct Traffic {
    long messages = 0;
    long bytes = 0;
};
Traffic set_up;  // by this rank, for each epoch
int duplicates = 0;

template <class Count>
void note(int to, Count count) {
    if (to / ranks_per_node != world_rank() / ranks_per_node) {
        ++set_up.messages;
        set_up.bytes += static_cast<long>(count);
    }
}

/// What all ranks have set up since they last asked.
Traffic traffic_of_all() {
    std::array<long, 2> sums{set_up.messages, set_up.bytes};
    set_up = {};
    MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    return {.messages = sums[0], .bytes = sums[1]};
}

}  // namespace

extern "C" {
int MPI_Send_init(const void* memory, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request* request) {
    note(to, count);
    return PMPI_Send_init(memory, count, type, to, tag, comm, request);
}
#if MPI_VERSION >= 4
int MPI_Send_init_c(const void* memory, MPI_Count count, MPI_Datatype type, int to, int tag,
                    MPI_Comm comm, MPI_Request* request) {
    note(to, count);
    return PMPI_Send_init_c(memory, count, type, to, tag, comm, request);
}
#endif
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* result) {
    ++duplicates;
    return PMPI_Comm_dup(comm, result);
}
int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* result, MPI_Request* request) {
    ++duplicates;
    return PMPI_Comm_idup(comm, result, request);
}
}

namespace {

constexpr std::int64_t block_units = 5;
constexpr std::int64_t unit_bytes = 8;

/// Every rank sends each of the others a block: of its own, or the same to all.
Scenario all_to_all(bool same_to_all, Operation operation = Operation::assign) {
    const int ranks = world_size();
    Scenario scenario{.pattern = Pattern(ranks),
                      .kinds = {{.scalar = Scalar::int64, .unit_bytes = unit_bytes}},
                      .operation = operation,
                      .source_homes = {},
                      .destination_homes = {},
                      .seed = 7};
    for (int rank = 0; rank < ranks; ++rank) {
        scenario.pattern.source_units[static_cast<std::size_t>(rank)] = ranks * block_units;
        scenario.pattern.destination_units[static_cast<std::size_t>(rank)] = ranks * block_units;
        scenario.source_homes.push_back(Home::user);
        scenario.destination_homes.push_back(Home::user);
        for (int to = 0; to < ranks; ++to) {
            if (to != rank) {
                scenario.pattern.legs[{rank, to}] = {{.source = same_to_all ? 0 : to * block_units,
                                                      .destination = rank * block_units,
                                                      .length = block_units}};
            }
        }
    }
    return scenario;
}

struct Expected {
    long pairs_of_nodes;
    long pairs_of_ranks;
};

#ifdef __SANITIZE_ADDRESS__
constexpr bool is_sanitized = true;
#else
constexpr bool is_sanitized = false;
#endif

// Ordered pairs.
Expected expected() {
    long pairs = 0;
    for (int from = 0; from < world_size(); ++from) {
        for (int to = 0; to < world_size(); ++to) {
            pairs += from / ranks_per_node != to / ranks_per_node ? 1 : 0;
        }
    }
    const long nodes = (world_size() + ranks_per_node - 1) / ranks_per_node;
    return {.pairs_of_nodes = nodes * (nodes - 1), .pairs_of_ranks = pairs};
}

/// Without what ranks of one node send each other.
Scenario between_nodes() {
    auto scenario = all_to_all(false);
    std::erase_if(scenario.pattern.legs, [](const auto& leg) {
        return leg.first.first / ranks_per_node == leg.first.second / ranks_per_node;
    });
    return scenario;
}

}  // namespace

// It comes first: the doorbells that it maps are not there yet. Left out where it is sanitized: the
// sanitizer needs descriptors to look at an object.
TEST_CASE("what one rank cannot map for a message between nodes is an error of all ranks") {
    if (world_size() <= ranks_per_node || is_sanitized) {
        return;
    }
    const PretendedNodes nodes(ranks_per_node);
    Bound by_ranks(between_nodes(), "message");
    {
        const auto poor = world_rank() == 0 ? std::make_unique<FewDescriptors>() : nullptr;
        CHECK_THROWS_AS((void)std::make_unique<Bound>(between_nodes(), "node-staged"),
                        transrank::mpi::AgreedError);
    }
    by_ranks.run(0);
    Bound(between_nodes(), "node-staged").run(0);
}

TEST_CASE("two nodes send each other one message, however many ranks they have") {
    const PretendedNodes nodes(ranks_per_node);
    (void)traffic_of_all();
    for (const auto operation : {Operation::assign, Operation::add}) {
        Bound by_ranks(all_to_all(false, operation), "message");
        const auto apart = traffic_of_all();
        CHECK(apart.messages == expected().pairs_of_ranks);
        Bound by_nodes(all_to_all(false, operation), "node-staged");
        const auto together = traffic_of_all();
        CHECK(together.messages == expected().pairs_of_nodes);
        CHECK(together.bytes == apart.bytes);
        for (int epoch = 0; epoch < 3; ++epoch) {
            by_ranks.run(epoch);
            by_nodes.run(epoch);
        }
    }
}

TEST_CASE("what several ranks of a node want crosses once") {
    const PretendedNodes nodes(ranks_per_node);
    (void)traffic_of_all();
    Bound bound(all_to_all(true), "node-staged");
    const long senders = world_size() > ranks_per_node ? world_size() : 0;
    const long other_nodes = ((world_size() + ranks_per_node - 1) / ranks_per_node) - 1;
    CHECK(traffic_of_all().bytes == senders * other_nodes * block_units * unit_bytes);
    for (int epoch = 0; epoch < 3; ++epoch) {
        bound.run(epoch);
    }
}

TEST_CASE("what node-mates move goes as it would otherwise, and explain says who carries what") {
    if (world_size() <= ranks_per_node) {
        return;
    }
    const PretendedNodes nodes(ranks_per_node);
    const Bound bound(all_to_all(false), "node-staged");
    const auto words = bound.exchange->explain();
    CAPTURE(words);
    const bool has_mate = world_rank() / ranks_per_node * ranks_per_node + 1 < world_size();
    CHECK((words.find("shared-staged") != std::string::npos) == has_mate);
    CHECK(words.find("node-staged, the node of rank " +
                     std::to_string(world_rank() < ranks_per_node ? ranks_per_node : 0) +
                     ": sends ") != std::string::npos);
}

TEST_CASE("auto makes no rank wait for ranks that are no peers") {
    const PretendedNodes nodes(ranks_per_node);
    const Bound bound(all_to_all(false), "auto");
    const auto words = bound.exchange->explain();
    CAPTURE(words);
    CHECK(words.find("node-staged, the node of rank") == std::string::npos);
}

TEST_CASE("communicators of exchanges between nodes are used again") {
    const PretendedNodes nodes(ranks_per_node);
    Bound(all_to_all(false), "node-staged").run(0);
    Bound(all_to_all(false), "node-staged").run(0);
    const int before = duplicates;
    for (int i = 0; i < 20; ++i) {
        Bound bound(all_to_all(i % 2 == 0), "node-staged");
        bound.run(i);
        bound.run(i + 1);
    }
    CHECK(duplicates == before);
}

namespace {

Options together() {
    Options options;
    options.together = true;
    return options;
}

Exchange bound_with(const Scenario& scenario, const Arrays& arrays, Options options) {
    options.operation = scenario.operation;
    return {scenario.pattern.route(world_rank()), all_ranks, arrays.fields(), options};
}

void run(Exchange& exchange, const Arrays& arrays, int epoch) {
    arrays.fill(epoch);
    exchange.run();
    CHECK(arrays.difference(epoch) == "");
}

/// What an explanation says of this rank: messages and bytes to other nodes, first its own.
std::array<long, 4> told_by(const std::string& words) {
    const std::regex line(
        "to other nodes this rank sends (\\d+) messages?, (\\d+) bytes?; with the option together "
        "it would have a part in (\\d+) messages? of its node, (\\d+) bytes? \\(node-staged\\)\n");
    std::smatch found;
    if (!std::regex_search(words, found, line)) {
        return {};
    }
    return {std::stol(found[1]), std::stol(found[2]), std::stol(found[3]), std::stol(found[4])};
}

/// This rank's messages and bytes to other nodes, by the pattern.
Traffic own_traffic(const Scenario& scenario) {
    long units = 0;
    Traffic own;
    for (const auto& [pair, segments] : scenario.pattern.legs) {
        if (pair.first == world_rank() &&
            pair.second / ranks_per_node != world_rank() / ranks_per_node) {
            ++own.messages;
            Pattern::visit(segments, [&](std::int64_t, std::int64_t) { ++units; });
        }
    }
    for (const auto& kind : scenario.kinds) {
        own.bytes += units * static_cast<long>(kind.unit_bytes);
    }
    return own;
}

/// In how many messages that many bytes go to another node, which depends on what links measured.
long pieces_of(long bytes) {
    const long piece = transrank::transport::known_piece_bytes();
    return piece == 0 ? std::min(bytes, 1L) : (bytes + piece - 1) / piece;
}

/// Only from one node to the other: what each rank of the one sends to the first of the other.
Scenario one_way() {
    auto scenario = between_nodes();
    std::erase_if(scenario.pattern.legs,
                  [](const auto& leg) { return leg.first.second != ranks_per_node; });
    return scenario;
}

}  // namespace

TEST_CASE("ranks that start together send one message for each pair of nodes") {
    const PretendedNodes nodes(ranks_per_node);
    for (const bool same_to_all : {false, true}) {
        const auto scenario = all_to_all(same_to_all);
        const Arrays arrays(scenario, world_rank());
        (void)traffic_of_all();
        (void)bound_with(scenario, arrays, {});
        CHECK(traffic_of_all().messages == expected().pairs_of_ranks);
        auto exchange = bound_with(scenario, arrays, together());
        const auto traffic = traffic_of_all();
        CHECK(traffic.messages == expected().pairs_of_nodes);
        const long crossing = same_to_all && world_size() > ranks_per_node
                                  ? world_size() * (expected().pairs_of_nodes / 2)
                                  : expected().pairs_of_ranks;
        CHECK(traffic.bytes == crossing * block_units * unit_bytes);
        for (int epoch = 0; epoch < 3; ++epoch) {
            run(exchange, arrays, epoch);
        }
    }
}

TEST_CASE("explain says what this rank sends to other nodes, and would if ranks started together") {
    const PretendedNodes nodes(ranks_per_node);
    for (std::uint64_t seed = 6000; seed < 6030; ++seed) {
        CAPTURE(seed);
        auto scenario = random_scenario(seed, world_size());
        scenario.starts = Starts::bound;
        const Arrays arrays(scenario, world_rank());
        const auto words = bound_with(scenario, arrays, {}).explain();
        CAPTURE(words);
        const auto [messages, bytes, common, distinct_bytes] = told_by(words);
        const auto own = own_traffic(scenario);
        CHECK(messages == own.messages);
        CHECK(bytes == own.bytes);
        CHECK(common == (own.messages > 0 ? 1 : 0));  // two nodes
        (void)traffic_of_all();
        Options by_name;
        by_name.transport = "node-staged";
        (void)bound_with(scenario, arrays, by_name);
        const auto sent = traffic_of_all();
        std::array<long, 2> told{};  // of each node
        told.at(static_cast<std::size_t>(world_rank() / ranks_per_node)) = distinct_bytes;
        MPI_Allreduce(MPI_IN_PLACE, told.data(), 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        CHECK(sent.bytes == told[0] + told[1]);
        CHECK(sent.messages == pieces_of(told[0]) + pieces_of(told[1]));
        auto exchange = bound_with(scenario, arrays, together());
        CHECK(told_by(exchange.explain())[0] == 0);
        run(exchange, arrays, 0);
    }
}

TEST_CASE("where one rank cannot set up messages of nodes no rank has them") {
    if (world_size() <= ranks_per_node || is_sanitized) {
        return;
    }
    const PretendedNodes nodes(ranks_per_node);
    const auto scenario = between_nodes();
    const Arrays arrays(scenario, world_rank());
    auto few = world_rank() == 0 ? std::make_unique<FewDescriptors>() : nullptr;
    auto exchange = bound_with(scenario, arrays, together());
    few.reset();
    CHECK(exchange.explain().find("node-staged, the node of rank") == std::string::npos);
    run(exchange, arrays, 0);
}

TEST_CASE("ranks may start in any order") {
    const PretendedNodes nodes(ranks_per_node);
    const auto scenario = all_to_all(false);
    const Arrays arrays(scenario, world_rank());
    auto exchange = bound_with(scenario, arrays, together());
    std::vector<int> order(static_cast<std::size_t>(world_size()));
    std::iota(order.begin(), order.end(), 0);
    int epoch = 0;
    do {
        arrays.fill(++epoch);
        for (const int rank : order) {
            if (rank == world_rank()) {
                exchange.start();
            }
            MPI_Barrier(MPI_COMM_WORLD);
        }
        exchange.wait();
        CHECK(arrays.difference(epoch) == "");
    } while (std::ranges::next_permutation(order).found);
}

TEST_CASE("a rank that breaks its promise to start is waited for, and is not where none was made") {
    if (world_size() <= ranks_per_node) {
        return;
    }
    const PretendedNodes nodes(ranks_per_node);
    const auto scenario = one_way();
    const Arrays arrays(scenario, world_rank());
    for (const bool promised : {false, true}) {
        Options options;
        options.together = promised;
        auto exchange = bound_with(scenario, arrays, options);
        arrays.fill(promised ? 1 : 0);
        if (world_rank() != 1) {
            exchange.start();
        }
        if (world_rank() == 0) {
            constexpr double patience = 0.05;
            CHECK(exchange.wait_for(promised ? patience : 60.0) == !promised);
            MPI_Send(nullptr, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        }
        if (world_rank() == 1) {
            MPI_Recv(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            exchange.start();
        }
        exchange.wait();
        CHECK(arrays.difference(promised ? 1 : 0) == "");
    }
}

TEST_CASE("a grid and ghosts pass the promise on, and ranks agree on it") {
    using transrank::grid::Ghosts;
    using transrank::grid::Grid;
    const PretendedNodes nodes(ranks_per_node);
    const bool promised = world_rank() != 0;
    CHECK_THROWS_AS((void)Grid(all_ranks, {world_size()}, {.together = promised}),
                    transrank::mpi::AgreedError);
    const std::vector<std::int64_t> all{0, world_size() - 1};
    CHECK_THROWS_AS((void)Ghosts(all_ranks, 1, all, promised), transrank::mpi::AgreedError);
    if (world_size() <= ranks_per_node) {
        return;
    }
    const Grid grid(all_ranks, {world_size()}, {.halo = 1, .periodic = true, .together = true});
    const Ghosts ghosts(all_ranks, 1, all, true);
    auto cells = grid.staggered(0).array<double>();
    auto rows = ghosts.array<double>();
    for (const auto& words :
         {grid.staggered(0).halo(cells).explain(), ghosts.halo(rows).explain()}) {
        CHECK(words.find("\nnode-staged, the node of rank") != std::string::npos);
    }
}
