// SPDX-License-Identifier: BSD-3-Clause
// A plan carried out by persistent sends and receives, step by step: a step begins when the one
// before is over on this rank; others may be ahead or behind, since MPI keeps the messages of a
// pair in order.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "transrank/collective/one_transport.hpp"
#include "transrank/collective/task.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/mpi/lifetime.hpp"
#include "transrank/mpi/persistent_requests.hpp"
#include "transrank/transport/notices.hpp"
#include "transrank/transport/tags.hpp"

namespace transrank::collective {
namespace {

constexpr auto whole = std::numeric_limits<std::int64_t>::max();

mpi::Buffer allocate(std::int64_t bytes) {
    return mpi::Buffer(new std::byte[static_cast<std::size_t>(bytes)]);  // uninitialised
}

std::set<int> peers_of(const Plan& plan, std::vector<Message> Step::* messages) {
    std::set<int> ranks;
    for (const auto& step : plan.steps) {
        std::ranges::transform(step.*messages, std::inserter(ranks, ranks.end()), &Message::peer);
    }
    return ranks;
}

transport::Notices notices_for(const Plan& plan, bool direct, mpi::CommunicatorPool::Lease& lease) {
    const auto targets = peers_of(plan, &Step::sends);
    auto partners = peers_of(plan, &Step::receives);
    // Where blocks are forwarded, every rank waits for what comes from all others.
    const bool one_way = direct && !std::ranges::includes(partners, targets);
    partners.insert(targets.begin(), targets.end());
    return {lease, std::vector(partners.begin(), partners.end()), one_way};
}

class Messages final : public transport::Transport {
public:
    Messages(const Task& task, Plan plan, bool direct, mpi::CommunicatorPool::Lease& lease)
        : comm_(lease.comm()),
          plan_(std::move(plan)),
          notices_(notices_for(plan_, direct, lease)),
          buffers_(std::make_shared<Buffers>()),
          copied_bytes_(task.arrays->in_place() ? task.blocks.send_extent() : 0) {
        buffers_->transit = allocate(plan_.transit_bytes);
        buffers_->packed = allocate(plan_.packed_bytes);
        buffers_->send_copy = allocate(copied_bytes_);
        buffers_->arrays = task.arrays;
        make_requests();
        step_ = steps_.size();
    }
    Messages(const Messages&) = delete;
    Messages& operator=(const Messages&) = delete;

    ~Messages() override {
        bool free = true;
        for (auto& step : steps_) {
            free &= step.requests.abandon();
        }
        if (!free) {
            mpi::keep_for_ever(buffers_);
        }
    }

    void start(std::uint64_t epoch) override {
        epoch_ = epoch;
        notices_.check_before(epoch);
        if (send_ != source() || receive_ != buffers_->arrays->receive()) {
            make_requests();
        }
        if (copied_bytes_ > 0) {
            std::memcpy(buffers_->send_copy.get(), receive_,
                        static_cast<std::size_t>(copied_bytes_));
        }
        copy(plan_.own);
        step_ = 0;
        begin_step();
    }

    bool progress() override {
        if (done()) {
            return false;
        }
        const auto completed = steps_[step_].requests.completed().size();
        if (completed == 0) {
            notices_.check_now_and_then(epoch_);
            return false;
        }
        pending_ -= completed;
        if (pending_ == 0) {
            end_step();
        }
        return true;
    }

    [[nodiscard]] bool done() const override { return step_ == steps_.size(); }

    [[nodiscard]] std::vector<int> awaited() const override {
        std::vector<int> ranks;
        if (!done()) {
            const auto& [requests, receives, sends] = steps_[step_];
            add_awaited(ranks, requests, receives, plan_.steps[step_].receives);
            add_awaited(ranks, requests, sends, plan_.steps[step_].sends);
        }
        return ranks;
    }

    [[nodiscard]] transport::Polling polling() const override { return transport::Polling::own; }
    void announce(const transport::Failure& failure, std::uint64_t completed) override {
        notices_.send(failure, completed, traffic());
    }
    bool leave() override {
        for (auto& step : steps_) {
            (void)step.requests.abandon();
        }
        return notices_.leave(traffic());
    }

private:
    using Group = mpi::PersistentRequests::Group;
    /// All that MPI looks at.
    struct Buffers {
        mpi::Buffer transit;
        mpi::Buffer packed;
        mpi::Buffer send_copy;
        std::shared_ptr<Arrays> arrays;
    };
    /// The requests of each message of a step.
    struct StepRequests {
        mpi::PersistentRequests requests;
        std::vector<Group> receives;
        std::vector<Group> sends;
    };

