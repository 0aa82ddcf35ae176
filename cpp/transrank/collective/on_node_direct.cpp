// SPDX-License-Identifier: BSD-3-Clause
// An exchange along the route of the alltoall. Where the arrays that are sent from lie in memory
// that transrank has allocated each rank pulls its column straight from them, elsewhere through a
// double buffer; ranks on other nodes are sent messages. An array that is source and destination is
// copied first.
#include <cstring>
#include <memory>
#include <optional>
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

class OnNodeDirect final : public Movement {
public:
    explicit OnNodeDirect(const Task& task)
        : receive_(task.receive), send_bytes_(static_cast<std::size_t>(task.send_extent())) {
        const auto* source = task.send;
        mpi::agree(task.own, [&] {  // memory may be lacking on one rank alone
            if (task.in_place() && send_bytes_ > 0) {
                copy_.emplace(send_bytes_);
                source = copy_->bytes().data();
            }
        });
        exchange_.emplace(route_of(task), task.comm,
                          std::vector<transport::Field>{{.source = source,
                                                         .source_bytes = task.send_extent(),
                                                         .destination = task.receive,
                                                         .destination_bytes = task.receive_extent(),
                                                         .unit_bytes = 1}},
                          exchange::Options{});
    }

    void start() override {
        if (copy_) {
            std::memcpy(copy_->bytes().data(), receive_, send_bytes_);
        }
        exchange_->start();
    }
    bool test() override { return exchange_->test(); }
    bool wait_for(double seconds) override { return exchange_->wait_for(seconds); }

private:
    std::byte* receive_;
    std::size_t send_bytes_;
    std::optional<memory::SharedSegment> copy_;
    std::optional<exchange::Exchange> exchange_;
};

}  // namespace

std::unique_ptr<Movement> on_node_direct(const Task& task) {
    return std::make_unique<OnNodeDirect>(task);
}

}  // namespace transrank::collective
