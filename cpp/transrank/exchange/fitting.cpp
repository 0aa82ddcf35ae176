// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/exchange/fitting.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <stdexcept>
#include <utility>

#include "transrank/mpi/agreement.hpp"
#include "transrank/mpi/collectives.hpp"
#include "transrank/mpi/swap.hpp"
#include "transrank/transport/tags.hpp"

namespace transrank::exchange {
namespace {

using transport::Binding;
using transport::Entry;
using transport::PeerOffer;
using Peers = std::vector<const PeerOffer*>;

Peers peers_with(const Binding& binding, std::span<const Choice> choices, const Entry& entry) {
    Peers peers;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        if (choices[i].entry == &entry) {
            peers.push_back(&binding.offers[i]);
        }
    }
    return peers;
}

/// Runs `work`; returns what went wrong, or nothing.
std::string words_of_failure(const std::function<void()>& work) {
    try {
        work();
        return "";
    } catch (const std::exception& error) {
        return error.what();
    }
}

/// One attempt to have the chosen transports.
class Attempt {
public:
    Attempt(const Binding& binding, std::span<const Choice> choices, std::string wanted)
        : binding_(binding), choices_(choices), wanted_(std::move(wanted)) {}

    void make(Transports& transports) {
        for (const auto& entry : transport::all()) {
            const auto peers = peers_with(binding_, choices_, entry);
            if (entry.needs_messages && !peers.empty() && binding_.messages == nullptr) {
                lacks_lease_ = true;
            } else if (!peers.empty()) {
                const auto words =
                    words_of_failure([&] { transports.push_back(entry.make(binding_, peers)); });
                if (!words.empty()) {
                    blame(entry, peers, words);
                    declined_.push_back({.entry = &entry, .peers = peers});
                } else {
                    made_.push_back({.entry = &entry, .peers = peers});
                }
            }
        }
    }

    /// Collective over the peers.
    void connect(const Transports& transports) {
        for (const auto& transport : transports) {
            transport->connect();
        }
        for (const auto& [entry, peers] : declined_) {
            if (entry->decline != nullptr) {
                entry->decline(binding_, peers);
            }
        }
    }

    void prepare(const Transports& transports) {
        for (std::size_t i = 0; i < transports.size(); ++i) {
            const auto words = words_of_failure([&] { transports[i]->prepare(); });
            if (!words.empty()) {
                refuse(*made_[i].entry, made_[i].peers, words);
            }
        }
    }

    /// Collective. Throws when a transport that was asked for by name is refused.
    bool succeeded_everywhere() {
        if (wanted_ != transport::automatic) {
            mpi::agree(binding_.comm, [&] {
                if (!refusals_.empty()) {
                    throw std::runtime_error(refusals_.front().reason);
                }
            });
            return true;
        }
        const int failed = refusals_.empty() && !lacks_lease_ ? 0 : 1;
        return mpi::reduced(binding_.comm, failed, MPI_MAX) == 0;
    }

    /// Collective over the peers. This rank's refusals and theirs.
    std::vector<Refusal> swap_refusals() {
        std::vector<char> own(choices_.size(), 0);
        for (std::size_t i = 0; i < choices_.size(); ++i) {
            for (const auto& refusal : refusals_) {
                if (refusal.rank == binding_.offers[i].rank) {
                    own[i] = 1;
                }
            }
        }
        std::vector<char> theirs(own.size(), 0);
        mpi::swap_with(binding_.comm, transport::peers_of(binding_.route), transport::refusal_tag,
                       std::as_bytes(std::span(own)), std::as_writable_bytes(std::span(theirs)));
        for (std::size_t i = 0; i < choices_.size(); ++i) {
            if (theirs[i] != 0 && own[i] == 0) {
                const int rank = binding_.offers[i].rank;
                refusals_.push_back(
                    {.rank = rank,
                     .entry = choices_[i].entry,
                     .reason = "rank " + std::to_string(rank) + " could not set it up"});
            }
        }
        return refusals_;
    }

private:
    struct Made {
        const Entry* entry;
        Peers peers;
    };

    void refuse(const Entry& entry, const Peers& peers, const std::string& words) {
        for (const auto* peer : peers) {
            refusals_.push_back({.rank = peer->rank, .entry = &entry, .reason = words});
        }
    }

    // Refuses the peers that make it fail also alone; all of them when none does.
    void blame(const Entry& entry, const Peers& peers, const std::string& words) {
        const auto before = refusals_.size();
        for (const auto* peer : peers) {
            const Peers alone{peer};
            const auto own_words = words_of_failure([&] { (void)entry.make(binding_, alone); });
            if (!own_words.empty()) {
                refuse(entry, alone, own_words);
            }
        }
        if (refusals_.size() == before) {
            refuse(entry, peers, words);
        }
    }

    const Binding& binding_;
    std::span<const Choice> choices_;
    std::string wanted_;
    std::vector<Made> made_;
    std::vector<Made> declined_;
    bool lacks_lease_ = false;
    std::vector<Refusal> refusals_;
};

}  // namespace

bool fit_transports(const Binding& binding, std::span<const Choice> choices,
                    const std::string& wanted, Transports& transports,
                    std::vector<Refusal>& refusals) {
    Attempt attempt(binding, choices, wanted);
    attempt.make(transports);
    attempt.connect(transports);
    attempt.prepare(transports);
    const bool fitted = attempt.succeeded_everywhere();
    if (!fitted) {
        transports.clear();
        const auto found = attempt.swap_refusals();
        refusals.insert(refusals.end(), found.begin(), found.end());
    }
    return fitted;
}

}  // namespace transrank::exchange
