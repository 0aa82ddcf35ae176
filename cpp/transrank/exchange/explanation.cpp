// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/exchange/explanation.hpp"

#include <algorithm>
#include <iomanip>
#include <ostream>
#include <sstream>

#include "transrank/transport/moves.hpp"

namespace transrank::exchange {
namespace {

using transport::Binding;
using Fields = std::span<const transport::Field>;
using Means = memory::WatchedProcess::Means;

std::int64_t bytes_of(const route::Leg* leg, Fields fields) {
    return leg == nullptr ? 0 : transport::packed_bytes(*leg, fields);
}

std::int64_t runs_of(const route::Leg* leg, Fields fields) {
    return leg == nullptr ? 0 : leg->runs() * static_cast<std::int64_t>(fields.size());
}

void list_peers(std::ostream& text, const Binding& binding, std::span<const Choice> choices) {
    text << "  peer     bytes out      bytes in      runs in  transport      why\n";
    for (std::size_t i = 0; i < choices.size(); ++i) {
        const auto& offer = binding.offers[i];
        text << std::setw(6) << offer.rank << std::setw(14) << bytes_of(offer.send, binding.fields)
             << std::setw(14) << bytes_of(offer.receive, binding.fields) << std::setw(13)
             << runs_of(offer.receive, binding.fields) << "  " << std::left << std::setw(14)
             << choices[i].entry->name << " " << choices[i].reason << std::right << "\n";
    }
}

// By which means the end of a peer's process would be noticed.
void tell_liveness(std::ostream& text, const Binding& binding, const memory::Node& node) {
    std::string by_number;
    std::string unnoticed;
    for (const auto& offer : binding.offers) {
        const auto* process = node.process(offer.rank);
        if (offer.rank == binding.route.rank()) {
            continue;
        }
        if (process == nullptr) {
            unnoticed += " " + std::to_string(offer.rank);
        } else if (process->means() == Means::number) {
            by_number += " " + std::to_string(offer.rank);
        }
    }
    if (!by_number.empty()) {
        text << "the end of these peers is noticed by their process numbers, for want of pidfd:"
             << by_number << "\n";
    }
    if (!unnoticed.empty()) {
        text << "the end of these peers is noticed by MPI alone, if at all:" << unnoticed << "\n";
    }
}

}  // namespace

std::string explain(const Binding& binding, std::span<const Choice> choices,
                    const memory::Node& node, const Transports& transports) {
    std::ostringstream text;
    text << "rank " << binding.route.rank() << " of " << binding.route.ranks() << ": "
         << binding.offers.size() << " peers, " << binding.fields.size() << " fields\n";
    list_peers(text, binding, choices);
    tell_liveness(text, binding, node);
    for (const auto& transport : transports) {
        const auto lines = transport->explain();
        text << lines << (lines.empty() ? "" : "\n");
    }
    return text.str();
}

}  // namespace transrank::exchange
