// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "transrank/copy/moves.hpp"
#include "transrank/mpi/lifetime.hpp"
#include "transrank/mpi/persistent_requests.hpp"
#include "transrank/transport/failure.hpp"
#include "transrank/transport/node/node_box.hpp"
#include "transrank/transport/node/node_plan.hpp"
#include "transrank/transport/node/source_union.hpp"
#include "transrank/transport/tags.hpp"
#include "transrank/transport/transport.hpp"

namespace transrank::transport {

/// Of a binding in which it was prepared.
[[nodiscard]] inline const NodePlan& plan_of(const Binding& binding) {
    return *binding.prepared.find<NodePlan>();
}

/// A message of this rank's node in which it has a part.
class Part {
public:
    Part(const Binding& binding, const NodeStream& stream)
        : stream_(stream), me_(index_of(binding.route.rank())), leader_(index_of(stream.leader)) {}

    [[nodiscard]] const NodeStream& stream() const noexcept { return stream_; }
    [[nodiscard]] bool is_leader() const noexcept { return me_ == leader_; }
    [[nodiscard]] const std::shared_ptr<NodeBox>& box() const noexcept { return box_; }

    /// On the leader. Throws std::system_error.
    void allocate() { box_ = std::make_shared<NodeBox>(members(), stream_.bytes); }
    /// On the others.
    void map(const memory::BlockHandle& handle) {
        box_ = std::make_shared<NodeBox>(handle, members());
    }

    /// Throws std::system_error where the memory of a member's doorbell cannot be mapped.
    void find_doorbells(const Binding& binding) {
        for (const int member : stream_.members) {
            doorbells_.push_back(&plan_of(binding).node().doorbell(member));
        }
    }

    /// This rank moves nothing more.
    void publish(const Failure& failure) {
        if (box_ && box_->broken(me_).seen() == 0) {
            box_->broken(me_).publish(failure.encoded());
        }
        for (auto* doorbell : doorbells_) {
            doorbell->ring();
        }
    }

    /// The members that have not moved their part of an epoch.
    [[nodiscard]] std::vector<int> missing(std::uint64_t epoch) const {
        std::vector<int> ranks;
        for (std::size_t i = 0; i < members(); ++i) {
            if (i != me_ && box_->moved(i).seen() < epoch) {
                ranks.push_back(stream_.members[i]);
            }
        }
        return ranks;
    }

protected:
    [[nodiscard]] std::size_t members() const noexcept { return stream_.members.size(); }

    // Throws when a member that has not moved its part of an epoch never will.
    void check_members(std::uint64_t epoch) const {
        for (std::size_t i = 0; i < members(); ++i) {
            const auto word = i == me_ ? 0 : box_->broken(i).seen();
            if (word != 0 && box_->moved(i).seen() < epoch) {
                check_unbroken(word);
            }
        }
    }
    void check_leader(std::uint64_t epoch) const {
        const auto word = is_leader() ? 0 : box_->broken(leader_).seen();
        if (word != 0 && box_->carried().seen() < epoch) {
            check_unbroken(word);
        }
    }

    // Whether there is room for an epoch. This rank says that it waits, and looks once more:
    // whoever makes room sees that, or this rank sees what it has written.
    template <class HasRoom>
    [[nodiscard]] bool finds_room(std::uint64_t epoch, const HasRoom& has_room) {
        if (has_room()) {
            return true;
        }
        box_->waiting(me_).publish(epoch);
        std::atomic_thread_fence(std::memory_order_seq_cst);
        return has_room();
    }
    void ring_if_waiting(std::size_t member, std::uint64_t epoch) {
        std::atomic_thread_fence(std::memory_order_seq_cst);
        if (member != me_ && box_->waiting(member).seen() >= epoch) {
            doorbells_[member]->ring();
        }
    }
    void ring(std::size_t member) {
        if (member != me_) {
            doorbells_[member]->ring();
        }
    }

    [[nodiscard]] std::size_t me() const noexcept { return me_; }
    [[nodiscard]] std::size_t leader() const noexcept { return leader_; }
    [[nodiscard]] NodeBox& shared() const noexcept { return *box_; }

private:
    [[nodiscard]] std::size_t index_of(int rank) const {
        return static_cast<std::size_t>(
            std::distance(stream_.members.begin(), std::ranges::find(stream_.members, rank)));
    }

    const NodeStream& stream_;
    std::size_t me_;
    std::size_t leader_;
    std::vector<memory::Doorbell*> doorbells_;
    std::shared_ptr<NodeBox> box_;
};

/// The requests of the messages that this rank carries.
class Carried {
public:
    Carried() = default;
    Carried(const Carried&) = delete;
    Carried& operator=(const Carried&) = delete;
    ~Carried() {
        if (!requests_.abandon()) {
            for (auto& box : boxes_) {
                mpi::keep_for_ever(std::move(box));
            }
        }
    }

