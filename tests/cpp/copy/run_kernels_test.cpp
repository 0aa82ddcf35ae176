// SPDX-License-Identifier: BSD-3-Clause
// Every kernel moves its runs and nothing beside them.
#include "transrank/copy/run_kernels.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace transrank::copy;

namespace {

using Bytes = std::vector<std::byte>;

constexpr std::int64_t runs = 7;
constexpr std::int64_t gap = 24;

Bytes numbered(std::int64_t bytes) {
    Bytes made(static_cast<std::size_t>(bytes));
    for (std::size_t i = 0; i < made.size(); ++i) {
        made[i] = static_cast<std::byte>(i * 37 % 251);
    }
    return made;
}

bool moves_runs(RunCopy copy, std::int64_t length, std::int64_t from_stride,
                std::int64_t to_stride) {
    const auto source = numbered((runs - 1) * from_stride + length);
    Bytes found(static_cast<std::size_t>((runs * to_stride) + length), std::byte{255});
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
