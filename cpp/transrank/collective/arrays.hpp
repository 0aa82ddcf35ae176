// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "transrank/collective/plan.hpp"
#include "transrank/copy/field.hpp"

namespace transrank::collective {

/// The arrays of an alltoall on one rank: those that it is bound to or, with any memory, those that
/// the last start was given. MPI may use them as long as this lives.
class Arrays {
public:
    /// Throws std::invalid_argument where these cannot be moved.
    Arrays(int rank, const void* send, void* receive, const Blocks& blocks, bool any_memory,
           std::shared_ptr<void> keep_alive);

    [[nodiscard]] const std::byte* send() const noexcept { return field_.source; }
    [[nodiscard]] std::byte* receive() const noexcept { return field_.destination; }
    /// As a field of bytes, which holds all blocks.
    [[nodiscard]] const copy::Field& field() const noexcept { return field_; }
    [[nodiscard]] bool in_place() const noexcept { return in_place_; }
    [[nodiscard]] bool any_memory() const noexcept { return any_memory_; }

    /// Takes the arrays of a start: of a field the addresses, the lengths and the owner. Throws
    /// std::invalid_argument, and changes nothing, where they cannot be moved.
    void take(std::optional<std::span<const copy::Field>> given);

private:
    void check(const copy::Field& field) const;

    int rank_;
    bool any_memory_;
    bool in_place_;
    copy::Field field_;
};

}  // namespace transrank::collective
