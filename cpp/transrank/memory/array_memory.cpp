// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/memory/array_memory.hpp"

#include <algorithm>
#include <cerrno>
#include <string>
#include <sys/mman.h>
#include <system_error>

namespace transrank::memory {
namespace {

std::unique_ptr<SharedSegment> make_segment(std::size_t bytes) {
    try {
        return std::make_unique<SharedSegment>(bytes);
    } catch (const std::system_error&) {
        return nullptr;
    }
}

std::span<std::byte> map_private(std::size_t bytes) {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        throw std::system_error(errno, std::generic_category(),
                                "there are no " + std::to_string(bytes) + " bytes of memory");
    }
    return {static_cast<std::byte*>(memory), bytes};
}

}  // namespace

ArrayMemory::ArrayMemory(std::size_t bytes)
    : segment_(make_segment(bytes)),
      bytes_(segment_ ? segment_->bytes() : map_private(std::max<std::size_t>(bytes, 1))) {}

ArrayMemory::~ArrayMemory() {
    if (!segment_) {
        munmap(bytes_.data(), bytes_.size());
    }
}

}  // namespace transrank::memory
