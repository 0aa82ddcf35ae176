// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace transrank::lab::measure {

/// The state of the caches in which a sample begins.
enum class CacheMode : std::uint8_t {
    warm,       ///< the same buffers again and again, as IMB and OSU do by default
    rewritten,  ///< the sender has just written what it sends, and the receiver reads what came
    cold,       ///< every line of the buffers has been flushed from all caches
};
[[nodiscard]] std::string_view name(CacheMode mode);

/// Memory whose pages have been touched by this process, `offset` bytes past a page boundary.
class Buffer {
public:
    explicit Buffer(std::size_t bytes, std::size_t offset = 0);
    [[nodiscard]] std::span<std::byte> bytes() const noexcept {
        return {memory_.get() + offset_, bytes_};
    }

private:
    struct Free {
        void operator()(std::byte* memory) const noexcept;
    };
    std::unique_ptr<std::byte, Free> memory_;
    std::size_t offset_;
    std::size_t bytes_;
};

/// What the cases of one group send from and receive into, one after another.
class Workspace {
public:
    /// `send_bytes` and `receive_bytes`: the most that one slot of any case needs. Both sides
    /// begin `offset` bytes past a page boundary.
    Workspace(std::int64_t send_bytes, std::int64_t receive_bytes, CacheMode mode,
              std::int64_t offset = 0);

    /// Bytes per process that such a workspace occupies.
    [[nodiscard]] static std::int64_t footprint(std::int64_t send_bytes, std::int64_t receive_bytes,
                                                CacheMode mode);

    /// How many slots a case has whose slot holds `bytes` on its larger side.
    [[nodiscard]] std::int64_t slots(std::int64_t bytes) const;

    /// Slot `index` of a case whose larger side holds `slot_bytes`: its first `bytes`.
    [[nodiscard]] std::span<std::byte> send(std::int64_t index, std::int64_t slot_bytes,
                                            std::int64_t bytes) const;
    [[nodiscard]] std::span<std::byte> receive(std::int64_t index, std::int64_t slot_bytes,
                                               std::int64_t bytes) const;

    [[nodiscard]] CacheMode mode() const noexcept { return mode_; }

    /// Flushes all lines of the first `slots` slots on both sides from all caches.
    void flush(std::int64_t slots, std::int64_t slot_bytes) const;

private:
    CacheMode mode_;
    Buffer send_;
    Buffer receive_;
};

}  // namespace transrank::lab::measure
