// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/exchange/fitting.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <stdexcept>
#include <utility>

#include "transrank/mpi/agreement.hpp"
#include "transrank/mpi/collectives.hpp"
#include "transrank/mpi/point_to_point.hpp"
#include "transrank/transport/tags.hpp"

namespace transrank::exchange {
namespace {

using transport::Binding;
using transport::Entry;
using transport::PeerOffer;
using Refusals = std::vector<Refusal>;

/// A transport for the peers that it was chosen for; none where this rank could not make it.
struct Attempt {
    const Entry* entry;
    std::vector<const PeerOffer*> peers;
    std::unique_ptr<transport::Transport> made = nullptr;
};

// In the order of the table, the same on all ranks.
std::vector<Attempt> attempts_at(const Binding& binding, std::span<const Choice> choices) {
    std::vector<Attempt> attempts;
    for (const auto& entry : transport::all()) {
        Attempt attempt{.entry = &entry, .peers = {}};
        for (std::size_t i = 0; i < choices.size(); ++i) {
            if (choices[i].entry == &entry) {
                attempt.peers.push_back(&binding.offers[i]);
            }
        }
        if (!attempt.peers.empty()) {
            attempts.push_back(std::move(attempt));
        }
    }
    return attempts;
}

// Runs `work`; returns what went wrong, or nothing.
std::string reason_of_failure(const std::function<void()>& work) {
    try {
        work();
        return "";
    } catch (const std::exception& error) {
        return error.what();
    }
}

void refuse(const Entry& entry, transport::Peers peers, const std::string& reason,
            Refusals& refusals) {
    for (const auto* peer : peers) {
        refusals.push_back({.rank = peer->rank, .entry = &entry, .reason = reason});
    }
}

// Refuses the peers that make it fail also alone; all of them when none does.
void make(const Binding& binding, Attempt& attempt, Refusals& refusals) {
    const auto& entry = *attempt.entry;
    const auto reason =
        reason_of_failure([&] { attempt.made = entry.make(binding, attempt.peers); });
    const auto before = refusals.size();
    for (std::size_t i = 0; i < attempt.peers.size() && !reason.empty(); ++i) {
        const auto alone = std::span(attempt.peers).subspan(i, 1);
        const auto own_reason = reason_of_failure([&] { (void)entry.make(binding, alone); });
        if (!own_reason.empty()) {
            refuse(entry, alone, own_reason, refusals);
        }
    }
    if (!reason.empty() && refusals.size() == before) {
        refuse(entry, attempt.peers, reason, refusals);
    }
}

// Collective over the peers.
void connect(const Binding& binding, const Attempt& attempt) {
    if (attempt.made) {
        attempt.made->connect();
    } else if (attempt.entry->decline != nullptr) {
        attempt.entry->decline(binding, attempt.peers);
    }
}

void prepare(const Attempt& attempt, Refusals& refusals) {
    if (attempt.made) {
        const auto reason = reason_of_failure([&] { attempt.made->prepare(); });
        if (!reason.empty()) {
            refuse(*attempt.entry, attempt.peers, reason, refusals);
        }
    }
}

// What has failed on some rank: the larger includes the smaller.
enum Failure : int { nothing, something, messages_of_nodes };

bool serves_nodes(const Entry& entry) {
    return entry.reach == transport::Reach::other_nodes;
}

// Collective. Throws when a transport that was asked for by name is refused.
Failure failure_anywhere(const Binding& binding, const Refusals& refusals, bool lacks_lease) {
    if (binding.wanted != transport::automatic) {
        mpi::agree(binding.comm, [&] {
            if (!refusals.empty()) {
                throw std::runtime_error(refusals.front().reason);
            }
        });
        return nothing;
    }
    const bool of_nodes = std::ranges::any_of(
        refusals, [](const Refusal& refusal) { return serves_nodes(*refusal.entry); });
    const int failed = of_nodes                           ? messages_of_nodes
                       : refusals.empty() && !lacks_lease ? nothing
                                                          : something;
    return static_cast<Failure>(mpi::reduced(binding.comm, failed, MPI_MAX));
}

// A message of two nodes needs all ranks that have a part in it, which may not be peers.
void refuse_messages_of_nodes(const Binding& binding, std::span<const Choice> choices,
                              Refusals& refusals) {
    for (std::size_t i = 0; i < choices.size(); ++i) {
        const PeerOffer* peer = &binding.offers[i];
        if (serves_nodes(*choices[i].entry)) {
            refuse(*choices[i].entry, std::span(&peer, 1), "a rank could not set it up", refusals);
        }
    }
}

// Collective over the peers. Adds their refusals to this rank's.
void swap_refusals(const Binding& binding, std::span<const Choice> choices, Refusals& refusals) {
    std::vector<char> own(choices.size(), 0);
    for (std::size_t i = 0; i < choices.size(); ++i) {
        own[i] = std::ranges::count(refusals, binding.offers[i].rank, &Refusal::rank) != 0 ? 1 : 0;
    }
    const auto theirs = mpi::swapped_with(binding.comm, transport::peers_of(binding.route),
                                          transport::refusal_tag, own);
    for (std::size_t i = 0; i < choices.size(); ++i) {
        if (theirs[i] != 0 && own[i] == 0) {
            const int rank = binding.offers[i].rank;
            refusals.push_back({.rank = rank,
                                .entry = choices[i].entry,
                                .reason = "rank " + std::to_string(rank) + " could not set it up"});
        }
    }
}

}  // namespace

bool fit_transports(const Binding& binding, std::span<const Choice> choices, Transports& transports,
                    std::vector<Refusal>& refusals) {
    Refusals own;
    bool lacks_lease = false;
    auto attempts = attempts_at(binding, choices);
    transports.reserve(attempts.size());  // nothing may fail once all ranks have succeeded
    for (auto& attempt : attempts) {
        if (attempt.entry->needs_messages && binding.messages == nullptr) {
            lacks_lease = true;
        } else {
            make(binding, attempt, own);
        }
    }
    for (const auto& attempt : attempts) {
        connect(binding, attempt);
    }
    for (const auto& attempt : attempts) {
        prepare(attempt, own);
    }
    if (const auto failure = failure_anywhere(binding, own, lacks_lease); failure != nothing) {
        attempts.clear();
        swap_refusals(binding, choices, own);
        if (failure == messages_of_nodes) {
            refuse_messages_of_nodes(binding, choices, own);
        }
        refusals.insert(refusals.end(), own.begin(), own.end());
        return false;
    }
    for (auto& attempt : attempts) {
        transports.push_back(std::move(attempt.made));
    }
    return true;
}

}  // namespace transrank::exchange
