// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/memory/shared_pool.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <pthread.h>
#include <sys/mman.h>
#include <vector>

#include "transrank/mpi/lifetime.hpp"

namespace transrank::memory {
namespace {

constexpr std::size_t line_bytes = 64;
constexpr std::size_t page_bytes = 4096;
// Untouched memory costs nothing but addresses.
constexpr std::size_t segment_bytes = std::size_t{16} << 20U;

/// What stands before a block's memory, on a line of its own.
struct alignas(line_bytes) Head {
    std::atomic<std::uint32_t> holders{0};  ///< processes other than the owner that have it mapped
};

/// Of what a kind of blocks consists: whole grains, the first of which begins so that the memory
/// after a block's head is aligned.
struct Grain {
    std::size_t bytes;

    [[nodiscard]] std::size_t first() const { return bytes - sizeof(Head); }
    [[nodiscard]] std::size_t whole(std::size_t wanted) const {
        return (wanted + sizeof(Head) + bytes - 1) / bytes * bytes;
    }
};

constexpr Grain grain_of(BlockKind kind) {
    return {.bytes = kind == BlockKind::pages ? page_bytes : line_bytes};
}

/// A segment and what of it is free, as offset -> length.
class Piece {
public:
    Piece(std::size_t bytes, const Grain& grain, bool lasting)
        : segment_(bytes),
          lasting_(lasting),
          most_((bytes - grain.first()) / grain.bytes * grain.bytes) {
        free_.emplace(grain.first(), most_);
    }

    [[nodiscard]] const SharedSegment& segment() const { return segment_; }
    [[nodiscard]] bool is_lasting() const { return lasting_; }
    [[nodiscard]] bool is_unused() const {
        return free_.size() == 1 && free_.begin()->second == most_;
    }

    /// The offset of `bytes` bytes that were free, or -1.
    std::ptrdiff_t take(std::size_t bytes) {
        const auto found =
            std::ranges::find_if(free_, [&](const auto& range) { return range.second >= bytes; });
        if (found == free_.end()) {
            return -1;
        }
        const auto [offset, length] = *found;
        free_.erase(found);
        if (length > bytes) {
            free_.emplace(offset + bytes, length - bytes);
        }
        return static_cast<std::ptrdiff_t>(offset);
    }

    void give_back(std::size_t offset, std::size_t bytes) {
        auto range = free_.emplace(offset, bytes).first;
        if (const auto next = std::next(range);
            next != free_.end() && offset + bytes == next->first) {
            range->second += next->second;
            free_.erase(next);
        }
        if (range != free_.begin()) {
            const auto before = std::prev(range);
            if (before->first + before->second == offset) {
                before->second += range->second;
                free_.erase(range);
            }
        }
    }

private:
    SharedSegment segment_;
    bool lasting_;
    std::size_t most_;  ///< free when nothing is taken
    std::map<std::size_t, std::size_t> free_;
};

/// Memory of a block: its head and what follows.
struct Cut {
    Piece* piece;
    std::size_t offset;
    std::size_t bytes;

    [[nodiscard]] std::byte* data() const { return piece->segment().bytes().data() + offset; }
    [[nodiscard]] BlockHandle handle() const {
        return {.segment = piece->segment().handle(),
                .offset = offset,
                .lasting = piece->is_lasting() ? 1U : 0U};
    }
};

// Zeros, as far as they are there; the others' pages go back to the system.
void clear(std::span<std::byte> memory) {
    const auto pages = memory.size() / page_bytes * page_bytes;
    const bool removed = pages > 0 && madvise(memory.data(), pages, MADV_REMOVE) == 0;
    const auto rest = memory.subspan(removed ? pages : 0);
    std::memset(rest.data(), 0, rest.size());
}

/// All blocks of a kind of this process. A block that its owner has let go of is retired until its
/// holders have, too.
class Pool {
public:
    explicit Pool(BlockKind kind) : kind_(kind), grain_(grain_of(kind)) {}

    Cut take(std::size_t wanted) {
        const auto bytes = grain_.whole(wanted);
        const std::lock_guard lock(mutex_);
        recycle();
        for (const auto& piece : pieces_) {
            if (const auto offset = piece->take(bytes); offset >= 0) {
                return remember({piece.get(), static_cast<std::size_t>(offset), bytes});
            }
        }
        const auto room = std::max(bytes + grain_.first(), segment_bytes);
        const bool lasting = pieces_.empty();
        auto* const piece =
            pieces_.emplace_back(std::make_unique<Piece>(room, grain_, lasting)).get();
        return remember({piece, static_cast<std::size_t>(piece->take(bytes)), bytes});
    }