    /// Which message this is.
    std::size_t add(const Binding& binding, const Part& part, bool incoming) {
        const auto bytes = static_cast<std::size_t>(part.stream().bytes);
        const std::span memory(part.box()->data(), bytes);
        const mpi::Partner partner{.comm = binding.messages->comm(),
                                   .rank = part.stream().far_leader,
                                   .tag = binding.messages->tag(data_tag)};
        const auto piece = part.stream().piece_bytes;
        const auto longest = piece == 0 ? binding.longest_message_bytes
                                        : std::min(binding.longest_message_bytes, piece);
        const auto group = incoming ? requests_.add_receives(memory, partner, longest)
                                    : requests_.add_sends(memory, partner, longest);
        message_of_request_.resize(group.end, messages_.size());
        messages_.push_back({.requests = group, .pending = 0});
        boxes_.push_back(part.box());
        return messages_.size() - 1;
    }

    void start(std::size_t message) {
        auto& [requests, pending] = messages_[message];
        requests_.start(requests);
        pending = requests.size();
        pending_ += pending;
    }
    [[nodiscard]] bool is_pending(std::size_t message) const {
        return messages_[message].pending > 0;
    }
    [[nodiscard]] bool any_pending() const { return pending_ > 0; }

    [[nodiscard]] mpi::Traffic traffic() const { return requests_.traffic(); }
    void abandon() noexcept { (void)requests_.abandon(); }

    void collect() {
        if (pending_ > 0) {
            for (const int request : requests_.completed()) {
                --messages_[message_of_request_[static_cast<std::size_t>(request)]].pending;
                --pending_;
            }
        }
    }

private:
    struct Message {
        mpi::PersistentRequests::Group requests;
        int pending;
    };
    std::vector<std::shared_ptr<NodeBox>> boxes_;
    mpi::PersistentRequests requests_;
    std::vector<Message> messages_;
    std::vector<std::size_t> message_of_request_;
    int pending_ = 0;
};

class Outgoing : public Part {
public:
    using Part::Part;

    void prepare(const Binding& binding, Peers peers, Carried& carried) {
        std::vector<const route::Leg*> shared_legs;
        std::int64_t place_of_shared = 0;
        for (const auto* peer : peers) {
            const auto& place = plan_of(binding).place_of(peer->rank);
            if (peer->send != nullptr && place.out_distinct_units > 0) {
                shared_legs.push_back(peer->send);
                place_of_shared = place.out;
            } else if (peer->send != nullptr) {
                add(copy::make_packing(*peer->send, binding.fields, shared().data() + place.out));
            }
        }
        if (!shared_legs.empty()) {
            add(copy::make_packing(SourceUnion(shared_legs).gathering(), binding.fields,
                                   shared().data() + place_of_shared));
        }
        if (is_leader()) {
            message_ = carried.add(binding, *this, false);
        }
    }

    void start(std::uint64_t epoch) {
        epoch_ = epoch;
        state_ = State::packing;
    }

    bool progress(Carried& carried) {
        const auto before = state_;
        const auto has_room = [&] { return shared().carried().seen() + 1 >= epoch_; };
        if (state_ == State::packing && finds_room(epoch_, has_room)) {
            check_members(epoch_);
            copy::execute(packing_);
            shared().moved(me()).publish(epoch_);
            state_ = is_leader() ? State::gathering : State::done;
            ring_if_complete();
        }
        if (state_ == State::gathering && shared().all_have_moved(epoch_)) {
            carried.start(message_);
            carried.collect();
            state_ = State::sending;
        }
        if (state_ == State::sending && !carried.is_pending(message_)) {
            shared().carried().publish(epoch_);
            for (std::size_t member = 0; member < members(); ++member) {
                ring_if_waiting(member, epoch_ + 1);
            }
            state_ = State::done;
        }
        return state_ != before;
    }

    void check() const {
        if (state_ == State::packing) {
            check_leader(epoch_ - 1);
        } else if (state_ == State::gathering) {
            check_members(epoch_);
        }
    }

    [[nodiscard]] bool is_done() const noexcept { return state_ == State::done; }
    void add_awaited(std::vector<int>& ranks) const {
        if (state_ == State::packing && !is_leader()) {
            ranks.push_back(stream().leader);
        } else if (state_ == State::gathering) {
            std::ranges::copy(missing(epoch_), std::back_inserter(ranks));
        } else if (state_ == State::sending) {
            ranks.push_back(stream().far_leader);
        }
    }

private:
    enum class State : std::uint8_t { packing, gathering, sending, done };

