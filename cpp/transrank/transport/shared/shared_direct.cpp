// SPDX-License-Identifier: BSD-3-Clause
// Shared memory, one copy: short runs are pushed by their sender, long ones pulled by their
// receiver. A pull of a short run would drag a whole cache line from its owner; a push of a long
// one writes lines that the receiver must then fetch back. Short runs that lie one after the other
// at their owner fill the lines that they drag, so they are pulled like one long run. Where short
// and long ones alternate, all go the way of most of them, which is faster than two ranks writing
// among each other.
//
// A rank says `started` when its sources are ready and its destinations may be written, and `done`
// to each peer when it has finished reading from it and writing to it. Both are counters that only
// grow.
#include <algorithm>

#include "transrank/copy/repeated_moves.hpp"
#include "transrank/layout/require.hpp"
#include "transrank/transport/shared/scatter.hpp"
#include "transrank/transport/shared/shared_peer.hpp"
#include "transrank/transport/shared/thresholds.hpp"
#include "transrank/transport/table.hpp"

namespace transrank::transport {
namespace {

// As long as it is mapped the peer does not use its memory again.
std::byte* place(const memory::BlockHandle& handle, std::int64_t offset,
                 std::vector<std::unique_ptr<memory::MappedBlock>>& mappings) {
    mappings.push_back(std::make_unique<memory::MappedBlock>(handle));
    return mappings.back()->data() + offset;
}

Thresholds thresholds_for(const Binding& binding) {
    if (binding.push_below_bytes) {
        return {.push_below_bytes = *binding.push_below_bytes, .origin = "given"};
    }
    const auto* found = binding.prepared_before.find<Thresholds>();
    return found == nullptr ? Thresholds{} : *found;
}

/// In which lengths the runs of a leg are pulled, and what there is to say about it.
struct Division {
    copy::LengthRange pulled;
    std::string finding;
};

// All, none or the long ones. Both ranks come to the same answer; `ordered` is the receiver's.
Division divide(const route::Leg& leg, std::int64_t unit_bytes, std::int64_t push_below_bytes,
                bool ordered, bool source_shared, bool destination_shared) {
    constexpr copy::LengthRange none{.below = 0};
    if (ordered || !destination_shared) {
        return {};
    }
    if (!source_shared) {
        return {.pulled = none, .finding = ""};
    }
    if (copy::source_stretch_bytes(leg, unit_bytes) >= push_below_bytes) {
        return {};
    }
    const Mixture mixture(leg, unit_bytes, push_below_bytes);
    if (!mixture.is_fine()) {
        return {.pulled = {.from = push_below_bytes}, .finding = ""};
    }
    const bool pushes = mixture.short_bytes > mixture.long_bytes;
    return {.pulled = pushes ? none : copy::LengthRange{},
            .finding = std::to_string(mixture.short_bytes) +
                       " bytes in shorter runs alternate with " +
                       std::to_string(mixture.long_bytes) + " in longer ones: all are " +
                       (pushes ? "pushed" : "pulled")};
}

std::string join_findings(const std::string& one, const std::string& other) {
    return one + (one.empty() || other.empty() ? "" : "\n") + other;
}

class Peer : public SharedPeer {
public:
    Peer(const Binding& binding, const PeerOffer& offer, std::int64_t push_below_bytes)
        : SharedPeer(binding, offer),
          push_below_bytes_(push_below_bytes),
          pushes_(binding.stores, binding.moved_bytes),
          pulls_(binding.stores, binding.moved_bytes),
          sets_(offer.fields.size()),
          present_(binding.fields.size()) {
        for (std::size_t i = 0; i < binding.fields.size(); ++i) {
            if (offer.receive != nullptr) {
                add_pulls(binding, i, offer);
            }
            if (offer.send != nullptr) {
                add_pushes(binding, i, offer);
            }
        }
    }

    void start(std::uint64_t epoch) {
        epoch_ = epoch;
        moved_ = false;
        finished_ = false;
    }

