// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/copy/run_kernels.hpp"

#include <cstring>
#include <utility>
#include <vector>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace transrank::copy {
namespace {

// What the compiler makes of it: 16 bytes at a time on x86-64.
template <std::size_t Length>
void copy_portable(std::byte* to, std::int64_t to_stride, const std::byte* from,
                   std::int64_t from_stride, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        std::memcpy(to, from, Length);
        to += to_stride;
        from += from_stride;
    }
}

template <std::size_t Length>
void copy_units_portable(std::byte* to, const std::byte* from, std::span<const UnitIndex> units) {
    for (const auto& unit : units) {
        std::memcpy(to + (unit.to * std::int64_t{Length}),
                    from + (unit.from * std::int64_t{Length}), Length);
    }
}

#ifdef __x86_64__
// Wider stores keep more lines of the target on their way at once.
template <std::size_t Length>
__attribute__((target("avx2"))) inline void copy_one_avx2(std::byte* to, const std::byte* from) {
    constexpr std::size_t whole = Length / sizeof(__m256i) * sizeof(__m256i);
    for (std::size_t at = 0; at < whole; at += sizeof(__m256i)) {
        const auto part = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + at));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + at), part);
    }
    std::memcpy(to + whole, from + whole, Length - whole);
}

template <std::size_t Length>
__attribute__((target("avx2"))) void copy_avx2(std::byte* to, std::int64_t to_stride,
                                               const std::byte* from, std::int64_t from_stride,
                                               std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        copy_one_avx2<Length>(to, from);
        to += to_stride;
        from += from_stride;
    }
}

template <std::size_t Length>
__attribute__((target("avx2"))) void copy_units_avx2(std::byte* to, const std::byte* from,
                                                     std::span<const UnitIndex> units) {
    for (const auto& unit : units) {
        copy_one_avx2<Length>(to + (unit.to * std::int64_t{Length}),
                              from + (unit.from * std::int64_t{Length}));
    }
}
#endif

constexpr std::size_t lengths = longest_run_bytes / run_word_bytes;

template <std::size_t... Words>
constexpr RunKernels kernels_for(InstructionSet set, std::index_sequence<Words...> /*unused*/) {
#ifdef __x86_64__
    if (set == InstructionSet::avx2) {
        return {.instruction_set = set,
                .by_words = {copy_avx2<run_word_bytes*(Words + 1)>...},
                .units_by_words = {copy_units_avx2<run_word_bytes*(Words + 1)>...}};
    }
#endif
    return {.instruction_set = set,
            .by_words = {copy_portable<run_word_bytes*(Words + 1)>...},
            .units_by_words = {copy_units_portable<run_word_bytes*(Words + 1)>...}};
}

bool has_code(std::int64_t length) {
    return length > 0 && length <= std::int64_t{longest_run_bytes} &&
           length % std::int64_t{run_word_bytes} == 0;
}

std::size_t index_of(std::int64_t length) {
    return (static_cast<std::size_t>(length) / run_word_bytes) - 1;
}

}  // namespace

std::span<const RunKernels> run_kernels() {
    static const auto all = [] {
        std::vector<RunKernels> made;
        for (const auto set : supported_instruction_sets()) {
            // Stores of 64 bytes cross lines half of the time, and gain nothing.
            if (set == InstructionSet::portable || set == InstructionSet::avx2) {
                made.push_back(kernels_for(set, std::make_index_sequence<lengths>{}));
            }
        }
        return made;
    }();
    return all;
}

RunCopy run_copy(std::int64_t length) {
    return has_code(length) ? run_kernels().back().by_words[index_of(length)] : nullptr;
}

UnitCopy unit_copy(std::int64_t length) {
    return has_code(length) ? run_kernels().back().units_by_words[index_of(length)] : nullptr;
}

}  // namespace transrank::copy
