// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3
// What binding asks of MPI and gives back, seen through MPI's profiling interface: communicators,
// of which MPI has some thousands, and calls that cost time or memory in the number of ranks.
#include "counted_calls.hpp"
#include "ring.hpp"
#include "transrank/array/array_transformer.hpp"
#include "transrank/collective/alltoall.hpp"
#include "transrank/mpi/error.hpp"

using namespace testing;
using transrank::collective::Alltoall;

namespace {

int living = 0;
int splits = 0;
int dups = 0;
bool no_more = false;

int made(int code) {
    ++living;
    return counted(code);
}

}  // namespace

extern "C" {
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* result) {
    if (no_more) {
        return MPI_ERR_OTHER;
    }
    ++dups;
    return made(PMPI_Comm_dup(comm, result));
}
int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* result, MPI_Request* request) {
    ++dups;
    return made(PMPI_Comm_idup(comm, result, request));
}
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* result) {
    return made(PMPI_Comm_split(comm, color, key, result));
}
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* result) {
    ++splits;
    return made(PMPI_Comm_split_type(comm, type, key, info, result));
}
int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int indegree, const int sources[],
                                   const int source_weights[], int outdegree,
                                   const int destinations[], const int destination_weights[],
                                   MPI_Info info, int reorder, MPI_Comm* result) {
    return made(PMPI_Dist_graph_create_adjacent(comm, indegree, sources, source_weights, outdegree,
                                                destinations, destination_weights, info, reorder,
                                                result));
}
int MPI_Comm_free(MPI_Comm* comm) {
    --living;
    return PMPI_Comm_free(comm);
}
}

namespace {

const std::vector<std::string> ways{"auto", "message"};

MPI_Comm duplicate() {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    return comm;
}

void run_one(const std::string& way, bool drop_under_way = false) {
    Ring ring(world_rank(), world_size(), true);
    auto exchange = ring.bind(way);
    ring.write(5);
    exchange.run();
    CHECK(ring.has_received(5));
    if (drop_under_way) {
        exchange.start();
    }
}

}  // namespace

TEST_CASE("exchanges that come and go, also under way, use what the first ones have made") {
    for (const auto& way : ways) {
        CAPTURE(way);
        run_one(way);
        run_one(way);
        const auto before = std::array{living, dups, splits};
        for (int i = 0; i < 30; ++i) {
            run_one(way);
        }
        CHECK(std::array{living, dups, splits} == before);
        for (int i = 0; i < 20; ++i) {
            run_one(way, true);
        }
        CHECK(living == before[0]);
    }
}

TEST_CASE("to bind takes few collective calls, however many ranks there are") {
    auto comm = duplicate();
    const Ring ring(world_rank(), world_size(), true);
    const int before = collective_calls;
    const auto first = ring.bind("auto", comm);
    const int between = collective_calls;
    const auto second = ring.bind("auto", comm);
    CHECK(between - before <= 9);
    CHECK(collective_calls - between <= 4);
    MPI_Comm_free(&comm);
}

TEST_CASE("exchanges that send no messages take no communicator") {
    run_one("auto");
    const Ring ring(world_rank(), world_size(), true);
    const int before = living;
    std::vector<Exchange> all;
    for (int i = 0; i < 100; ++i) {
        all.push_back(ring.bind("auto"));
    }
    CHECK(living == before);
}

TEST_CASE("exchanges that send messages share a communicator") {
    run_one("message");
    const int before = living;
    std::vector<std::unique_ptr<Ring>> rings;
    std::vector<std::unique_ptr<Exchange>> all;
    for (int i = 0; i < 300; ++i) {
        rings.push_back(std::make_unique<Ring>(world_rank(), world_size(), true));
        all.push_back(std::make_unique<Exchange>(rings.back()->bind("message")));
        all.back()->run();
    }
    for (std::size_t i = 0; i < 300; ++i) {
        rings[i]->write(static_cast<std::int64_t>(i));
        all[i]->start();
    }
    for (std::size_t i = 300; i-- > 0;) {
        all[i]->wait();
        CHECK(rings[i]->has_received(static_cast<std::int64_t>(i)));
    }
    while (!all.empty()) {
        all.erase(world_rank() % 2 == 0 ? all.begin() : all.end() - 1);
    }
    for (int i = 0; i < 10; ++i) {
        run_one("message");
    }
    CHECK(living == before);
}

