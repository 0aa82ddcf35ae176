// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/copy/transposed_runs.hpp"

namespace transrank::copy {
namespace {

using route::Loop;

constexpr std::int64_t line_bytes = 64;
// Longer runs fill lines by themselves.
constexpr std::int64_t longest_run_bytes = 2 * line_bytes;

/// Whether all strides are forward and no two runs have a place of the destination in common.
bool is_injective(std::vector<Loop> loops, std::int64_t length) {
    std::ranges::sort(loops, {}, &Loop::destination_stride);
    for (const auto& loop : loops) {
        if (loop.source_stride <= 0 || loop.destination_stride < length) {
            return false;
        }
        length += (loop.count - 1) * loop.destination_stride;
    }
    return true;
}

Loop in_bytes(Loop loop, std::int64_t unit_bytes) {
    loop.source_stride *= unit_bytes;
    loop.destination_stride *= unit_bytes;
    return loop;
}

}  // namespace

std::optional<Planes> planes_of(const route::Segment& segment) {
    const auto loops = segment.loops();
    const auto row = std::ranges::min_element(loops, {}, &Loop::destination_stride);
    const auto column = std::ranges::min_element(loops, {}, &Loop::source_stride);
    if (row == column || !is_injective(loops, segment.length)) {
        return std::nullopt;
    }
    Planes planes{.row = *row, .column = *column, .outer = {}};
    for (auto loop = loops.begin(); loop != loops.end(); ++loop) {
        if (loop != row && loop != column) {
            planes.outer.push_back(*loop);
        }
    }
    return planes;
}

bool pays_to_turn(const Planes& planes, std::int64_t run_bytes) {
    return run_bytes < longest_run_bytes && run_bytes * planes.row.count >= line_bytes;
}

TransposedRuns::TransposedRuns(const route::Segment& segment, const Planes& planes,
                               std::int64_t unit_bytes)
    : length_(segment.length * unit_bytes),
      source_(segment.source * unit_bytes),
      destination_(segment.destination * unit_bytes),
      units_(in_bytes(planes.row, unit_bytes)),
      rows_(in_bytes(planes.column, unit_bytes)) {
    for (const auto& loop : planes.outer) {
        outer_.push_back(in_bytes(loop, unit_bytes));
    }
    // Blocks of whole lines of both sides, which together stay in a cache.
    block_rows_ = std::max<std::int64_t>(1, 4 * line_bytes / rows_.source_stride);
    block_units_ = std::max<std::int64_t>(1, 16 * line_bytes / units_.destination_stride);
    if (units_.destination_stride == length_ && rows_.source_stride == length_) {
        kernel_ = tile_kernel(length_);
    }
}

void TransposedRuns::copy(const std::byte* source, std::byte* destination) const {
    copy_planes(kernel_ == nullptr ? nullptr : kernel_->temporal, source, destination);
}

void TransposedRuns::stream(const std::byte* source, std::byte* destination) const {
    const bool past_caches = kernel_ != nullptr && kernel_->streaming != nullptr;
    if (past_caches) {
        copy_planes(kernel_->streaming, source, destination);
    } else {
        copy(source, destination);
    }
}

void TransposedRuns::copy_planes(PlaneCopy plane_copy, const std::byte* source,
                                 std::byte* destination) const {
    if (plane_copy == nullptr) {
        for_each([&](const ByteRuns& runs) { copy_runs(runs, source, destination); });
        return;
    }
    for_each_step(outer_, source_, destination_, [&](std::int64_t from, std::int64_t to) {
        plane_copy(destination + to, rows_.destination_stride, source + from, units_.source_stride,
                   units_.count, rows_.count);
    });
}

}  // namespace transrank::copy
