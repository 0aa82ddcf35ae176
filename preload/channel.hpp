// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "transrank/transport/control_block.hpp"

namespace transrank::carry {

/// What a rank tells another one when it enters a call.
struct alignas(64) Note {
    static constexpr std::int64_t room = 224;

    std::atomic<std::uint64_t> number{0};  ///< of the call; written last
    std::int64_t bytes = 0;                ///< for the reader
    std::int64_t most = 0;          ///< the greater of what the writer sends and receives in all
    std::uint32_t nanoseconds = 0;  ///< that its last call took
    bool refuses = false;
    alignas(8) std::array<std::byte, room> data;  ///< the bytes themselves, where they are so few
};

/// Memory of one rank through which it sends to another one, over one communicator. Two notes
/// suffice: a rank writes the one after the next only when its peer has entered the next call.
class Channel {
public:
    static constexpr std::uint64_t portions = 4;
    static constexpr std::size_t bytes(std::size_t portion_bytes) {
        return sizeof(State) + (portions * portion_bytes);
    }

    /// In memory that its owner has prepared.
    Channel(std::byte* memory, std::size_t portion_bytes)
        : state_(std::launder(reinterpret_cast<State*>(memory))),
          data_(memory + sizeof(State)),
          portion_bytes_(portion_bytes) {}
    static void prepare(std::byte* memory) { new (memory) State; }

    [[nodiscard]] Note& note(std::uint64_t call) const { return state_->notes[call % 2]; }

    /// Where the next portion goes; nullptr as long as there is no room.
    [[nodiscard]] std::byte* vacant() const {
        const auto filled = state_->filled.seen();
        return filled - state_->emptied.seen() < portions ? place(filled) : nullptr;
    }
    void fill() const { state_->filled.publish(state_->filled.seen() + 1); }

    /// The reader's next portion; nullptr as long as there is none.
    [[nodiscard]] const std::byte* arrived() const {
        const auto emptied = state_->emptied.seen();
        return state_->filled.seen() > emptied ? place(emptied) : nullptr;
    }
    void empty() const { state_->emptied.publish(state_->emptied.seen() + 1); }

private:
    struct State {
        std::array<Note, 2> notes;
        transport::Flag filled;  ///< portions
        transport::Flag emptied;
    };
    [[nodiscard]] std::byte* place(std::uint64_t portion) const {
        return data_ + (portion % portions * portion_bytes_);
    }

    State* state_;
    std::byte* data_;
    std::size_t portion_bytes_;
};

}  // namespace transrank::carry
