// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/redistribution/movement.hpp"

#include <cstddef>
#include <utility>

#include "transrank/exchange/known_communicator.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/redistribution/messages.hpp"

namespace transrank::redistribution {
namespace {

/// By the transports of the exchange engine: one exchange of all fields, or one per field.
std::vector<exchange::Exchange> bind_exchanges(const route::Route& route, MPI_Comm comm,
                                               const std::vector<transport::Field>& fields,
                                               const Options& options) {
    exchange::Options engine;
    engine.transport = options.transport;
    engine.stores = options.stores;
    std::vector<exchange::Exchange> exchanges;
    if (options.bundle != Bundle::per_field) {
        exchanges.emplace_back(route, comm, fields, engine);
        return exchanges;
    }
    for (const auto& field : fields) {
        exchanges.emplace_back(route, comm, std::vector{field}, engine);
    }
    return exchanges;
}

/// What must be the same on every rank, in as many words.
void agree_on_options(MPI_Comm comm, const Options& options, std::size_t fields) {
    const auto loan = exchange::KnownCommunicator::get(comm)->borrow();
    mpi::agree(loan.comm(), [&] { check(options); });
    mpi::agree_on(
        loan.comm(), "redistributes with",
        {"mode " + std::string(name(options.mode)), "packing " + std::string(name(options.packing)),
         "bundle " + std::string(name(options.bundle)), "transport " + options.transport,
         std::to_string(fields) + " fields"});
}

}  // namespace

bool Movement::run_for(double seconds) {
    while (next_ < exchanges_.size()) {
        auto& exchange = exchanges_[next_];
        if (!under_way_) {
            exchange.start();
            under_way_ = true;
        }
        if (!exchange.wait_for(seconds)) {
            return false;
        }
        under_way_ = false;
        ++next_;
    }
    next_ = 0;
    return true;
}

void Movement::abandon(const std::string& why) {
    for (auto& exchange : exchanges_) {
        try {
            exchange.abandon(why);
        } catch (const exchange::Misuse&) {  // NOLINT(bugprone-empty-catch): each says so
        }
    }
    throw exchange::Misuse(why);
}

std::string Movement::explain() const {
    std::string text;
    for (const auto& each : exchanges_) {
        text += each.explain();
    }
    return text;
}

std::unique_ptr<Movement> bind(const route::Route& route, Cells cells, MPI_Comm comm,
                               const std::vector<transport::Field>& fields,
                               const Options& options) {
    agree_on_options(comm, options, fields.size());
    std::vector<exchange::Exchange> exchanges;
    if (asks_for_messages(options)) {
        exchanges.push_back(bind_messages(route, cells, comm, fields, options));
    } else {
        exchanges = bind_exchanges(route, comm, fields, options);
    }
    return std::make_unique<Movement>(std::move(exchanges));
}

}  // namespace transrank::redistribution
