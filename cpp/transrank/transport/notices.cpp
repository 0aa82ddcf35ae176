// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/transport/notices.hpp"

#include <algorithm>
#include <memory>

#include "transrank/mpi/error.hpp"
#include "transrank/mpi/lifetime.hpp"
#include "transrank/transport/tags.hpp"

namespace transrank::transport {
namespace {

constexpr unsigned calls_between_looks = 16;

}  // namespace

Notices::Notices(const mpi::Communicator& comm, std::span<const PeerOffer* const> peers)
    : comm_(comm), sends_one_way_(std::ranges::any_of(peers, [](const PeerOffer* peer) {
          return peer->receive == nullptr;
      })) {
    for (const auto* peer : peers) {
        if (peer->rank != comm.rank()) {
            peers_.push_back(peer->rank);
        }
    }
}

void Notices::send(const Breakage& breakage) {
    if (!mpi::is_usable()) {
        return;
    }
    // Nobody waits for the sends.
    const auto word = std::make_shared<std::uint64_t>(breakage.encoded());
    mpi::keep_for_ever(word);
    for (const int peer : peers_) {
        MPI_Request request = MPI_REQUEST_NULL;
        if (peer != breakage.rank) {
            mpi::check(
                MPI_Isend(word.get(), 1, MPI_UINT64_T, peer, notice_tag, comm_.handle(), &request),
                "MPI_Isend");
            mpi::check(MPI_Request_free(&request), "MPI_Request_free");
        }
    }
}

void Notices::check_now_and_then() {
    if (++idle_calls_ % calls_between_looks == 0) {
        check();
    }
}

void Notices::check_before_start() {
    if (sends_one_way_) {
        check();
    }
}

void Notices::check() {
    int there = 0;
    MPI_Status status{};
    mpi::check(MPI_Iprobe(MPI_ANY_SOURCE, notice_tag, comm_.handle(), &there, &status),
               "MPI_Iprobe");
    if (there != 0) {
        std::uint64_t word = 0;
        mpi::check(MPI_Recv(&word, 1, MPI_UINT64_T, status.MPI_SOURCE, notice_tag, comm_.handle(),
                            MPI_STATUS_IGNORE),
                   "MPI_Recv");
        check_unbroken(word);
    }
}

}  // namespace transrank::transport
