// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lab/measure/operation.hpp"
#include "lab/study/locality/assignment.hpp"
#include "transrank/memory/shared_segment.hpp"
#include "transrank/mpi/communicator.hpp"

namespace transrank::lab::study::locality {

/// Work on memory that a rank of the same node has touched first. What remains for a kernel is the
/// work itself, on the doubles of data().
class PlacedOperation : public measure::Operation {
public:
    /// Collective over `comm`; every rank has `count` doubles and sits on `seat` of its node.
    /// Throws mpi::AgreedError where the arrangement cannot be had (see assign), or memory is
    /// refused.
    PlacedOperation(const mpi::Communicator& comm, const Seat& seat, const std::string& arrangement,
                    std::size_t count);

    /// Who touched first, which domain computes, and where the pages are as the kernel says.
    void describe(text::JsonWriter& json) final;

protected:
    /// The memory to work on. Only this rank does, until the next collective call.
    [[nodiscard]] std::span<double> data() const noexcept { return data_; }
    [[nodiscard]] int rank() const noexcept { return comm_.rank(); }
    /// More members of the case's line.
    virtual void describe_kernel(text::JsonWriter& /*json*/) const {}

private:
    const mpi::Communicator& comm_;
    mpi::Communicator node_;
    std::vector<Seat> seats_;  ///< of the ranks of this node
    int toucher_ = 0;          ///< rank of `node_` that touched data() first
    std::shared_ptr<memory::SharedSegment> own_;
    std::shared_ptr<memory::MappedSegment> used_;
    std::span<double> data_;
};

/// Where this rank sits: by the CPUs that it may use. Throws std::invalid_argument when these lie
/// in several memory domains.
[[nodiscard]] Seat own_seat();

}  // namespace transrank::lab::study::locality
