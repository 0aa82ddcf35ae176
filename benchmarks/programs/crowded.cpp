// SPDX-License-Identifier: BSD-3-Clause
// The published ghost update where ranks have no core for themselves, one update after the other,
// by the library's transports and by messages of MPI alone, in turns:
//     mpiexec -n 8 crowded VDIM ROUNDS
// Prints a JSON object: seconds on the slowest rank (medians of the rounds) of an update by `WAY`,
// and of its set-up, which is not the first of the program, by `set-up of WAY`.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lab/study/baseline/baseline.hpp"
#include "lab/study/ghost/pattern.hpp"
#include "lab/text/json.hpp"
#include "transrank/array/par_array.hpp"
#include "transrank/mpi/communicator.hpp"

namespace {

using namespace transrank;
using lab::study::baseline::Mover;
using Rows = array::ParArray<double, array::dynamic_size>;

constexpr int updates_in_a_row = 20;
constexpr int warm_up = 3;
const std::vector<std::string> ways{"auto", "shared-staged", "message", "mpi-packed",
                                    "mpi-packed-neighborhood"};

double median(std::vector<double> values) {
    const auto middle = values.begin() + (std::ssize(values) / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

template <class Work>
double seconds_of_slowest(const mpi::Communicator& comm, const Work& work) {
    MPI_Barrier(comm.handle());
    const double begin = MPI_Wtime();
    work();
    double seconds = MPI_Wtime() - begin;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm.handle());
    return seconds;
}

double seconds_of_update(const mpi::Communicator& comm, Mover& mover) {
    const auto run = [&](int updates) {
        for (int update = 0; update < updates; ++update) {
            mover.run();
        }
    };
    run(warm_up);
    return seconds_of_slowest(comm, [&] { run(updates_in_a_row); }) / updates_in_a_row;
}

std::map<std::string, double> measure(const mpi::Communicator& comm, std::int64_t vdim,
                                      int rounds) {
    const lab::study::ghost::Block block;
    const auto route = lab::study::ghost::corrected_ghost_route(comm.rank(), comm.size());
    Rows owned;
    Rows ghosts;
    owned.resize(block.rows(), vdim);
    ghosts.resize(block.ghost_rows(), vdim);
    std::ranges::fill(owned.data(), comm.rank());
    const copy::Field field{.source = owned.bytes().data(),
                            .source_bytes = std::ssize(owned.bytes()),
                            .destination = ghosts.bytes().data(),
                            .destination_bytes = std::ssize(ghosts.bytes()),
                            .unit_bytes = vdim * std::int64_t{sizeof(double)},
                            .scalar = copy::Scalar::float64};
    const auto make = [&](const std::string& way) {
        return lab::study::baseline::make(way,
                                          {.comm = comm,
                                           .route = route,
                                           .fields = {field},
                                           .description = lab::study::baseline::Description::rows});
    };
    std::vector<std::unique_ptr<Mover>> movers;
    std::ranges::transform(ways, std::back_inserter(movers), make);
    std::map<std::string, std::vector<double>> seconds;
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < ways.size(); ++i) {
            const auto way = (i + static_cast<std::size_t>(round)) % ways.size();
            seconds[ways[way]].push_back(seconds_of_update(comm, *movers[way]));
            seconds["set-up of " + ways[way]].push_back(
                seconds_of_slowest(comm, [&] { (void)make(ways[way]); }));
        }
    }
    std::map<std::string, double> medians;
    for (const auto& [way, all] : seconds) {
        medians[way] = median(all);
    }
    return medians;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    {
        const std::vector<std::string> words(argv + 1, argv + argc);
        const mpi::Communicator comm(MPI_COMM_WORLD);
        const auto medians = measure(comm, std::stoll(words.at(0)), std::stoi(words.at(1)));
        lab::text::JsonWriter json;
        json.begin_object();
        for (const auto& [way, seconds] : medians) {
            json.key(way).value(seconds);
        }
        json.end_object();
        if (comm.rank() == 0) {
            std::cout << json.text() << '\n';
        }
    }
    MPI_Finalize();
}
