// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include "transrank/study/ghost_update/pattern.hpp"
#include "transrank/study/ghost_update/way.hpp"
#include "transrank/transport/moves.hpp"

namespace transrank::study::ghost_update {
namespace {

route::Route relabelled(const route::Route& local, int rank, int ranks) {
    const route::Leg leg{.peer = rank, .segments = local.receives().front().segments};
    return {rank, ranks, local.source_extent(), local.destination_extent(), {leg}, {leg}};
}

/// The local gather of all the rows of the remote pattern, from the rank's own block.
class Floor final : public Update {
public:
    Floor(const measure::Case& point, const Setting& setting, const Arrays& arrays)
        : Update(point, setting, arrays),
          own_(relabelled(remote_ghost_route(0, 1), setting.comm.rank(), setting.comm.size())) {
        const auto own = field();
        moves_.push_back(transport::make_move(own_.receives().front(), own,
                                              transport::Operation::assign, own.source,
                                              own.destination));
    }

protected:
    void update() override { transport::execute(moves_); }
    [[nodiscard]] const route::Route& expected() const override { return own_; }

private:
    route::Route own_;
    std::vector<transport::Move> moves_;
};

}  // namespace

Way floor() {
    return {.name = "floor",
            .summary = "a local gather of as many rows: what memory alone costs",
            .make = [](const measure::Case& point, const Setting& setting,
                       const Arrays& arrays) -> std::unique_ptr<Update> {
                return std::make_unique<Floor>(point, setting, arrays);
            }};
}

}  // namespace transrank::study::ghost_update
