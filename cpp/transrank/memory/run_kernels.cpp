// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/memory/run_kernels.hpp"

#include <cstring>
#include <utility>
#include <vector>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace transrank::memory {
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

#ifdef __x86_64__
// Wider stores keep more lines of the target on their way at once.
template <std::size_t Length>
__attribute__((target("avx2"))) void copy_avx2(std::byte* to, std::int64_t to_stride,
                                               const std::byte* from, std::int64_t from_stride,
                                               std::int64_t count) {
    constexpr std::size_t whole = Length / sizeof(__m256i) * sizeof(__m256i);
    for (std::int64_t i = 0; i < count; ++i) {
        for (std::size_t at = 0; at < whole; at += sizeof(__m256i)) {
            const auto part = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + at));
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + at), part);
        }
        std::memcpy(to + whole, from + whole, Length - whole);
        to += to_stride;
        from += from_stride;
    }
}
#endif

constexpr std::size_t lengths = longest_run_bytes / run_word_bytes;

template <std::size_t... Words>
constexpr RunKernels kernels_for(InstructionSet set, std::index_sequence<Words...> /*unused*/) {
#ifdef __x86_64__
    if (set == InstructionSet::avx2) {
        return {.instruction_set = set, .by_words = {copy_avx2<run_word_bytes*(Words + 1)>...}};
    }
#endif
    return {.instruction_set = set, .by_words = {copy_portable<run_word_bytes*(Words + 1)>...}};
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
    static const auto& best = run_kernels().back();
    const auto bytes = static_cast<std::size_t>(length);
    if (bytes == 0 || bytes > longest_run_bytes || bytes % run_word_bytes != 0) {
        return nullptr;
    }
    return best.by_words[(bytes / run_word_bytes) - 1];
}

}  // namespace transrank::memory
