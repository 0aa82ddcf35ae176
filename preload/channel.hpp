// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace transrank::carry {

/// What a rank tells another one when it enters a call.
struct alignas(64) Note {
    static constexpr std::int64_t room = 224;

    std::atomic<std::uint64_t> number{0};  ///< of the call; written last
    std::int64_t bytes = 0;                ///< for the reader
    std::int64_t most = 0;          ///< the greater of what the writer sends and receives in all
    std::uint32_t nanoseconds = 0;  ///< that its last call took
    bool refuses = false;
    bool in_place = false;
    alignas(8) std::array<std::byte, room> data;  ///< the bytes themselves, where they are so few
};

/// Memory of one rank through which it sends to another one, over one communicator. Two notes
/// suffice: a rank writes the one after the next only when its peer has entered the next call.
class Channel {
public:
    static constexpr std::int64_t portions = 4;
    static constexpr std::size_t bytes(std::int64_t portion_bytes) {
        return sizeof(State) + static_cast<std::size_t>(portions * portion_bytes);
    }

    Channel() = default;
    /// In memory that its owner has prepared.
    Channel(std::byte* memory, std::int64_t portion_bytes)
        : state_(std::launder(reinterpret_cast<State*>(memory))),
          data_(memory + sizeof(State)),
          portion_bytes_(portion_bytes) {}
    static void prepare(std::byte* memory) { new (memory) State; }

    [[nodiscard]] Note& note(std::uint64_t call) const { return state_->notes[call % 2]; }

    /// Where the next portion goes; nullptr as long as there is no room.
    [[nodiscard]] std::byte* vacant() const {
        const auto filled = state_->filled.load(std::memory_order_relaxed);
        return filled - state_->emptied.load(std::memory_order_acquire) < portions ? place(filled)
                                                                                   : nullptr;
    }
    void fill() const { add_one(state_->filled); }

    /// The reader's next portion; nullptr as long as there is none.
    [[nodiscard]] const std::byte* arrived() const {
        const auto emptied = state_->emptied.load(std::memory_order_relaxed);
        return state_->filled.load(std::memory_order_acquire) > emptied ? place(emptied) : nullptr;
    }
    void empty() const { add_one(state_->emptied); }

private:
    using Counter = std::atomic<std::int64_t>;
    struct State {
        std::array<Note, 2> notes;
        alignas(64) Counter filled{0};
        alignas(64) Counter emptied{0};
    };
    static void add_one(Counter& counter) {
        counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }
    [[nodiscard]] std::byte* place(std::int64_t portion) const {
        return data_ + (portion % portions * portion_bytes_);
    }

    State* state_ = nullptr;
    std::byte* data_ = nullptr;
    std::int64_t portion_bytes_ = 0;
};

}  // namespace transrank::carry
