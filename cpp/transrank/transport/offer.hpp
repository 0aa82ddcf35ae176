// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "transrank/memory/node.hpp"
#include "transrank/memory/shared_segment.hpp"
#include "transrank/mpi/communicator.hpp"
#include "transrank/route/route.hpp"
#include "transrank/transport/field.hpp"

namespace transrank::transport {

/// A counter on a cache line of its own, written by one process and read by others.
struct alignas(64) Flag {
    std::atomic<std::uint64_t> value{0};
};

/// What a rank says about one exchange to the peers that share memory with it. Written by its owner
/// alone; peers map it.
class ControlBlock {
public:
    /// `peers`: how many peers it may have to answer.
    explicit ControlBlock(std::size_t peers);

    /// The epoch that this rank has started.
    [[nodiscard]] Flag& started() const { return flags_[0]; }
    /// 0, or the encoded Breakage of this exchange.
    [[nodiscard]] Flag& broken() const { return flags_[1]; }
    /// The epoch up to which this rank has finished reading from and writing to the peer of `slot`.
    [[nodiscard]] Flag& done(std::size_t slot) const { return flags_[2 + slot]; }
    /// The epoch up to which this rank has packed what it sends to the peer of `slot`.
    [[nodiscard]] Flag& packed(std::size_t slot) const { return flags_[2 + peers_ + slot]; }

    [[nodiscard]] memory::SegmentHandle handle() const { return segment_.handle(); }

    /// The control block of a peer, from its handle and its number of peers.
    class View {
    public:
        View(const memory::SegmentHandle& handle, std::size_t peers);
        [[nodiscard]] const Flag& started() const { return flags_[0]; }
        [[nodiscard]] const Flag& broken() const { return flags_[1]; }
        [[nodiscard]] const Flag& done(std::size_t slot) const { return flags_[2 + slot]; }
        [[nodiscard]] const Flag& packed(std::size_t slot) const {
            return flags_[2 + peers_ + slot];
        }

    private:
        std::shared_ptr<memory::MappedSegment> mapping_;
        const Flag* flags_;
        std::size_t peers_;
    };

private:
    std::size_t peers_;
    memory::SharedSegment segment_;
    Flag* flags_;
};

/// Where one field of a rank lies, for those who share memory with it.
struct FieldOffer {
    std::int64_t unit_bytes = 0;
    std::int64_t scalar = 0;
    std::int64_t source_shared = 0;
    memory::SegmentHandle source;
    std::int64_t source_offset = 0;
    std::int64_t destination_shared = 0;
    memory::SegmentHandle destination;
    std::int64_t destination_offset = 0;
};

/// What a peer says of itself when an exchange is bound.
struct PeerOffer {
    int rank = -1;
    /// This rank's place in the peer's list of peers: its slot in the peer's control block; and the
    /// other way round.
    std::size_t my_slot = 0;
    std::size_t slot = 0;
    std::size_t peers = 0;  ///< how many the peer has
    /// Whether the peer applies what arrives in the order of ranks.
    bool ordered = false;
    memory::SegmentHandle control;
    std::vector<FieldOffer> fields;
    /// The legs between the two ranks; nullptr where there is none.
    const route::Leg* send = nullptr;
    const route::Leg* receive = nullptr;
};

/// What this rank tells of a field.
[[nodiscard]] FieldOffer offer_of(const Field& field);

/// Collective. Tells each peer about this rank's fields and legs, and whether it applies arrivals
/// in order; returns what they told, ascending by rank. This rank itself is among them when it has
/// a leg to itself. What a peer told otherwise than this rank expects (other legs, other fields) is
/// put into `disagreement`, naming both ranks; the offers are then of no use.
[[nodiscard]] std::vector<PeerOffer> swap_offers(const mpi::Communicator& comm,
                                                 const memory::Node& node,
                                                 const route::Route& route,
                                                 const std::vector<FieldOffer>& own, bool ordered,
                                                 const memory::SegmentHandle& control,
                                                 std::string& disagreement);

/// The ranks that the route has legs to or from, this one included if so, ascending.
[[nodiscard]] std::vector<int> peers_of(const route::Route& route);

}  // namespace transrank::transport
