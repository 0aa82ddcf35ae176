// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/file_format.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "transrank/route/checksum.hpp"
#include "transrank/route/file.hpp"

namespace transrank::route {
namespace {

// As in PNG: a byte that is not text, a name, line ends that a text transfer would change, an end
// mark. One value on every machine, since the bytes are.
constexpr std::array<char, 8> magic{'\x89', 'T', 'R', 'T', 'E', '\r', '\n', '\x1a'};
constexpr std::uint64_t byte_order = 0x0102030405060708;
constexpr std::size_t words_of_frame = 5;  // magic to number of words, and the checksum
constexpr std::size_t least_of_segment = 4;
constexpr std::size_t fields_of_loop = 3;

std::uint64_t reversed(std::uint64_t word) {
    auto bytes = std::bit_cast<std::array<std::byte, sizeof(word)>>(word);
    std::ranges::reverse(bytes);
    return std::bit_cast<std::uint64_t>(bytes);
}

std::uint64_t checksum_of(std::span<const std::uint64_t> words) {
    Checksum sum;
    for (const std::uint64_t word : words) {
        sum.add(word);
    }
    return sum.value();
}

void append_legs(std::span<const Leg> legs, Words& words) {
    for (const auto& leg : legs) {
        words.push_back(static_cast<std::uint64_t>(leg.peer));
        words.push_back(leg.segments.size());
    }
}

void append_segments(std::span<const Leg> legs, Words& words) {
    const auto append = [&](std::initializer_list<std::int64_t> numbers) {
        words.insert(words.end(), numbers.begin(), numbers.end());
    };
    for (const auto& leg : legs) {
        for (const auto& segment : leg.segments) {
            const auto loops = segment.loops();
            append({segment.source, segment.destination, segment.length, std::ssize(loops)});
            for (const auto& [count, source_stride, destination_stride] : loops) {
                append({count, source_stride, destination_stride});
            }
        }
    }
}

/// Takes words one by one; the frame has been checked, so running out means a wrong count inside.
class Reader {
public:
    Reader(std::span<const std::uint64_t> words, std::uint64_t version, const std::string& name)
        : words_(words), version_(version), name_(name) {}

