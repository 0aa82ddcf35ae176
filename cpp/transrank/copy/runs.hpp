// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "transrank/copy/field.hpp"
#include "transrank/route/segment.hpp"

namespace transrank::copy {

/// destination = destination (op) source, over `bytes` bytes of scalars; assign copies.
using Combine = void (*)(std::byte* destination, const std::byte* source, std::size_t bytes);

/// The combining kernel; throws std::invalid_argument when opaque units are to be combined.
[[nodiscard]] Combine combine_kernel(Operation operation, Scalar scalar);

/// A row of a segment in bytes: where its runs lie from two bases on.
using ByteRuns = route::Row;

[[nodiscard]] inline ByteRuns in_bytes(const route::Row& row, std::int64_t unit_bytes) {
    return {.source = row.source * unit_bytes,
            .destination = row.destination * unit_bytes,
            .length = row.length * unit_bytes,
            .count = row.count,
            .source_stride = row.source_stride * unit_bytes,
            .destination_stride = row.destination_stride * unit_bytes};
}

/// Copies every run from `source` to `destination`. Short runs of equal length, the case that
/// decides about a ghost update, are copied by code made for their length.
void copy_runs(const ByteRuns& runs, const std::byte* source, std::byte* destination);

/// The same past the caches, where there are stores that do so and runs long enough for them.
/// Completion must not be published to other ranks before end_streaming().
void stream_runs(const ByteRuns& runs, const std::byte* source, std::byte* destination);

/// As copy_runs, with a combining kernel.
void combine_runs(const ByteRuns& runs, const std::byte* source, std::byte* destination,
                  Combine combine);

}  // namespace transrank::copy
