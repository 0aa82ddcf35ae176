// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/exchange/exchange.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <stdexcept>

#include "transrank/exchange/choice.hpp"
#include "transrank/exchange/engine.hpp"
#include "transrank/exchange/fields.hpp"
#include "transrank/exchange/patience.hpp"
#include "transrank/memory/node.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/mpi/error.hpp"
#include "transrank/mpi/lifetime.hpp"
#include "transrank/transport/transport.hpp"

namespace transrank::exchange {

using transport::Breakage;
using transport::BrokenExchange;
using transport::PeerOffer;

namespace {

const char* name_of(transport::Operation operation) {
    switch (operation) {
        case transport::Operation::add:
            return "add";
        case transport::Operation::min:
            return "min";
        case transport::Operation::max:
            return "max";
        case transport::Operation::assign:
            break;
    }
    return "assign";
}

std::vector<std::string> describe(const Options& options) {
    return {
        "operation " + std::string(name_of(options.operation)), "transport " + options.transport,
        "push_below_bytes " + (options.push_below_bytes ? std::to_string(*options.push_below_bytes)
                                                        : std::string("to be measured")),
        "longest_message_bytes " + std::to_string(options.longest_message_bytes)};
}

}  // namespace

class Exchange::State final : public Active {
public:
    State(route::Route route, MPI_Comm comm, std::vector<transport::Field> fields, Options options)
        : route_(std::move(route)),
          fields_(std::move(fields)),
          options_(std::move(options)),
          comm_(comm),
          node_(comm_) {
        mpi::agree_on(comm_, "binds an exchange with", describe(options_));
        mpi::agree(comm_, [&] { take_what_is_needed(); });
        std::string disagreement;
        offers_ = transport::swap_offers(comm_, node_, route_, own_, turn_->ordered(),
                                         control_handle_, disagreement);
        mpi::agree(comm_, [&] {
            if (!disagreement.empty()) {
                throw std::invalid_argument(disagreement);
            }
        });
        binding_.emplace(transport::Binding{
            .route = route_,
            .fields = fields_,
            .own_fields = own_,
            .comm = comm_,
            .node = node_,
            .operation = options_.operation,
            .push_below_bytes = options_.push_below_bytes.value_or(default_push_below_bytes),
            .longest_message_bytes = options_.longest_message_bytes,
            .control = *control_,
            .offers = offers_,
            .turn = *turn_});
        mpi::agree(comm_, [&] { choices_ = choose(*binding_, options_.transport); });
        transports_ = make_transports(*binding_, choices_, options_.transport);
    }

    ~State() override {
        retire();
        if (!over_) {
            give_up({.cause = Breakage::Cause::failed, .rank = comm_.rank()}, nullptr);
        }
        let_go_of_communicator();
    }

    void start() {
        check_unbroken();
        if (active_) {
            misuse("start was called twice without wait");
        }
        turn_->reset();
        ++epoch_;
        over_ = false;
        attempt([&] {
            for (auto& transport : transports_) {
                transport->start(epoch_);
            }
        });
        active_ = true;
        Engine::instance().add(*this);
        Engine::instance().progress();
    }

    bool test() {
        check_started("test");
        Engine::instance().progress();
        return finish_if_over();
    }

    bool wait_for(double seconds) {
        check_started("wait");
        const auto begin = std::chrono::steady_clock::now();
        Patience patience(node_.oversubscribed());
        while (!finish_if_over()) {
            const bool advanced = Engine::instance().progress();
            if (!advanced && !over_ && patience.rest(over_)) {
                check_alive();
                const std::chrono::duration<double> waited =
                    std::chrono::steady_clock::now() - begin;
                if (!over_ && waited.count() >= seconds) {
                    return false;
                }
            }
        }
        return true;
    }

    bool progress() noexcept override {
        if (over_) {
            return false;
        }
        bool advanced = false;
        bool done = false;
        attempt([&] {
            for (auto& transport : transports_) {
                advanced |= transport->progress();
            }
            done = std::ranges::all_of(transports_, [](const auto& each) { return each->done(); });
        });
        if (done) {
            over_ = true;
        }
        return advanced || over_;
    }

    [[nodiscard]] bool polls_mpi() const override {
        return !over_ && std::ranges::any_of(transports_, [](const auto& each) {
            return each->polls_mpi() && !each->done();
        });
    }

    [[noreturn]] void abandon(const std::string& why, Breakage::Cause cause) {
        const std::lock_guard lock(Engine::instance().mutex());
        give_up({.cause = cause, .rank = comm_.rank()}, std::make_exception_ptr(Misuse(why)));
        retire();
        std::rethrow_exception(failure_);
    }

