// SPDX-License-Identifier: BSD-3-Clause
// All ranks, and what they agree on.
#pragma once

#include "testing.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/mpi/communicator.hpp"
#include "transrank/transport/transport.hpp"

namespace testing {

using CommunicatorQuery = int (*)(MPI_Comm, int*);

inline int of_world(CommunicatorQuery query) {
    int value = 0;
    query(MPI_COMM_WORLD, &value);
    return value;
}

// Who has asked before MPI_Finalize may ask after it.
inline int world_rank() {
    static const int rank = of_world(&MPI_Comm_rank);
    return rank;
}

inline int world_size() {
    static const int size = of_world(&MPI_Comm_size);
    return size;
}

inline bool is_last() {
    return world_rank() == world_size() - 1;
}

inline std::string last() {
    return std::to_string(world_size() - 1);
}

inline const transrank::mpi::Communicator& world() {
    // Never freed: MPI may be finalized before.
    static auto* const comm = new transrank::mpi::Communicator(MPI_COMM_WORLD);
    return *comm;
}

/// What exchanges are bound to: all ranks, as they are or as a test pretends that they are.
inline MPI_Comm all_ranks = MPI_COMM_WORLD;

/// `auto` and all of the table.
inline std::vector<std::string> transports() {
    std::vector<std::string> names{"auto"};
    for (const auto& entry : transrank::transport::all()) {
        names.emplace_back(entry.name);
    }
    return names;
}

/// Collective. Whether all ranks have the same words.
inline bool same_on_all_ranks(const std::string& words) {
    const auto hash = std::hash<std::string>{}(words);
    std::array<unsigned long, 2> own{hash, ~hash};
    std::array<unsigned long, 2> least{};
    MPI_Allreduce(own.data(), least.data(), 2, MPI_UNSIGNED_LONG, MPI_MIN, MPI_COMM_WORLD);
    return least[0] == ~least[1];
}

/// Collective. The words of the error that all ranks throw; empty when there is none. Fails the
/// test when ranks disagree.
template <class Call>
std::string agreed_words(const Call& call) {
    std::string words;
    try {
        (void)call();
    } catch (const transrank::mpi::AgreedError& error) {
        words = error.what();
    }
    CHECK(same_on_all_ranks(words));
    return words;
}

}  // namespace testing
