// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/mpi/communicator.hpp"

#include <chrono>
#include <stdexcept>
#include <thread>

#include "transrank/mpi/error.hpp"
#include "transrank/mpi/lifetime.hpp"
#include "transrank/mpi/point_to_point.hpp"

namespace transrank::mpi {

namespace {

/// MPI returns errors of `comm` as long as this lives, whatever its user has asked for.
class ErrorsReturned {
public:
    explicit ErrorsReturned(MPI_Comm comm) : comm_(comm) {
        check(MPI_Comm_get_errhandler(comm, &before_), "MPI_Comm_get_errhandler");
        check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    }
    ErrorsReturned(const ErrorsReturned&) = delete;
    ErrorsReturned& operator=(const ErrorsReturned&) = delete;
    ~ErrorsReturned() {
        MPI_Comm_set_errhandler(comm_, before_);
        MPI_Errhandler_free(&before_);
    }

private:
    MPI_Comm comm_;
    MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

MPI_Group all_of(MPI_Comm comm) {
    MPI_Group all = MPI_GROUP_NULL;
    check(MPI_Comm_group(comm, &all), "MPI_Comm_group");
    return all;
}

}  // namespace

bool is_complete(MPI_Request& request, std::source_location where) {
    int done = 0;
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test", where);
    return done != 0;
}

void complete(std::span<MPI_Request> requests, const std::shared_ptr<void>& memory,
              const Meanwhile& meanwhile) {
    try {
        auto next = requests.begin();
        const auto all_are = [&] {
            while (next != requests.end() && is_complete(*next)) {
                ++next;
            }
            return next == requests.end();
        };
        wait_until(all_are, meanwhile);
    } catch (...) {
        keep_for_ever(memory);
        throw;
    }
}

void pause(int idle_rounds) {
    constexpr int rounds_before_yield = 16;  // whoever comes at once is not kept waiting by others
    constexpr int rounds_before_sleep = 200;
    constexpr auto sleep = std::chrono::microseconds(50);
    if (idle_rounds < rounds_before_yield) {
        return;
    }
    if (idle_rounds < rounds_before_sleep) {
        std::this_thread::yield();
    } else {
        std::this_thread::sleep_for(sleep);
    }
}

void require_communicator(MPI_Comm comm) {
    begin_to_use();
    if (comm == MPI_COMM_NULL) {
        throw std::invalid_argument(
            "the communicator is MPI_COMM_NULL; ranks that are not in it must not call");
    }
    int joins_two_groups = 0;
    check(MPI_Comm_test_inter(comm, &joins_two_groups), "MPI_Comm_test_inter");
    if (joins_two_groups != 0) {
        throw std::invalid_argument(
            "the communicator is an intercommunicator; MPI_Intercomm_merge makes one group of "
            "its two");
    }
}

Communicator::Communicator(MPI_Comm comm) {
    begin_to_use();
    const ErrorsReturned returned(comm);
    check(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup");
    adopt();
}

void Communicator::duplicate(const Communicator& other) {
    check(MPI_Comm_dup(other.handle(), &comm_), "MPI_Comm_dup");
    adopt();
    state_->meanwhile = other.state_->meanwhile;
}

void Communicator::adopt() {
    if (comm_ == MPI_COMM_NULL) {
        return;
    }
    check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
}

Communicator Communicator::split(int color) const {
    Communicator part;
    check(MPI_Comm_split(comm_, color, rank_, &part.comm_), "MPI_Comm_split");
    part.adopt();
    part.state_->meanwhile = state_->meanwhile;
    return part;
}

Communicator Communicator::split_node() const {
    Communicator node;
    check(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node.comm_),
          "MPI_Comm_split_type");
    node.adopt();
    return node;
}

bool Communicator::has_unmatched_message() const {
    return arrived(comm_, MPI_ANY_SOURCE, MPI_ANY_TAG).has_value();
}

std::vector<int> translated(const std::vector<int>& ranks, MPI_Comm from, MPI_Comm to) {
    std::vector<int> found(ranks.size(), MPI_UNDEFINED);
    MPI_Group ours = all_of(from);
    MPI_Group theirs = all_of(to);
    const int status = MPI_Group_translate_ranks(ours, static_cast<int>(ranks.size()), ranks.data(),
                                                 theirs, found.data());
    MPI_Group_free(&ours);
    MPI_Group_free(&theirs);
    check(status, "MPI_Group_translate_ranks");
    return found;
}

std::uint64_t summed(MPI_Comm comm, std::uint64_t number, const Meanwhile& meanwhile) {
    require_usable();
    const ErrorsReturned returned(comm);
    const auto words = std::make_shared<std::array<std::uint64_t, 2>>();
    auto& [own, all] = *words;
    own = number;
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Iallreduce(&own, &all, 1, MPI_UINT64_T, MPI_SUM, comm, &request), "MPI_Iallreduce");
    complete(std::span(&request, 1), words, meanwhile);
    return all;
}

bool come_together_by_messages(const Communicator& comm, int tag, bool any,
                               const Meanwhile& meanwhile) {
    const int size = comm.size();
    for (int distance = 1; distance < size; distance *= 2) {
        // MPI may use them still when something has thrown.
        const auto words = std::make_shared<std::array<std::byte, 2>>();
        auto& [own, theirs] = *words;
        own = std::byte{any};
        const auto partner = [&](int rank) {
            return Partner{.comm = comm, .rank = rank % size, .tag = tag};
        };
        try {
            std::array requests{
                begin_receive(std::span(&theirs, 1), partner(comm.rank() + size - distance)),
                begin_send(std::span(&own, 1), partner(comm.rank() + distance))};
            complete(requests, words, meanwhile);
        } catch (...) {
            keep_for_ever(words);
            throw;
        }
        any = any || theirs != std::byte{};
    }
    return any;
}

Communicator::~Communicator() {
    if (comm_ != MPI_COMM_NULL && is_usable()) {
        MPI_Comm_free(&comm_);
    }
}

}  // namespace transrank::mpi
