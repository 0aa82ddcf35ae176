// SPDX-License-Identifier: BSD-3-Clause
// A plan carried out by persistent sends and receives, step by step: a step begins when the one
// before is over on this rank; others may be ahead or behind, since MPI keeps the messages of a
// pair in order.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <exception>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "transrank/collective/movement.hpp"
#include "transrank/exchange/engine.hpp"
#include "transrank/exchange/exchange.hpp"
#include "transrank/exchange/patience.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/mpi/lifetime.hpp"
#include "transrank/mpi/persistent_requests.hpp"

namespace transrank::collective {
namespace {

constexpr int data_tag = 1;
constexpr auto whole = std::numeric_limits<std::int64_t>::max();

mpi::Buffer allocate(std::int64_t bytes) {
    return mpi::Buffer(new std::byte[static_cast<std::size_t>(bytes)]);  // uninitialised
}

class Messages final : public Movement, private exchange::Active {
public:
    Messages(const Task& task, const schedule::Algorithm& algorithm)
        : loan_(task.known.borrow()),
          oversubscribed_(task.known.node().oversubscribed()),
          buffers_(std::make_shared<Buffers>()),
          send_(task.send),
          receive_(task.receive),
          copied_bytes_(task.in_place() ? task.send_extent() : 0) {
        // Memory may be lacking on one rank alone.
        mpi::agree(task.own, [&] { prepare(task, algorithm); });
    }
    Messages(const Messages&) = delete;
    Messages& operator=(const Messages&) = delete;

    ~Messages() override {
        retire();
        bool free = true;
        for (auto& step : requests_) {
            free &= step.requests.abandon();
        }
        if (!free) {
            mpi::keep_for_ever(buffers_);
        }
        if (!over_ || failure_) {
            loan_.spoil();
        }
    }

    void start() override {
        if (active_) {
            throw exchange::Misuse("an alltoall was started twice without wait");
        }
        rethrow();
        if (copied_bytes_ > 0) {
            std::memcpy(buffers_->send_copy.get(), receive_,
                        static_cast<std::size_t>(copied_bytes_));
        }
        copy(plan_.own);
        ended_by_test_ = false;
        over_ = false;
        step_ = 0;
        attempt([&] { begin_step(); });
        active_ = true;
        exchange::Engine::instance().add(*this);
    }

    bool test() override {
        check_started();
        exchange::Engine::instance().progress();
        ended_by_test_ = finish_if_over();
        return ended_by_test_;
    }

    bool wait_for(double seconds) override {
        if (std::exchange(ended_by_test_, false)) {
            return true;
        }
        check_started();
        const auto begin = std::chrono::steady_clock::now();
        exchange::Patience patience(oversubscribed_);
        while (!finish_if_over()) {
            if (exchange::Engine::instance().progress()) {
                patience.reset();
            } else if (patience.rest(over_) && !over_) {
                const std::chrono::duration<double> waited =
                    std::chrono::steady_clock::now() - begin;
                if (waited.count() >= seconds) {
                    return false;
                }
            }
        }
        return true;
    }

private:
    struct Buffers {
        mpi::Buffer transit;
        mpi::Buffer packed;
        mpi::Buffer send_copy;
    };
    struct StepRequests {
        mpi::PersistentRequests requests;
        mpi::PersistentRequests::Group receives;
        std::vector<mpi::PersistentRequests::Group> sends;
    };

    bool progress() noexcept override {
        if (over_) {
            return false;
        }
        bool advanced = false;
        attempt([&] {
            const auto completed = requests_[step_].requests.completed().size();
            advanced = completed > 0;
            pending_ -= completed;
            if (pending_ == 0) {
                end_step();
            }
        });
        return advanced || over_;
    }

    [[nodiscard]] bool polls_mpi() const override { return !over_; }

    void prepare(const Task& task, const schedule::Algorithm& algorithm) {
        plan_ = make_plan(algorithm, task.problem, loan_.comm().rank(), task.blocks);
        buffers_->transit = allocate(plan_.transit_bytes);
        buffers_->packed = allocate(plan_.packed_bytes);
        if (task.in_place()) {
            buffers_->send_copy = allocate(copied_bytes_);
            send_ = buffers_->send_copy.get();
        }
        requests_ = std::vector<StepRequests>(plan_.steps.size());
        for (std::size_t i = 0; i < requests_.size(); ++i) {
            add_requests(plan_.steps[i], requests_[i]);
        }
    }

    void add_requests(const Step& step, StepRequests& made) {
        for (const auto& message : step.receives) {
            made.receives.end =
                made.requests.add_receives(writable(message), partner(message), whole).end;
        }
        for (const auto& message : step.sends) {
            const std::span<const std::byte> bytes(address(message.place),
                                                   static_cast<std::size_t>(message.bytes));
            made.sends.push_back(made.requests.add_sends(bytes, partner(message), whole));
        }
    }

    [[nodiscard]] mpi::Partner partner(const Message& message) const {
        return {.comm = loan_.comm(), .rank = message.peer, .tag = data_tag};
    }

    // Steps in which this rank has nothing to do are passed over.
    void begin_step() {
        for (; step_ < requests_.size(); ++step_) {
            auto& step = requests_[step_];
            pending_ = step.requests.size();
            if (pending_ == 0) {
                continue;
            }
            step.requests.start(step.receives);
            const auto& sends = plan_.steps[step_].sends;
            for (std::size_t i = 0; i < sends.size(); ++i) {
                copy(sends[i].copies);
                step.requests.start(step.sends[i]);
            }
            return;
        }
        over_ = true;
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

    // What goes wrong is kept for the one who waits.
    template <class Work>
    void attempt(const Work& work) noexcept {
        try {
            work();
        } catch (...) {
            failure_ = std::current_exception();
            over_ = true;
        }
    }

    void rethrow() const {
        if (failure_) {
            std::rethrow_exception(failure_);
        }
    }

    void check_started() const {
        if (!active_) {
            throw exchange::Misuse("an alltoall was waited for without start");
        }
    }

    bool finish_if_over() {
        if (!over_) {
            return false;
        }
        retire();
        rethrow();
        return true;
    }

    void retire() noexcept {
        if (std::exchange(active_, false)) {
            exchange::Engine::instance().remove(*this);
        }
    }

    mpi::CommunicatorPool::Loan loan_;
    bool oversubscribed_;
    Plan plan_;
    std::shared_ptr<Buffers> buffers_;
    const std::byte* send_;
    std::byte* receive_;
    std::int64_t copied_bytes_;  ///< of the array that is both source and destination
    std::vector<StepRequests> requests_;
    std::size_t step_ = 0;
    std::size_t pending_ = 0;  ///< messages of this step
    bool active_ = false;
    bool ended_by_test_ = false;  ///< and nobody has called wait since
    std::atomic<bool> over_ = true;
    std::exception_ptr failure_;  ///< written before over_
};

}  // namespace

std::unique_ptr<Movement> by_messages(const Task& task, const schedule::Algorithm& algorithm) {
    return std::make_unique<Messages>(task, algorithm);
}

}  // namespace transrank::collective
