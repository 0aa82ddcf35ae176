// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <sys/types.h>

namespace transrank::memory {

/// How another process of this node finds a segment of shared memory. Plain data, which MPI can
/// send.
struct SegmentHandle {
    std::int64_t process = 0;  ///< ID of the owner in its process namespace
    std::int64_t descriptor = -1;
    std::uint64_t device = 0;  ///< identifies the segment together with `inode`
    std::uint64_t inode = 0;
    std::uint64_t bytes = 0;

    /// Whether the handle refers to a segment.
    [[nodiscard]] bool is_shared() const noexcept { return descriptor >= 0; }
};

/// Copies the first bytes of the segment of `handle` into `begin`, without mapping it. Throws
/// std::system_error if they cannot be read, and std::runtime_error if the handle leads to
/// something else.
void read_segment(const SegmentHandle& handle, std::span<std::byte> begin);

/// Whether the process in `handle` no longer holds the segment; false if this cannot be determined.
/// Opens no descriptor, and throws nothing.
[[nodiscard]] bool is_gone(const SegmentHandle& handle);

/// A segment, of this process or another, that is mapped into this process's memory.
class MappedSegment {
public:
    /// Maps the segment of `handle`. Throws std::system_error if the segment cannot be opened or
    /// mapped, and std::runtime_error if the handle leads to something else (because the owner is
    /// gone, or lives in another process namespace).
    explicit MappedSegment(const SegmentHandle& handle);
    /// Maps a segment of this process, with `bytes` bytes and the file `descriptor`. On success,
    /// the object owns the descriptor. Throws std::system_error if the segment cannot be mapped.
    MappedSegment(int descriptor, std::size_t bytes);
    MappedSegment(const MappedSegment&) = delete;
    MappedSegment& operator=(const MappedSegment&) = delete;
    ~MappedSegment();

    [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

    /// Returns this process's mapping of the segment of `handle`, and makes one if there is none.
    /// Throws std::system_error and std::runtime_error as the constructor does.
    [[nodiscard]] static std::shared_ptr<MappedSegment> get(const SegmentHandle& handle);
    /// Returns a mapping of the segment of `handle` as `get` does, but keeps it for later calls
    /// even if nobody uses it any more. Use it for segments that their owner keeps as long as it
    /// lives. Throws std::system_error and std::runtime_error as the constructor does.
    [[nodiscard]] static std::shared_ptr<MappedSegment> keep(const SegmentHandle& handle);

    /// To be called in a child of fork: from then on, no other process sees what the child writes.
    void part_from_parent() noexcept;

private:
    std::span<std::byte> bytes_;
    int descriptor_ = -1;  ///< of a segment of this process
};

/// Memory that other processes of this node can map. It has no name in any file system, so nothing
/// is left behind however its owner ends, and it does not count against the size of /dev/shm. The
/// owner frees it without communication; mappings in other processes stay valid.
///
/// A child of fork has the memory at the same address. A page to which the child writes becomes its
/// own; pages to which it has not written may also show what the parent, or a peer, writes later.
class SharedSegment {
public:
    /// Allocates `bytes` bytes, zeroed and page-aligned. Throws std::system_error if they cannot be
    /// allocated.
    explicit SharedSegment(std::size_t bytes);
    SharedSegment(const SharedSegment&) = delete;
    SharedSegment& operator=(const SharedSegment&) = delete;
    ~SharedSegment();

    [[nodiscard]] std::span<std::byte> bytes() const noexcept { return mapping_->bytes(); }
    [[nodiscard]] const SegmentHandle& handle() const noexcept { return handle_; }

    /// Where an address lies: in which segment, and how many bytes after its start.
    struct Place {
        SegmentHandle handle;
        std::size_t offset;
    };
    /// Returns the place of the `bytes` bytes at `address`, or nothing if no living segment of this
    /// process holds them. Throws nothing.
    [[nodiscard]] static std::optional<Place> find(const std::byte* address, std::size_t bytes);

    /// Makes sure that a later fork leaves the segments in order in the parent and the child.
    /// Throws nothing.
    static void prepare_for_fork();

private:
    SegmentHandle handle_;
    std::shared_ptr<MappedSegment> mapping_;
};

}  // namespace transrank::memory
