// SPDX-License-Identifier: BSD-3-Clause
// Shared memory, two copies, for arrays that the user allocated: the sender packs into a segment
// that the receiver unpacks from. Both go by portions of a leg, so that a receiver with nothing to
// send unpacks one while the next is packed. Two ranks that send to each other both pack first: to
// pack and unpack by turns is slower, except for columns of many fields. These go group after
// group, since a halo is unpacked into the lines that packing has read. The box holds one epoch:
// with a second one, used in turn, a sender could be ahead of its receiver, but lines that were
// used last time are found in a cache.
#include <algorithm>

#include "transrank/copy/moves.hpp"
#include "transrank/mpi/point_to_point.hpp"
#include "transrank/transport/shared/shared_peer.hpp"
#include "transrank/transport/table.hpp"
#include "transrank/transport/tags.hpp"

namespace transrank::transport {
namespace {

constexpr std::int64_t line_bytes = 64;
// Long enough that a flag for each costs nothing beside it, short enough to stay in a cache.
constexpr std::int64_t portion_bytes = std::int64_t{1} << 16U;
// Of lines that a group of fields touches, at most: they, and the addresses of their pages, stay in
// a core's caches.
constexpr std::int64_t group_bytes = std::int64_t{1} << 19U;

std::size_t box_bytes(const route::Leg* leg, std::span<const copy::Field> fields) {
    const auto bytes = leg == nullptr ? 0 : copy::packed_bytes(*leg, fields);
    return static_cast<std::size_t>((bytes + line_bytes - 1) / line_bytes * line_bytes);
}

/// How many fields make a group: all, unless runs on both sides fill less than half of the lines
/// that they touch. Then turns cost more than they gain.
std::size_t group_size(const route::Leg& leg, std::span<const copy::Field> fields) {
    const auto outline = leg.segments.outline();
    const auto touched_bytes =
        line_bytes * std::min(outline.source_stretches, outline.destination_stretches);
    const auto all = std::ssize(fields);
    const bool fills_lines = 2 * copy::packed_bytes(leg, fields) > all * touched_bytes;
    const auto groups =
        fills_lines ? 1 : std::min<std::int64_t>(all, 1 + (all * touched_bytes / group_bytes));
    return static_cast<std::size_t>((all + groups - 1) / groups);
}

/// Where a peer finds what is packed for it.
struct Box {
    memory::BlockHandle block;
    std::uint64_t offset = 0;
};

/// One direction between two ranks: all portions of a group of fields, then those of the next one.
/// They are counted through all epochs.
class Stream {
public:
    /// `make(units)` makes the moves of portions of so many units, between them and the box.
    template <class Make>
    void prepare(const route::Leg& leg, std::span<const copy::Field> fields, const Make& make) {
        group_ = group_size(leg, fields);
        const auto unit_bytes =
            std::max<std::int64_t>(copy::unit_bytes_of(fields.first(group_)), 1);
        moves_ = make(std::max<std::int64_t>(1, portion_bytes / unit_bytes));
        room_ = moves_.size() * ((fields.size() + group_ - 1) / group_);
    }

    void start(std::uint64_t epoch) { end_ = epoch * room_; }
    void move() {
        const std::span moves(moves_[next_ % moves_.size()]);
        const auto first = next_ % room_ / moves_.size() * group_;
        copy::execute(moves.subspan(first, std::min(group_, moves.size() - first)));
        ++next_;
    }

    /// The portions that have been moved, of all epochs.
    [[nodiscard]] std::uint64_t moved() const { return next_; }
    [[nodiscard]] bool finished() const { return next_ == end_; }
    [[nodiscard]] bool at_begin_of_epoch() const { return next_ + room_ == end_; }
    [[nodiscard]] bool at_end_of_group() const { return next_ % moves_.size() == 0; }
    /// How many portions the box holds.
    [[nodiscard]] std::uint64_t room() const { return room_; }

private:
    std::vector<std::vector<copy::Move>> moves_;  ///< of all fields along a portion of the leg
    std::size_t group_ = 1;
    std::uint64_t room_ = 0;
    std::uint64_t next_ = 0;
    std::uint64_t end_ = 0;
};

class Peer : public SharedPeer {
public:
    using SharedPeer::SharedPeer;

    void prepare_packing(const Binding& binding, const PeerOffer& offer, std::byte* outbox) {
        packing_.prepare(*offer.send, binding.fields, [&](std::int64_t units) {
            return copy::make_packing(*offer.send, binding.fields, outbox, units);
        });
    }

