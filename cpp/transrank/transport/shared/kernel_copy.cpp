// SPDX-License-Identifier: BSD-3-Clause
// One copy between the private memory of two processes, made by the kernel for the receiver. A rank
// says where its sources lie, in memory that it shares, and `packed` when they are ready; `done` to
// each peer when it has read. Both count epochs.
#include <algorithm>
#include <cstdint>
#include <map>
#include <system_error>

#include "transrank/copy/moves.hpp"
#include "transrank/layout/require.hpp"
#include "transrank/memory/process_reader.hpp"
#include "transrank/mpi/point_to_point.hpp"
#include "transrank/transport/shared/kernel_trial.hpp"
#include "transrank/transport/shared/shared_peer.hpp"
#include "transrank/transport/table.hpp"
#include "transrank/transport/tags.hpp"

namespace transrank::transport {
namespace {

// The kernel looks up each page, and each piece costs it as much again: packing shorter runs costs
// less, everywhere.
constexpr std::int64_t least_run_bytes = std::int64_t{1} << 14U;
// Two copies through a buffer that no longer fits in a cache cost more, everywhere.
constexpr std::int64_t most_staged_bytes = std::int64_t{1} << 20U;

class Peer : public SharedPeer {
public:
    Peer(const Binding& binding, const PeerOffer& offer)
        : SharedPeer(binding, offer), process_(*offer.process) {
        for (const auto& field : binding.fields) {
            if (offer.receive != nullptr) {
                runs_.push_back(copy::shared_runs_of(*offer.receive, field.unit_bytes, {}));
            }
        }
    }

    /// Throws where the kernel does not read the peer's arrays, as those of a device.
    void find_sources(const memory::BlockHandle& sources) {
        sources_ = std::make_unique<memory::MappedBlock>(sources);
        memory::ProcessReader reader(process_.number());
        std::byte first{};
        for (std::size_t i = 0; i < runs_.size(); ++i) {
            reader.read(source(i), &first, sizeof(first));
        }
        reader.finish();
    }

    void start(std::uint64_t epoch) {
        epoch_ = epoch;
        has_read_ = false;
        finished_ = false;
        publish_packed(epoch);
    }

    bool progress(const Binding& binding) {
        bool advanced = false;
        if (!has_read_ && binding.apply_order.may_apply(rank()) && packed() >= epoch_) {
            if (!runs_.empty()) {
                read(binding.fields);
            }
            publish_done(epoch_);
            binding.apply_order.applied(rank());
            has_read_ = true;
            advanced = true;
        }
        if (has_read_ && !finished_ && !owes()) {
            finished_ = true;
            advanced = true;
        }
        if (!advanced) {
            check_owing([&] { return owes(); });
        }
        return advanced;
    }

    [[nodiscard]] bool finished() const { return finished_; }
    [[nodiscard]] bool owes() const { return done() < epoch_; }

private:
    [[nodiscard]] std::uint64_t source(std::size_t field) const {
        return reinterpret_cast<const std::uint64_t*>(sources_->data())[field];
    }

    void read(std::span<const copy::Field> fields) const {
        try {
            memory::ProcessReader reader(process_.number());
            for (std::size_t i = 0; i < runs_.size(); ++i) {
                runs_[i]->for_each([&](const copy::ByteRuns& runs) {
                    for (std::int64_t k = 0; k < runs.count; ++k) {
                        reader.read(source(i) + static_cast<std::uint64_t>(
                                                    runs.source + (k * runs.source_stride)),
                                    fields[i].destination + runs.destination +
                                        (k * runs.destination_stride),
                                    static_cast<std::size_t>(runs.length));
                    }
                });
            }
            reader.finish();
        } catch (const std::system_error& error) {  // its memory goes before its descriptor tells
            check_source(error.code() == std::errc::no_such_process ? Failure::Cause::ended
                                                                    : Failure::Cause::unreadable);
        }
        check_source(Failure::Cause::none);
    }

    // What was read is what the peer means to send only if nothing had happened to it by then: its
    // arrays may be anything once it has given the exchange up, and its number anybody's once it
    // has ended.
    void check_source(Failure::Cause otherwise) const {
        check_owing([] { return true; });
        const auto cause = process_.is_alive() ? otherwise : Failure::Cause::ended;
        if (cause != Failure::Cause::none) {
            throw BrokenExchange({.cause = cause, .rank = rank()});
        }
    }

    const memory::WatchedProcess& process_;
    std::vector<std::shared_ptr<const copy::RunTable>> runs_;  ///< of each field
    std::unique_ptr<memory::MappedBlock> sources_;             ///< the addresses of the peer's
    std::uint64_t epoch_ = 0;
    bool has_read_ = true;
    bool finished_ = true;
};

class KernelCopy final : public SharedTransport<Peer> {
public:
    KernelCopy(const Binding& binding, Peers offers)
        : SharedTransport(binding),
          ranks_(ranks_of(offers)),
          sources_(binding.fields.size() * sizeof(std::uint64_t)) {
        for (const auto* offer : offers) {
            peers_.emplace_back(binding, *offer);
        }
        publish_sources();
    }

    void connect() override {
        handles_ = mpi::swapped_with(binding_.comm, ranks_, handle_tag,
                                     std::vector(ranks_.size(), sources_.handle()));
    }

    void prepare() override {
        for (std::size_t i = 0; i < peers_.size(); ++i) {
            if (handles_[i].is_shared()) {
                peers_[i].find_sources(handles_[i]);
            }
        }
    }

    void start(std::uint64_t epoch) override {
        publish_sources();
        for (auto& peer : peers_) {
            peer.start(epoch);
        }
    }

