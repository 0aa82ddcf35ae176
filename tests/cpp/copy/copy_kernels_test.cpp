// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/copy/copy_kernels.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

using namespace transrank;

namespace {

constexpr std::byte untouched{0x5C};

std::vector<std::byte> random_bytes(std::size_t count) {
    std::mt19937_64 random(6);
    std::vector<std::byte> bytes(count);
    std::ranges::generate(bytes, [&] { return static_cast<std::byte>(random()); });
    return bytes;
}

/// Whether `copy` writes `bytes` of `source` from `from` on to `to` of a target, and nothing else.
bool copies_exactly(copy::Copy copy, const std::vector<std::byte>& source, std::size_t from,
                    std::size_t to, std::size_t bytes) {
    std::vector<std::byte> target(source.size() + 256, untouched);
    auto expected = target;
    std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(from), bytes,
                expected.begin() + static_cast<std::ptrdiff_t>(to));
    copy(target.data() + to, source.data() + from, bytes);
    return target == expected;
}

}  // namespace

TEST_CASE("every kernel copies every short length from and to every place in a line") {
    const auto source = random_bytes(700);
    for (const auto& kernel : copy::copy_kernels()) {
        CAPTURE(copy::name(kernel.instruction_set));
        int wrong = 0;
        for (std::size_t bytes = 0; bytes < 330; bytes += bytes < 140 ? 1 : 7) {
            for (std::size_t to = 0; to < 66; ++to) {
                const std::size_t from = (to * 13 + bytes) % 67;
                wrong += copies_exactly(kernel.nontemporal, source, from, to, bytes) ? 0 : 1;
            }
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("every kernel copies buffers larger than the first caches") {
    const auto source = random_bytes((std::size_t{4} << 20) + 100);
    for (const auto& kernel : copy::copy_kernels()) {
        CAPTURE(copy::name(kernel.instruction_set));
        const auto copy = kernel.nontemporal;
        CHECK(copies_exactly(copy, source, 3, 65, (std::size_t{4} << 20) + 5));
        CHECK(copies_exactly(copy, source, 0, 64, std::size_t{4} << 20));
    }
}

TEST_CASE(
    "there is a kernel for each instruction set but the portable one, and the widest one is "
    "taken") {
    const auto kernels = copy::copy_kernels();
    const auto sets = copy::supported_instruction_sets();
    REQUIRE(kernels.size() + 1 == sets.size());
    CHECK(sets.front() == copy::InstructionSet::portable);
    CHECK(std::ranges::is_sorted(sets));
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        CHECK(kernels[i].instruction_set == sets[i + 1]);
    }
    if (!kernels.empty()) {
        CHECK((copy::nontemporal_copy() == kernels.back().nontemporal));
    }
}

#if defined(__x86_64__)
TEST_CASE("every x86-64 processor writes past its caches") {
    CHECK(copy::supported_instruction_sets().size() >= 2);
    CHECK((copy::nontemporal_copy() != nullptr));
}
#endif
