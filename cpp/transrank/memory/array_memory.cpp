// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/memory/array_memory.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <mutex>
#include <sys/mman.h>
#include <system_error>

#include "transrank/memory/control_groups.hpp"
#include "transrank/mpi/lifetime.hpp"

namespace transrank::memory {
namespace {

std::span<std::byte> map_private(std::size_t wanted) {
    const auto bytes = std::max<std::size_t>(wanted, 1);
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        throw std::system_error(errno, std::generic_category(),
                                "cannot allocate " + std::to_string(bytes) + " bytes of memory");
    }
    return {static_cast<std::byte*>(memory), bytes};
}

// Shared memory is promised without being counted, and who touches more than there is gets killed.
// Whether the kernel would promise as much private memory, by its policy and the limits of this
// process, is found out by trying.
void check_possible(std::size_t bytes) {
    static const auto most = memory_limit();
    if (bytes > most) {
        throw std::system_error(ENOMEM, std::generic_category(),
                                "an array of " + std::to_string(bytes) +
                                    " bytes is more than the " + std::to_string(most) +
                                    " bytes of memory and swap space that this process can have");
    }
    const auto tried = map_private(bytes);
    munmap(tried.data(), tried.size());
}

// Larger ones have a segment of their own, whose memory goes back to the system with them.
constexpr std::size_t longest_in_pool = std::size_t{1} << 20U;

/// What has become of arrays that were to be shared.
struct Refusals {
    std::mutex mutex;
    std::int64_t count = 0;
    std::string last;
    void add(const char* why) {
        const std::lock_guard lock(mutex);
        ++count;
        last = why;
    }
};

template <class Memory, class... Arguments>
std::unique_ptr<Memory> made_if_possible(const Arguments&... arguments) {
    try {
        return std::make_unique<Memory>(arguments...);
    } catch (const std::system_error& error) {
        mpi::lasting<Refusals>().add(error.what());
        return nullptr;
    }
}

}  // namespace

std::string ArrayMemory::refusals() {
    auto& all = mpi::lasting<Refusals>();
    const std::lock_guard lock(all.mutex);
    return all.count == 0
               ? ""
               : "arrays of this rank that could not be shared: " + std::to_string(all.count) +
                     "; the last one: " + all.last;
}

ArrayMemory::ArrayMemory(std::size_t bytes) {
    if (bytes <= longest_in_pool) {
        block_ = made_if_possible<SharedBlock>(bytes, BlockKind::pages);
    } else {
        check_possible(bytes);
        segment_ = made_if_possible<SharedSegment>(bytes);
    }
    bytes_ = block_ ? block_->bytes() : segment_ ? segment_->bytes() : map_private(bytes);
}

ArrayMemory::~ArrayMemory() {
    if (!is_shared()) {
        munmap(bytes_.data(), bytes_.size());
    }
}

}  // namespace transrank::memory
