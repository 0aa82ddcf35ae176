// SPDX-License-Identifier: BSD-3-Clause
// An exchange along the route of the alltoall. Where the arrays that are sent from lie in memory
// that transrank has allocated each rank pulls its column straight from them, elsewhere through a
// double buffer; ranks on other nodes are sent messages. An array that is source and destination is
// copied first.
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "transrank/collective/method.hpp"
#include "transrank/exchange/bound.hpp"
#include "transrank/memory/shared_segment.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/mpi/collectives.hpp"
#include "transrank/route/alltoall.hpp"

namespace transrank::collective {
namespace {

route::Route route_of(const Task& task) {
    const int rank = task.own.rank();
    if (task.block_bytes >= 0) {
        return route::alltoall(rank, task.problem.ranks, task.block_bytes);
    }
    const auto& blocks = task.blocks;
    // Where my blocks lie in the arrays of those who send them or receive them.
    const auto at_targets = mpi::swapped(task.own, blocks.receive_offsets);
    const auto at_sources = mpi::swapped(task.own, blocks.send_offsets);
    return route::alltoallv(rank,
                            {.counts = blocks.send_bytes,
                             .displacements = blocks.send_offsets,
                             .displacements_at_peer = at_targets},
                            {.counts = blocks.receive_bytes,
                             .displacements = blocks.receive_offsets,
                             .displacements_at_peer = at_sources});
}

/// All that MPI, or a peer, may be using.
struct Arrays {
    std::optional<memory::SharedSegment> copy;  ///< of an array that is source and destination
    std::shared_ptr<void> of_the_user;
};

exchange::Parts parts_of(const Task& task, std::shared_ptr<const route::Route> route,
                         const std::shared_ptr<Arrays>& arrays) {
    return {.route = std::move(route),
            .fields = {{.source = arrays->copy ? arrays->copy->bytes().data() : task.send,
                        .source_bytes = task.blocks.send_extent(),
                        .destination = task.receive,
                        .destination_bytes = task.blocks.receive_extent(),
                        .unit_bytes = 1,
                        .keep_alive = arrays}}};
}

class OnNodeDirect final : public exchange::Bound {
public:
    OnNodeDirect(const Task& task, std::shared_ptr<const route::Route> route,
                 const std::shared_ptr<Arrays>& arrays)
        : Bound(task.comm, [&] { return parts_of(task, std::move(route), arrays); }, {}),
          receive_(task.receive),
          copy_(arrays->copy ? arrays->copy->bytes() : std::span<std::byte>()) {}

    void begin_epoch() noexcept override {
        if (!copy_.empty()) {
            std::memcpy(copy_.data(), receive_, copy_.size());
        }
        Bound::begin_epoch();
    }
    [[nodiscard]] std::string explain() const override {
        return "alltoall by " + std::string(direct_name) + "\n" + Bound::explain();
    }

private:
    const std::byte* receive_;
    std::span<std::byte> copy_;
};

}  // namespace

Backend on_node_direct(const Task& task) {
    const auto arrays = std::make_shared<Arrays>();
    arrays->of_the_user = task.keep_alive;
    mpi::agree(task.own, [&] {  // memory may be lacking on one rank alone
        if (task.in_place() && task.blocks.send_extent() > 0) {
            arrays->copy.emplace(static_cast<std::size_t>(task.blocks.send_extent()));
        }
    });
    return std::make_unique<OnNodeDirect>(
        task, std::make_shared<const route::Route>(route_of(task)), arrays);
}

}  // namespace transrank::collective
