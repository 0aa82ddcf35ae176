// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "transrank/memory/doorbell.hpp"
#include "transrank/memory/shared_segment.hpp"
#include "transrank/memory/watched_process.hpp"

namespace transrank::memory {

/// An environment variable: with the value 0 no process copies from the private memory of this one,
/// nor this one from theirs.
inline constexpr auto kernel_copy_variable = "TRANSRANK_KERNEL_COPY";

/// Another process of this node whose memory this one can read. As long as the two have nothing to
/// do with each other it costs neither a mapping nor a descriptor.
class NodeMate {
public:
    /// How a process is found by the others. Plain data, to be sent by MPI.
    struct Address {
        SegmentHandle segment;
        /// Chosen at random: device and inode of a file may coincide by accident where one host
        /// name stands for several machines, and then somebody else's memory would be read.
        std::uint64_t nonce = 0;
        std::uint64_t nonce_at = 0;  ///< where it lies in that process's memory
    };

    /// The address of this process. Its segment is empty where shared memory cannot be had: then
    /// nobody can share memory with it.
    [[nodiscard]] static Address own();

    /// The one that is there already, or a new one. Throws as MappedSegment where the memory of
    /// that process cannot be read.
    [[nodiscard]] static std::shared_ptr<NodeMate> get(const Address& address);

    explicit NodeMate(const Address& address);
    NodeMate(const NodeMate&) = delete;
    NodeMate& operator=(const NodeMate&) = delete;

    /// Its doorbell. The first call maps it, and watches the process from then on. Throws as
    /// MappedSegment.
    [[nodiscard]] Doorbell& doorbell();

    /// The process, once its doorbell has been asked for; until then nullptr.
    [[nodiscard]] const WatchedProcess* process() const;

    /// Why this process may not copy from the private memory of that one, found by trying; empty
    /// if it may.
    [[nodiscard]] std::string reason_against_reading() const;

    [[nodiscard]] bool has_ended() const;
    /// Whether it has ended or has begun to finalize MPI.
    [[nodiscard]] bool has_left() const;

private:
    Address address_;
    mutable std::mutex mutex_;                 ///< of what the first call for the doorbell sets
    std::shared_ptr<WatchedProcess> process_;  ///< with `mapping_`
    std::shared_ptr<MappedSegment> mapping_;
};

/// This process's doorbell.
[[nodiscard]] Doorbell& own_doorbell();

}  // namespace transrank::memory
