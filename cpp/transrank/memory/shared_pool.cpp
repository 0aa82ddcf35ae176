// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/memory/shared_pool.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <new>
#include <vector>

namespace transrank::memory {
namespace {

constexpr std::size_t line_bytes = 64;
// Untouched memory costs nothing but addresses.
constexpr std::size_t segment_bytes = std::size_t{16} << 20U;

/// What stands before a block's memory, on a line of its own.
struct alignas(line_bytes) Head {
    std::atomic<std::uint32_t> holders{0};  ///< processes other than the owner that have it mapped
};

/// A segment and what of it is free, as offset -> length.
class Piece {
public:
    explicit Piece(std::size_t bytes) : segment_(bytes) { free_.emplace(0, bytes); }

    [[nodiscard]] const SharedSegment& segment() const { return segment_; }
    [[nodiscard]] bool is_unused() const {
        return free_.size() == 1 && free_.begin()->second == segment_.bytes().size();
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
    std::map<std::size_t, std::size_t> free_;
};

/// Memory of a block: its head and what follows.
struct Cut {
    Piece* piece;
    std::size_t offset;
    std::size_t bytes;

    [[nodiscard]] std::byte* data() const { return piece->segment().bytes().data() + offset; }
};

/// All blocks of this process. A block that its owner has let go of is retired until its holders
/// have, too.
class Pool {
public:
    Cut take(std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        recycle();
        for (const auto& piece : pieces_) {
            if (const auto offset = piece->take(bytes); offset >= 0) {
                return remember({piece.get(), static_cast<std::size_t>(offset), bytes});
            }
        }
        auto* const piece =
            pieces_.emplace_back(std::make_unique<Piece>(std::max(bytes, segment_bytes))).get();
        return remember({piece, static_cast<std::size_t>(piece->take(bytes)), bytes});
    }

    void retire(const std::byte* data) {
        const std::lock_guard lock(mutex_);
        retired_.push_back(living_.extract(data).mapped());
    }

private:
    Cut remember(const Cut& cut) {
        living_.emplace(cut.data(), cut);
        return cut;
    }

    // The first piece is kept for the next blocks, larger needs go back to the system.
    void recycle() {
        std::erase_if(retired_, [](const Cut& cut) {
            const auto& head = *std::launder(reinterpret_cast<Head*>(cut.data()));
            if (head.holders.load(std::memory_order_acquire) != 0) {
                return false;
            }
            cut.piece->give_back(cut.offset, cut.bytes);
            return true;
        });
        if (!pieces_.empty()) {
            const auto unused =
                std::remove_if(pieces_.begin() + 1, pieces_.end(),
                               [](const auto& piece) { return piece->is_unused(); });
            pieces_.erase(unused, pieces_.end());
        }
    }

    std::mutex mutex_;
    std::vector<std::unique_ptr<Piece>> pieces_;
    std::map<const std::byte*, Cut> living_;
    std::vector<Cut> retired_;
};

// Never destroyed: an exchange may outlive main().
Pool& pool() {
    static auto* const one = new Pool;
    return *one;
}

}  // namespace

SharedBlock::SharedBlock(std::size_t bytes) {
    const auto lines = (bytes + line_bytes - 1) / line_bytes;
    const auto cut = pool().take(sizeof(Head) + (lines * line_bytes));
    new (cut.data()) Head;
    handle_ = {.segment = cut.piece->segment().handle(), .offset = cut.offset};
    bytes_ = {cut.data() + sizeof(Head), bytes};
}

SharedBlock::~SharedBlock() {
    pool().retire(bytes_.data() - sizeof(Head));
}

MappedBlock::MappedBlock(const BlockHandle& handle)
    : segment_(MappedSegment::get(handle.segment)),
      holders_(&std::launder(reinterpret_cast<Head*>(segment_->bytes().data() + handle.offset))
                    ->holders),
      data_(segment_->bytes().data() + handle.offset + sizeof(Head)) {
    holders_->fetch_add(1, std::memory_order_relaxed);
}

MappedBlock::~MappedBlock() {
    holders_->fetch_sub(1, std::memory_order_release);
}

}  // namespace transrank::memory
