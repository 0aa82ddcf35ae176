// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/mpi/persistent_requests.hpp"

#include <algorithm>
#include <chrono>

#include "transrank/mpi/counts.hpp"
#include "transrank/mpi/error.hpp"
#include "transrank/mpi/lifetime.hpp"

namespace transrank::mpi {
namespace {

// What one call of MPI looks at, active or not: with all of them in each call, the time for many
// messages would grow with the square of their number.
constexpr std::size_t chunk = 256;

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
    active_in_chunk_.resize(((requests_.size() - 1) / chunk) + 1);
    completed_.resize(chunk);
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
        active_[i] = 1;
        ++active_in_chunk_[i / chunk];
    }
}

bool PersistentRequests::are_active(const Group& group) const {
    return std::any_of(active_.begin() + static_cast<std::ptrdiff_t>(group.begin),
                       active_.begin() + static_cast<std::ptrdiff_t>(group.end),
                       [](char active) { return active != 0; });
}

std::span<const int> PersistentRequests::completed() {
    const auto chunks = active_in_chunk_.size();
    for (std::size_t looked_at = 0; looked_at < chunks; ++looked_at) {
        if (const auto found = completed_in(next_chunk_); !found.empty()) {
            return found;  // MPI completes them about in order, so that there may be more next time
        }
        next_chunk_ = (next_chunk_ + 1) % chunks;
    }
    return {};
}

std::span<const int> PersistentRequests::completed_in(std::size_t number) {
    if (active_in_chunk_[number] == 0) {
        return {};
    }
    const auto begin = number * chunk;
    int count = 0;
    check(MPI_Testsome(static_cast<int>(std::min(chunk, requests_.size() - begin)),
                       &requests_[begin], &count, completed_.data(), MPI_STATUSES_IGNORE),
          "MPI_Testsome");
    if (count == MPI_UNDEFINED) {
        return {};
    }
    const std::span found(completed_.data(), static_cast<std::size_t>(count));
    for (auto& request : found) {
        request += static_cast<int>(begin);
        active_[static_cast<std::size_t>(request)] = 0;
    }
    active_in_chunk_[number] -= found.size();
    return found;
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
    active_in_chunk_.clear();
    return buffers_are_free;
}

}  // namespace transrank::mpi
