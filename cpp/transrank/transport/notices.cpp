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

void Notices::send(const Breakage& breakage, std::uint64_t completed) {
    // Whoever has only destroyed its side leaves no message behind.
    if (!mpi::is_usable() || breakage.cause == Breakage::Cause::gone) {
        return;
    }
    // Nobody waits for the sends.
    const auto notice =
        std::make_shared<Notice>(Notice{.breakage = breakage.encoded(), .completed = completed});
    mpi::keep_for_ever(notice);
    for (const int peer : peers_) {
        MPI_Request request = MPI_REQUEST_NULL;
        if (peer != breakage.rank) {
            mpi::check(MPI_Isend(notice.get(), sizeof(Notice), MPI_BYTE, peer, notice_tag,
                                 comm_.handle(), &request),
                       "MPI_Isend");
            mpi::check(MPI_Request_free(&request), "MPI_Request_free");
        }
    }
}

void Notices::check_before(std::uint64_t epoch) {
    // A peer that this rank only sends to is not waited for: it would not be noticed otherwise.
    if (sends_one_way_) {
        look();
    }
    check(epoch);
}

void Notices::check_now_and_then(std::uint64_t epoch) {
    if (++idle_calls_ % calls_between_looks == 0) {
        look();
    }
    check(epoch);
}

void Notices::look() {
    int there = 0;
    MPI_Status status{};
    mpi::check(MPI_Iprobe(MPI_ANY_SOURCE, notice_tag, comm_.handle(), &there, &status),
               "MPI_Iprobe");
    if (there != 0) {
        Notice notice;
        mpi::check(MPI_Recv(&notice, sizeof(notice), MPI_BYTE, status.MPI_SOURCE, notice_tag,
                            comm_.handle(), MPI_STATUS_IGNORE),
                   "MPI_Recv");
        if (received_.breakage == 0 || notice.completed < received_.completed) {
            received_ = notice;
        }
    }
}

void Notices::check(std::uint64_t epoch) const {
    if (received_.completed < epoch) {
        check_unbroken(received_.breakage);
    }
}

}  // namespace transrank::transport
