// SPDX-License-Identifier: BSD-3-Clause
// One neighborhood collective for the data of all peers, the rank itself included. Packed by hand.
// It can never be mixed with other transports, so `auto` does not choose it.
#include <algorithm>
#include <iterator>

#include "transrank/mpi/neighbor_exchange.hpp"
#include "transrank/transport/moves.hpp"
#include "transrank/transport/notices.hpp"
#include "transrank/transport/table.hpp"

namespace transrank::transport {
namespace {

using Block = mpi::NeighborExchange::Block;

std::vector<Block> blocks_of(std::span<const route::Leg> legs, std::span<const Field> fields) {
    std::vector<Block> blocks;
    for (const auto& leg : legs) {
        blocks.push_back({.rank = leg.peer, .bytes = packed_bytes(leg, fields)});
    }
    return blocks;
}

class Neighborhood final : public Transport {
public:
    Neighborhood(const Binding& binding, std::span<const PeerOffer* const> peers)
        : binding_(binding),
          notices_(binding, peers),
          collective_(blocks_of(binding.route.receives(), binding.fields),
                      blocks_of(binding.route.sends(), binding.fields)) {
        const auto sends = binding.route.sends();
        for (std::size_t i = 0; i < sends.size(); ++i) {
            packing_.push_back(make_packing(sends[i], binding.fields, collective_.outgoing(i)));
        }
        const auto receives = binding.route.receives();
        for (std::size_t i = 0; i < receives.size(); ++i) {
            arrivals_.push_back(
                {.rank = receives[i].peer,
                 .unpacking = make_unpacking(receives[i], binding.fields, binding.operation,
                                             collective_.incoming(i))});
        }
    }

    void connect() override {
        collective_.connect(binding_.loan->keep(
            binding_.comm.adjacent(collective_.sources(), collective_.destinations())));
    }

    void start(std::uint64_t epoch) override {
        epoch_ = epoch;
        notices_.check_before(epoch);
        for (const auto& moves : packing_) {
            execute(moves);
        }
        collective_.start();
        arrived_ = false;
        next_ = 0;
    }

    bool progress() override {
        bool advanced = false;
        if (!arrived_) {
            arrived_ = advanced = collective_.test();
        }
        while (arrived_ && next_ < arrivals_.size()) {
            execute(arrivals_[next_].unpacking);
            binding_.turn.pass(arrivals_[next_].rank);
            ++next_;
            advanced = true;
        }
        if (!advanced && !arrived_) {
            notices_.check_now_and_then(epoch_);
        }
        return advanced;
    }

    [[nodiscard]] bool done() const override { return arrived_ && next_ == arrivals_.size(); }

    // The collective does not tell whose data are missing.
    [[nodiscard]] std::vector<int> awaited() const override {
        std::vector<int> ranks;
        if (!arrived_) {
            std::ranges::transform(binding_.offers, std::back_inserter(ranks), &PeerOffer::rank);
        }
        return ranks;
    }
    [[nodiscard]] bool polls_mpi() const override { return true; }
    void announce(const Breakage& breakage, std::uint64_t completed) override {
        notices_.send(breakage, completed);
    }

private:
    struct Arrival {
        int rank;
        std::vector<Move> unpacking;
    };
    const Binding& binding_;
    Notices notices_;
    mpi::NeighborExchange collective_;
    std::vector<std::vector<Move>> packing_;
    std::vector<Arrival> arrivals_;
    std::uint64_t epoch_ = 0;
    std::size_t next_ = 0;
    bool arrived_ = true;
};

std::string obstacle(const Binding& /*binding*/, const PeerOffer& /*peer*/) {
    return "";
}

std::unique_ptr<Transport> make(const Binding& binding, std::span<const PeerOffer* const> peers) {
    return std::make_unique<Neighborhood>(binding, peers);
}

}  // namespace

Entry neighborhood() {
    return {.name = "neighborhood",
            .summary = "packed by hand, one neighborhood collective for all peers",
            .obstacle = obstacle,
            .all_or_none = true,
            .automatic = false,
            .by_messages = true,
            .make = make};
}

}  // namespace transrank::transport