    static void add_awaited(std::vector<int>& ranks, const mpi::PersistentRequests& requests,
                            std::span<const Group> groups, std::span<const Message> messages) {
        for (std::size_t i = 0; i < groups.size(); ++i) {
            if (requests.are_active(groups[i])) {
                ranks.push_back(messages[i].peer);
            }
        }
    }

    [[nodiscard]] const std::byte* source() const {
        const auto& arrays = *buffers_->arrays;
        return arrays.in_place() ? buffers_->send_copy.get() : arrays.send();
    }

    // Requests hold addresses.
    void make_requests() {
        send_ = source();
        receive_ = buffers_->arrays->receive();
        steps_ = std::vector<StepRequests>(plan_.steps.size());
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            add_requests(plan_.steps[i], steps_[i]);
        }
    }

    void add_requests(const Step& step, StepRequests& made) {
        for (const auto& message : step.receives) {
            made.receives.push_back(
                made.requests.add_receives(writable(message), partner(message), whole));
        }
        for (const auto& message : step.sends) {
            const std::span<const std::byte> bytes(address(message.place),
                                                   static_cast<std::size_t>(message.bytes));
            made.sends.push_back(made.requests.add_sends(bytes, partner(message), whole));
        }
    }

    [[nodiscard]] mpi::Partner partner(const Message& message) const {
        return {.comm = comm_, .rank = message.peer, .tag = transport::data_tag};
    }

    [[nodiscard]] mpi::Traffic traffic() const {
        mpi::Traffic traffic;
        for (const auto& step : steps_) {
            traffic = step.requests.traffic(std::move(traffic));
        }
        return traffic;
    }

    // Steps in which this rank has nothing to do are passed over.
    void begin_step() {
        for (; step_ < steps_.size(); ++step_) {
            auto& [requests, receives, sends] = steps_[step_];
            pending_ = requests.size();
            if (pending_ == 0) {
                continue;
            }
            for (const auto& group : receives) {
                requests.start(group);
            }
            for (std::size_t i = 0; i < sends.size(); ++i) {
                copy(plan_.steps[step_].sends[i].copies);
                requests.start(sends[i]);
            }
            return;
        }
    }

    void end_step() {
        for (const auto& message : plan_.steps[step_].receives) {
            copy(message.copies);
        }
        ++step_;
        begin_step();
    }

    void copy(std::span<const Copy> copies) const {
        for (const auto& each : copies) {
            std::memcpy(writable_address(each.to), address(each.from),
                        static_cast<std::size_t>(each.bytes));
        }
    }

    [[nodiscard]] const std::byte* address(const Place& place) const {
        return place.memory == Memory::send ? send_ + place.offset : writable_address(place);
    }

    [[nodiscard]] std::byte* writable_address(const Place& place) const {
        switch (place.memory) {
            case Memory::transit:
                return buffers_->transit.get() + place.offset;
            case Memory::packed:
                return buffers_->packed.get() + place.offset;
            case Memory::receive:
            case Memory::send:  // is never written
                break;
        }
        return receive_ + place.offset;
    }

    [[nodiscard]] std::span<std::byte> writable(const Message& message) const {
        return {writable_address(message.place), static_cast<std::size_t>(message.bytes)};
    }

    const mpi::Communicator& comm_;
    Plan plan_;
    transport::Notices notices_;
    std::shared_ptr<Buffers> buffers_;
    const std::byte* send_ = nullptr;  ///< of the requests
    std::byte* receive_ = nullptr;
    std::int64_t copied_bytes_;  ///< of the array that is both source and destination
    std::vector<StepRequests> steps_;
    std::uint64_t epoch_ = 0;
    std::size_t step_ = 0;
    std::size_t pending_ = 0;  ///< messages of this step
};

}  // namespace

Backend by_messages(const Task& task, const schedule::Algorithm& algorithm) {
    auto backend = std::make_unique<OneTransport>(task);
    // Memory may be lacking on one rank alone.
    mpi::agree(task.own, [&] {
        auto plan = make_plan(algorithm, task.problem, task.own.rank(), task.blocks);
        backend->carry_by(
            std::make_unique<Messages>(task, std::move(plan), algorithm.direct, *backend->lease()),
            "alltoall by " + std::string(algorithm.name));
    });
    return backend;
}

}  // namespace transrank::collective
