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
/// If not (a container may forbid memfd_create, descriptors may be used up), it is private, and
/// serves like memory of the user's own. There may be as many small arrays as there is memory for:
/// they share segments.
class ArrayMemory {
public:
    /// So many `bytes`, zeroed, page-aligned. Throws std::system_error when there is no memory of
    /// either kind, and for more than this process could have if it had the machine for itself.
    explicit ArrayMemory(std::size_t bytes);
    ArrayMemory(const ArrayMemory&) = delete;
    ArrayMemory& operator=(const ArrayMemory&) = delete;
    ~ArrayMemory();

    [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }
    [[nodiscard]] bool is_shared() const noexcept { return block_ || segment_; }

    /// How many arrays of this process have become private since shared memory was refused, and why
    /// the last of them did: lines of text, if any. Throws nothing.
    [[nodiscard]] static std::string refusals();

private:
    std::unique_ptr<SharedBlock> block_;      ///< of a small array
    std::unique_ptr<SharedSegment> segment_;  ///< of another one
    std::span<std::byte> bytes_;
};

}  // namespace transrank::memory
