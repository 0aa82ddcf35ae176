// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/transport/notices.hpp"

#include <algorithm>
#include <map>

#include "transrank/mpi/error.hpp"
#include "transrank/mpi/lifetime.hpp"
#include "transrank/mpi/point_to_point.hpp"

namespace transrank::transport {
namespace {

constexpr unsigned calls_between_looks = 16;

std::uint64_t number_in(const std::map<int, std::uint64_t>& numbers, int rank) {
    const auto found = numbers.find(rank);
    return found == numbers.end() ? 0 : found->second;
}

}  // namespace

Notices::Notices(mpi::CommunicatorPool::Lease& lease, std::span<const int> peers,
                 bool sends_one_way, Tag tag)
    : comm_(lease.comm()),
      lease_(lease),
      tag_(lease.tag(tag)),
      data_tag_(lease.tag(data_tag)),
      sends_one_way_(sends_one_way) {
    for (const int peer : peers) {
        if (peer != comm_.rank()) {
            peers_.push_back({.rank = peer, .sent = std::nullopt});
        }
    }
}

void Notices::send(const Failure& failure, std::uint64_t completed, const mpi::Traffic& traffic) {
    if (is_sent_ || !mpi::is_usable() || !mpi::may_call_here()) {
        return;
    }
    for (const auto& peer : peers_) {
        if (failure.cause != Failure::Cause::ended || failure.rank != peer.rank) {
            lease_.send_last(peer.rank, tag_,
                             {.words = {failure.encoded(), completed},
                              .sent = number_in(traffic.sent, peer.rank)});
        }
    }
    is_sent_ = true;
}

bool Notices::leave(const mpi::Traffic& traffic) {
    for (const auto& peer : peers_) {
        lease_.expect_last(peer.rank, tag_, peer.sent, data_tag_,
                           number_in(traffic.received, peer.rank));
    }
    return is_sent_ && traffic.is_known;
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
    if (const auto status = mpi::arrived(comm_.handle(), MPI_ANY_SOURCE, tag_)) {
        mpi::CommunicatorPool::LastWords last;
        mpi::check(MPI_Recv(&last, sizeof(last), MPI_BYTE, status->MPI_SOURCE, tag_, comm_.handle(),
                            MPI_STATUS_IGNORE),
                   "MPI_Recv");
        std::ranges::find(peers_, status->MPI_SOURCE, &Peer::rank)->sent = last.sent;
        const auto [failure, completed] = last.words;
        if (failure_ == 0 || completed < completed_) {
            failure_ = failure;
            completed_ = completed;
        }
    }
}

void Notices::check(std::uint64_t epoch) const {
    if (completed_ < epoch) {
        check_unbroken(failure_);
    }
}

}  // namespace transrank::transport
