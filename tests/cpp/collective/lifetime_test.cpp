// SPDX-License-Identifier: BSD-3-Clause
// ranks: 2 3
// What an alltoall holds on to when it is dropped.
#include "transrank/collective/alltoall.hpp"
#include "world.hpp"

using namespace testing;
using transrank::collective::Alltoall;

namespace {

bool never_ends = false;

}  // namespace

// As if a message were under way for ever.
extern "C" int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
    if (never_ends) {
        *done = 0;
        return MPI_SUCCESS;
    }
    return PMPI_Test(request, done, status);
}

namespace {

/// Whether the arrays of an alltoall live on when it is dropped.
bool are_kept(const std::string& algorithm, bool by_all, bool stuck) {
    const auto count = static_cast<std::size_t>(world_size());
    auto arrays = std::make_shared<std::vector<double>>(2 * count);
    const std::weak_ptr<void> watched = arrays;
    auto* const send = arrays->data();
    auto bound = std::make_unique<Alltoall>(
        MPI_COMM_WORLD, send, send + count, sizeof(double),
        transrank::collective::AlltoallOptions{.algorithm = algorithm}, std::move(arrays));
    CHECK(!watched.expired());
    if (by_all) {
        bound->start();
        bound->wait();
    } else if (world_rank() == 0) {
        bound->start();
    }
    never_ends = stuck;
    bound.reset();
    never_ends = false;
    MPI_Barrier(MPI_COMM_WORLD);
    return !watched.expired();
}

}  // namespace

TEST_CASE("arrays of an alltoall are kept while MPI may use them, and no longer") {
    for (const std::string algorithm : {"pairwise", "bruck", "linear", "mpi"}) {
        CAPTURE(algorithm);
        CHECK(!are_kept(algorithm, true, false));
        CHECK(are_kept(algorithm, false, true) == (world_rank() == 0));
        // MPI's own can neither be given up nor does it tell when it is over.
        CHECK(are_kept(algorithm, false, false) == (world_rank() == 0 && algorithm == "mpi"));
    }
}