    void retire(const std::byte* data) {
        const std::lock_guard lock(mutex_);
        retired_.push_back(living_.extract(data).mapped());
    }

    std::optional<SharedBlock::Place> find(const std::byte* address, std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        const auto after = living_.upper_bound(address);
        if (after == living_.begin()) {
            return std::nullopt;
        }
        const auto& cut = std::prev(after)->second;
        const auto* const data = cut.data() + sizeof(Head);
        if (address < data || address + bytes > cut.data() + cut.bytes) {
            return std::nullopt;
        }
        return SharedBlock::Place{.handle = cut.handle(),
                                  .offset = static_cast<std::size_t>(address - data)};
    }

    [[nodiscard]] std::mutex& mutex() noexcept { return mutex_; }

private:
    Cut remember(const Cut& cut) {
        living_.emplace(cut.data(), cut);
        return cut;
    }

    // The first piece is kept for the next blocks, larger needs go back to the system.
    void recycle() {
        std::erase_if(retired_, [&](const Cut& cut) {
            const auto& head = *std::launder(reinterpret_cast<Head*>(cut.data()));
            if (head.holders.load(std::memory_order_acquire) != 0) {
                return false;
            }
            if (kind_ == BlockKind::pages) {
                clear({cut.data() + sizeof(Head), cut.bytes - sizeof(Head)});
            }
            cut.piece->give_back(cut.offset, cut.bytes);
            return true;
        });
        std::erase_if(pieces_,
                      [](const auto& piece) { return !piece->is_lasting() && piece->is_unused(); });
    }

    BlockKind kind_;
    Grain grain_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Piece>> pieces_;
    std::map<const std::byte*, Cut> living_;
    std::vector<Cut> retired_;
};

/// One for each kind; what takes several locks takes them in this order, and those of segments
/// last.
struct Pools {
    Pool lines{BlockKind::lines};
    Pool pages{BlockKind::pages};

    Pools();
    [[nodiscard]] Pool& of(BlockKind kind) { return kind == BlockKind::pages ? pages : lines; }
};

Pools& pools() {
    return mpi::lasting<Pools>();
}

extern "C" void transrank_hold_pools() {
    pools().lines.mutex().lock();
    pools().pages.mutex().lock();
}

extern "C" void transrank_release_pools() {
    pools().pages.mutex().unlock();
    pools().lines.mutex().unlock();
}

// A child may take and drop blocks, whatever other threads of its parent were doing. What is
// registered last is called first before a fork.
Pools::Pools() {
    SharedSegment::prepare_for_fork();
    pthread_atfork(transrank_hold_pools, transrank_release_pools, transrank_release_pools);
}

}  // namespace

SharedBlock::SharedBlock(std::size_t bytes, BlockKind kind) : kind_(kind) {
    const auto cut = pools().of(kind).take(bytes);
    new (cut.data()) Head;
    handle_ = cut.handle();
    bytes_ = {cut.data() + sizeof(Head), bytes};
}

SharedBlock::~SharedBlock() {
    pools().of(kind_).retire(bytes_.data() - sizeof(Head));
}

std::optional<SharedBlock::Place> SharedBlock::find(const std::byte* address, std::size_t bytes) {
    if (auto place = pools().pages.find(address, bytes)) {
        return place;
    }
    if (const auto place = SharedSegment::find(address, bytes)) {
        return Place{.handle = {.segment = place->handle, .offset = BlockHandle::whole},
                     .offset = place->offset};
    }
    return std::nullopt;
}

MappedBlock::MappedBlock(const BlockHandle& handle)
    : segment_(handle.lasting != 0 ? MappedSegment::keep(handle.segment)
                                   : MappedSegment::get(handle.segment)),
      data_(segment_->bytes().data()) {
    if (handle.offset != BlockHandle::whole) {
        auto* const head = std::launder(reinterpret_cast<Head*>(data_ + handle.offset));
        holders_ = &head->holders;
        holders_->fetch_add(1, std::memory_order_relaxed);
        data_ += handle.offset + sizeof(Head);
    }
}

MappedBlock::~MappedBlock() {
    if (holders_ != nullptr) {
        holders_->fetch_sub(1, std::memory_order_release);
    }
}

}  // namespace transrank::memory
