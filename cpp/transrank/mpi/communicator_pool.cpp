// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/mpi/communicator_pool.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <utility>

#include "transrank/mpi/counts.hpp"
#include "transrank/mpi/error.hpp"
#include "transrank/mpi/lifetime.hpp"
#include "transrank/mpi/persistent_requests.hpp"

namespace transrank::mpi {
namespace {

using Clock = std::chrono::steady_clock;

// Idle communicators that are kept to be used again; MPI has a few thousand at most.
constexpr std::size_t most_idle = 8;
// For a message that may never come.
constexpr std::chrono::seconds longest_wait{1};

}  // namespace

std::uint64_t mixed(std::uint64_t number) noexcept {
    number += 0x9E37'79B9'7F4A'7C15U;
    number = (number ^ (number >> 30U)) * 0xBF58'476D'1CE4'E5B9U;
    number = (number ^ (number >> 27U)) * 0x94D0'49BB'1331'11EBU;
    return number ^ (number >> 31U);
}

struct CommunicatorPool::Duplicate {
    Communicator comm;
    int next_tag = 0;
    bool is_clean = true;  ///< nothing can be left in it that was sent

    Duplicate() = default;
    Duplicate(const Duplicate&) = delete;
    Duplicate& operator=(const Duplicate&) = delete;
    ~Duplicate() {
        if (!is_clean) {
            comm.leak();
        }
    }
};

struct CommunicatorPool::Entry {
    std::shared_ptr<Duplicate> duplicate;
    int first_tag = 0;
    /// See Lease::expect_last.
    struct Expected {
        int sender;
        int last_tag;
        std::optional<std::uint64_t> sent;
        int tag;
        std::uint64_t received;
    };
    struct Sent {
        MPI_Request request;
        std::shared_ptr<void> words;
    };
    std::vector<Expected> expected{};
    std::vector<Sent> sent{};  ///< what is still under way
    std::uint64_t balance = 0;
    bool poisoned = false;
    std::atomic<bool> returned = false;  ///< written last: a lease may end in another thread

    Entry() = default;
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    ~Entry() = default;

    void leak() noexcept {
        for (auto& each : sent) {
            if (is_usable() && may_call_here()) {
                MPI_Request_free(&each.request);
            }
            keep_for_ever(std::move(each.words));
        }
        sent.clear();
        duplicate->is_clean = false;
    }
    [[nodiscard]] const Communicator& comm() const noexcept { return duplicate->comm; }

    // Every rank has returned it, and so sent what is expected.
    void finish_last_messages() {
        for (auto& each : expected) {
            comm().wait_until([&] { return receive(each); });
        }
        expected.clear();
        for (auto& each : sent) {
            comm().complete(std::span(&each.request, 1), nullptr);
        }
        sent.clear();
    }

    // The same when nobody knows of the others.
    void receive_what_comes(Clock::time_point end) {
        while ((!expected.empty() || !sent.empty()) && Clock::now() < end) {
            std::erase_if(sent, [](Sent& each) { return is_complete(each.request); });
            std::erase_if(expected, [&](Expected& each) { return receive(each); });
        }
    }

    [[nodiscard]] bool may_be_freed() noexcept {
        try {
            if (returned && !poisoned) {
                receive_what_comes(Clock::now() + longest_wait);
            }
            return returned && !poisoned && expected.empty() && sent.empty() &&
                   !comm().has_unmatched_message();
        } catch (const Error&) {
            return false;
        }
    }

private:
    // Without waiting. Whether that was all.
    bool receive(Expected& from) const {
        if (!from.sent && next(from.sender, from.last_tag)) {
            LastWords last;
            check(MPI_Recv(&last, sizeof(last), MPI_BYTE, from.sender, from.last_tag,
                           comm().handle(), MPI_STATUS_IGNORE),
                  "MPI_Recv");
            from.sent = last.sent;
        }
        for (; from.sent && from.received < *from.sent; ++from.received) {
            const auto bytes = next(from.sender, from.tag);
            if (!bytes) {
                return false;
            }
            auto unneeded =
                std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(*bytes));
            PersistentRequests receiving;
            receiving.start(receiving.add_receives(
                *unneeded, {.comm = comm(), .rank = from.sender, .tag = from.tag}, *bytes));
            const auto end = Clock::now() + longest_wait;
            while (receiving.completed().empty() && Clock::now() < end) {
            }
            if (!receiving.abandon()) {
                keep_for_ever(std::move(unneeded));
                return false;
            }
        }
        return from.sent.has_value();
    }

    // The length of the next message, if one has come.
    [[nodiscard]] std::optional<MPI_Count> next(int sender, int tag) const {
        const auto status = arrived(comm().handle(), sender, tag);
        MPI_Count bytes = 0;
        if (!status) {
            return std::nullopt;
        }
        check(MPI_Get_elements_x(&*status, MPI_BYTE, &bytes), "MPI_Get_elements_x");
        return bytes;
    }
};

CommunicatorPool::Lease::Lease(std::shared_ptr<Entry> entry) : entry_(std::move(entry)) {
    entry_->balance = 0;
    entry_->poisoned = false;
    entry_->returned = false;
}

CommunicatorPool::Lease::~Lease() {
    if (entry_) {
        entry_->returned = true;
    }
}

const Communicator& CommunicatorPool::Lease::comm() const noexcept {
    return entry_->comm();
}

int CommunicatorPool::Lease::tag(int number) const noexcept {
    return entry_->first_tag + number;
}

