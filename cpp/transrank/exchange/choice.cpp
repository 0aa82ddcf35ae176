// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/exchange/choice.hpp"

#include <iomanip>
#include <sstream>
#include <stdexcept>

#include "transrank/mpi/agreement.hpp"
#include "transrank/transport/moves.hpp"

namespace transrank::exchange {
namespace {

using transport::Binding;
using transport::Entry;
using transport::PeerOffer;

Choice choose_best(const Binding& binding, const PeerOffer& peer) {
    std::string refused;
    for (const auto& entry : transport::all()) {
        if (!entry.automatic) {
            continue;
        }
        const auto obstacle = entry.obstacle(binding, peer);
        if (obstacle.empty()) {
            return {.entry = &entry, .reason = refused.empty() ? "the best there is" : refused};
        }
        if (peer.rank != binding.comm.rank() && entry.name != "self-copy") {
            refused += (refused.empty() ? "" : "; ");
            refused += "not " + std::string(entry.name) + ": " + obstacle;
        }
    }
    throw std::invalid_argument("no transport can serve rank " + std::to_string(peer.rank) +
                                " from rank " + std::to_string(binding.comm.rank()));
}

Choice choose_wanted(const Binding& binding, const PeerOffer& peer, const Entry& wanted) {
    const auto obstacle = wanted.obstacle(binding, peer);
    if (obstacle.empty()) {
        return {.entry = &wanted, .reason = "as asked for"};
    }
    // What a rank moves within itself is copied whatever is asked for the others.
    const auto& self = transport::find("self-copy");
    if (peer.rank == binding.comm.rank() && &wanted != &self) {
        return {.entry = &self, .reason = "the rank itself"};
    }
    throw std::invalid_argument("transport " + std::string(wanted.name) + " cannot serve rank " +
                                std::to_string(peer.rank) + " from rank " +
                                std::to_string(binding.comm.rank()) + ": " + obstacle);
}

std::int64_t bytes_of(const route::Leg* leg, std::span<const transport::Field> fields) {
    return leg == nullptr ? 0 : transport::packed_bytes(*leg, fields);
}

std::int64_t runs_of(const route::Leg* leg, std::span<const transport::Field> fields) {
    return leg == nullptr ? 0 : leg->runs() * static_cast<std::int64_t>(fields.size());
}

std::vector<const PeerOffer*> peers_with(const Binding& binding, std::span<const Choice> choices,
                                         const Entry& entry) {
    std::vector<const PeerOffer*> peers;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        if (choices[i].entry == &entry) {
            peers.push_back(&binding.offers[i]);
        }
    }
    return peers;
}

}  // namespace

std::vector<Choice> choose(const Binding& binding, const std::string& wanted) {
    std::vector<Choice> choices;
    for (const auto& peer : binding.offers) {
        choices.push_back(wanted == "auto" ? choose_best(binding, peer)
                                           : choose_wanted(binding, peer, transport::find(wanted)));
    }
    if (wanted != "auto") {
        (void)transport::find(wanted);  // also on a rank without peers
    }
    return choices;
}

std::vector<std::unique_ptr<transport::Transport>> make_transports(const Binding& binding,
                                                                   std::span<const Choice> choices,
                                                                   const std::string& wanted) {
    std::vector<std::unique_ptr<transport::Transport>> transports;
    mpi::agree(binding.comm, [&] {
        for (const auto& entry : transport::all()) {
            const auto peers = peers_with(binding, choices, entry);
            if (!peers.empty() || (entry.all_or_none && entry.name == wanted)) {
                transports.push_back(entry.make(binding, peers));
            }
        }
    });
    for (const auto& transport : transports) {
        transport->connect();
    }
    mpi::agree(binding.comm, [&] {
        for (const auto& transport : transports) {
            transport->prepare();
        }
    });
    return transports;
}

std::string explain(const route::Route& route, std::span<const transport::Field> fields,
                    std::span<const PeerOffer> offers, std::span<const Choice> choices) {
    std::ostringstream text;
    text << "rank " << route.rank() << " of " << route.ranks() << ": " << offers.size()
         << " peers, " << fields.size() << " fields\n"
         << "  peer     bytes out      bytes in      runs in  transport      why\n";
    for (std::size_t i = 0; i < offers.size(); ++i) {
        text << std::setw(6) << offers[i].rank << std::setw(14) << bytes_of(offers[i].send, fields)
             << std::setw(14) << bytes_of(offers[i].receive, fields) << std::setw(13)
             << runs_of(offers[i].receive, fields) << "  " << std::left << std::setw(14)
             << choices[i].entry->name << " " << choices[i].reason << std::right << "\n";
    }
    return text.str();
}

}  // namespace transrank::exchange