    bool progress(const Binding& binding) {
        bool advanced = false;
        if (!moved_ && binding.apply_order.may_apply(rank()) && has_started()) {
            pushes_.execute();
            pulls_.execute();
            publish_done(epoch_);
            binding.apply_order.applied(rank());
            moved_ = true;
            advanced = true;
        }
        if (moved_ && !finished_ && !owes()) {
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
    [[nodiscard]] std::string finding() const {
        const auto peer = " rank " + std::to_string(rank());
        return join_findings(division_, join_findings(pulls_.finding("pulls from" + peer),
                                                      pushes_.finding("pushes to" + peer)));
    }

private:
    // Its arrays of that epoch are those that the moves take from then on.
    bool has_started() {
        const auto theirs = started();
        if (theirs.epoch < epoch_) {
            return false;
        }
        if (theirs.set != present_set_) {
            std::copy_n(sets_.begin() + static_cast<std::ptrdiff_t>(theirs.set * present_.size()),
                        present_.size(), present_.begin());
            present_set_ = theirs.set;
        }
        return true;
    }

    void add_pulls(const Binding& binding, std::size_t i, const PeerOffer& offer) {
        const auto& field = binding.fields[i];
        const auto [range, finding] = divide(
            *offer.receive, field.unit_bytes, push_below_bytes_, binding.apply_order.ordered(),
            shared_of(offer.fields, i, present_.size()).source,
            shared_of(binding.own_fields, i, present_.size()).destination);
        note("from", finding);
        if (range.below > 0) {
            for (auto of_set = i; of_set < sets_.size(); of_set += present_.size()) {
                const auto& theirs = offer.fields[of_set];
                sets_[of_set].source = place(theirs.source, theirs.source_offset, mappings_);
            }
            present_[i].source = sets_[i].source;
            pulls_.add(copy::make_move(copy::shared_runs_of(*offer.receive, field.unit_bytes, range,
                                                            nullptr, field.destination_view.get()),
                                       field, binding.operation, &present_[i].source,
                                       &field.destination));
        }
    }

    void add_pushes(const Binding& binding, std::size_t i, const PeerOffer& offer) {
        const auto& field = binding.fields[i];
        const auto [range, finding] =
            divide(*offer.send, field.unit_bytes, push_below_bytes_, offer.ordered,
                   shared_of(binding.own_fields, i, present_.size()).source,
                   shared_of(offer.fields, i, present_.size()).destination);
        note("to", finding);
        const copy::LengthRange rest{.below = range.below > 0 ? range.from : INT64_MAX};
        if (rest.below > 0) {
            for (auto of_set = i; of_set < sets_.size(); of_set += present_.size()) {
                const auto& theirs = offer.fields[of_set];
                sets_[of_set].destination =
                    place(theirs.destination, theirs.destination_offset, mappings_);
            }
            present_[i].destination = sets_[i].destination;
            pushes_.add(copy::make_move(
                copy::shared_runs_of(*offer.send, field.unit_bytes, rest, field.source_view.get()),
                field, binding.operation, &field.source, &present_[i].destination));
        }
    }

    void note(const char* direction, const std::string& finding) {
        if (!finding.empty()) {
            division_ = join_findings(division_, std::string(direction) + " rank " +
                                                     std::to_string(rank()) + " " + finding);
        }
    }

    std::int64_t push_below_bytes_;
    std::vector<std::unique_ptr<memory::MappedBlock>> mappings_;
    std::string division_;
    copy::RepeatedMoves pushes_;
    copy::RepeatedMoves pulls_;
    std::vector<copy::Memory> sets_;     ///< the peer's arrays, one set after the other
    std::vector<copy::Memory> present_;  ///< those of this epoch
    std::uint64_t present_set_ = 0;
    std::uint64_t epoch_ = 0;
    bool moved_ = true;
    bool finished_ = true;
};

class SharedDirect final : public SharedTransport<Peer> {
public:
    SharedDirect(const Binding& binding, Peers offers)
        : SharedTransport(binding), thresholds_(thresholds_for(binding)) {
        for (const auto* offer : offers) {
            peers_.emplace_back(binding, *offer, thresholds_.push_below_bytes);
        }
    }

    void start(std::uint64_t epoch) override {
        binding_.control.started().publish(Started{.epoch = epoch, .set = binding_.set}.encoded());
        for (auto& peer : peers_) {
            peer.start(epoch);
            peer.ring();
        }
    }

    bool progress() override { return progress_each(); }

    [[nodiscard]] std::string explain() const override {
        std::string text = "shared-direct pushes runs of less than " +
                           std::to_string(thresholds_.push_below_bytes) +
                           " bytes and pulls the others (" + thresholds_.origin + ")";
        for (const auto& peer : peers_) {
            text = join_findings(text, peer.finding());
        }
        return text;
    }

private:
    Thresholds thresholds_;
};

// Whether data can go one way: the receiver pulls from a shared source, or, where the order does
// not matter, the sender pushes into a shared destination.
bool passable(bool ordered, bool source_shared, bool destination_shared) {
    return source_shared || (destination_shared && !ordered);
}

std::string reason_against(const Binding& binding, const PeerOffer& peer) {
    if (auto reason = reason_against_sharing(binding, peer); !reason.empty()) {
        return reason;
    }
    if (binding.sets == 0) {
        return "arrays are given at each start";
    }
    const auto fields = binding.fields.size();
    for (std::size_t i = 0; i < fields; ++i) {
        const auto mine = shared_of(binding.own_fields, i, fields);
        const auto theirs = shared_of(peer.fields, i, fields);
        const bool there =
            peer.send == nullptr || passable(peer.ordered, mine.source, theirs.destination);
        const bool back = peer.receive == nullptr ||
                          passable(binding.apply_order.ordered(), theirs.source, mine.destination);
        if (!there || !back) {
            return "field " + std::to_string(layout::counted(i)) +
                   " lies in memory that transrank does not share, or is not contiguous there";
        }
    }
    return "";
}

std::optional<Preference> preference(const Binding& binding, const PeerOffer& peer) {
    const auto thresholds = thresholds_for(binding);
    const auto short_below_bytes = thresholds.stage_below_bytes;
    if (short_below_bytes == 0) {
        return std::nullopt;  // nothing is short: routes may have millions of segments
    }
    Scatter scatter;
    for (const auto* leg : {peer.send, peer.receive}) {
        for (const auto& field : binding.fields) {
            if (leg != nullptr) {
                scatter.add(*leg, field.unit_bytes, short_below_bytes);
            }
        }
    }
    if (!scatter.prevails()) {
        return std::nullopt;
    }
    return Preference{.transport = "shared-staged",
                      .reason = std::to_string(scatter.apart_runs) +
                                " runs that lie apart on both sides are shorter than " +
                                std::to_string(short_below_bytes) +
                                " bytes, below which packing them costs less (" +
                                thresholds.origin + ")"};
}

// Whether it may serve a peer: as far as this rank knows, the peer asks itself, too.
std::uint64_t needed(const Binding& binding, const memory::Node& /*node*/) {
    const bool shares_some = std::ranges::any_of(binding.own_fields, [](const FieldOffer& field) {
        return field.source.is_shared() || field.destination.is_shared();
    });
    return shares_some && !binding.push_below_bytes && binding.control.handle().is_shared() ? 1 : 0;
}

void prepare(Binding& binding, const memory::Node& node, std::uint64_t /*needed*/) {
    const auto* known = binding.prepared_before.find<Thresholds>();
    if (!binding.push_below_bytes && (known == nullptr || !known->is_final)) {
        binding.prepared_before.keep(thresholds_of(binding.comm, node));
    }
}

}  // namespace

Entry shared_direct() {
    return {.name = "shared-direct",
            .summary = "shared memory, one copy: short runs pushed, long runs pulled",
            .reason_against = reason_against,
            .make = make<SharedDirect>,
            .needs_shared_arrays = true,
            .needed = needed,
            .prepare = prepare,
            .preference = preference};
}

}  // namespace transrank::transport