    [[nodiscard]] std::string explain() const {
        return exchange::explain(route_, fields_, offers_, choices_);
    }

private:
    // What may be refused on this rank alone, before the peers are told anything.
    void take_what_is_needed() {
        if (options_.longest_message_bytes < 1) {
            throw std::invalid_argument("messages of at most " +
                                        std::to_string(options_.longest_message_bytes) +
                                        " bytes are asked for; give at least 1");
        }
        check_fields(route_, comm_, fields_, options_.operation);
        std::ranges::transform(fields_, std::back_inserter(own_), transport::offer_of);
        control_.emplace(transport::peers_of(route_).size());
        control_handle_ = control_->handle();
        turn_.emplace(sources_of(route_), needs_order(route_, options_.operation));
    }

    void check_unbroken() const {
        if (failure_) {
            std::rethrow_exception(failure_);
        }
    }

    void check_started(const char* call) {
        if (!active_) {
            check_unbroken();
            misuse(std::string(call) + " was called without start");
        }
    }

    // Runs a part of the exchange; what it throws is kept, and the peers are told.
    template <class Work>
    void attempt(const Work& work) noexcept {
        try {
            work();
        } catch (const BrokenExchange& error) {
            give_up(error.breakage(), std::current_exception());
        } catch (...) {
            give_up({.cause = Breakage::Cause::failed, .rank = comm_.rank()},
                    std::current_exception());
        }
    }

    void give_up(const Breakage& breakage, std::exception_ptr failure) noexcept {
        failure_ = std::move(failure);
        broken_ = true;
        for (auto& transport : transports_) {
            try {
                transport->announce(breakage);
            } catch (...) {  // NOLINT(bugprone-empty-catch): the first error is the one to be told
            }
        }
        over_ = true;
    }

    [[noreturn]] void misuse(const std::string& what) {
        abandon(what + " on rank " + std::to_string(comm_.rank()) +
                    "; the exchange is broken, bind a new one",
                Breakage::Cause::misuse);
    }

    bool finish_if_over() {
        if (!over_) {
            return false;
        }
        retire();
        check_unbroken();
        return true;
    }

    // Peers may have sent more than this rank took, or have told of a breakage, or still will.
    void let_go_of_communicator() noexcept {
        try {
            if (mpi::is_usable() && (broken_ || comm_.has_unmatched_message())) {
                comm_.forsake();
            }
        } catch (const mpi::Error&) {
            comm_.forsake();
        }
    }

    void retire() noexcept {
        if (active_) {
            Engine::instance().remove(*this);
            active_ = false;
        }
    }

    void check_alive() {
        const std::lock_guard lock(Engine::instance().mutex());
        for (const auto& transport : transports_) {
            const int rank = transport->awaited();
            // What it did before it ended may have arrived since we looked.
            if (rank >= 0 && !node_.is_alive(rank) && !Engine::instance().progress()) {
                const Breakage breakage{.cause = Breakage::Cause::ended, .rank = rank};
                give_up(breakage, std::make_exception_ptr(BrokenExchange(breakage)));
                return;
            }
        }
    }

    route::Route route_;
    std::vector<transport::Field> fields_;
    Options options_;
    mpi::Communicator comm_;
    memory::Node node_;
    std::vector<transport::FieldOffer> own_;
    std::optional<transport::ControlBlock> control_;
    memory::SegmentHandle control_handle_;
    std::optional<transport::Turn> turn_;
    std::vector<PeerOffer> offers_;
    std::optional<transport::Binding> binding_;
    std::vector<Choice> choices_;
    std::vector<std::unique_ptr<transport::Transport>> transports_;
    std::uint64_t epoch_ = 0;
    bool active_ = false;  ///< started, and not yet waited for
    bool broken_ = false;
    std::atomic<bool> over_ = true;
    std::exception_ptr failure_;  ///< written before over_
};

Exchange::Exchange(route::Route route, MPI_Comm comm, std::vector<transport::Field> fields,
                   const Options& options)
    : state_(std::make_unique<State>(std::move(route), comm, std::move(fields), options)) {}

Exchange::~Exchange() = default;
Exchange::Exchange(Exchange&&) noexcept = default;
Exchange& Exchange::operator=(Exchange&&) noexcept = default;

void Exchange::start() {
    state_->start();
}

bool Exchange::test() {
    return state_->test();
}

void Exchange::wait() {
    (void)state_->wait_for(std::numeric_limits<double>::infinity());
}

bool Exchange::wait_for(double seconds) {
    return state_->wait_for(seconds);
}

void Exchange::abandon(const std::string& why) {
    state_->abandon(why, Breakage::Cause::failed);
}

std::string Exchange::explain() const {
    return state_->explain();
}

}  // namespace transrank::exchange
