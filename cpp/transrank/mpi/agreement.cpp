// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/mpi/agreement.hpp"

#include <exception>
#include <sstream>

#include "transrank/mpi/error.hpp"

namespace transrank::mpi {
namespace {

// The words of rank `speaker`, on every rank.
std::string broadcast(const Communicator& comm, std::string words, int speaker) {
    int length = static_cast<int>(words.size());
    check(MPI_Bcast(&length, 1, MPI_INT, speaker, comm.handle()), "MPI_Bcast");
    words.resize(static_cast<std::size_t>(length));
    check(MPI_Bcast(words.data(), length, MPI_CHAR, speaker, comm.handle()), "MPI_Bcast");
    return words;
}

}  // namespace

void agree(const Communicator& comm, const std::function<void()>& work) {
    std::string words;
    int own = comm.size();
    try {
        work();
    } catch (const std::exception& error) {
        words = error.what();
        own = comm.rank();
    }
    int speaker = 0;
    check(MPI_Allreduce(&own, &speaker, 1, MPI_INT, MPI_MIN, comm.handle()), "MPI_Allreduce");
    if (speaker < comm.size()) {
        throw AgreedError(broadcast(comm, words, speaker));
    }
}

void agree_on(const Communicator& comm, const std::string& what,
              const std::vector<std::string>& words) {
    std::string joined;
    for (const auto& word : words) {
        joined += word + "\n";
    }
    std::istringstream first(broadcast(comm, joined, 0));
    agree(comm, [&] {
        for (const auto& own : words) {
            std::string theirs;
            std::getline(first, theirs);
            if (own != theirs) {
                throw std::invalid_argument("rank " + std::to_string(comm.rank()) + " " + what +
                                            " " + own + ", rank 0 " + theirs);
            }
        }
    });
}

}  // namespace transrank::mpi
