// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/transport/persistent_transfer.hpp"

#include <utility>

namespace transrank::transport {

PersistentTransfer::PersistentTransfer(const Binding& binding,
                                       std::span<const PeerOffer* const> peers)
    : turn_(binding.turn), notices_(binding, peers), fields_(binding.fields) {}

PersistentTransfer::~PersistentTransfer() {
    if (requests_.abandon()) {
        return;
    }
    for (auto& buffer : buffers_) {
        mpi::keep_for_ever(std::move(buffer));
    }
    for (const auto& field : fields_) {
        mpi::keep_for_ever(field.keep_alive);
    }
}

std::span<std::byte> PersistentTransfer::allocate(std::int64_t bytes) {
    const auto size = static_cast<std::size_t>(bytes);
    return {buffers_.emplace_back(std::make_unique_for_overwrite<std::byte[]>(size)).get(), size};
}

void PersistentTransfer::add_incoming(int rank, const Group& messages,
                                      std::vector<Move> unpacking) {
    add({.rank = rank, .incoming = true, .messages = messages, .moves = std::move(unpacking)});
}

void PersistentTransfer::add_outgoing(int rank, const Group& messages, std::vector<Move> packing) {
    add({.rank = rank, .incoming = false, .messages = messages, .moves = std::move(packing)});
}

void PersistentTransfer::add(Leg leg) {
    leg_of_request_.resize(leg.messages.end, legs_.size());
    legs_.push_back(std::move(leg));
}

void PersistentTransfer::start(std::uint64_t epoch) {
    epoch_ = epoch;
    notices_.check_before(epoch);
    for (auto& leg : legs_) {
        if (leg.incoming) {
            leg.applied = false;
            ++to_apply_;
        } else {
            execute(leg.moves);
        }
        requests_.start(leg.messages);
        leg.pending = leg.messages.size();
        pending_ += static_cast<std::size_t>(leg.pending);
    }
}

bool PersistentTransfer::progress() {
    bool advanced = collect();
    advanced |= apply();
    if (!advanced && !done()) {
        notices_.check_now_and_then(epoch_);
    }
    return advanced;
}

bool PersistentTransfer::collect() {
    if (pending_ == 0) {
        return false;
    }
    const auto completed = requests_.completed();
    for (const int request : completed) {
        --legs_[leg_of_request_[static_cast<std::size_t>(request)]].pending;
    }
    pending_ -= completed.size();
    return !completed.empty();
}

bool PersistentTransfer::apply() {
    bool advanced = false;
    for (auto& leg : legs_) {
        if (!leg.applied && leg.pending == 0 && turn_.may_apply(leg.rank)) {
            execute(leg.moves);
            turn_.pass(leg.rank);
            leg.applied = true;
            --to_apply_;
            advanced = true;
        }
    }
    return advanced;
}

std::vector<int> PersistentTransfer::awaited() const {
    std::vector<int> ranks;
    for (const auto& leg : legs_) {
        if (leg.pending > 0) {
            ranks.push_back(leg.rank);
        }
    }
    return ranks;
}

}  // namespace transrank::transport
