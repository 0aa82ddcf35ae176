// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "transrank/copy/field.hpp"
#include "transrank/layout/rows.hpp"

namespace transrank::array {

/// The rows of a distributed array that one rank holds, whatever the type of their elements: where
/// the rows lie, and in which memory.
class RowArray {
public:
    /// Makes an array without rows. Each element has `element_bytes` bytes, and consists of numbers
    /// of type `scalar`. Throws nothing.
    RowArray(std::int64_t element_bytes, copy::Scalar scalar)
        : element_bytes_(element_bytes), scalar_(scalar) {}
    RowArray(const RowArray&) = default;
    RowArray& operator=(const RowArray&) = default;
    /// Takes over the rows and the memory of `other`, which then has neither.
    RowArray(RowArray&& other) noexcept : RowArray(other.element_bytes_, other.scalar_) {
        *this = std::move(other);
    }
    RowArray& operator=(RowArray&& other) noexcept {
        element_bytes_ = other.element_bytes_;
        scalar_ = other.scalar_;
        rows_ = std::exchange(other.rows_, {});
        bytes_ = std::exchange(other.bytes_, {});
        memory_ = std::exchange(other.memory_, {});
        description_ = std::exchange(other.description_, {});
        return *this;
    }
    ~RowArray() = default;

    /// Replaces the `rows` and their memory: `bytes` are all elements, and `memory` owns them.
    /// `description` says what rows must have in common on all ranks, such as "4 elements". Throws
    /// nothing.
    void adopt(layout::Rows rows, std::span<std::byte> bytes, std::shared_ptr<void> memory,
               std::string description) {
        rows_ = std::move(rows);
        bytes_ = bytes;
        memory_ = std::move(memory);
        description_ = std::move(description);
    }

    /// The number of rows.
    [[nodiscard]] std::int64_t size() const noexcept { return rows_.rows(); }
    /// Whether the array has memory, even if it has no rows: false before `adopt` and after the
    /// array has been moved from.
    [[nodiscard]] bool is_there() const noexcept { return !description_.empty(); }
    /// rows() says where the rows lie; bytes() are the bytes of all elements.
    [[nodiscard]] const layout::Rows& rows() const noexcept { return rows_; }
    [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }
    /// The owner of this array's memory. It changes when the array is resized.
    [[nodiscard]] const std::shared_ptr<void>& memory() const noexcept { return memory_; }

    [[nodiscard]] const std::string& description() const noexcept { return description_; }
    [[nodiscard]] std::int64_t element_bytes() const noexcept { return element_bytes_; }
    [[nodiscard]] copy::Scalar scalar() const noexcept { return scalar_; }

private:
    std::int64_t element_bytes_;
    copy::Scalar scalar_;
    layout::Rows rows_ = layout::Rows::fixed(0, 0);
    std::span<std::byte> bytes_;
    std::shared_ptr<void> memory_;
    std::string description_;
};

}  // namespace transrank::array