    std::uint64_t word() {
        if (words_.empty()) {
            fail("its counts do not match its length");
        }
        const std::uint64_t first = words_.front();
        words_ = words_.subspan(1);
        return first;
    }
    std::int64_t integer() { return static_cast<std::int64_t>(word()); }
    /// A number of things, which stands there from version 2 on.
    std::size_t later_number(std::size_t before, std::size_t words_each) {
        return version_ > 1 ? fitting(word(), words_each) : before;
    }
    int rank() {
        const std::int64_t value = integer();
        if (value < 0 || value > std::numeric_limits<int>::max()) {
            fail("rank " + std::to_string(value) + " is out of range");
        }
        return static_cast<int>(value);
    }
    /// A number of things that take `words_each` words, all of which are still to come.
    [[nodiscard]] std::size_t fitting(std::uint64_t number, std::size_t words_each) const {
        if (number > words_.size() / words_each) {
            fail("it promises " + std::to_string(number) + " entries, more than it has room for");
        }
        return static_cast<std::size_t>(number);
    }
    void finish() const {
        if (!words_.empty()) {
            fail("its counts do not match its length");
        }
    }
    [[noreturn]] void fail(const std::string& why) const {
        throw FileError(name_ + " is not a valid route file: " + why);
    }

private:
    std::span<const std::uint64_t> words_;
    std::uint64_t version_;
    const std::string& name_;
};

struct LegHeader {
    int peer = 0;
    std::uint64_t segments = 0;
};

std::vector<LegHeader> read_headers(std::uint64_t number, Reader& reader) {
    std::vector<LegHeader> headers(reader.fitting(number, 2));
    for (auto& header : headers) {
        header.peer = reader.rank();
        header.segments = reader.word();
    }
    return headers;
}

std::vector<Leg> read_legs(const std::vector<LegHeader>& headers, Reader& reader) {
    std::vector<Leg> legs;
    legs.reserve(headers.size());
    for (const auto& header : headers) {
        Leg& leg = legs.emplace_back(Leg{.peer = header.peer, .segments = {}});
        for (auto left = reader.fitting(header.segments, least_of_segment); left > 0; --left) {
            Segment segment{.source = reader.integer(),
                            .destination = reader.integer(),
                            .length = reader.integer()};
            const auto loops = reader.later_number(1, fields_of_loop);
            for (std::size_t i = 0; i < loops; ++i) {
                const Loop loop{.count = reader.integer(),
                                .source_stride = reader.integer(),
                                .destination_stride = reader.integer()};
                if (i == 0) {
                    segment.set_fastest(loop);
                } else {
                    segment.further.push_back(loop);
                }
            }
            leg.segments.push_back(segment);
        }
        leg.segments.shrink_to_fit();
    }
    return legs;
}

}  // namespace

Words encode(const Route& route) {
    Words words(std::tuple_size_v<Head>);
    for (const std::int64_t value :
         {std::int64_t{route.rank()}, std::int64_t{route.ranks()}, route.source_extent(),
          route.destination_extent(), static_cast<std::int64_t>(route.sends().size()),
          static_cast<std::int64_t>(route.receives().size())}) {
        words.push_back(static_cast<std::uint64_t>(value));
    }
    for (const Shape* shape : {&route.shapes().source, &route.shapes().destination}) {
        words.push_back(shape->size());
        words.insert(words.end(), shape->begin(), shape->end());
    }
    append_legs(route.sends(), words);
    append_legs(route.receives(), words);
    append_segments(route.sends(), words);
    append_segments(route.receives(), words);
    words[0] = std::bit_cast<std::uint64_t>(magic);
    words[1] = byte_order;
    words[2] = file_version;
    words[3] = words.size() + 1;
    words.push_back(checksum_of(words));
    return words;
}

// Magic, byte order, version and length in this order: what fails first is what a reader can be
// told about a file whose remainder may mean anything.
void check_head(const Head& head, std::uint64_t bytes, const std::string& name) {
    const auto refuse = [&](const std::string& why) { throw FileError(name + why); };
    const auto size = std::to_string(bytes) + " bytes";
    if (bytes == 0) {
        refuse(" is empty, not a route file; save it again");
    }
    if (std::memcmp(head.data(), magic.data(), std::min<std::uint64_t>(bytes, magic.size())) != 0) {
        refuse(" is not a route file");
    }
    if (bytes < words_of_frame * sizeof(std::uint64_t)) {
        refuse(" is truncated: it has " + size + ", fewer than any route file; save it again");
    }
    if (head[1] != byte_order) {
        refuse(head[1] == reversed(byte_order)
                   ? " was written on a machine of the other endianness; save it again on this one"
                   : " is damaged: its byte order mark is invalid; save it again");
    }
    if (head[2] < 1 || head[2] > file_version) {
        refuse(" has version " + std::to_string(head[2]) +
               " of the route file format, but this program reads versions 1 to " +
               std::to_string(file_version) + "; save it again");
    }
    if (bytes % sizeof(std::uint64_t) != 0 || head[3] != bytes / sizeof(std::uint64_t)) {
        refuse(" is truncated or damaged: it has " + size + ", but was written with " +
               std::to_string(head[3]) + " words of 8 bytes; save it again");
    }
}

Route decode(std::span<const std::uint64_t> file, const std::string& name) {
    if (file.back() != checksum_of(file.first(file.size() - 1))) {
        throw FileError(name +
                        " is damaged: its checksum does not match its content; save it again");
    }
    Reader reader(file.subspan(std::tuple_size_v<Head>, file.size() - words_of_frame), file[2],
                  name);
    const int rank = reader.rank();
    const int ranks = reader.rank();
    const std::int64_t source_extent = reader.integer();
    const std::int64_t destination_extent = reader.integer();
    const std::uint64_t legs_sent = reader.word();
    const std::uint64_t legs_received = reader.word();
    Shapes shapes;
    for (Shape* shape : {&shapes.source, &shapes.destination}) {
        shape->resize(reader.later_number(0, 1));
        std::ranges::generate(*shape, [&] { return reader.integer(); });
    }
    const auto headers_sent = read_headers(legs_sent, reader);
    const auto headers_received = read_headers(legs_received, reader);
    auto sends = read_legs(headers_sent, reader);
    auto receives = read_legs(headers_received, reader);
    reader.finish();
    try {
        return Route(rank, ranks, source_extent, destination_extent, std::move(sends),
                     std::move(receives), std::move(shapes));
    } catch (const std::invalid_argument& problem) {
        reader.fail(problem.what());
    }
}

}  // namespace transrank::route
