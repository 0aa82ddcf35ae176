// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <iomanip>
#include <iterator>
#include <ostream>
#include <span>
#include <sstream>

#include "transrank/copy/moves.hpp"
#include "transrank/exchange/route_backend.hpp"
#include "transrank/memory/array_memory.hpp"

namespace transrank::exchange {
namespace {

using transport::Binding;
using Fields = std::span<const copy::Field>;
using Means = memory::WatchedProcess::Means;

std::int64_t bytes_of(const route::Leg* leg, Fields fields) {
    return leg == nullptr ? 0 : copy::packed_bytes(*leg, fields);
}

std::int64_t runs_of(const route::Leg* leg, Fields fields) {
    return leg == nullptr ? 0 : leg->runs() * static_cast<std::int64_t>(fields.size());
}

void list_peers(std::ostream& text, const Binding& binding, std::span<const Choice> choices) {
    text << "  peer     bytes out      bytes in      runs in  transport      why\n";
    for (std::size_t i = 0; i < choices.size(); ++i) {
        const auto& offer = binding.offers[i];
        const bool itself = offer.rank == binding.route.rank();
        text << std::setw(6) << (itself ? "itself" : std::to_string(offer.rank)) << std::setw(14)
             << bytes_of(offer.send, binding.fields) << std::setw(14)
             << bytes_of(offer.receive, binding.fields) << std::setw(13)
             << runs_of(offer.receive, binding.fields) << "  " << std::left << std::setw(14)
             << choices[i].entry->name << " " << choices[i].reason << std::right << "\n";
    }
}

// By which means the end of a peer's process would be noticed.
void list_liveness(std::ostream& text, const Binding& binding, const memory::Node& node) {
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
        text << "peers watched by process number, since the kernel has no pidfd:" << by_number
             << "\n";
    }
    if (!unnoticed.empty()) {
        text << "peers not watched, so that only MPI can notice their end:" << unnoticed << "\n";
    }
}

bool is_private(const transport::FieldOffer& field) {
    return !field.source.is_shared() || !field.destination.is_shared();
}

}  // namespace

std::string RouteBackend::explain() const {
    std::ostringstream text;
    const int rank = binding_->route.rank();
    const auto others = std::ranges::count_if(binding_->offers,
                                              [&](const auto& each) { return each.rank != rank; });
    const auto fields = std::ssize(binding_->fields);
    text << "rank " << rank << " of " << binding_->route.ranks() << ": " << others
         << (others == 1 ? " peer, " : " peers, ") << fields
         << (fields == 1 ? " field\n" : " fields\n");
    if (!named_by_.empty()) {
        text << "the transport is the one that " << named_by_ << " names\n";
    }
    list_peers(text, *binding_, choices_);
    for (const auto& entry : transport::all()) {
        const auto line = entry.alternative == nullptr ? "" : entry.alternative(*binding_);
        text << line << (line.empty() ? "" : "\n");
    }
    list_liveness(text, *binding_, node());
    if (const auto refusals = memory::ArrayMemory::refusals();
        !refusals.empty() && std::ranges::any_of(own_, is_private)) {
        text << refusals << "\n";
    }
    for (const auto& transport : transports_) {
        const auto lines = transport->explain();
        text << lines << (lines.empty() ? "" : "\n");
    }
    return text.str();
}

}  // namespace transrank::exchange
