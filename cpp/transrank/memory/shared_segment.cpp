// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/memory/shared_segment.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace transrank::memory {
namespace {

[[noreturn]] void fail(const std::string& what) {
    throw std::system_error(errno, std::generic_category(), what);
}

std::span<std::byte> map(int descriptor, std::size_t bytes) {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED) {
        fail("cannot map " + std::to_string(bytes) + " bytes of shared memory");
    }
    return {static_cast<std::byte*>(memory), bytes};
}

/// The segments that this process owns, by the address after their last byte.
struct Registry {
    std::mutex mutex;
    std::map<const std::byte*, const SharedSegment*> segments;
};

// Never destroyed: arrays may outlive the end of main().
Registry& registry() {
    static auto* const one = new Registry;
    return *one;
}

struct Mappings {
    std::mutex mutex;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::weak_ptr<MappedSegment>> by_file;
};

Mappings& mappings() {
    static auto* const one = new Mappings;
    return *one;
}

}  // namespace

SharedSegment::SharedSegment(std::size_t bytes) {
    const std::size_t wanted = std::max<std::size_t>(bytes, 1);
    descriptor_ = memfd_create("transrank", MFD_CLOEXEC);
    if (descriptor_ < 0) {
        fail("cannot make shared memory");
    }
    try {
        if (ftruncate(descriptor_, static_cast<off_t>(wanted)) != 0) {
            fail("cannot make " + std::to_string(wanted) + " bytes of shared memory");
        }
        bytes_ = map(descriptor_, wanted);
    } catch (...) {
        close(descriptor_);
        throw;
    }
    const std::lock_guard lock(registry().mutex);
    registry().segments.emplace(bytes_.data() + bytes_.size(), this);
}

SharedSegment::~SharedSegment() {
    {
        const std::lock_guard lock(registry().mutex);
        registry().segments.erase(bytes_.data() + bytes_.size());
    }
    munmap(bytes_.data(), bytes_.size());
    close(descriptor_);
}

SegmentHandle SharedSegment::handle() const {
    struct stat file{};
    if (fstat(descriptor_, &file) != 0) {
        fail("cannot examine shared memory");
    }
    return {.process = getpid(),
            .descriptor = descriptor_,
            .device = file.st_dev,
            .inode = file.st_ino,
            .bytes = bytes_.size()};
}

std::optional<SharedSegment::Place> SharedSegment::find(const std::byte* address,
                                                        std::size_t bytes) {
    const std::lock_guard lock(registry().mutex);
    const auto after = registry().segments.upper_bound(address);
    if (after == registry().segments.end()) {
        return std::nullopt;
    }
    const auto held = after->second->bytes();
    if (address < held.data() || address + bytes > after->first) {
        return std::nullopt;
    }
    return Place{.handle = after->second->handle(),
                 .offset = static_cast<std::size_t>(address - held.data())};
}

MappedSegment::MappedSegment(const SegmentHandle& handle) {
    const std::string path =
        "/proc/" + std::to_string(handle.process) + "/fd/" + std::to_string(handle.descriptor);
    const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0) {
        fail("cannot open the shared memory of process " + std::to_string(handle.process));
    }
    struct stat file{};
    const bool same = fstat(descriptor, &file) == 0 && file.st_dev == handle.device &&
                      file.st_ino == handle.inode;
    try {
        if (!same) {
            throw std::runtime_error("process " + std::to_string(handle.process) +
                                     " does not hold the shared memory it announced");
        }
        bytes_ = map(descriptor, handle.bytes);
    } catch (...) {
        close(descriptor);
        throw;
    }
    close(descriptor);
}

MappedSegment::~MappedSegment() {
    munmap(bytes_.data(), bytes_.size());
}

std::shared_ptr<MappedSegment> MappedSegment::get(const SegmentHandle& handle) {
    const std::lock_guard lock(mappings().mutex);
    std::erase_if(mappings().by_file, [](const auto& entry) { return entry.second.expired(); });
    auto& known = mappings().by_file[{handle.device, handle.inode}];
    auto mapping = known.lock();
    if (!mapping) {
        mapping = std::make_shared<MappedSegment>(handle);
        known = mapping;
    }
    return mapping;
}

}  // namespace transrank::memory
