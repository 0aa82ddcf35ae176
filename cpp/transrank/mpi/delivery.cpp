// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/mpi/delivery.hpp"

#include <algorithm>
#include <optional>

#include "transrank/mpi/error.hpp"
#include "transrank/mpi/request.hpp"

namespace transrank::mpi {
namespace {

std::vector<MPI_Request> post(const Communicator& comm, std::span<const Letter> letters, int tag) {
    std::vector<MPI_Request> requests;
    for (const auto& letter : letters) {
        // Synchronous: a send that has completed was received.
        check(MPI_Issend(letter.bytes.data(), static_cast<int>(letter.bytes.size()), MPI_BYTE,
                         letter.peer, tag, comm.handle(), &requests.emplace_back()),
              "MPI_Issend");
    }
    return requests;
}

std::optional<Letter> receive_if_there(const Communicator& comm, int tag) {
    int there = 0;
    MPI_Status status{};
    check(MPI_Iprobe(MPI_ANY_SOURCE, tag, comm.handle(), &there, &status), "MPI_Iprobe");
    if (there == 0) {
        return std::nullopt;
    }
    int bytes = 0;
    check(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
    Letter letter{.peer = status.MPI_SOURCE,
                  .bytes = std::vector<std::byte>(static_cast<std::size_t>(bytes))};
    check(MPI_Recv(letter.bytes.data(), bytes, MPI_BYTE, letter.peer, tag, comm.handle(),
                   MPI_STATUS_IGNORE),
          "MPI_Recv");
    return letter;
}

/// Enters a barrier once all own letters have been received; when it is over, everybody's have.
class Consensus {
public:
    Consensus(const Communicator& comm, std::vector<MPI_Request> letters)
        : comm_(comm), letters_(std::move(letters)) {}

    bool reached() {
        int done = 0;
        if (barrier_ != MPI_REQUEST_NULL) {
            check(MPI_Test(&barrier_, &done, MPI_STATUS_IGNORE), "MPI_Test");
            return done != 0;
        }
        check(MPI_Testall(static_cast<int>(letters_.size()), letters_.data(), &done,
                          MPI_STATUSES_IGNORE),
              "MPI_Testall");
        if (done != 0) {
            check(MPI_Ibarrier(comm_.handle(), &barrier_), "MPI_Ibarrier");
        }
        return false;
    }

private:
    const Communicator& comm_;
    std::vector<MPI_Request> letters_;
    MPI_Request barrier_ = MPI_REQUEST_NULL;
};

}  // namespace

std::vector<Letter> deliver(const Communicator& comm, std::span<const Letter> letters, int tag) {
    Consensus consensus(comm, post(comm, letters, tag));
    std::vector<Letter> received;
    for (int idle_rounds = 0; !consensus.reached(); ++idle_rounds) {
        if (auto letter = receive_if_there(comm, tag)) {
            received.push_back(std::move(*letter));
            idle_rounds = 0;
        } else {
            pause(idle_rounds);
        }
    }
    std::ranges::sort(received, {}, &Letter::peer);
    return received;
}

}  // namespace transrank::mpi
