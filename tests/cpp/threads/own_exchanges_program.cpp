// SPDX-License-Identifier: BSD-3-Clause
// Threads that make and run exchanges, alltoalls and redistributions at once, each over a
// communicator of its own. Run by test_threads.py, also under ThreadSanitizer:
// own_exchanges_program [raced|kept]. Raced, the threads of a rank share their arrays, which is
// wrong, and must be reported. Kept, each uses several communicators for the first time, which
// MPI_Finalize frees.
#include <cstdio>
#include <deque>
#include <latch>

#include "testing.hpp"
#include "transrank/collective/alltoall.hpp"
#include "transrank/discovery/ghost.hpp"
#include "transrank/exchange/exchange.hpp"
#include "transrank/memory/array_memory.hpp"
#include "transrank/redistribution/redistribution.hpp"

using namespace transrank;
using layout::BlockGrid;
using layout::Distribution;

namespace {

constexpr int threads = 2;
constexpr int kept = 8;  // communicators of a thread
constexpr int rounds = 6;
constexpr int restarts = 20;       // of an exchange
constexpr std::int64_t rows = 60;  // of a rank
constexpr std::array transports{"auto", "message", "shared-staged"};
constexpr std::array algorithms{"on-node-direct", "pairwise", "mpi", "bruck"};

using Numbers = std::span<std::int64_t>;

/// Two arrays of a thread, in memory that the ranks share.
class Arrays {
public:
    explicit Arrays(int ranks) : ranks_(ranks), memory_(2 * bytes()) {}

    [[nodiscard]] Numbers source() { return half(0); }
    [[nodiscard]] Numbers destination() { return half(1); }
    [[nodiscard]] copy::Field field() {
        return {.source = reinterpret_cast<std::byte*>(source().data()),
                .source_bytes = static_cast<std::int64_t>(source().size_bytes()),
                .destination = reinterpret_cast<std::byte*>(destination().data()),
                .destination_bytes = static_cast<std::int64_t>(destination().size_bytes()),
                .unit_bytes = sizeof(std::int64_t),
                .scalar = copy::Scalar::int64};
    }

private:
    [[nodiscard]] std::size_t bytes() const {
        return static_cast<std::size_t>(rows * ranks_) * sizeof(std::int64_t);
    }
    [[nodiscard]] Numbers half(std::size_t number) {
        auto* const begin = memory_.bytes().data() + (number * bytes());
        return {reinterpret_cast<std::int64_t*>(begin), bytes() / sizeof(std::int64_t)};
    }

    int ranks_;
    memory::ArrayMemory memory_;
};

bool exchanged(MPI_Comm comm, int round, Arrays& arrays) {
    const mpi::Communicator own(comm);
    const int next = (own.rank() + 1) % own.size();
    std::vector<std::int64_t> ghosts(rows);
    std::iota(ghosts.begin(), ghosts.end(), next * rows);
    const auto route = discovery::ghost_pull(own, Distribution::even(rows * own.size(), own.size()),
                                             ghosts, {.begin = 0, .extent = rows});
    exchange::Options options;
    options.transport = transports[static_cast<std::size_t>(round) % transports.size()];
    exchange::Exchange exchange(route, comm, {arrays.field()}, options);
    for (int again = round; again < round + restarts; ++again) {
        std::ranges::fill(arrays.source(), own.rank() + again);
        exchange.run();
        if (std::ranges::count(arrays.destination().first(rows), next + again) != rows) {
            return false;
        }
    }
    return true;
}

bool all_to_all(MPI_Comm comm, int round, Arrays& arrays) {
    const mpi::Communicator own(comm);
    collective::Alltoall alltoall(
        comm, arrays.source().data(), arrays.destination().data(),
        rows * static_cast<std::int64_t>(sizeof(std::int64_t)),
        {.algorithm = algorithms[static_cast<std::size_t>(round) % algorithms.size()]});
    std::ranges::fill(arrays.source(), own.rank() + round);
    alltoall.run();
    return arrays.destination().front() == round &&
           arrays.destination().back() == own.size() - 1 + round;
}

bool redistributed(MPI_Comm comm, int round, Arrays& arrays) {
    const mpi::Communicator own(comm);
    const int ranks = own.size();
    redistribution::Redistribution moved(
        comm, BlockGrid({Distribution::even(ranks, ranks), Distribution::even(rows * ranks, 1)}),
        BlockGrid({Distribution::even(ranks, 1), Distribution::even(rows * ranks, ranks)}));
    exchange::Options options;
    options.transport = transports[static_cast<std::size_t>(round) % transports.size()];
    moved.store({arrays.field()}, options);
    std::ranges::fill(arrays.source(), own.rank() + round);
    moved.run();
    return arrays.destination().front() == round &&
           arrays.destination().back() == ranks - 1 + round;
}

int wrong_rounds(MPI_Comm comm, Arrays& arrays) {
    int wrong = 0;
    for (int round = 0; round < rounds; ++round) {
        for (const auto& moves : {exchanged, all_to_all, redistributed}) {
            wrong += moves(comm, round, arrays) ? 0 : 1;
        }
    }
    return wrong;
}

int used_once(const std::vector<MPI_Comm>& comms, Arrays& arrays) {
    return static_cast<int>(
        std::ranges::count_if(comms, [&](MPI_Comm comm) { return !exchanged(comm, 0, arrays); }));
}

}  // namespace

int main(int argc, char** argv) {
    int level = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const std::string mode = argc > 1 ? argv[1] : "";
    std::array<std::vector<MPI_Comm>, threads> comms;
    std::array<int, threads> wrong{};
    if (level == MPI_THREAD_MULTIPLE) {
        std::deque<Arrays> arrays;
        for (auto& own : comms) {
            own.resize(mode == "kept" ? kept : 1);
            for (auto& comm : own) {
                MPI_Comm_dup(MPI_COMM_WORLD, &comm);
            }
            arrays.emplace_back(ranks);
        }
        // They begin together, with what no lock of MPI's orders.
        std::latch begun(threads);
        std::vector<std::thread> all;
        for (std::size_t i = 0; i < threads; ++i) {
            all.emplace_back([&, i] {
                auto& own = arrays[mode == "raced" ? 0 : i];
                begun.arrive_and_wait();
                std::ranges::fill(own.source(), static_cast<std::int64_t>(i));
                wrong[i] =
                    mode == "kept" ? used_once(comms[i], own) : wrong_rounds(comms[i].front(), own);
            });
        }
        for (auto& each : all) {
            each.join();
        }
        for (auto& own : comms) {
            for (std::size_t i = 0; mode != "kept" && i < own.size(); ++i) {
                MPI_Comm_free(&own[i]);
            }
        }
    }
    const int here = std::accumulate(wrong.begin(), wrong.end(), 0);
    if (here > 0) {
        std::printf("%d moves were wrong\n", here);
    }
    MPI_Finalize();
    return here == 0 ? 0 : 1;
}