    bool progress() override { return progress_each(); }

private:
    // With the next message or counter, when nobody reads the last ones any more.
    void publish_sources() {
        auto* const addresses = reinterpret_cast<std::uint64_t*>(sources_.bytes().data());
        for (std::size_t i = 0; i < binding_.fields.size(); ++i) {
            addresses[i] = reinterpret_cast<std::uintptr_t>(binding_.fields[i].source);
        }
    }

    std::vector<int> ranks_;  ///< of the peers
    memory::SharedBlock sources_;
    std::vector<memory::BlockHandle> handles_;  ///< of the peers' sources
};

// An empty handle says that this rank has none.
void decline(const Binding& binding, Peers peers) {
    (void)mpi::swapped_with(binding.comm, ranks_of(peers), handle_tag,
                            std::vector<memory::BlockHandle>(peers.size()));
}

std::string reason_against(const Binding& binding, const PeerOffer& peer) {
    if (auto reason = reason_against_sharing(binding, peer); !reason.empty()) {
        return reason;
    }
    if (!peer.reason_against_reading.empty()) {
        return peer.reason_against_reading;
    }
    if (binding.operation != copy::Operation::assign) {
        return "what arrives is combined with what is there";
    }
    for (std::size_t i = 0; i < binding.fields.size(); ++i) {
        if (binding.own_fields[i].has_view != 0 || peer.fields[i].has_view != 0) {
            return "field " + std::to_string(layout::counted(i)) + " is not contiguous there";
        }
    }
    return "";
}

/// The bytes between two ranks, and how long a run is on average.
struct Extent {
    std::int64_t bytes = 0;
    std::int64_t run_bytes = 0;

    Extent(const Binding& binding, const PeerOffer& peer) {
        std::int64_t runs = 0;
        for (const auto* leg : {peer.send, peer.receive}) {
            if (leg != nullptr) {
                bytes += copy::packed_bytes(*leg, binding.fields);
                runs += leg->runs() * std::ssize(binding.fields);
            }
        }
        run_bytes = runs == 0 ? 0 : bytes / runs;
    }
};

/// For which peers packing was measured to cost less.
struct Findings {
    struct Finding {
        bool staging_is_faster = false;
        bool is_measured = false;
        int attempts = 0;
    };
    std::map<int, Finding> of_rank;
};

Findings::Finding finding_of(const Binding& binding, int rank) {
    const auto* const known = binding.prepared_before.find<Findings>();
    return known == nullptr || !known->of_rank.contains(rank) ? Findings::Finding{}
                                                              : known->of_rank.at(rank);
}

std::optional<Preference> preference(const Binding& binding, const PeerOffer& peer) {
    const Extent extent(binding, peer);
    if (extent.run_bytes < least_run_bytes) {
        return Preference{
            .transport = "shared-staged",
            .reason = "runs of " + std::to_string(extent.run_bytes) + " bytes are better packed"};
    }
    if (extent.bytes < most_staged_bytes && finding_of(binding, peer.rank).staging_is_faster) {
        return Preference{.transport = "shared-staged",
                          .reason = "packing them was measured to be faster"};
    }
    return std::nullopt;
}

// Whether it may serve a peer, and whether that is better, must be measured. Both ranks come to the
// same answer.
bool is_open(const Binding& binding, const PeerOffer& peer) {
    constexpr int most_attempts = 4;
    const Extent extent(binding, peer);
    const auto finding = finding_of(binding, peer.rank);
    return extent.run_bytes >= least_run_bytes && extent.bytes < most_staged_bytes &&
           !finding.is_measured && finding.attempts < most_attempts &&
           reason_against(binding, peer).empty() &&
           !shared_direct().reason_against(binding, peer).empty();
}

// As far as this rank knows before it has seen the peers' offers.
std::uint64_t needed(const Binding& binding, const memory::Node& node) {
    return !node.oversubscribed() && binding.moved_bytes >= least_run_bytes &&
                   std::ranges::any_of(binding.own_fields,
                                       [](const FieldOffer& field) {
                                           return !field.source.is_shared() ||
                                                  !field.destination.is_shared();
                                       })
               ? 1
               : 0;
}

// Pair by pair. Each rank takes its peers in an order in which none waits for one that waits for
// it.
void prepare(Binding& binding, const memory::Node& node, std::uint64_t /*needed*/) {
    if (binding.wanted != automatic || node.oversubscribed()) {
        return;
    }
    std::map<int, const PeerOffer*> by_turn;
    for (const auto& offer : binding.offers) {
        if (is_open(binding, offer)) {
            by_turn[(offer.rank + binding.route.rank()) % binding.route.ranks()] = &offer;
        }
    }
    const auto* const known = binding.prepared_before.find<Findings>();
    auto findings = known == nullptr ? Findings{} : *known;
    for (const auto& [turn, offer] : by_turn) {
        auto& finding = findings.of_rank[offer->rank];
        const auto faster = staging_is_faster(binding.comm, offer->rank, *offer->process);
        ++finding.attempts;
        finding.is_measured = faster.has_value();
        finding.staging_is_faster = faster.value_or(false);
    }
    if (!by_turn.empty()) {
        binding.prepared_before.keep(std::move(findings));
    }
}

}  // namespace

Entry kernel_copy() {
    return {.name = "kernel-copy",
            .summary = "one copy by the kernel from the peer's private memory, for long runs",
            .reason_against = reason_against,
            .make = make<KernelCopy>,
            .decline = decline,
            .needed = needed,
            .prepare = prepare,
            .preference = preference};
}

}  // namespace transrank::transport
