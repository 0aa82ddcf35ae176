// SPDX-License-Identifier: BSD-3-Clause
// A ghost update, a redistribution and an alltoall by the C++ library, by the one for C, and by the
// Fortran module (c_interface.f90) where there is a compiler for it, in turns:
//     mpiexec -n 2 c_interface ROUNDS FIRST
// Prints a JSON object: seconds of one run on rank 0, medians over the rounds. FIRST is the number
// of the one that is bound first: what is bound later lies elsewhere in memory.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <iostream>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "c/transrank/transrank.h"
#include "lab/text/json.hpp"
#include "transrank/transrank.hpp"
#include "world.hpp"

#ifdef TRANSRANK_WITH_FORTRAN
extern "C" {
void bind_ghost_update(int comm, std::int64_t owned, std::int64_t length, std::int64_t count,
                       const std::int64_t* ghosts);
void run_ghost_update(int count);
void bind_redistribution(int comm, int ranks, int rows, int columns);
void run_redistribution(int count);
void bind_alltoall(int comm, int ranks, std::int64_t block_bytes);
void run_alltoall(int count);
}
#endif

namespace {

using namespace transrank;

constexpr int runs_in_turn = 200;
constexpr std::int64_t ghost_count = 100;
constexpr std::int64_t row_length = 5;
constexpr std::int64_t owned_rows = 1000;
constexpr std::int64_t block_bytes = 1024;

void check(int status) {
    if (status != TRANSRANK_OK) {
        throw std::runtime_error(transrank_error_text());
    }
}

/// So many runs, one after the other.
using Runs = std::function<void(int count)>;

/// A bound exchange of C. What it is bound to lives as long as the process.
Runs runner(transrank_exchange* exchange) {
    return [exchange](int count) {
        for (int i = 0; i < count; ++i) {
            check(transrank_exchange_run(exchange));
        }
    };
}

template <class Exchange>
Runs runner(std::shared_ptr<Exchange> exchange) {
    return [exchange = std::move(exchange)](int count) {
        for (int i = 0; i < count; ++i) {
            exchange->run();
        }
    };
}

std::vector<std::int64_t> ghosts_of(const World& world) {
    std::vector<std::int64_t> ghosts(ghost_count);
    std::iota(ghosts.begin(), ghosts.end(), (world.rank + 1) % world.size * owned_rows);
    return ghosts;
}

Runs ghost_update(const World& world) {
    using Rows = array::ParArray<double, row_length>;
    struct Kept {
        array::ArrayTransformer<double, row_length> transformer{MPI_COMM_WORLD};
        void run() { pull->run(); }
        exchange::Exchange* pull = nullptr;
    };
    auto kept = std::make_shared<Kept>();
    auto owned = std::make_shared<Rows>();
    owned->resize(owned_rows);
    kept->transformer.set_father_son(owned, std::make_shared<Rows>());
    kept->transformer.create_global_mapping();
    kept->transformer.create_ghost_mapping(ghosts_of(world));
    kept->pull = &kept->transformer.init_persistent_pull();
    return runner(kept);
}

void* shared_memory(std::int64_t bytes) {
    void* memory = nullptr;
    check(transrank_shared_alloc(bytes, &memory));
    return memory;
}

Runs c_ghost_update(const World& world) {
    const std::int64_t bytes = owned_rows * row_length * std::int64_t{sizeof(double)};
    const transrank_rows rows{.count = owned_rows,
                              .length = row_length,
                              .offsets = nullptr,
                              .element_bytes = sizeof(double),
                              .scalar = TRANSRANK_FLOAT64,
                              .data = shared_memory(bytes),
                              .data_bytes = bytes};
    transrank_ghost_update* update = nullptr;
    transrank_exchange* pull = nullptr;
    const auto ghosts = ghosts_of(world);
    check(transrank_ghost_update_pull(MPI_COMM_WORLD, &rows, std::ssize(ghosts), ghosts.data(),
                                      &update));
    check(transrank_ghost_update_bind(MPI_COMM_WORLD, update, TRANSRANK_PULL, nullptr, &pull));
    return runner(pull);
}

constexpr std::array<std::int64_t, 2> extents{64, 32};

Runs redistribute(const World& world) {
    using layout::Distribution;
    const layout::BlockGrid rows(
        {Distribution::even(extents[0], world.size), Distribution::even(extents[1], 1)});
    const layout::BlockGrid columns(
        {Distribution::even(extents[0], 1), Distribution::even(extents[1], world.size)});
    array::ParArray<double> from;
    array::ParArray<double> to;
    from.resize(rows.units(world.rank));
    to.resize(columns.units(world.rank));
    auto made = std::make_shared<redistribution::Redistribution>(MPI_COMM_WORLD, rows, columns);
    made->store({array::field(from, to)});  // which keeps their memory
    return runner(made);
}

transrank_layout* layout_of(int row_parts, int column_parts) {
    std::array<transrank_distribution*, 2> along{};
    check(transrank_distribution_even(extents[0], row_parts, along.data()));
    check(transrank_distribution_even(extents[1], column_parts, &along[1]));
    transrank_layout* layout = nullptr;
    check(transrank_layout_grid(2, along.data(), nullptr, &layout));
    return layout;
}

Runs c_redistribute(const World& world) {
    transrank_route* route = nullptr;
    transrank_exchange* exchange = nullptr;
    check(transrank_route_redistribution(MPI_COMM_WORLD, layout_of(world.size, 1),
                                         layout_of(1, world.size), TRANSRANK_OWNED, &route));
    std::array<std::int64_t, 2> units{};
    check(transrank_route_extents(route, units.data(), &units[1]));
    constexpr std::int64_t width = sizeof(double);
    const transrank_field field{.source = shared_memory(width * units[0]),
                                .source_bytes = width * units[0],
                                .destination = shared_memory(width * units[1]),
                                .destination_bytes = width * units[1],
                                .unit_bytes = width,
                                .scalar = TRANSRANK_FLOAT64,
                                .source_view = nullptr,
                                .destination_view = nullptr};
    check(transrank_exchange_bind(MPI_COMM_WORLD, route, 1, &field, nullptr, &exchange));
    return runner(exchange);
}

Runs alltoall(const World& world) {
    array::ParArray<std::byte> send;
    array::ParArray<std::byte> receive;
    send.resize(block_bytes * world.size);
    receive.resize(block_bytes * world.size);
    using Memory = std::array<std::shared_ptr<void>, 2>;
    return runner(std::make_shared<collective::Alltoall>(
        MPI_COMM_WORLD, send.bytes().data(), receive.bytes().data(), block_bytes,
        collective::AlltoallOptions{},
        std::make_shared<Memory>(Memory{send.memory(), receive.memory()})));
}

Runs c_alltoall(const World& world) {
    transrank_exchange* exchange = nullptr;
    check(transrank_alltoall_bind(MPI_COMM_WORLD, shared_memory(block_bytes * world.size),
                                  shared_memory(block_bytes * world.size), block_bytes, nullptr,
                                  &exchange));
    return runner(exchange);
}

double seconds_of(const Runs& run) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    run(runs_in_turn);
    return (MPI_Wtime() - begin) / runs_in_turn;
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + (std::ssize(values) / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

/// The name of a library, and what binds by it.
struct Way {
    std::string name;
    Runs (*bind)(const World& world);
};

/// Medians, one for each way.
std::vector<double> compare(const std::vector<Way>& ways, int rounds) {
    const int count = static_cast<int>(ways.size());
    std::vector<std::vector<double>> seconds(ways.size());
    std::vector<Runs> runs;
    for (const auto& way : ways) {
        runs.push_back(way.bind(World()));
    }
    for (int round = -count; round < rounds; ++round) {
        for (int turn = 0; turn < count; ++turn) {
            const auto way = static_cast<std::size_t>((round + count + turn) % count);
            const double found = seconds_of(runs[way]);
            if (round >= 0) {
                seconds[way].push_back(found);
            }
        }
    }
    std::vector<double> medians;
    for (auto& each : seconds) {
        medians.push_back(median(std::move(each)));
    }
    return medians;
}

#ifdef TRANSRANK_WITH_FORTRAN
Runs fortran_ghost_update(const World& world) {
    const auto ghosts = ghosts_of(world);
    bind_ghost_update(MPI_Comm_c2f(MPI_COMM_WORLD), owned_rows, row_length, ghost_count,
                      ghosts.data());
    return run_ghost_update;
}

Runs fortran_redistribute(const World& world) {
    bind_redistribution(MPI_Comm_c2f(MPI_COMM_WORLD), world.size, static_cast<int>(extents[0]),
                        static_cast<int>(extents[1]));
    return run_redistribution;
}

Runs fortran_alltoall(const World& world) {
    bind_alltoall(MPI_Comm_c2f(MPI_COMM_WORLD), world.size, block_bytes);
    return run_alltoall;
}
#endif

void measure(int rounds, int first) {
    lab::text::JsonWriter found;
    found.begin_object();
    const auto add = [&](const std::string& name, std::vector<Way> ways) {
        std::ranges::rotate(ways, ways.begin() + (first % std::ssize(ways)));
        const auto medians = compare(ways, rounds);
        for (std::size_t way = 0; way < ways.size(); ++way) {
            found.key(name + ", " + ways[way].name).value(medians[way]);
        }
    };
    std::vector<Way> updates{{"C++", ghost_update}, {"C", c_ghost_update}};
    std::vector<Way> moves{{"C++", redistribute}, {"C", c_redistribute}};
    std::vector<Way> blocks{{"C++", alltoall}, {"C", c_alltoall}};
#ifdef TRANSRANK_WITH_FORTRAN
    updates.push_back({"Fortran", fortran_ghost_update});
    moves.push_back({"Fortran", fortran_redistribute});
    blocks.push_back({"Fortran", fortran_alltoall});
#endif
    add("ghost update", updates);
    add("redistribution", moves);
    add("alltoall", blocks);
    found.end_object();
    if (World().rank == 0) {
        std::cout << found.text() << '\n';
    }
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    measure(argc > 1 ? std::stoi(argv[1]) : 50, argc > 2 ? std::stoi(argv[2]) : 0);
    MPI_Finalize();
}
