// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "transrank/memory/shared_pool.hpp"
#include "transrank/memory/shared_segment.hpp"

namespace transrank::memory {

/// Memory for an array. Other processes of this node can map it if the system allows shared memory.
/// Otherwise (a container may forbid memfd_create, or descriptors may be used up), the memory is
/// private, and works like memory that the user allocates. Small arrays share segments, so there
/// may be as many as fit in memory.
class ArrayMemory {
public:
    /// Allocates `bytes` bytes, zeroed and page-aligned. Throws std::system_error if neither shared
    /// nor private memory can be allocated, or if `bytes` is more than the process could ever have,
    /// even if nothing else ran on the machine.
    explicit ArrayMemory(std::size_t bytes);
    ArrayMemory(const ArrayMemory&) = delete;
    ArrayMemory& operator=(const ArrayMemory&) = delete;
    ~ArrayMemory();

    [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }
    [[nodiscard]] bool is_shared() const noexcept { return block_ || segment_; }

    /// A text that says how many arrays of this process became private because shared memory was
    /// refused, and why it was refused last; empty if there are no such arrays. Throws nothing.
    [[nodiscard]] static std::string refusals();

private:
    std::unique_ptr<SharedBlock> block_;      ///< of a small array
    std::unique_ptr<SharedSegment> segment_;  ///< of a larger array
    std::span<std::byte> bytes_;
};

}  // namespace transrank::memory
