// SPDX-License-Identifier: BSD-3-Clause
// Ghost rows: copies of rows that the next rank owns, updated in each step.
//     mpiexec -n 4 ./ghosts
#include <algorithm>
#include <cstdio>
#include <memory>
#include <numeric>
#include <vector>

#include "transrank/transrank.hpp"

bool simulate(int rank, int ranks) {
    using Rows = transrank::array::ParArray<double, 5>;
    auto owned = std::make_shared<Rows>();
    auto ghosts = std::make_shared<Rows>();
    owned->resize(1000);

    const int next = (rank + 1) % ranks;
    std::vector<std::int64_t> wanted(20);  // global row indices, in rank order
    std::iota(wanted.begin(), wanted.end(), 1000 * static_cast<std::int64_t>(next));
    transrank::array::ArrayTransformer<double, 5> transformer(MPI_COMM_WORLD);
    transformer.set_father_son(owned, ghosts);
    transformer.create_global_mapping();
    transformer.create_ghost_mapping(wanted);
    transformer.init_persistent_pull();
    bool right = true;
    for (int step = 0; step < 10; ++step) {
        std::ranges::fill(owned->data(), (100.0 * rank) + step);
        transformer.start_persistent_pull();
        // compute what needs no ghosts
        transformer.wait_persistent_pull();
        // (*ghosts)[i] is the row with the global index wanted[i]
        right = right && (*ghosts)[19][4] == (100.0 * next) + step;
    }
    return right;
}

int main(int argc, char** argv) {
    int rank = 0;
    int ranks = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const bool right = simulate(rank, ranks);
    std::printf("rank %d of %d: %s\n", rank, ranks, right ? "right" : "wrong");
    MPI_Finalize();
    return right ? 0 : 1;
}
