// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/copy/nest.hpp"

#include <algorithm>

namespace transrank::copy {
namespace {

using route::Loop;
using route::Segment;

constexpr std::int64_t line_bytes = 64;
// Longer runs fill lines by themselves.
constexpr std::int64_t longest_run_bytes = 2 * line_bytes;

/// How the first `block` segments are repeated behind themselves: a loop of count 1 if they are
/// not.
Loop repetition(std::span<const Segment> segments, std::size_t block) {
    Loop loop;
    if (segments.size() < 2 * block) {
        return loop;
    }
    loop.source_stride = segments[block].source - segments[0].source;
    loop.destination_stride = segments[block].destination - segments[0].destination;
    const auto continues = [&](std::size_t begin) {
        for (std::size_t i = begin; i < begin + block; ++i) {
            const auto& before = segments[i - block];
            const auto& here = segments[i];
            if (!same_runs(before, here) || here.source - before.source != loop.source_stride ||
                here.destination - before.destination != loop.destination_stride) {
                return false;
            }
        }
        return true;
    };
    for (std::size_t at = block; at + block <= segments.size() && continues(at); at += block) {
        ++loop.count;
    }
    return loop;
}

/// Whether all strides are forward and no two runs have a place of the destination in common.
bool is_injective(const Nest& nest) {
    auto sorted = nest.loops;
    const auto loops = std::span(sorted).first(nest.depth);
    std::ranges::sort(loops, {}, &Loop::destination_stride);
    auto extent = nest.length;
    for (const auto& loop : loops) {
        if (loop.source_stride <= 0 || loop.destination_stride < extent) {
            return false;
        }
        extent += (loop.count - 1) * loop.destination_stride;
    }
    return true;
}

}  // namespace

bool Nest::is_transposed() const {
    return depth > 1 && fastest(&Loop::source_stride) != fastest(&Loop::destination_stride) &&
           is_injective(*this);
}

std::size_t Nest::fastest(std::int64_t Loop::* stride) const {
    return static_cast<std::size_t>(std::ranges::min_element(used(), {}, stride) - used().begin());
}

std::int64_t Nest::units() const noexcept {
    auto units = length;
    for (const auto& loop : used()) {
        units *= loop.count;
    }
    return units;
}

Nest leading_nest(std::span<const Segment> segments) {
    const auto& first = segments.front();
    Nest nest{.segments = 1,
              .length = first.length,
              .source = first.source,
              .destination = first.destination,
              .loops = {{{.count = first.count,
                          .source_stride = first.source_stride,
                          .destination_stride = first.destination_stride}}},
              .depth = 1};
    for (auto loop = repetition(segments, 1); loop.count > 1 && nest.depth < Nest::most_loops;
         loop = repetition(segments, nest.segments)) {
        nest.loops[nest.depth] = loop;
        ++nest.depth;
        nest.segments *= static_cast<std::size_t>(loop.count);
    }
    if (nest.segments == 2 && !nest.is_transposed()) {
        nest.segments = nest.depth = 1;  // any two are one: the second may begin a longer one
    }
    return nest;
}

Nest in_bytes(Nest nest, std::int64_t unit_bytes) {
    nest.length *= unit_bytes;
    nest.source *= unit_bytes;
    nest.destination *= unit_bytes;
    for (auto& loop : nest.loops) {  // of those beyond they are 0
        loop.source_stride *= unit_bytes;
        loop.destination_stride *= unit_bytes;
    }
    return nest;
}

bool pays_to_turn(const Nest& nest) {
    if (nest.length >= longest_run_bytes || nest.depth == 1) {
        return false;
    }
    const auto& row = nest.loops[nest.fastest(&Loop::destination_stride)];
    return nest.length * row.count >= line_bytes && nest.is_transposed();
}

TransposedRuns::TransposedRuns(const Nest& nest)
    : length_(nest.length), source_(nest.source), destination_(nest.destination) {
    const auto row = nest.fastest(&Loop::destination_stride);
    const auto column = nest.fastest(&Loop::source_stride);
    units_ = nest.loops[row];
    rows_ = nest.loops[column];
    for (std::size_t i = 0; i < nest.depth; ++i) {
        if (i != row && i != column) {
            outer_[outer_depth_] = nest.loops[i];
            ++outer_depth_;
        }
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
    for_each_step(outer(), source_, destination_, [&](std::int64_t from, std::int64_t to) {
        plane_copy(destination + to, rows_.destination_stride, source + from, units_.source_stride,
                   units_.count, rows_.count);
    });
}

}  // namespace transrank::copy
