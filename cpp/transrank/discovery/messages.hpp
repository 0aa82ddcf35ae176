// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "transrank/mpi/communicator.hpp"
#include "transrank/mpi/delivery.hpp"
#include "transrank/route/leg.hpp"
#include "transrank/route/segments.hpp"

namespace transrank::discovery {

/// Puts values of plain types one after the other into a message.
class Writer {
public:
    template <class T>
    void add(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        append(&value, sizeof(T));
    }
    /// How many, and then the values.
    template <class T>
    void add_all(std::span<const T> values) {
        static_assert(std::has_unique_object_representations_v<T>, "padding would be sent");
        add(static_cast<std::uint64_t>(values.size()));
        append(values.data(), values.size_bytes());
    }
    [[nodiscard]] mpi::Message to(int peer) && {
        return {.peer = peer, .bytes = std::move(bytes_)};
    }

private:
    void append(const void* from, std::size_t bytes) {
        if (bytes > 0) {
            const auto end = bytes_.size();
            bytes_.resize(end + bytes);
            std::memcpy(bytes_.data() + end, from, bytes);
        }
    }
    std::vector<std::byte> bytes_;
};

/// Takes them out again, in the same order.
class Reader {
public:
    explicit Reader(const mpi::Message& message) : left_(message.bytes) {}

    template <class T>
    [[nodiscard]] T take() {
        T value{};
        copy(&value, 1, sizeof(T));
        return value;
    }
    template <class T>
    [[nodiscard]] std::vector<T> take_all() {
        const auto count = take<std::uint64_t>();
        if (count > left_.size() / sizeof(T)) {
            refuse();
        }
        std::vector<T> values(static_cast<std::size_t>(count));
        copy(values.data(), values.size(), sizeof(T));
        return values;
    }
    [[nodiscard]] bool at_end() const noexcept { return left_.empty(); }

private:
    [[noreturn]] static void refuse() {
        throw std::runtime_error(
            "a message from another rank is shorter than it says; do all ranks run the same "
            "version of transrank?");
    }
    void copy(void* to, std::size_t count, std::size_t each) {
        if (count > left_.size() / each) {
            refuse();
        }
        if (count > 0) {
            std::memcpy(to, left_.data(), count * each);
            left_ = left_.subspan(count * each);
        }
    }
    std::span<const std::byte> left_;
};

/// Segments among the values of a message.
inline void add(Writer& writer, const route::Segments& segments) {
    const auto bytes = segments.packed();
    writer.add_all(std::span(bytes));
}
[[nodiscard]] inline route::Segments take_segments(Reader& reader) {
    return route::Segments::unpacked(reader.take_all<std::byte>());
}

/// A message to the peer of each leg, with what `write(writer, leg)` writes.
template <class Write>
[[nodiscard]] std::vector<mpi::Message> message_per_leg(std::span<const route::Leg> legs,
                                                        const Write& write) {
    std::vector<mpi::Message> messages;
    messages.reserve(legs.size());
    for (const auto& leg : legs) {
        Writer writer;
        write(writer, leg);
        messages.push_back(std::move(writer).to(leg.peer));
    }
    return messages;
}
/// The leg in each of these messages, which hold nothing else.
[[nodiscard]] std::vector<route::Leg> take_legs(std::span<const mpi::Message> messages);

/// The purpose of a delivery. Each takes this tag and the next one; those below are transport::Tag.
enum class Subject : std::uint8_t {
    ghosts_wanted = 16,
    rows_pushed = 18,
    ghost_begins = 20,
    index_lists = 22,
    legs_found = 24,
    row_places = 26,
    legs_in_units = 28,
    leg_digests = 30,
    owners_asked = 32,
    owners_answered = 34,
    cells_found = 36,
};

/// Longer messages go in pieces: MPI 3 counts the bytes of a message in int.
inline constexpr std::size_t most_piece_bytes = std::size_t{1} << 30U;

/// What ranks must know of a delivery before they begin it: whether some message goes in pieces,
/// and, where ranks are few, how many messages come to each. Then they need no consensus.
class Announcement {
public:
    /// What this rank sends.
    void add(const mpi::Communicator& comm, std::span<const mpi::Message> messages);
    /// For the agreement before the delivery, which makes them those of all ranks.
    [[nodiscard]] std::span<std::uint64_t> sums() noexcept { return sums_; }
    [[nodiscard]] bool in_pieces() const noexcept { return sums_.front() != 0; }
    [[nodiscard]] std::optional<std::size_t> to(int rank, int ranks) const;

private:
    static constexpr int most_counted = 32;
    std::array<std::uint64_t, 1 + most_counted> sums_{};
};

/// Collective. As mpi::deliver, but messages may have any length, one may go to this rank itself,
/// and nothing needs to stand between two deliveries. `piece_bytes` is the same on every rank.
[[nodiscard]] std::vector<mpi::Message> deliver(const mpi::Communicator& comm,
                                                std::vector<mpi::Message> messages, Subject subject,
                                                std::size_t piece_bytes = most_piece_bytes);
/// The same after an agreement in which it was announced; none goes to this rank itself.
[[nodiscard]] std::vector<mpi::Message> deliver(const mpi::Communicator& comm,
                                                std::vector<mpi::Message> messages, Subject subject,
                                                const Announcement& announced);

}  // namespace transrank::discovery
