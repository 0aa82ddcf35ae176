// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/exchange/exchange.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "transrank/exchange/choice.hpp"
#include "transrank/exchange/engine.hpp"
#include "transrank/exchange/fields.hpp"
#include "transrank/exchange/patience.hpp"
#include "transrank/memory/node.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/transport/transport.hpp"

namespace transrank::exchange {

using transport::BrokenExchange;
using transport::PeerOffer;

class Exchange::State final : public Active {
public:
    State(route::Route route, MPI_Comm comm, std::vector<transport::Field> fields,
          const Options& options)
        : route_(std::move(route)),
          fields_(std::move(fields)),
          comm_(comm),
          node_(comm_),
          control_(transport::peers_of(route_).size()),
          turn_(sources_of(route_), needs_order(route_, options.operation)) {
        mpi::agree(comm_, [&] { check_fields(route_, comm_, fields_, options.operation); });
        std::ranges::transform(fields_, std::back_inserter(own_), transport::offer_of);
        std::string disagreement;
        offers_ = transport::swap_offers(comm_, node_, route_, own_, options.operation, control_,
                                         disagreement);
        mpi::agree(comm_, [&] {
            if (!disagreement.empty()) {
                throw std::invalid_argument(disagreement);
            }
        });
        const transport::Binding binding{
            .route = route_,
            .fields = fields_,
            .own_fields = own_,
            .comm = comm_,
            .node = node_,
            .operation = options.operation,
            .push_below_bytes = options.push_below_bytes.value_or(default_push_below_bytes),
            .control = control_,
            .offers = offers_,
            .turn = turn_};
        mpi::agree(comm_, [&] { choices_ = choose(binding, options.transport); });
        transports_ = make_transports(binding, choices_);
    }

    ~State() override {
        if (active_) {
            Engine::instance().remove(*this);
        }
    }

    void start() {
        if (active_) {
            break_with("start was called twice without wait");
        }
        turn_.reset();
        ++epoch_;
        for (auto& transport : transports_) {
            transport->start(epoch_);
        }
        active_ = true;
        over_ = false;
        Engine::instance().add(*this);
        Engine::instance().progress();
    }

    bool test() {
        check_started("test");
        Engine::instance().progress();
        return finish_if_over();
    }

    void wait() {
        check_started("wait");
        Patience patience(node_.oversubscribed());
        while (!finish_if_over()) {
            const bool advanced = Engine::instance().progress();
            if (!advanced && !over_ && patience.rest()) {
                check_alive();
            }
        }
    }

    bool progress() override {
        if (over_) {
            return false;
        }
        bool advanced = false;
        for (auto& transport : transports_) {
            advanced |= transport->progress();
        }
        over_ = std::ranges::all_of(transports_, [](const auto& each) { return each->done(); });
        return advanced || over_;
    }

    [[nodiscard]] bool polls_mpi() const override {
        return !over_ && std::ranges::any_of(transports_, [](const auto& each) {
            return each->polls_mpi() && !each->done();
        });
    }

    [[nodiscard]] std::string explain() const {
        return exchange::explain(route_, fields_, offers_, choices_);
    }

private:
    void check_started(const char* call) {
        if (!active_) {
            break_with(std::string(call) + " was called without start");
        }
    }

    [[noreturn]] void break_with(const std::string& what) {
        control_.broken().value.store(1, std::memory_order_release);
        for (const auto& offer : offers_) {
            if (offer.rank != comm_.rank() && node_.shares_with(offer.rank)) {
                node_.doorbell(offer.rank).ring();
            }
        }
        throw Misuse(what + " on rank " + std::to_string(comm_.rank()) +
                     "; the exchange is broken, bind a new one");
    }

    bool finish_if_over() {
        if (over_) {
            Engine::instance().remove(*this);
            active_ = false;
        }
        return over_;
    }

    void check_alive() const {
        for (const auto& transport : transports_) {
            const int rank = transport->awaited();
            if (rank >= 0 && !node_.is_alive(rank)) {
                throw BrokenExchange("rank " + std::to_string(rank) +
                                     " has ended before this exchange was over");
            }
        }
    }

    route::Route route_;
    std::vector<transport::Field> fields_;
    std::vector<transport::FieldOffer> own_;
    mpi::Communicator comm_;
    memory::Node node_;
    transport::ControlBlock control_;
    transport::Turn turn_;
    std::vector<PeerOffer> offers_;
    std::vector<Choice> choices_;
    std::vector<std::unique_ptr<transport::Transport>> transports_;
    std::uint64_t epoch_ = 0;
    bool active_ = false;
    bool over_ = false;
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
    state_->wait();
}

std::string Exchange::explain() const {
    return state_->explain();
}

}  // namespace transrank::exchange
