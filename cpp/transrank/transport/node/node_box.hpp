// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "transrank/memory/shared_pool.hpp"
#include "transrank/transport/control_block.hpp"

namespace transrank::transport {

/// Where a node's message to or from another node lies in its shared memory, with the counters of
/// those who have a part in it. It belongs to the rank that carries the message; the others map it.
/// Each counter is written by one rank.
class NodeBox {
public:
    /// Throws std::system_error.
    NodeBox(std::size_t members, std::int64_t bytes)
        : own_(std::make_unique<memory::SharedBlock>(flag_bytes(members) +
                                                     static_cast<std::size_t>(bytes))),
          members_(members),
          memory_(own_->bytes().data()) {
        std::uninitialized_default_construct_n(flags(), flag_count(members));
    }
    /// Another rank's. Throws as memory::MappedBlock.
    NodeBox(const memory::BlockHandle& handle, std::size_t members)
        : theirs_(std::make_unique<memory::MappedBlock>(handle)),
          members_(members),
          memory_(theirs_->data()) {}

    [[nodiscard]] const memory::BlockHandle& handle() const noexcept { return own_->handle(); }
    [[nodiscard]] std::byte* data() const noexcept { return memory_ + flag_bytes(members_); }

    /// The epoch whose message has been sent, or has arrived; of the leader.
    [[nodiscard]] Flag& carried() const { return flags()[0]; }
    /// The epoch whose part a member has packed, or unpacked.
    [[nodiscard]] Flag& moved(std::size_t member) const { return flags()[1 + member]; }
    /// 0, or the encoded Failure after which a member moves nothing more.
    [[nodiscard]] Flag& broken(std::size_t member) const { return flags()[1 + members_ + member]; }
    /// The last epoch for which a member has found that it must wait for another one to make room.
    [[nodiscard]] Flag& waiting(std::size_t member) const {
        return flags()[1 + (2 * members_) + member];
    }

    /// Whether every member has moved its part of an epoch.
    [[nodiscard]] bool all_have_moved(std::uint64_t epoch) const {
        return std::all_of(flags() + 1, flags() + 1 + members_,
                           [&](const Flag& flag) { return flag.seen() >= epoch; });
    }

private:
    static std::size_t flag_count(std::size_t members) { return 1 + (3 * members); }
    static std::size_t flag_bytes(std::size_t members) {
        return flag_count(members) * sizeof(Flag);
    }
    [[nodiscard]] Flag* flags() const { return std::launder(reinterpret_cast<Flag*>(memory_)); }

    std::unique_ptr<memory::SharedBlock> own_;
    std::unique_ptr<memory::MappedBlock> theirs_;
    std::size_t members_;
    std::byte* memory_;
};

}  // namespace transrank::transport
