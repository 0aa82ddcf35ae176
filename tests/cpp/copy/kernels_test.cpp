// SPDX-License-Identifier: BSD-3-Clause
#include "testing.hpp"
#include "transrank/copy/copy_kernels.hpp"
#include "transrank/copy/run_kernels.hpp"
#include "transrank/copy/tile_kernels.hpp"

using namespace transrank::copy;

namespace {

using Bytes = std::vector<std::byte>;

constexpr std::byte untouched{0x5C};

Bytes random_bytes(std::size_t count) {
    std::mt19937_64 random(6);
    Bytes bytes(count);
    std::ranges::generate(bytes, [&] { return static_cast<std::byte>(random()); });
    return bytes;
}

/// Whether `copy` writes `bytes` of `source` from `from` on to `to` of a target, and nothing else.
bool copies_exactly(Copy copy, const Bytes& source, std::size_t from, std::size_t to,
                    std::size_t bytes) {
    Bytes target(source.size() + 256, untouched);
    auto expected = target;
    std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(from), bytes,
                expected.begin() + static_cast<std::ptrdiff_t>(to));
    copy(target.data() + to, source.data() + from, bytes);
    end_streaming();
    return target == expected;
}

}  // namespace

TEST_CASE("every kernel copies every short length from and to every place in a line") {
    const auto source = random_bytes(700);
    for (const auto& kernel : copy_kernels()) {
        CAPTURE(name(kernel.instruction_set));
        int wrong = 0;
        for (std::size_t bytes = 0; bytes < 330; bytes += bytes < 140 ? 1 : 7) {
            for (std::size_t to = 0; to < 66; ++to) {
                const std::size_t from = (to * 13 + bytes) % 67;
                wrong += copies_exactly(kernel.streaming, source, from, to, bytes) ? 0 : 1;
            }
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("every kernel copies buffers larger than the first caches") {
    const auto source = random_bytes((std::size_t{4} << 20) + 100);
    for (const auto& kernel : copy_kernels()) {
        CAPTURE(name(kernel.instruction_set));
        CHECK(copies_exactly(kernel.streaming, source, 3, 65, (std::size_t{4} << 20) + 5));
        CHECK(copies_exactly(kernel.streaming, source, 0, 64, std::size_t{4} << 20));
    }
}

TEST_CASE(
    "there is a kernel for each instruction set but the portable one, and the widest one is "
    "taken") {
    const auto kernels = copy_kernels();
    const auto sets = supported_instruction_sets();
    REQUIRE(kernels.size() + 1 == sets.size());
    CHECK(sets.front() == InstructionSet::portable);
    CHECK(std::ranges::is_sorted(sets));
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        CHECK(kernels[i].instruction_set == sets[i + 1]);
    }
    if (!kernels.empty()) {
        CHECK((streaming_copy() == kernels.back().streaming));
    }
}

#if defined(__x86_64__)
TEST_CASE("every x86-64 processor writes past its caches") {
    CHECK(supported_instruction_sets().size() >= 2);
    CHECK((streaming_copy() != nullptr));
}
#endif

// Every kernel moves its runs and nothing beside them.

namespace {

constexpr std::int64_t runs = 7;
constexpr std::int64_t gap = 24;

bool moves_runs(RunCopy copy, std::int64_t length, std::int64_t from_stride,
                std::int64_t to_stride) {
    const auto source = random_bytes(static_cast<std::size_t>((runs - 1) * from_stride + length));
    Bytes found(static_cast<std::size_t>((runs * to_stride) + length), untouched);
    auto expected = found;
    for (std::int64_t run = 0; run < runs; ++run) {
        for (std::int64_t i = 0; i < length; ++i) {
            expected[static_cast<std::size_t>((run * to_stride) + i)] =
                source[static_cast<std::size_t>((run * from_stride) + i)];
        }
    }
    copy(found.data(), to_stride, source.data(), from_stride, runs);
    return found == expected;
}

}  // namespace

TEST_CASE("runs of every length that code is made for are copied, packed or strided") {
    for (const auto& kernels : run_kernels()) {
        CAPTURE(name(kernels.instruction_set));
        for (std::size_t words = 1; words <= kernels.by_words.size(); ++words) {
            const auto length = static_cast<std::int64_t>(words * run_word_bytes);
            CAPTURE(length);
            const auto copy = kernels.by_words[words - 1];
            CHECK(moves_runs(copy, length, length, length));
            CHECK(moves_runs(copy, length, length + gap, length));
            CHECK(moves_runs(copy, length, length, length + gap));
        }
    }
}

TEST_CASE("other lengths have no code of their own") {
    CHECK((run_copy(8) == run_kernels().back().by_words.front()));
    CHECK((run_copy(256) == run_kernels().back().by_words.back()));
    for (const std::int64_t length : {0, 4, 12, 264, -8}) {
        CHECK((run_copy(length) == nullptr));
    }
}

// Every kernel moves the units of its plane and nothing beside them.

namespace {

struct Plane {
    std::int64_t unit_bytes;
    std::int64_t row_units;
    std::int64_t rows;
    std::int64_t gap;    ///< behind rows and columns
    std::int64_t begin;  ///< where the first unit is, from a line on

    [[nodiscard]] std::int64_t to_stride() const { return (row_units * unit_bytes) + gap; }
    [[nodiscard]] std::int64_t from_stride() const { return (rows * unit_bytes) + gap; }
};

constexpr std::int64_t line_bytes = 64;

/// The first byte of a buffer at a cache line.
std::byte* at_line(Bytes& bytes) {
    const auto past = reinterpret_cast<std::uintptr_t>(bytes.data()) % line_bytes;
    return bytes.data() + ((line_bytes - past) % line_bytes);
}

bool moves_units(PlaneCopy copy, const Plane& plane) {
    const auto source =
        random_bytes(static_cast<std::size_t>(plane.row_units * plane.from_stride()));
    const auto size =
        static_cast<std::size_t>(plane.begin + (plane.rows * plane.to_stride()) + (2 * line_bytes));
    Bytes found(size, untouched);
    Bytes expected(size, untouched);
    auto* const to = at_line(found) + plane.begin;
    auto* const right = expected.data() + (to - found.data());
    for (std::int64_t row = 0; row < plane.rows; ++row) {
        for (std::int64_t unit = 0; unit < plane.row_units; ++unit) {
            std::copy_n(source.data() + (unit * plane.from_stride()) + (row * plane.unit_bytes),
                        plane.unit_bytes,
                        right + (row * plane.to_stride()) + (unit * plane.unit_bytes));
        }
    }
    copy(to, plane.to_stride(), source.data(), plane.from_stride(), plane.row_units, plane.rows);
    end_streaming();
    return found == expected;
}

}  // namespace

TEST_CASE("planes of every size and place are turned, into the caches and past them") {
    for (const auto& kernel : tile_kernels()) {
        CAPTURE(name(kernel.instruction_set));
        CAPTURE(kernel.unit_bytes);
        for (const std::int64_t row_units : {1, 7, 8, 31, 64, 67, 200}) {
            for (const std::int64_t rows : {1, 3, 8, 16, 61, 64, 130}) {
                for (const std::int64_t gap : {0, 8, 64}) {
                    for (const std::int64_t begin : {0, 3, 32}) {
                        const Plane plane{.unit_bytes = kernel.unit_bytes,
                                          .row_units = row_units,
                                          .rows = rows,
                                          .gap = gap,
                                          .begin = begin};
                        CAPTURE(row_units);
                        CAPTURE(rows);
                        CHECK(moves_units(kernel.temporal, plane));
                        if (kernel.streaming != nullptr) {
                            CHECK(moves_units(kernel.streaming, plane));
                        }
                    }
                }
            }
        }
    }
}

TEST_CASE("units of which no whole number fills a line have no kernel") {
    CHECK(tile_kernel(8) != nullptr);
    CHECK(tile_kernel(24) == nullptr);
    CHECK(tile_kernel(128) == nullptr);
}
