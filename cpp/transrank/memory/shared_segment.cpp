// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/memory/shared_segment.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "transrank/mpi/lifetime.hpp"

namespace transrank::memory {
namespace {

[[noreturn]] void fail(const std::string& what) {
    throw std::system_error(errno, std::generic_category(), what);
}

std::span<std::byte> map(int descriptor, std::size_t bytes) {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED) {
        const auto* const limit = errno == ENOMEM ? " (vm.max_map_count limits mappings, too)" : "";
        fail("cannot map " + std::to_string(bytes) + " bytes of shared memory" + limit);
    }
    return {static_cast<std::byte*>(memory), bytes};
}

/// The segments that this process owns, by the address after their last byte.
struct Registry {
    std::mutex mutex;
    std::map<const std::byte*, const SharedSegment*> segments;
};

Registry& registry() {
    return mpi::lasting<Registry>();
}

using File = std::pair<std::uint64_t, std::uint64_t>;  // device and inode

/// What this process has mapped, its own segments included. Where both are locked, the registry is
/// first.
struct Mappings {
    std::mutex mutex;
    std::map<File, std::weak_ptr<MappedSegment>> by_file;
    std::map<File, std::shared_ptr<MappedSegment>> kept;  ///< whether somebody uses it or not

    Mappings();
    std::shared_ptr<MappedSegment> get(const SegmentHandle& handle);
};

File file_of(const SegmentHandle& handle) {
    return {handle.device, handle.inode};
}

// Each process has two such segments. This bounds what processes that have ended leave mapped.
constexpr std::size_t most_kept = 1024;

Mappings& mappings() {
    return mpi::lasting<Mappings>();
}

extern "C" void transrank_hold_segments() {
    registry().mutex.lock();
    mappings().mutex.lock();
}

extern "C" void transrank_release_segments() {
    mappings().mutex.unlock();
    registry().mutex.unlock();
}

extern "C" void transrank_part_from_parent() {
    for (const auto& [file, mapping] : mappings().by_file) {
        if (const auto living = mapping.lock()) {
            living->part_from_parent();
        }
    }
    mappings().by_file.clear();  // they are no longer what lies in those files
    mappings().kept.clear();
    transrank_release_segments();
}

Mappings::Mappings() {
    pthread_atfork(transrank_hold_segments, transrank_release_segments, transrank_part_from_parent);
}

// Kernels from 6.3 on may require a flag that the memory will not be executed; older ones reject
// it.
int create_memory_file() {
    constexpr unsigned no_exec_seal = 0x0008U;  // MFD_NOEXEC_SEAL
    const int descriptor = memfd_create("transrank", MFD_CLOEXEC | no_exec_seal);
    return descriptor < 0 && errno == EINVAL ? memfd_create("transrank", MFD_CLOEXEC) : descriptor;
}

SegmentHandle handle_of(int descriptor, std::size_t bytes) {
    struct stat file{};
    if (fstat(descriptor, &file) != 0) {
        fail("cannot examine shared memory");
    }
    return {.process = getpid(),
            .descriptor = descriptor,
            .device = file.st_dev,
            .inode = file.st_ino,
            .bytes = bytes};
}

/// A descriptor, closed at the end of its scope.
class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (number_ >= 0) {
            close(number_);
        }
    }
    [[nodiscard]] int number() const noexcept { return number_; }
    [[nodiscard]] int release() noexcept { return std::exchange(number_, -1); }

private:
    int number_;
};

// Some are left for the program's own files. The kernel gives the lowest number that is free.
void check_left(const Descriptor& descriptor) {
    constexpr rlim_t share = 16;
    constexpr rlim_t least = 8;
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return;
    }
    const auto kept = std::max(limit.rlim_cur / share, least);
    if (static_cast<rlim_t>(descriptor.number()) + kept >= limit.rlim_cur) {
        errno = EMFILE;
        fail("cannot make more shared memory and leave the program " + std::to_string(kept) +
             " of its " + std::to_string(limit.rlim_cur) +
             " file descriptors (ulimit -n raises that)");
    }
}

std::string path_of(const SegmentHandle& handle) {
    return "/proc/" + std::to_string(handle.process) + "/fd/" + std::to_string(handle.descriptor);
}

bool is_meant(const struct stat& file, const SegmentHandle& handle) {
    return file.st_dev == handle.device && file.st_ino == handle.inode;
}

void check_meant(const struct stat& file, const SegmentHandle& handle) {
    if (!is_meant(file, handle)) {
        throw std::runtime_error("process " + std::to_string(handle.process) +
                                 " does not hold the shared memory it announced");
    }
}

