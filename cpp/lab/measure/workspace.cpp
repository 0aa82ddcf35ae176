// SPDX-License-Identifier: BSD-3-Clause
#include "lab/measure/workspace.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace transrank::lab::measure {
namespace {

constexpr std::size_t page_bytes = 4096;
// Slots lie 256 B apart at least: adjacent-line prefetching then never fetches the next one.
constexpr std::int64_t slot_alignment = 256;
// Enough slots that a batch of small operations outlasts the clock's error, and no more memory than
// this.
constexpr std::int64_t most_slots = 256;
constexpr std::int64_t slots_bytes = std::int64_t{1} << 20;

constexpr std::int64_t stride(std::int64_t bytes) {
    return (std::max<std::int64_t>(bytes, 1) + slot_alignment - 1) / slot_alignment *
           slot_alignment;
}

// Bytes of one side, whose single slot holds `own` and the larger side's `larger`.
std::int64_t capacity(std::int64_t own, std::int64_t larger, CacheMode mode) {
    return mode == CacheMode::warm ? stride(own) : std::max(stride(larger), slots_bytes);
}

}  // namespace

std::string_view name(CacheMode mode) {
    switch (mode) {
        case CacheMode::warm:
            return "warm";
        case CacheMode::rewritten:
            return "rewritten";
        case CacheMode::cold:
            return "cold";
    }
    return "unknown";
}

Buffer::Buffer(std::size_t bytes, std::size_t offset) : offset_(offset), bytes_(bytes) {
    const std::size_t whole =
        (std::max<std::size_t>(offset + bytes, 1) + page_bytes - 1) / page_bytes * page_bytes;
    memory_.reset(static_cast<std::byte*>(std::aligned_alloc(page_bytes, whole)));
    if (!memory_) {
        throw std::bad_alloc();
    }
    std::memset(memory_.get(), 0, whole);
}

void Buffer::Free::operator()(std::byte* memory) const noexcept {
    std::free(memory);
}

Workspace::Workspace(std::int64_t send_bytes, std::int64_t receive_bytes, CacheMode mode,
                     std::int64_t offset)
    : mode_(mode),
      send_(
          static_cast<std::size_t>(capacity(send_bytes, std::max(send_bytes, receive_bytes), mode)),
          static_cast<std::size_t>(offset)),
      receive_(static_cast<std::size_t>(
                   capacity(receive_bytes, std::max(send_bytes, receive_bytes), mode)),
               static_cast<std::size_t>(offset)) {}

std::int64_t Workspace::footprint(std::int64_t send_bytes, std::int64_t receive_bytes,
                                  CacheMode mode) {
    const auto larger = std::max(send_bytes, receive_bytes);
    return capacity(send_bytes, larger, mode) + capacity(receive_bytes, larger, mode);
}

std::int64_t Workspace::slots(std::int64_t bytes) const {
    if (mode_ == CacheMode::warm) {
        return 1;
    }
    const auto held = static_cast<std::int64_t>(send_.bytes().size());
    return std::clamp(held / stride(bytes), std::int64_t{1}, most_slots);
}

std::span<std::byte> Workspace::send(std::int64_t index, std::int64_t slot_bytes,
                                     std::int64_t bytes) const {
    return send_.bytes().subspan(static_cast<std::size_t>(index * stride(slot_bytes)),
                                 static_cast<std::size_t>(bytes));
}

std::span<std::byte> Workspace::receive(std::int64_t index, std::int64_t slot_bytes,
                                        std::int64_t bytes) const {
    return receive_.bytes().subspan(static_cast<std::size_t>(index * stride(slot_bytes)),
                                    static_cast<std::size_t>(bytes));
}

void Workspace::flush(std::int64_t slots, std::int64_t slot_bytes) const {
    const auto used = static_cast<std::size_t>(slots * stride(slot_bytes));
#if defined(__x86_64__)
    for (const auto& side : {send_.bytes(), receive_.bytes()}) {
        for (std::size_t offset = 0; offset < std::min(used, side.size()); offset += 64) {
            _mm_clflush(side.data() + offset);
        }
    }
    _mm_mfence();
#else
    // No portable flush: drive the buffers out by reading more than any last-level cache holds.
    static const Buffer sweep(std::size_t{512} << 20);
    volatile std::byte sink{};
    for (std::size_t offset = 0; offset < sweep.bytes().size(); offset += 64) {
        sink = sweep.bytes()[offset];
    }
    (void)sink;
    (void)used;
#endif
}

}  // namespace transrank::lab::measure
