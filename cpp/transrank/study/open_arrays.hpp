// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "transrank/memory/shared_segment.hpp"
#include "transrank/mpi/communicator.hpp"
#include "transrank/route/route.hpp"
#include "transrank/transport/control_block.hpp"

namespace transrank::study {

/// An array of each rank's that its peers read where it lies, and two counters by which ranks tell
/// each other when they may: what a program with shared memory of its own does.
class OpenArrays {
public:
    /// Collective. Opens `own`, which lies in memory that node-mates can map, to the peers of
    /// `route`. Throws mpi::AgreedError where a peer cannot map it.
    OpenArrays(const mpi::Communicator& comm, const route::Route& route,
               std::span<const std::byte> own);

    /// The array of a rank that the route receives from.
    [[nodiscard]] std::span<const std::byte> of(int sender) const { return arrays_.at(sender); }

    /// This rank's array may be read for the `epoch`-th time.
    void publish_ready(std::uint64_t epoch) { own_->ready.publish(epoch); }
    /// This rank has read what it receives for the `epoch`-th time.
    void publish_read(std::uint64_t epoch) { own_->read.publish(epoch); }
    /// Until the other one's array may be read, as often as that; at once for this rank itself.
    void await_ready(int sender, std::uint64_t epoch) const;
    /// Until no peer reads this rank's array any more, as often as that.
    void await_readers(std::uint64_t epoch) const;

private:
    struct Flags {
        transport::Flag ready;
        transport::Flag read;
    };
    struct Told;

    [[nodiscard]] Told tell(std::span<const std::byte> own);
    void connect(const route::Route& route, std::span<const Told> all);
    [[nodiscard]] const std::byte* map(const memory::SegmentHandle& handle);
    [[nodiscard]] const Flags& flags_of(const Told& told);
    static void await(const transport::Flag& flag, std::uint64_t epoch);

    std::unique_ptr<memory::SharedSegment> segment_;
    Flags* own_ = nullptr;
    std::vector<std::shared_ptr<memory::MappedSegment>> mappings_;
    std::map<int, std::span<const std::byte>> arrays_;
    std::map<int, const Flags*> senders_;
    std::vector<const Flags*> readers_;
};

}  // namespace transrank::study
