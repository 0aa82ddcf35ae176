// SPDX-License-Identifier: BSD-3-Clause
// An exchange along the route of the alltoall. Where the arrays that are sent from lie in memory
// that transrank has allocated each rank pulls its column straight from them, elsewhere through a
// double buffer; ranks on other nodes are sent messages. An array that is source and destination is
// copied first.
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "transrank/collective/method.hpp"
#include "transrank/exchange/route_backend.hpp"
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

using Segment = std::shared_ptr<memory::SharedSegment>;

// `copy`: where an array is sent from that is source and destination.
copy::Field field_of(const Arrays& arrays, const Segment& copy) {
    auto field = arrays.field();
    if (copy) {
        field.source = copy->bytes().data();
        field.keep_alive =
            std::make_shared<std::pair<Segment, std::shared_ptr<void>>>(copy, field.keep_alive);
    }
    return field;
}

exchange::Options options_of(const Arrays& arrays) {
    exchange::Options options;
    options.any_memory = arrays.any_memory();
    return options;
}

class OnNodeDirect final : public exchange::RouteBackend {
public:
    OnNodeDirect(const Task& task, const std::shared_ptr<const route::Route>& route, Segment copy)
        : RouteBackend(
              task.comm,
              [&] {
                  return exchange::Parts{.route = route, .fields = {field_of(*task.arrays, copy)}};
              },
              options_of(*task.arrays)),
          arrays_(task.arrays),
          copy_(std::move(copy)) {}

    void take(std::optional<std::span<const copy::Field>> given) override {
        arrays_->take(given);
        if (arrays_->any_memory()) {
            RouteBackend::take(std::array{field_of(*arrays_, copy_)});
        }
    }
    void begin_epoch() noexcept override {
        if (copy_) {
            std::memcpy(copy_->bytes().data(), arrays_->receive(), copy_->bytes().size());
        }
        RouteBackend::begin_epoch();
    }
    [[nodiscard]] std::string explain() const override {
        return "alltoall by " + std::string(direct_name) + "\n" + RouteBackend::explain();
    }

private:
    std::shared_ptr<Arrays> arrays_;
    Segment copy_;
};

}  // namespace

Backend on_node_direct(const Task& task) {
    Segment copy;
    mpi::agree(task.own, [&] {  // memory may be lacking on one rank alone
        if (task.arrays->in_place() && task.blocks.send_extent() > 0) {
            copy = std::make_shared<memory::SharedSegment>(
                static_cast<std::size_t>(task.blocks.send_extent()));
        }
    });
    return std::make_unique<OnNodeDirect>(
        task, std::make_shared<const route::Route>(route_of(task)), std::move(copy));
}

}  // namespace transrank::collective