TEST_CASE("where MPI has no further communicator the error says what takes them") {
    if (world_size() == 1) {
        return;
    }
    auto comm = duplicate();
    const Ring ring(world_rank(), world_size(), true);
    const auto first = ring.bind("auto", comm);
    no_more = true;
    CHECK_THROWS_WITH_AS((void)ring.bind("message", comm),
                         doctest::Contains("0 are in use on this one: close exchanges"),
                         transrank::mpi::Error);
    no_more = false;
    CHECK_NOTHROW((void)ring.bind("message", comm));
    MPI_Comm_free(&comm);
}

TEST_CASE("what a broken exchange has left in its communicator disturbs no later one") {
    const Ring ring(world_rank(), world_size(), true);
    {
        auto exchange = ring.bind("message");
        break_from_rank_0(exchange);
    }
    for (int i = 0; i < 5; ++i) {
        run_one("message");
    }
}

// A communicator is freed before what was bound over it: nothing that was made for it stays.

namespace {

using Bind = std::function<std::shared_ptr<Exchange>(const Ring&, MPI_Comm)>;

Bind along_a_route(const std::string& transport) {
    return [transport](const Ring& ring, MPI_Comm comm) {
        return std::make_shared<Exchange>(ring.bind(transport, comm));
    };
}

Bind to_all(const std::string& algorithm) {
    return [algorithm](const Ring&, MPI_Comm comm) {
        static std::vector<int> send(8);
        static std::vector<int> receive(8);
        return std::make_shared<Alltoall>(
            comm, send.data(), receive.data(), sizeof(int),
            transrank::collective::AlltoallOptions{.algorithm = algorithm});
    };
}

const std::vector<Bind> binds{along_a_route("auto"), along_a_route("shared-staged"),
                              along_a_route("message"), to_all("pairwise"), to_all("mpi")};

}  // namespace

TEST_CASE("what is over lets go of a communicator that is freed, and says so from then on") {
    for (const auto& bind : binds) {
        for (const bool runs : {true, false}) {
            CAPTURE(runs);
            const Ring ring(world_rank(), world_size(), true);
            const int before = living;
            auto comm = duplicate();
            const auto bound = bind(ring, comm);
            if (runs) {
                bound->run();
            }
            MPI_Comm_free(&comm);
            CHECK(living == before);
            CHECK_THROWS_AS(bound->start(), Misuse);
            CHECK_THROWS_AS(bound->run(), Misuse);
            CHECK_THROWS_AS((void)bound->explain(), Misuse);
            CHECK_THROWS_AS(bound->abandon("why"), Misuse);
            if (runs) {
                CHECK(bound->test());
                bound->wait();
            } else {
                CHECK_THROWS_AS((void)bound->test(), Misuse);
                CHECK_THROWS_AS(bound->wait(), Misuse);
            }
        }
    }
}

TEST_CASE(
    "one rank's exchange lives when the communicator is freed, or none, and another is gone") {
    for (const auto& bind : binds) {
        for (const int keepers : {0, 1}) {
            CAPTURE(&bind - binds.data());
            CAPTURE(keepers);
            const Ring ring(world_rank(), world_size(), true);
            const int before = living;
            auto comm = duplicate();
            auto bound = bind(ring, comm);
            (void)bind(ring, comm);
            bound->run();
            if (world_rank() >= keepers) {
                bound.reset();
            }
            MPI_Comm_free(&comm);
            CHECK(living == before);
        }
    }
}

