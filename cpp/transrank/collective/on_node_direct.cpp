// SPDX-License-Identifier: BSD-3-Clause
// An exchange along the route of the alltoall. Where the arrays that are sent from lie in memory
// that transrank has allocated each rank pulls its column straight from them, elsewhere through a
// double buffer; ranks on other nodes are sent messages. An array that is source and destination is
// copied first.
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "transrank/collective/movement.hpp"
#include "transrank/exchange/exchange.hpp"
#include "transrank/memory/shared_segment.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/mpi/error.hpp"
#include "transrank/route/alltoall.hpp"

namespace transrank::collective {
namespace {

// Where my blocks lie in the arrays of those who send them or receive them.
std::vector<std::int64_t> swapped(const Task& task, const std::vector<std::int64_t>& offsets) {
    std::vector<std::int64_t> at_peers(offsets.size());
    mpi::check(MPI_Alltoall(offsets.data(), 1, MPI_INT64_T, at_peers.data(), 1, MPI_INT64_T,
                            task.own.handle()),
               "MPI_Alltoall");
    return at_peers;
}

route::Route route_of(const Task& task) {
    const int rank = task.own.rank();
    if (task.block_bytes >= 0) {
        return route::alltoall(rank, task.problem.ranks, task.block_bytes);
    }
    const auto& blocks = task.blocks;
    const auto at_targets = swapped(task, blocks.receive_offsets);
    const auto at_sources = swapped(task, blocks.send_offsets);
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

exchange::Exchange bind(const Task& task, const std::shared_ptr<Arrays>& arrays) {
    const transport::Field field{.source = arrays->copy ? arrays->copy->bytes().data() : task.send,
                                 .source_bytes = task.send_extent(),
                                 .destination = task.receive,
                                 .destination_bytes = task.receive_extent(),
                                 .unit_bytes = 1,
                                 .keep_alive = arrays};
    return {route_of(task), task.comm, {field}};
}

class OnNodeDirect final : public Movement {
public:
    OnNodeDirect(const Task& task, const std::shared_ptr<Arrays>& arrays)
        : Movement(bind(task, arrays)),
          receive_(task.receive),
          copy_(arrays->copy ? arrays->copy->bytes() : std::span<std::byte>()) {}

    void start() override {
        if (!copy_.empty()) {
            exchange().check_idle();
            std::memcpy(copy_.data(), receive_, copy_.size());
        }
        Movement::start();
    }

private:
    const std::byte* receive_;
    std::span<std::byte> copy_;
};

}  // namespace

std::unique_ptr<Movement> on_node_direct(const Task& task) {
    const auto arrays = std::make_shared<Arrays>();
    arrays->of_the_user = task.keep_alive;
    mpi::agree(task.own, [&] {  // memory may be lacking on one rank alone
        if (task.in_place() && task.send_extent() > 0) {
            arrays->copy.emplace(static_cast<std::size_t>(task.send_extent()));
        }
    });
    return std::make_unique<OnNodeDirect>(task, arrays);
}

}  // namespace transrank::collective