    void prepare_unpacking(const Binding& binding, const PeerOffer& offer, const Box& box) {
        inbox_ = std::make_unique<memory::MappedBlock>(box.block);
        unpacking_.prepare(*offer.receive, binding.fields, [&](std::int64_t units) {
            return copy::make_unpacking(*offer.receive, binding.fields, binding.operation,
                                        inbox_->data() + box.offset, units);
        });
    }

    void start(std::uint64_t epoch) {
        packing_.start(epoch);
        unpacking_.start(epoch);
    }

    /// Packs the rest of a group, as far as there is room. Returns whether that was anything.
    bool pack() {
        bool advanced = false;
        while (!packing_.finished() && has_room() && !(advanced && packing_.at_end_of_group())) {
            if (packing_.at_begin_of_epoch()) {
                // Whoever only sends does not wait for its peers and would not notice otherwise.
                check_owing([] { return true; });
            }
            packing_.move();
            publish_packed(packing_.moved());
            advanced = true;
        }
        return advanced;
    }

    /// The same with what has arrived.
    bool unpack(ApplyOrder& apply_order) {
        bool advanced = false;
        while (!unpacking_.finished() && apply_order.may_apply(rank()) && has_arrived()) {
            unpacking_.move();
            publish_done(unpacking_.moved());
            if (unpacking_.finished()) {
                apply_order.applied(rank());
            }
            advanced = true;
        }
        return advanced;
    }

    void check_unbroken() const {
        check_owing([&] { return owes(); });
    }

    [[nodiscard]] bool finished() const { return packing_.finished() && unpacking_.finished(); }
    [[nodiscard]] bool owes() const {
        return (!unpacking_.finished() && !has_arrived()) || (!packing_.finished() && !has_room());
    }

private:
    // The peer has packed more than this rank has unpacked.
    [[nodiscard]] bool has_arrived() const { return packed() > unpacking_.moved(); }
    // The peer has unpacked what was in the place of the next portion.
    [[nodiscard]] bool has_room() const { return done() + packing_.room() > packing_.moved(); }

    std::unique_ptr<memory::MappedBlock> inbox_;
    Stream packing_;
    Stream unpacking_;
};

// Returns the peers' boxes.
std::vector<Box> swap_boxes(const Binding& binding, Peers offers, const std::vector<Box>& own) {
    return mpi::swapped_with(binding.comm, ranks_of(offers), handle_tag, own);
}

class SharedStaged final : public SharedTransport<Peer> {
public:
    SharedStaged(const Binding& binding, Peers offers)
        : SharedTransport(binding),
          offers_(offers.begin(), offers.end()),
          apply_order_(binding.apply_order) {
        std::size_t bytes = 0;
        for (const auto* offer : offers) {
            peers_.emplace_back(binding, *offer);
            own_boxes_.push_back({.block = {}, .offset = bytes});
            bytes += box_bytes(offer->send, binding.fields);
        }
        outboxes_ = std::make_unique<memory::SharedBlock>(bytes);
        for (auto& box : own_boxes_) {
            box.block = outboxes_->handle();
        }
    }

    void connect() override { boxes_ = swap_boxes(binding_, offers_, own_boxes_); }

    void prepare() override {
        for (std::size_t i = 0; i < offers_.size(); ++i) {
            if (offers_[i]->send != nullptr) {
                peers_[i].prepare_packing(binding_, *offers_[i],
                                          outboxes_->bytes().data() + own_boxes_[i].offset);
            }
            if (offers_[i]->receive != nullptr && boxes_[i].block.is_shared()) {
                peers_[i].prepare_unpacking(binding_, *offers_[i], boxes_[i]);
            }
        }
    }

    void start(std::uint64_t epoch) override {
        for (auto& peer : peers_) {
            peer.start(epoch);
        }
    }

    bool progress() override {
        bool advanced = false;
        for (auto& peer : peers_) {
            advanced |= peer.pack();
        }
        for (auto& peer : peers_) {
            advanced |= peer.unpack(apply_order_);
        }
        for (const auto& peer : peers_) {
            if (!advanced && !peer.finished()) {
                peer.check_unbroken();
            }
        }
        return advanced;
    }

private:
    std::vector<const PeerOffer*> offers_;
    ApplyOrder& apply_order_;
    std::vector<Box> own_boxes_;
    std::vector<Box> boxes_;  // the peers'
    std::unique_ptr<memory::SharedBlock> outboxes_;
};

// An empty box says that this rank has none.
void decline(const Binding& binding, Peers peers) {
    (void)swap_boxes(binding, peers, std::vector<Box>(peers.size()));
}

}  // namespace

Entry shared_staged() {
    return {
        .name = "shared-staged",
        .summary = "shared memory, two copies through a buffer, portion by portion, for any memory",
        .reason_against = reason_against_sharing,
        .make = make<SharedStaged>,
        .decline = decline};
}

}  // namespace transrank::transport