TEST_CASE("what was dropped under way lets go of its communicator, too") {
    static std::vector<std::unique_ptr<Ring>> kept;  // MPI may read them until it is finalized
    const auto binds_that_end = std::span(binds).first(binds.size() - 1);
    for (const auto& bind : binds_that_end) {
        for (const std::int64_t units : {1, 300'000}) {  // sent at once, or when it is received
            for (const bool everywhere : {true, false}) {
                CAPTURE(&bind - binds.data());
                CAPTURE(units);
                CAPTURE(everywhere);
                const auto& ring = *kept.emplace_back(
                    std::make_unique<Ring>(world_rank(), world_size(), true, units, Home::user));
                const int before = living;
                auto comm = duplicate();
                auto bound = bind(ring, comm);
                bound->run();
                if (everywhere || world_rank() == 0) {
                    bound->start();
                }
                bound.reset();
                MPI_Comm_free(&comm);
                CHECK(living == before);
            }
        }
    }
}

TEST_CASE("a persistent pull lets go of its transformer's communicator") {
    namespace ta = transrank::array;
    for (const auto& way : ways) {
        CAPTURE(way);
        const int before = living;
        auto comm = duplicate();
        const auto father = std::make_shared<ta::ParArray<double>>();
        father->resize(2);
        ta::ArrayTransformer<double> transformer(comm);
        transformer.set_father_son(father, std::make_shared<ta::ParArray<double>>());
        transformer.create_global_mapping();
        transformer.create_ghost_mapping(
            std::vector<std::int64_t>{2 * ((world_rank() + 1) % world_size())});
        Options options;
        options.transport = way;
        transformer.init_persistent_pull(options).run();
        MPI_Comm_free(&comm);
        CHECK(living == before);
        CHECK_THROWS_AS(transformer.start_persistent_pull(), Misuse);
        CHECK_THROWS_AS(transformer.create_global_mapping(), Misuse);
    }
}

TEST_CASE("what is under way is waited for after its communicator was freed, and then over") {
    for (const std::string transport : {"auto", "kernel-copy", "shared-staged", "message"}) {
        CAPTURE(transport);
        Ring ring(world_rank(), world_size(), true);
        auto comm = duplicate();
        auto exchange = ring.bind(transport, comm);
        ring.write(world_rank());
        exchange.start();
        MPI_Comm_free(&comm);
        exchange.wait();
        CHECK(ring.has_received(ring.previous()));
        CHECK(exchange.test());
        CHECK_THROWS_AS(exchange.start(), Misuse);
    }
}

// As a solver with several levels calls: each rank has its own number of pairs of arrays, and takes
// them in its own order.
TEST_CASE("arrays are given to each start without a collective call") {
    const char* asked = std::getenv("TRANSRANK_TRIALS");
    const int starts = asked == nullptr ? 400 : std::atoi(asked);
    constexpr std::int64_t rows = 3;
    Ring ring(world_rank(), world_size(), true, rows);
    std::vector<std::vector<std::int64_t>> arrays(
        static_cast<std::size_t>(35 + (11 * world_rank())));
    for (auto& each : arrays) {
        each.resize(2 * rows);
    }
    const auto fields_of = [&](std::vector<std::int64_t>& roots,
                               std::vector<std::int64_t>& leaves) {
        auto fields = ring.fields();
        fields.front().source = reinterpret_cast<const std::byte*>(roots.data());
        fields.front().destination = reinterpret_cast<std::byte*>(leaves.data());
        fields.front().source_bytes = fields.front().destination_bytes =
            rows * static_cast<std::int64_t>(sizeof(std::int64_t));
        return fields;
    };
    for (const std::string transport : {"auto", "message"}) {
        Options options;
        options.transport = transport;
        options.any_memory = true;
        Exchange exchange(ring.route(), all_ranks, fields_of(arrays[0], arrays[1]), options);
        const auto before = testing::collective_calls;
        Random random(static_cast<std::uint64_t>(world_rank()));
        int wrong = 0;
        for (int start = 0; start < starts; ++start) {
            const auto root = random() % arrays.size();
            auto& roots = arrays[root];
            auto& leaves = arrays[(root + 1 + (random() % (arrays.size() - 1))) % arrays.size()];
            std::iota(roots.begin(), roots.end(), (start * std::int64_t{100}) + world_rank());
            exchange.run_with(fields_of(roots, leaves));
            for (std::int64_t row = 0; row < rows; ++row) {
                wrong += leaves[static_cast<std::size_t>(row)] ==
                                 (start * std::int64_t{100}) + ring.previous() + row
                             ? 0
                             : 1;
            }
        }
        CHECK(wrong == 0);
        CHECK(testing::collective_calls == before);
    }
}
