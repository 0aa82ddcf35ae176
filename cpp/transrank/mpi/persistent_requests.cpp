// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/mpi/persistent_requests.hpp"

#include <algorithm>
#include <chrono>

#include "transrank/mpi/counts.hpp"
#include "transrank/mpi/error.hpp"
#include "transrank/mpi/lifetime.hpp"

namespace transrank::mpi {
namespace {

template <class Count, class Init, class Byte>
MPI_Request made_by(Init init, const char* name, std::span<Byte> bytes, const Partner& partner) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(init(bytes.data(), static_cast<Count>(bytes.size()), MPI_BYTE, partner.rank, partner.tag,
               partner.comm.handle(), &request),
          name);
    return request;
}

MPI_Request send_init(std::span<const std::byte> bytes, const Partner& to) {
#if MPI_VERSION >= 4
    if (counts_in_64_bits()) {
        return made_by<MPI_Count>(MPI_Send_init_c, "MPI_Send_init_c", bytes, to);
    }
#endif
    return made_by<int>(MPI_Send_init, "MPI_Send_init", bytes, to);
}

MPI_Request receive_init(std::span<std::byte> bytes, const Partner& from) {
#if MPI_VERSION >= 4
    if (counts_in_64_bits()) {
        return made_by<MPI_Count>(MPI_Recv_init_c, "MPI_Recv_init_c", bytes, from);
    }
#endif
    return made_by<int>(MPI_Recv_init, "MPI_Recv_init", bytes, from);
}

/// MPI says of several requests only that one has failed; why, says the status of that one.
void check_each(int code, const char* call, std::span<const MPI_Status> statuses) {
    int kind = code;
    if (code != MPI_SUCCESS) {
        MPI_Error_class(code, &kind);
    }
    for (const auto& status : statuses.first(kind == MPI_ERR_IN_STATUS ? statuses.size() : 0)) {
        if (status.MPI_ERROR != MPI_ERR_PENDING) {
            check(status.MPI_ERROR, call);
        }
    }
    check(code, call);
}

}  // namespace

void PersistentRequests::add(MPI_Request request, int peer, bool is_receive) {
    requests_.push_back(request);
    uses_.push_back({.peer = peer, .is_receive = is_receive});
    const auto most = requests_.capacity();  // so that start and test need no memory
    under_way_.reserve(most);
    next_ones_.reserve(most);
    found_.reserve(most);
    statuses_.reserve(most);
    completed_.reserve(most);
}

Traffic PersistentRequests::traffic(Traffic before) const {
    for (const auto& use : uses_) {
        (use.is_receive ? before.received : before.sent)[use.peer] += use.started;
    }
    before.is_known &= is_known_;
    return before;
}

PersistentRequests::Group PersistentRequests::add_sends(std::span<const std::byte> bytes,
                                                        const Partner& to, std::int64_t longest) {
    const auto begin = size();
    in_pieces(bytes, std::min(longest, largest_count()),
              [&](auto piece) { add(send_init(piece, to), to.rank, false); });
    return {.begin = begin, .end = size()};
}

PersistentRequests::Group PersistentRequests::add_receives(std::span<std::byte> bytes,
                                                           const Partner& from,
                                                           std::int64_t longest) {
    const auto begin = size();
    in_pieces(bytes, std::min(longest, largest_count()),
              [&](auto piece) { add(receive_init(piece, from), from.rank, true); });
    return {.begin = begin, .end = size()};
}

void PersistentRequests::start(const Group& group) {
    if (group.size() == 0) {
        return;
    }
    next_ones_.push_back(requests_[group.begin]);
    auto& started = under_way_.emplace_back(Group{.begin = group.begin, .end = group.begin});
    // Not MPI_Startall, which may start them in any order: the pieces of a message have one tag.
    for (auto i = group.begin; i < group.end; ++i) {
        check(MPI_Start(&requests_[i]), "MPI_Start");
        ++uses_[i].started;
        ++started.end;
    }
}