void CommunicatorPool::Lease::set_balance(std::uint64_t balance) noexcept {
    entry_->balance = balance;
}

void CommunicatorPool::Lease::send_last(int receiver, int tag, const LastWords& words) {
    const auto kept = std::make_shared<LastWords>(words);
    auto request = begin_send(std::as_bytes(std::span(kept.get(), 1)),
                              {.comm = comm(), .rank = receiver, .tag = tag});
    if (!is_complete(request)) {
        entry_->sent.push_back({.request = request, .words = kept});
    }
}

void CommunicatorPool::Lease::expect_last(int sender, int last_tag,
                                          std::optional<std::uint64_t> sent, int tag,
                                          std::uint64_t received) {
    if (sent != received) {
        entry_->expected.push_back({.sender = sender,
                                    .last_tag = last_tag,
                                    .sent = sent,
                                    .tag = tag,
                                    .received = received});
    }
}

void CommunicatorPool::Lease::poison() noexcept {
    entry_->poisoned = true;
}

CommunicatorPool::CommunicatorPool(const Communicator& base, int tags) : base_(base), tags_(tags) {
    void* highest = nullptr;
    int is_set = 0;
    check(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&highest), &is_set),
          "MPI_Comm_get_attr");
    constexpr int always_there = 32767;
    highest_tag_ = is_set != 0 ? *static_cast<const int*>(highest) : always_there;
}

CommunicatorPool::~CommunicatorPool() {
    if (may_free_) {  // those that share a communicator have to have received all
        for (const auto& entry : entries_) {
            (void)entry->may_be_freed();
        }
    }
    for (const auto& entry : entries_) {
        if (!may_free_ || !entry->duplicate->is_clean || !entry->may_be_freed()) {
            entry->leak();
        }
    }
}

void CommunicatorPool::receive_last() {
    const auto end = Clock::now() + longest_wait;
    for (const auto& entry : entries_) {
        entry->receive_what_comes(end);
    }
}

CommunicatorPool::Lease CommunicatorPool::acquire(std::span<const std::uint64_t> states) {
    auto entry = reclaim(states);
    if (!entry) {
        try {
            entry = entries_.emplace_back(made());
        } catch (const Error& error) {
            throw Error(error.code(),
                        "MPI gives no further communicator for an operation that sends messages; " +
                            std::to_string(entries_.size()) +
                            " are in use on this one: close exchanges that nobody needs, or move "
                            "several fields by one exchange (" +
                            error.what() + ")");
        }
    }
    return Lease(std::move(entry));
}

void CommunicatorPool::prepare() {
    if (entries_.size() == entries_.capacity()) {
        entries_.reserve((2 * entries_.size()) + 1);
    }
    if (!spare_) {
        spare_ = std::make_shared<Entry>();
    }
    if (!spare_duplicate_) {
        spare_duplicate_ = std::make_shared<Duplicate>();
    }
}

std::shared_ptr<CommunicatorPool::Entry> CommunicatorPool::made() {
    // Without tags of their own no two share one.
    if (tags_ == 0 || !shared_ || shared_->next_tag > highest_tag_ - tags_) {
        spare_duplicate_->comm.duplicate(base_);
        shared_ = std::move(spare_duplicate_);
    }
    spare_->first_tag = shared_->next_tag;
    shared_->next_tag += tags_;
    spare_->duplicate = tags_ == 0 ? std::move(shared_) : shared_;
    return std::move(spare_);
}

std::size_t CommunicatorPool::examined() const {
    return std::min(most_examined, entries_.size());
}

const std::shared_ptr<CommunicatorPool::Entry>& CommunicatorPool::examined(
    std::size_t number) const {
    return entries_[(next_examined_ + number) % entries_.size()];
}

// For each entry: whether this rank has returned it, whether poisoned, and the balance.
CommunicatorPool::States CommunicatorPool::states() const {
    States own{};
    for (std::size_t i = 0; i < examined(); ++i) {
        const auto& entry = *examined(i);
        if (entry.returned) {
            const auto state = std::span(own).subspan(words_of_state * i, words_of_state);
            state[0] = 1;
            state[1] = entry.poisoned ? 1 : 0;
            state[2] = entry.balance;
        }
    }
    return own;
}

// Every rank does the same here, in the same order. Returns an entry to be used again, or nullptr.
std::shared_ptr<CommunicatorPool::Entry> CommunicatorPool::reclaim(
    std::span<const std::uint64_t> sums) {
    std::array<std::shared_ptr<Entry>, most_examined> entries;
    for (std::size_t i = 0; i < examined(); ++i) {
        entries[i] = examined(i);
    }
    std::shared_ptr<Entry> chosen;
    std::size_t idle = 0;
    for (std::size_t i = 0; i < entries.size() && entries[i]; ++i) {
        const auto& entry = entries[i];
        const auto state = sums.subspan(words_of_state * i, words_of_state);
        if (state[0] != static_cast<std::uint64_t>(base_.size())) {
            continue;
        }
        if (state[1] != 0 || state[2] != 0) {
            entry->leak();
            std::erase(entries_, entry);
            continue;
        }
        entry->finish_last_messages();
        if (!chosen) {
            chosen = entry;
        } else if (tags_ == 0 && ++idle > most_idle) {
            std::erase(entries_, entry);
        }
    }
    next_examined_ = entries_.empty() ? 0 : (next_examined_ + most_examined) % entries_.size();
    return chosen;
}

}  // namespace transrank::mpi
