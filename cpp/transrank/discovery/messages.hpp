// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
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

/// The purpose of a delivery. Each takes this tag and the next one.
enum class Subject : std::uint8_t {
    ghosts_wanted = 0,
    rows_pushed = 2,
    ghost_begins = 4,
    index_lists = 6,
    legs_found = 8,
    row_places = 10,
    legs_in_units = 12,
    leg_digests = 14,
    owners_asked = 16,
    owners_answered = 18,
    cells_found = 20,
};

/// Collective. As mpi::deliver, but messages may have any length, one may go to this rank itself,
/// and nothing needs to stand between two deliveries. Longer messages than `piece_bytes`, the same
/// on every rank, go in pieces: MPI 3 counts the bytes of a message in int.
[[nodiscard]] std::vector<mpi::Message> deliver(const mpi::Communicator& comm,
                                                std::vector<mpi::Message> messages, Subject subject,
                                                std::size_t piece_bytes = std::size_t{1} << 30U);

}  // namespace transrank::discovery