    void add(std::vector<copy::Move> moves) {
        packing_.insert(packing_.end(), std::make_move_iterator(moves.begin()),
                        std::make_move_iterator(moves.end()));
    }
    // One of those who pack last sees that all have.
    void ring_if_complete() {
        std::atomic_thread_fence(std::memory_order_seq_cst);
        if (!is_leader() && shared().all_have_moved(epoch_)) {
            ring(leader());
        }
    }

    std::vector<copy::Move> packing_;
    std::size_t message_ = 0;
    std::uint64_t epoch_ = 0;
    State state_ = State::done;
};

class Incoming : public Part {
public:
    using Part::Part;

    /// `places`: where the units of the runs of those legs begin whose sender sends them once.
    void prepare(const Binding& binding, Peers peers,
                 std::span<const std::vector<std::int64_t>> places, Carried& carried) {
        for (std::size_t i = 0; i < peers.size(); ++i) {
            if (peers[i]->receive == nullptr) {
                continue;
            }
            const auto& place = plan_of(binding).place_of(peers[i]->rank);
            const auto* data = shared().data() + place.in;
            sources_.push_back(
                {.rank = peers[i]->rank,
                 .moves = place.in_distinct_units > 0
                              ? scattering(binding, *peers[i]->receive, place, places[i], data)
                              : copy::make_unpacking(*peers[i]->receive, binding.fields,
                                                     binding.operation, data)});
        }
        if (is_leader()) {
            message_ = carried.add(binding, *this, true);
        }
    }

    void start(std::uint64_t epoch) {
        epoch_ = epoch;
        state_ = is_leader() ? State::making_room : State::waiting;
        to_apply_ = sources_.size();
        for (auto& source : sources_) {
            source.applied = false;
        }
    }

    bool progress(Carried& carried, ApplyOrder& order) {
        const auto before = std::pair(state_, to_apply_);
        const auto has_room = [&] { return shared().all_have_moved(epoch_ - 1); };
        if (state_ == State::making_room && finds_room(epoch_, has_room)) {
            carried.start(message_);
            state_ = State::receiving;
        }
        if (state_ == State::receiving && !carried.is_pending(message_)) {
            shared().carried().publish(epoch_);
            for (std::size_t member = 0; member < members(); ++member) {
                ring(member);
            }
            state_ = State::waiting;
        }
        if (state_ == State::waiting && shared().carried().seen() >= epoch_) {
            state_ = State::applying;
        }
        if (state_ == State::applying) {
            apply(order);
        }
        return before != std::pair(state_, to_apply_);
    }

    void check() const {
        if (state_ == State::waiting) {
            check_leader(epoch_);
        } else if (state_ == State::making_room || state_ == State::receiving) {
            check_members(epoch_);
        }
    }

    [[nodiscard]] bool is_done() const noexcept { return state_ == State::done; }
    void add_awaited(std::vector<int>& ranks) const {
        if (state_ == State::waiting) {
            ranks.push_back(stream().leader);
        } else if (state_ == State::making_room) {
            std::ranges::copy(missing(epoch_ - 1), std::back_inserter(ranks));
        } else if (state_ == State::receiving) {
            ranks.push_back(stream().far_leader);
        }
    }

private:
    enum class State : std::uint8_t { making_room, receiving, waiting, applying, done };
    struct Source {
        int rank;
        std::vector<copy::Move> moves;
        bool applied = true;
    };

    // A leg whose runs lie here and there among all units of its sender, field after field.
    static std::vector<copy::Move> scattering(const Binding& binding, const route::Leg& leg,
                                              const NodePlace& place,
                                              std::span<const std::int64_t> begins,
                                              const std::byte* data) {
        route::Leg scattered{.peer = leg.peer, .segments = {}};
        route::for_each_run(
            leg, [&](std::int64_t /*source*/, std::int64_t destination, std::int64_t length) {
                scattered.segments.push_back({.source = begins[scattered.segments.size()],
                                              .destination = destination,
                                              .length = length});
            });
        std::vector<copy::Move> moves;
        for (const auto& field : binding.fields) {
            moves.push_back(
                copy::make_move(copy::runs_between(nullptr, field.destination_view.get(), scattered,
                                                   field.unit_bytes),
                                field, binding.operation, data, &field.destination));
            data += place.in_distinct_units * field.unit_bytes;
        }
        return moves;
    }

    void apply(ApplyOrder& order) {
        for (auto& source : sources_) {
            if (!source.applied && order.may_apply(source.rank)) {
                copy::execute(source.moves);
                order.applied(source.rank);
                source.applied = true;
                --to_apply_;
            }
        }
        if (to_apply_ == 0) {
            shared().moved(me()).publish(epoch_);
            ring_if_waiting(leader(), epoch_ + 1);
            state_ = State::done;
        }
    }

    std::vector<Source> sources_;
    std::size_t message_ = 0;
    std::size_t to_apply_ = 0;
    std::uint64_t epoch_ = 0;
    State state_ = State::done;
};

}  // namespace transrank::transport
