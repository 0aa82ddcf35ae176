// SPDX-License-Identifier: BSD-3-Clause
// What the machine itself asks for: the rows straight from the arrays of their owners, who last
// wrote them, and no waiting within the time. That the sources are ready, and that they have been
// read before they are rewritten, ranks tell each other between updates.
#include <vector>

#include "transrank/study/ghost_update/way.hpp"
#include "transrank/study/open_arrays.hpp"
#include "transrank/transport/moves.hpp"

namespace transrank::study::ghost_update {
namespace {

class FloorFromPeers final : public Update {
public:
    FloorFromPeers(const measure::Case& point, const Setting& setting, const Arrays& arrays)
        : Update(point, setting, arrays),
          open_(setting.comm, route(), std::as_bytes(arrays.owned)) {
        for (const auto& leg : route().receives()) {
            const auto own = field();
            moves_.push_back(transport::make_move(leg, own, transport::Operation::assign,
                                                  open_.of(leg.peer).data(), own.destination));
        }
    }

protected:
    void before_rewriting() override { open_.await_readers(epoch_); }

    void after_rewriting() override {
        ++epoch_;
        open_.publish_ready(epoch_);
        for (const auto& leg : route().receives()) {
            open_.await_ready(leg.peer, epoch_);
        }
    }

    void update() override {
        transport::execute(moves_);
        open_.publish_read(epoch_);
    }

private:
    OpenArrays open_;
    std::vector<transport::Move> moves_;
    std::uint64_t epoch_ = 0;
};

}  // namespace

Way floor_from_peers() {
    return {.name = "floor-from-peers",
            .summary = "the same straight from the owners' arrays: what crossing costs as well",
            .shared = true,
            .make = [](const measure::Case& point, const Setting& setting,
                       const Arrays& arrays) -> std::unique_ptr<Update> {
                return std::make_unique<FloorFromPeers>(point, setting, arrays);
            }};
}

}  // namespace transrank::study::ghost_update
