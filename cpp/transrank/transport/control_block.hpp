// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "transrank/memory/shared_pool.hpp"

namespace transrank::transport {

/// A number on a cache line of its own, written by one process and read by others. Whoever has seen
/// a number sees all that its writer did before publishing it.
class alignas(64) Flag {
public:
    void publish(std::uint64_t value) { value_.store(value, std::memory_order_release); }
    [[nodiscard]] std::uint64_t seen() const { return value_.load(reading); }

private:
#ifdef TRANSRANK_SEEDED_RACE  // a mistake that ThreadSanitizer must report: tests/cpp/threads
    static constexpr auto reading = std::memory_order_relaxed;
#else
    static constexpr auto reading = std::memory_order_acquire;
#endif
    std::atomic<std::uint64_t> value_{0};
};

/// An epoch and the set of arrays that it moves, as one number that grows with the epoch.
struct Started {
    static constexpr unsigned set_bits = 8;
    static constexpr std::uint64_t most_sets = std::uint64_t{1} << set_bits;

    std::uint64_t epoch;
    std::uint64_t set;

    [[nodiscard]] std::uint64_t encoded() const { return (epoch << set_bits) | set; }
    [[nodiscard]] static Started decoded(std::uint64_t word) {
        return {.epoch = word >> set_bits, .set = word & (most_sets - 1)};
    }
};

/// The state of one exchange that a rank publishes to peers in shared memory. Written by its owner
/// alone; peers map it. Counters only grow.
class ControlBlock {
public:
    /// `peers`: how many peers it may have to answer. `shared`: whether any of them can read it.
    /// Where shared memory cannot be had it lies in private memory, with an empty handle.
    ControlBlock(std::size_t peers, bool shared);

    /// The epoch that this rank has started, and which of its sets of arrays that moves: Started.
    [[nodiscard]] Flag& started() const { return flags_[0]; }
    /// 0, or the encoded Failure after which this rank publishes nothing more. Whoever finds it
    /// looks at the counters once more: they may have been published before it.
    [[nodiscard]] Flag& broken() const { return flags_[1]; }
    /// Up to where this rank has finished reading from and writing to the peer of `slot`: epochs,
    /// or portions of all epochs.
    [[nodiscard]] Flag& done(std::size_t slot) const { return flags_[2 + slot]; }
    /// Up to where it has packed what it sends to that peer, counted likewise.
    [[nodiscard]] Flag& packed(std::size_t slot) const { return flags_[2 + peers_ + slot]; }

    [[nodiscard]] const memory::BlockHandle& handle() const noexcept { return handle_; }
    /// Why the handle is empty.
    [[nodiscard]] const std::string& reason() const noexcept { return reason_; }

    /// The control block of a peer, from its handle and its number of peers.
    class View {
    public:
        View(const memory::BlockHandle& handle, std::size_t peers);
        [[nodiscard]] const Flag& started() const { return flags_[0]; }
        [[nodiscard]] const Flag& broken() const { return flags_[1]; }
        [[nodiscard]] const Flag& done(std::size_t slot) const { return flags_[2 + slot]; }
        [[nodiscard]] const Flag& packed(std::size_t slot) const {
            return flags_[2 + peers_ + slot];
        }

    private:
        std::unique_ptr<memory::MappedBlock> block_;
        const Flag* flags_;
        std::size_t peers_;
    };

private:
    std::size_t peers_;
    std::unique_ptr<memory::SharedBlock> block_;
    std::vector<Flag> private_;
    memory::BlockHandle handle_;
    std::string reason_;
    Flag* flags_;
};

}  // namespace transrank::transport
