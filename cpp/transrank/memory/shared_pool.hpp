// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "transrank/memory/shared_segment.hpp"

namespace transrank::memory {

/// How another process of this node finds a block. Plain data, to be sent by MPI.
struct BlockHandle {
    SegmentHandle segment;
    std::uint64_t offset = 0;

    [[nodiscard]] bool is_shared() const noexcept { return segment.is_shared(); }
};

/// Shared memory for objects of which there may be thousands: cut from segments that this process
/// keeps, so that a block costs neither a descriptor nor a mapping of its own. The owner lets go of
/// it without communication; the memory is used again when no process holds it any more.
class SharedBlock {
public:
    /// Aligned to a cache line, not cleared. Throws std::system_error.
    explicit SharedBlock(std::size_t bytes);
    SharedBlock(const SharedBlock&) = delete;
    SharedBlock& operator=(const SharedBlock&) = delete;
    ~SharedBlock();

    [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }
    [[nodiscard]] const BlockHandle& handle() const noexcept { return handle_; }

private:
    BlockHandle handle_;
    std::span<std::byte> bytes_;
};

/// Another process's block in this process's memory. To be made while the owner still holds the
/// block.
class MappedBlock {
public:
    /// Throws as MappedSegment.
    explicit MappedBlock(const BlockHandle& handle);
    MappedBlock(const MappedBlock&) = delete;
    MappedBlock& operator=(const MappedBlock&) = delete;
    ~MappedBlock();

    [[nodiscard]] std::byte* data() const noexcept { return data_; }

private:
    std::shared_ptr<MappedSegment> segment_;
    std::atomic<std::uint32_t>* holders_;
    std::byte* data_;
};

}  // namespace transrank::memory
