// SPDX-License-Identifier: BSD-3-Clause
// Every kernel moves the units of its plane and nothing beside them.
#include "transrank/copy/tile_kernels.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "transrank/copy/copy_kernels.hpp"

using namespace transrank::copy;

namespace {

using Bytes = std::vector<std::byte>;

struct Plane {
    std::int64_t unit_bytes;
    std::int64_t row_units;
    std::int64_t rows;
    std::int64_t gap;    ///< behind rows and columns
    std::int64_t begin;  ///< where the first unit is, from a line on

    [[nodiscard]] std::int64_t to_stride() const { return (row_units * unit_bytes) + gap; }
    [[nodiscard]] std::int64_t from_stride() const { return (rows * unit_bytes) + gap; }
};

constexpr std::int64_t line_bytes = 64;

/// The first byte of a buffer at a cache line.
std::byte* at_line(Bytes& bytes) {
    const auto past = reinterpret_cast<std::uintptr_t>(bytes.data()) % line_bytes;
    return bytes.data() + ((line_bytes - past) % line_bytes);
}

bool moves_units(PlaneCopy copy, const Plane& plane) {
    Bytes source(static_cast<std::size_t>(plane.row_units * plane.from_stride()));
    for (std::size_t i = 0; i < source.size(); ++i) {
        source[i] = static_cast<std::byte>(i * 37 % 251);
    }
    const auto size =
        static_cast<std::size_t>(plane.begin + (plane.rows * plane.to_stride()) + (2 * line_bytes));
    Bytes found(size, std::byte{255});
    Bytes expected(size, std::byte{255});
    auto* const to = at_line(found) + plane.begin;
    auto* const right = expected.data() + (to - found.data());
    for (std::int64_t row = 0; row < plane.rows; ++row) {
        for (std::int64_t unit = 0; unit < plane.row_units; ++unit) {
            std::copy_n(source.data() + (unit * plane.from_stride()) + (row * plane.unit_bytes),
                        plane.unit_bytes,
                        right + (row * plane.to_stride()) + (unit * plane.unit_bytes));
        }
    }
    copy(to, plane.to_stride(), source.data(), plane.from_stride(), plane.row_units, plane.rows);
    end_streaming();
    return found == expected;
}

}  // namespace

TEST_CASE("planes of every size and place are turned, into the caches and past them") {
    for (const auto& kernel : tile_kernels()) {
        CAPTURE(name(kernel.instruction_set));
        CAPTURE(kernel.unit_bytes);
        for (const std::int64_t row_units : {1, 7, 8, 31, 64, 67, 200}) {
            for (const std::int64_t rows : {1, 3, 8, 16, 61, 64, 130}) {
                for (const std::int64_t gap : {0, 8, 64}) {
                    for (const std::int64_t begin : {0, 3, 32}) {
                        const Plane plane{.unit_bytes = kernel.unit_bytes,
                                          .row_units = row_units,
                                          .rows = rows,
                                          .gap = gap,
                                          .begin = begin};
                        CAPTURE(row_units);
                        CAPTURE(rows);
                        CHECK(moves_units(kernel.temporal, plane));
                        if (kernel.streaming != nullptr) {
                            CHECK(moves_units(kernel.streaming, plane));
                        }
                    }
                }
            }
        }
    }
}

TEST_CASE("units of which no whole number fills a line have no kernel") {
    CHECK(tile_kernel(8) != nullptr);
    CHECK(tile_kernel(24) == nullptr);
    CHECK(tile_kernel(128) == nullptr);
}