bool PersistentRequests::are_active(const Group& group) const {
    return std::ranges::any_of(under_way_, [&](const Group& left) {
        return std::max(left.begin, group.begin) < std::min(left.end, group.end);
    });
}

// Of a group MPI completes the first request first, or about then. Were it asked for all of them
// each time, the time for many messages would grow with the square of their number.
std::span<const int> PersistentRequests::completed() {
    completed_.clear();
    for (bool more = !next_ones_.empty(); more;) {
        const auto count = static_cast<std::size_t>(test_some());
        more = count > 0 && advance(std::span(found_).first(count));
    }
    return completed_;
}

// One of a few, or all that have completed. MPICH 5.0 forgets in MPI_Testsome why a persistent
// request has failed.
int PersistentRequests::test_some() {
    constexpr std::size_t few = 4;
    const auto requests = static_cast<int>(next_ones_.size());
    int count = 0;
    found_.resize(next_ones_.size());
    if (next_ones_.size() <= few) {
        check(MPI_Testany(requests, next_ones_.data(), found_.data(), &count, MPI_STATUS_IGNORE),
              "MPI_Testany");
        return found_.front() == MPI_UNDEFINED ? 0 : count;
    }
    statuses_.resize(next_ones_.size());
    const int code =
        MPI_Testsome(requests, next_ones_.data(), &count, found_.data(), statuses_.data());
    count = std::max(count, 0);  // MPI_UNDEFINED
    check_each(code, "MPI_Testsome", std::span(statuses_).first(static_cast<std::size_t>(count)));
    return count;
}

// Whether one of these groups has more.
bool PersistentRequests::advance(std::span<const int> groups) {
    bool more = false;
    for (const int number : groups) {
        const auto index = static_cast<std::size_t>(number);
        auto& group = under_way_[index];
        completed_.push_back(static_cast<int>(group.begin++));
        if (group.begin < group.end) {
            next_ones_[index] = requests_[group.begin];
            more = true;
        }
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < under_way_.size(); ++i) {
        if (under_way_[i].begin < under_way_[i].end) {
            under_way_[kept] = under_way_[i];
            next_ones_[kept++] = next_ones_[i];
        }
    }
    under_way_.resize(kept);
    next_ones_.resize(kept);
    return more;
}

// Cancelling a receive is a local matter; cancelling a send would ask the receiver. A receive that
// cannot be cancelled any more has met its sender: its data are under way and worth waiting for.
void PersistentRequests::abandon_active(std::size_t index) noexcept {
    using Clock = std::chrono::steady_clock;
    constexpr int tests = 1000;
    constexpr auto patience = std::chrono::seconds(1);
    const bool is_receive = uses_[index].is_receive;
    MPI_Status status{};
    auto& request = requests_[index];
    if (is_receive) {
        MPI_Cancel(&request);
    }
    const auto begin = Clock::now();
    int done = 0;
    for (int i = 0; done == 0 && (i < tests || (is_receive && Clock::now() - begin < patience));
         ++i) {
        MPI_Test(&request, &done, &status);
    }
    buffers_are_free_ &= done != 0;
    is_known_ &= done != 0 || !is_receive;
    int is_cancelled = 0;
    if (done != 0 && is_receive) {
        MPI_Test_cancelled(&status, &is_cancelled);
    }
    uses_[index].started -= is_cancelled != 0 ? 1U : 0U;
}

bool PersistentRequests::abandon() noexcept {
    if (is_usable() && !may_call_here()) {  // its requests are let go
        buffers_are_free_ &= under_way_.empty();
        is_known_ &= under_way_.empty();
    } else if (is_usable()) {
        for (const auto& group : under_way_) {
            for (auto i = group.begin; i < group.end; ++i) {
                abandon_active(i);
            }
        }
        for (auto& request : requests_) {
            MPI_Request_free(&request);
        }
    }
    requests_.clear();
    under_way_.clear();
    next_ones_.clear();
    return buffers_are_free_;
}

}  // namespace transrank::mpi
