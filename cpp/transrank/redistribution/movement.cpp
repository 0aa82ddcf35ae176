// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/redistribution/movement.hpp"

#include <cstddef>

#include "transrank/exchange/exchange.hpp"
#include "transrank/exchange/known_communicator.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/redistribution/messages.hpp"

namespace transrank::redistribution {
namespace {

/// By the transports of the exchange engine: one exchange of all fields, or one per field.
class Exchanged final : public Movement {
public:
    Exchanged(const route::Route& route, MPI_Comm comm, const std::vector<transport::Field>& fields,
              const Options& options) {
        exchange::Options engine;
        engine.transport = options.transport;
        engine.stores = options.stores;
        if (options.bundle != Bundle::per_field) {
            exchanges_.emplace_back(route, comm, fields, engine);
            return;
        }
        for (const auto& field : fields) {
            exchanges_.emplace_back(route, comm, std::vector{field}, engine);
        }
    }

    bool run_for(double seconds) override {
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

    [[noreturn]] void abandon(const std::string& why) override {
        for (auto& exchange : exchanges_) {
            try {
                exchange.abandon(why);
            } catch (const exchange::Misuse&) {  // NOLINT(bugprone-empty-catch): each says so
            }
        }
        throw exchange::Misuse(why);
    }

    [[nodiscard]] std::string explain() const override {
        std::string text;
        for (const auto& each : exchanges_) {
            text += each.explain();
        }
        return text;
    }

private:
    std::vector<exchange::Exchange> exchanges_;
    std::size_t next_ = 0;    ///< to be run, one after the other
    bool under_way_ = false;  ///< whether that one has been started
};

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

std::unique_ptr<Movement> bind(const route::Route& route, Cells cells, MPI_Comm comm,
                               const std::vector<transport::Field>& fields,
                               const Options& options) {
    agree_on_options(comm, options, fields.size());
    if (asks_for_messages(options)) {
        return bind_messages(route, cells, comm, fields, options);
    }
    return std::make_unique<Exchanged>(route, comm, fields, options);
}

}  // namespace transrank::redistribution
