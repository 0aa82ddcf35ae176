// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/exchange/choice.hpp"

#include <algorithm>
#include <stdexcept>

#include "transrank/exchange/scatter.hpp"

namespace transrank::exchange {
namespace {

using transport::Binding;
using transport::Entry;
using transport::PeerOffer;

std::string obstacle(const Binding& binding, const PeerOffer& peer, const Entry& entry,
                     std::span<const Refusal> refusals) {
    const auto refusal = std::ranges::find_if(refusals, [&](const Refusal& each) {
        return each.rank == peer.rank && each.entry == &entry;
    });
    return refusal != refusals.end() ? refusal->reason : entry.obstacle(binding, peer);
}

// Both ranks of a pair come to the same answer: what one sends the other receives.
std::string better_packed(const Binding& binding, const PeerOffer& peer,
                          const Thresholds& thresholds) {
    if (thresholds.stage_below_bytes == 0) {
        return "";  // nothing is short: routes may have millions of segments
    }
    Scatter scatter;
    for (const auto* leg : {peer.send, peer.receive}) {
        for (const auto& field : binding.fields) {
            if (leg != nullptr) {
                scatter.add(*leg, field.unit_bytes, thresholds.stage_below_bytes);
            }
        }
    }
    if (!scatter.prevails()) {
        return "";
    }
    return std::to_string(scatter.apart_runs) +
           " runs that lie apart on both sides are shorter than " +
           std::to_string(thresholds.stage_below_bytes) +
           " bytes, below which packing them costs less (measured)";
}

Choice choose_best(const Binding& binding, const PeerOffer& peer, const Thresholds& thresholds,
                   std::span<const Refusal> refusals) {
    const auto& staged = transport::find("shared-staged");
    std::string refused;
    for (const auto& entry : transport::all()) {
        if (!entry.automatic) {
            continue;
        }
        auto why_not = obstacle(binding, peer, entry, refusals);
        if (why_not.empty() && entry.name == "shared-direct" &&
            obstacle(binding, peer, staged, refusals).empty()) {
            why_not = better_packed(binding, peer, thresholds);
        }
        if (why_not.empty()) {
            return {.entry = &entry, .reason = refused.empty() ? "the best there is" : refused};
        }
        if (peer.rank != binding.route.rank() && entry.name != "self-copy") {
            refused += (refused.empty() ? "" : "; ");
            refused += "not " + std::string(entry.name) + ": " + why_not;
        }
    }
    throw std::invalid_argument("no transport can serve rank " + std::to_string(peer.rank) +
                                " from rank " + std::to_string(binding.route.rank()) + ": " +
                                refused);
}

Choice choose_wanted(const Binding& binding, const PeerOffer& peer, const Entry& wanted) {
    const auto obstacle = wanted.obstacle(binding, peer);
    if (obstacle.empty()) {
        return {.entry = &wanted, .reason = "as asked for"};
    }
    // What a rank moves within itself is copied whatever is asked for the others.
    const auto& self = transport::find("self-copy");
    if (peer.rank == binding.route.rank() && &wanted != &self) {
        return {.entry = &self, .reason = "the rank itself"};
    }
    throw std::invalid_argument("transport " + std::string(wanted.name) + " cannot serve rank " +
                                std::to_string(peer.rank) + " from rank " +
                                std::to_string(binding.route.rank()) + ": " + obstacle);
}

}  // namespace

std::vector<Choice> choose(const Binding& binding, const std::string& wanted,
                           const Thresholds& thresholds, std::span<const Refusal> refusals) {
    std::vector<Choice> choices;
    for (const auto& peer : binding.offers) {
        choices.push_back(wanted == "auto" ? choose_best(binding, peer, thresholds, refusals)
                                           : choose_wanted(binding, peer, transport::find(wanted)));
    }
    if (wanted != "auto") {
        (void)transport::find(wanted);  // also on a rank without peers
    }
    return choices;
}

}  // namespace transrank::exchange
