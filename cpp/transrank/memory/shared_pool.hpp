// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "transrank/memory/shared_segment.hpp"

namespace transrank::memory {

/// How another process of this node finds a block, or a whole segment that was not cut into any.
/// Plain data, to be sent by MPI.
struct BlockHandle {
    static constexpr auto whole = ~std::uint64_t{0};

    SegmentHandle segment;
    std::uint64_t offset = 0;   ///< or `whole`
    std::uint64_t lasting = 0;  ///< 1: the owner keeps the segment as long as it lives

    [[nodiscard]] bool is_shared() const noexcept { return segment.is_shared(); }
};

/// Where the memory of a block begins, and what it holds.
enum class BlockKind : std::uint8_t {
    lines,  ///< at a cache line; anything
    pages,  ///< at a page; zeros
};

/// Shared memory for objects of which there may be thousands: cut from segments that this process
/// keeps, so that a block costs neither a descriptor nor a mapping of its own. The owner lets go of
/// it without communication; the memory is used again when no process holds it any more.
class SharedBlock {
public:
    /// Throws std::system_error.
    explicit SharedBlock(std::size_t bytes, BlockKind kind = BlockKind::lines);
    SharedBlock(const SharedBlock&) = delete;
    SharedBlock& operator=(const SharedBlock&) = delete;
    ~SharedBlock();

    [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }
    [[nodiscard]] const BlockHandle& handle() const noexcept { return handle_; }

    /// The living memory of this process that holds `bytes` bytes from `address` on, a block or
    /// else a whole segment, and where in it.
    struct Place {
        BlockHandle handle;
        std::size_t offset;
    };
    [[nodiscard]] static std::optional<Place> find(const std::byte* address, std::size_t bytes);

private:
    BlockKind kind_;
    BlockHandle handle_;
    std::span<std::byte> bytes_;
};

/// Another process's block, or whole segment, in this process's memory. To be made while the owner
/// still holds it.
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
    std::atomic<std::uint32_t>* holders_ = nullptr;  ///< none of a whole segment
    std::byte* data_;
};

}  // namespace transrank::memory
