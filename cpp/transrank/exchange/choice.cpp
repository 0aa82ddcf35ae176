// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/exchange/choice.hpp"

#include <algorithm>

#include "transrank/layout/require.hpp"

namespace transrank::exchange {
namespace {

using transport::Binding;
using transport::Entry;
using transport::PeerOffer;

std::string reason_against(const Binding& binding, const PeerOffer& peer, const Entry& entry,
                           std::span<const Refusal> refusals) {
    const auto refusal = std::ranges::find_if(refusals, [&](const Refusal& each) {
        return each.rank == peer.rank && each.entry == &entry;
    });
    return refusal != refusals.end() ? refusal->reason : entry.reason_against(binding, peer);
}

// Why another transport, which could serve the peer, too, is better; empty when none is.
std::string drawback(const Binding& binding, const PeerOffer& peer, const Entry& entry,
                     std::span<const Refusal> refusals) {
    const auto better =
        entry.preference == nullptr ? std::nullopt : entry.preference(binding, peer);
    return better && reason_against(binding, peer, transport::find(better->transport), refusals)
                         .empty()
               ? better->reason
               : "";
}

Choice choose_best(const Binding& binding, const PeerOffer& peer,
                   std::span<const Refusal> refusals) {
    const bool itself = peer.rank == binding.route.rank();
    std::string refused;
    for (const auto& entry : transport::all()) {
        auto why_not = reason_against(binding, peer, entry, refusals);
        if (why_not.empty()) {
            why_not = drawback(binding, peer, entry, refusals);
        }
        if (why_not.empty()) {
            return {.entry = &entry, .reason = refused.empty() ? "the first choice" : refused};
        }
        if ((entry.reach == transport::Reach::itself) == itself) {
            refused += (refused.empty() ? "" : "; ");
            refused += "not " + std::string(entry.name) + ": " + why_not;
        }
    }
    layout::refuse("no transport can serve rank ", peer.rank, " from rank ", binding.route.rank(),
                   ": ", refused);
}

Choice choose_wanted(const Binding& binding, const PeerOffer& peer, const Entry& wanted) {
    if (wanted.reach == transport::Reach::other_nodes && peer.node == binding.own_node) {
        return choose_best(binding, peer, {});
    }
    const auto reason = wanted.reason_against(binding, peer);
    if (reason.empty()) {
        return {.entry = &wanted, .reason = "as asked for"};
    }
    // What a rank moves within itself is copied whatever is asked for the others.
    if (peer.rank == binding.route.rank() && wanted.reach != transport::Reach::itself) {
        return {
            .entry = &*std::ranges::find(transport::all(), transport::Reach::itself, &Entry::reach),
            .reason = "the rank itself"};
    }
    layout::refuse("transport ", wanted.name, " cannot serve rank ", peer.rank, " from rank ",
                   binding.route.rank(), ": ", reason);
}

}  // namespace

std::vector<Choice> choose(const Binding& binding, std::span<const Refusal> refusals) {
    const bool is_automatic = binding.wanted == transport::automatic;
    const auto* wanted = is_automatic ? nullptr : &transport::find(binding.wanted);
    std::vector<Choice> choices;
    for (const auto& peer : binding.offers) {
        choices.push_back(is_automatic ? choose_best(binding, peer, refusals)
                                       : choose_wanted(binding, peer, *wanted));
    }
    return choices;
}

}  // namespace transrank::exchange
