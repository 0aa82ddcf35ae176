// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/mpi/persistent_requests.hpp"

#include <algorithm>
#include <chrono>

#include "transrank/mpi/counts.hpp"
#include "transrank/mpi/error.hpp"
#include "transrank/mpi/lifetime.hpp"

namespace transrank::mpi {
namespace {

MPI_Request send_init(std::span<const std::byte> bytes, const Partner& to) {
    MPI_Request request = MPI_REQUEST_NULL;
    const auto count = static_cast<Count>(bytes.size());
#if MPI_VERSION >= 4
    check(
        MPI_Send_init_c(bytes.data(), count, MPI_BYTE, to.rank, to.tag, to.comm.handle(), &request),
        "MPI_Send_init_c");
#else
    check(MPI_Send_init(bytes.data(), count, MPI_BYTE, to.rank, to.tag, to.comm.handle(), &request),
          "MPI_Send_init");
#endif
    return request;
}

MPI_Request receive_init(std::span<std::byte> bytes, const Partner& from) {
    MPI_Request request = MPI_REQUEST_NULL;
    const auto count = static_cast<Count>(bytes.size());
#if MPI_VERSION >= 4
    check(MPI_Recv_init_c(bytes.data(), count, MPI_BYTE, from.rank, from.tag, from.comm.handle(),
                          &request),
          "MPI_Recv_init_c");
#else
    check(MPI_Recv_init(bytes.data(), count, MPI_BYTE, from.rank, from.tag, from.comm.handle(),
                        &request),
          "MPI_Recv_init");
#endif
    return request;
}

/// Calls `visit` with each piece of at most `longest` bytes.
template <class Byte, class Visit>
void in_pieces(std::span<Byte> bytes, std::int64_t longest, const Visit& visit) {
    const auto piece =
        static_cast<std::size_t>(std::clamp<std::int64_t>(longest, 1, largest_count));
    for (std::size_t begin = 0; begin < bytes.size();
         begin += std::min(piece, bytes.size() - begin)) {
        visit(bytes.subspan(begin, std::min(piece, bytes.size() - begin)));
    }
}

}  // namespace

void PersistentRequests::add(MPI_Request request, bool is_receive) {
    requests_.push_back(request);
    is_receive_.push_back(is_receive ? 1 : 0);
    active_.push_back(0);
    completed_.resize(requests_.size());
}

PersistentRequests::Group PersistentRequests::add_sends(std::span<const std::byte> bytes,
                                                        const Partner& to, std::int64_t longest) {
    const auto begin = size();
    in_pieces(bytes, longest, [&](auto piece) { add(send_init(piece, to), false); });
    return {.begin = begin, .end = size()};
}

PersistentRequests::Group PersistentRequests::add_receives(std::span<std::byte> bytes,
                                                           const Partner& from,
                                                           std::int64_t longest) {
    const auto begin = size();
    in_pieces(bytes, longest, [&](auto piece) { add(receive_init(piece, from), true); });
    return {.begin = begin, .end = size()};
}

PersistentRequests::Group PersistentRequests::add_send_at_addresses(MPI_Datatype type,
                                                                    const Partner& to) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Send_init(MPI_BOTTOM, 1, type, to.rank, to.tag, to.comm.handle(), &request),
          "MPI_Send_init");
    add(request, false);
    return {.begin = size() - 1, .end = size()};
}

PersistentRequests::Group PersistentRequests::add_receive_at_addresses(MPI_Datatype type,
                                                                       const Partner& from) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Recv_init(MPI_BOTTOM, 1, type, from.rank, from.tag, from.comm.handle(), &request),
          "MPI_Recv_init");
    add(request, true);
    return {.begin = size() - 1, .end = size()};
}

void PersistentRequests::start(const Group& group) {
    // Not MPI_Startall, which may start them in any order: the pieces of a message have one tag.
    for (auto i = group.begin; i < group.end; ++i) {
        check(MPI_Start(&requests_[i]), "MPI_Start");
    }
    std::fill_n(active_.begin() + static_cast<std::ptrdiff_t>(group.begin), group.size(), char{1});
}

bool PersistentRequests::are_active(const Group& group) const {
    return std::any_of(active_.begin() + static_cast<std::ptrdiff_t>(group.begin),
                       active_.begin() + static_cast<std::ptrdiff_t>(group.end),
                       [](char active) { return active != 0; });
}

std::span<const int> PersistentRequests::completed() {
    int count = 0;
    check(MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count,
                       completed_.data(), MPI_STATUSES_IGNORE),
          "MPI_Testsome");
    if (count == MPI_UNDEFINED) {
        return {};
    }
    for (int i = 0; i < count; ++i) {
        active_[static_cast<std::size_t>(completed_[static_cast<std::size_t>(i)])] = 0;
    }
    return {completed_.data(), static_cast<std::size_t>(count)};
}

// Cancelling a receive is a local matter; cancelling a send would ask the receiver. A receive that
// cannot be cancelled any more has met its sender: its data are under way and worth waiting for.
bool PersistentRequests::abandon_active(std::size_t index) noexcept {
    using Clock = std::chrono::steady_clock;
    constexpr int tests = 1000;
    constexpr auto patience = std::chrono::seconds(1);
    const bool is_receive = is_receive_[index] != 0;
    auto& request = requests_[index];
    if (is_receive) {
        MPI_Cancel(&request);
    }
    const auto begin = Clock::now();
    int done = 0;
    for (int i = 0; done == 0 && (i < tests || (is_receive && Clock::now() - begin < patience));
         ++i) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
    return done != 0;
}

bool PersistentRequests::abandon() noexcept {
    bool buffers_are_free = true;
    for (std::size_t i = 0; i < requests_.size() && is_usable(); ++i) {
        if (active_[i] != 0) {
            buffers_are_free &= abandon_active(i);
        }
        MPI_Request_free(&requests_[i]);
    }
    requests_.clear();
    return buffers_are_free;
}

}  // namespace transrank::mpi