Descriptor open_segment(const SegmentHandle& handle) {
    const auto path = path_of(handle);
    const auto refused = "cannot open the shared memory of process ";
    // Examined before it is opened: in another process namespace the number may belong to a
    // stranger, and to open a device can have effects.
    struct stat file{};
    if (stat(path.c_str(), &file) != 0) {
        fail(refused + std::to_string(handle.process));
    }
    check_meant(file, handle);
    Descriptor descriptor(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOCTTY));
    if (descriptor.number() < 0 || fstat(descriptor.number(), &file) != 0) {
        fail(refused + std::to_string(handle.process));
    }
    check_meant(file, handle);
    return descriptor;
}

std::span<std::byte> map(const SegmentHandle& handle) {
    return map(open_segment(handle).number(), handle.bytes);
}

}  // namespace

void read_segment(const SegmentHandle& handle, std::span<std::byte> begin) {
    const auto descriptor = open_segment(handle);
    if (pread(descriptor.number(), begin.data(), begin.size(), 0) !=
        static_cast<ssize_t>(begin.size())) {
        fail("cannot read the shared memory of process " + std::to_string(handle.process));
    }
}

bool is_gone(const SegmentHandle& handle) {
    struct stat file{};
    if (stat(path_of(handle).c_str(), &file) != 0) {
        return errno == ENOENT || errno == ESRCH;
    }
    return !is_meant(file, handle);
}

MappedSegment::MappedSegment(int descriptor, std::size_t bytes)
    : bytes_(map(descriptor, bytes)), descriptor_(descriptor) {}

MappedSegment::MappedSegment(const SegmentHandle& handle) : bytes_(map(handle)) {}

MappedSegment::~MappedSegment() {
    munmap(bytes_.data(), bytes_.size());
    if (descriptor_ >= 0) {
        close(descriptor_);
    }
}

// A child must not write to a peer's memory: a private mapping takes its place.
void MappedSegment::part_from_parent() noexcept {
    const int kind = MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE;
    if (mmap(bytes_.data(), bytes_.size(), PROT_READ | PROT_WRITE,
             descriptor_ >= 0 ? kind : kind | MAP_ANONYMOUS, descriptor_, 0) == MAP_FAILED) {
        mprotect(bytes_.data(), bytes_.size(), PROT_READ);
    }
}

std::shared_ptr<MappedSegment> Mappings::get(const SegmentHandle& handle) {
    std::erase_if(by_file, [](const auto& entry) { return entry.second.expired(); });
    auto& known = by_file[file_of(handle)];
    auto mapping = known.lock();
    if (!mapping) {
        mapping = std::make_shared<MappedSegment>(handle);
        known = mapping;
    }
    return mapping;
}

std::shared_ptr<MappedSegment> MappedSegment::get(const SegmentHandle& handle) {
    const std::lock_guard lock(mappings().mutex);
    return mappings().get(handle);
}

std::shared_ptr<MappedSegment> MappedSegment::keep(const SegmentHandle& handle) {
    const std::lock_guard lock(mappings().mutex);
    auto& kept = mappings().kept;
    auto mapping = mappings().get(handle);
    kept.try_emplace(file_of(handle), mapping);
    if (kept.size() > most_kept) {
        kept.erase(kept.begin());
    }
    return mapping;
}

SharedSegment::SharedSegment(std::size_t bytes) {
    const std::size_t wanted = std::max<std::size_t>(bytes, 1);
    Descriptor descriptor(create_memory_file());
    if (descriptor.number() < 0) {
        fail("cannot make shared memory");
    }
    check_left(descriptor);
    if (ftruncate(descriptor.number(), static_cast<off_t>(wanted)) != 0) {
        fail("cannot make " + std::to_string(wanted) + " bytes of shared memory");
    }
    handle_ = handle_of(descriptor.number(), wanted);
    mapping_ = std::make_shared<MappedSegment>(descriptor.number(), wanted);
    (void)descriptor.release();
    const auto end = mapping_->bytes().data() + wanted;
    const std::lock_guard lock(registry().mutex);
    const std::lock_guard mappings_lock(mappings().mutex);
    mappings().by_file[file_of(handle_)] = mapping_;
    registry().segments.emplace(end, this);  // last: nobody takes it out when this throws
}

SharedSegment::~SharedSegment() {
    const std::lock_guard lock(registry().mutex);
    registry().segments.erase(bytes().data() + bytes().size());
    const std::lock_guard mappings_lock(mappings().mutex);
    if (mapping_.use_count() == 1) {
        mappings().by_file.erase(file_of(handle_));
    }
}

void SharedSegment::prepare_for_fork() {
    (void)mappings();
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

}  // namespace transrank::memory
