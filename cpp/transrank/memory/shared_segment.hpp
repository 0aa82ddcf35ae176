// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <sys/types.h>

namespace transrank::memory {

/// How another process of this node finds a segment. Plain data, to be sent by MPI.
struct SegmentHandle {
    std::int64_t process = 0;  ///< of the owner, in its own process namespace
    std::int64_t descriptor = -1;
    std::uint64_t device = 0;  ///< with `inode`: what was opened must be what was meant
    std::uint64_t inode = 0;
    std::uint64_t bytes = 0;

    /// Whether it stands for a segment at all.
    [[nodiscard]] bool is_shared() const noexcept { return descriptor >= 0; }
};

/// The first bytes of another process's segment into `begin`, without mapping it. Throws
/// std::system_error and std::runtime_error as MappedSegment.
void read_segment(const SegmentHandle& handle, std::span<std::byte> begin);

/// Whether that process no longer holds the segment; false where that cannot be found out. Takes no
/// descriptor, and throws nothing.
[[nodiscard]] bool is_gone(const SegmentHandle& handle);

/// A segment, of this process or of another one, in this process's memory.
class MappedSegment {
public:
    /// Throws std::system_error when it cannot be opened, std::runtime_error when what the handle
    /// leads to is not the segment it means (the owner is gone, or lives in another namespace).
    explicit MappedSegment(const SegmentHandle& handle);
    /// One of this process, of so many `bytes`; takes the descriptor over when it succeeds. Throws
    /// std::system_error.
    MappedSegment(int descriptor, std::size_t bytes);
    MappedSegment(const MappedSegment&) = delete;
    MappedSegment& operator=(const MappedSegment&) = delete;
    ~MappedSegment();

    [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

    /// The mapping that this process already has of the segment, or a new one. Throws
    /// std::system_error and std::runtime_error as the constructor.
    [[nodiscard]] static std::shared_ptr<MappedSegment> get(const SegmentHandle& handle);
    /// The same, but the mapping stays when nobody uses it any more, for the next call. For
    /// segments that their owner keeps as long as it lives. Throws std::system_error and
    /// std::runtime_error as the constructor.
    [[nodiscard]] static std::shared_ptr<MappedSegment> keep(const SegmentHandle& handle);

    /// For a child of fork: from here on nobody else sees what it writes.
    void part_from_parent() noexcept;

private:
    std::span<std::byte> bytes_;
    int descriptor_ = -1;  ///< of a segment of this process
};

/// Memory that other processes of this node can map. It has no name in any file system, so nothing
/// is left behind however its owner ends, and it does not count against the size of /dev/shm. The
/// owner frees it without communication; mappings of others live on by themselves.
///
/// A child of fork has the memory at the same address. What it writes is its own, page by page;
/// pages that it has not written may also show what the parent, or a peer, writes later.
class SharedSegment {
public:
    /// Zeroed, page-aligned. Throws std::system_error.
    explicit SharedSegment(std::size_t bytes);
    SharedSegment(const SharedSegment&) = delete;
    SharedSegment& operator=(const SharedSegment&) = delete;
    ~SharedSegment();

    [[nodiscard]] std::span<std::byte> bytes() const noexcept { return mapping_->bytes(); }
    [[nodiscard]] const SegmentHandle& handle() const noexcept { return handle_; }

    /// Where an address lies.
    struct Place {
        SegmentHandle handle;
        std::size_t offset;
    };
    /// The living segment of this process that holds so many `bytes` from `address` on. Throws
    /// nothing.
    [[nodiscard]] static std::optional<Place> find(const std::byte* address, std::size_t bytes);

    /// Makes sure that a fork finds the segments in order. Throws nothing.
    static void prepare_for_fork();

private:
    SegmentHandle handle_;
    std::shared_ptr<MappedSegment> mapping_;
};

}  // namespace transrank::memory
