// SPDX-License-Identifier: BSD-3-Clause
// What a rank moves within itself: one copy, no message.
#include "transrank/copy/repeated_moves.hpp"
#include "transrank/transport/table.hpp"

namespace transrank::transport {
namespace {

class SelfCopy final : public Transport {
public:
    SelfCopy(const Binding& binding, Peers self)
        : apply_order_(binding.apply_order),
          rank_(binding.comm.rank()),
          moves_(binding.stores, binding.moved_bytes) {
        for (const auto& field : binding.fields) {
            moves_.add(copy::make_move(
                copy::shared_runs_of(*self.front()->receive, field.unit_bytes, {},
                                     field.source_view.get(), field.destination_view.get()),
                field, binding.operation, &field.source, &field.destination));
        }
    }

    void start(std::uint64_t /*epoch*/) override { done_ = false; }

    bool progress() override {
        if (done_ || !apply_order_.may_apply(rank_)) {
            return false;
        }
        moves_.execute();
        apply_order_.applied(rank_);
        done_ = true;
        return true;
    }

    [[nodiscard]] bool done() const override { return done_; }
    [[nodiscard]] std::vector<int> awaited() const override { return {}; }
    [[nodiscard]] std::string explain() const override {
        return moves_.finding("copies within the rank");
    }

private:
    ApplyOrder& apply_order_;
    int rank_;
    copy::RepeatedMoves moves_;
    bool done_ = true;
};

std::string reason_against(const Binding& binding, const PeerOffer& peer) {
    return peer.rank == binding.comm.rank() ? "" : "another rank";
}

}  // namespace

Entry self_copy() {
    return {.name = "self-copy",
            .summary = "one copy within the rank",
            .reason_against = reason_against,
            .make = make<SelfCopy>,
            .reach = Reach::itself};
}

}  // namespace transrank::transport
