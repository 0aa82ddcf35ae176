// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/copy/copy_kernels.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace transrank::copy {
namespace {

void copy_portable(std::byte* to, const std::byte* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
}

#ifdef __x86_64__
// No smaller unit leaves the processor whole: a line written in part is read first.
constexpr std::size_t line_bytes = 64;

// Copies whole lines; `to` begins at a line.
using LineCopy = void (*)(std::byte* to, const std::byte* from, std::size_t bytes);

void lines_sse2(std::byte* to, const std::byte* from, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; i += sizeof(__m128i)) {
        const auto part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
        _mm_store_si128(reinterpret_cast<__m128i*>(to + i), part);
    }
}

void streamed_lines_sse2(std::byte* to, const std::byte* from, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; i += sizeof(__m128i)) {
        const auto part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
        _mm_stream_si128(reinterpret_cast<__m128i*>(to + i), part);
    }
}

__attribute__((target("avx2"))) void lines_avx2(std::byte* to, const std::byte* from,
                                                std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; i += sizeof(__m256i)) {
        const auto part = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i));
        _mm256_store_si256(reinterpret_cast<__m256i*>(to + i), part);
    }
}

__attribute__((target("avx2"))) void streamed_lines_avx2(std::byte* to, const std::byte* from,
                                                         std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; i += sizeof(__m256i)) {
        const auto part = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i));
        _mm256_stream_si256(reinterpret_cast<__m256i*>(to + i), part);
    }
}

__attribute__((target("avx512f"))) void lines_avx512(std::byte* to, const std::byte* from,
                                                     std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; i += sizeof(__m512i)) {
        _mm512_store_si512(to + i, _mm512_loadu_si512(from + i));
    }
}

__attribute__((target("avx512f"))) void streamed_lines_avx512(std::byte* to, const std::byte* from,
                                                              std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; i += sizeof(__m512i)) {
        _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i), _mm512_loadu_si512(from + i));
    }
}

// The bytes before the first and after the last whole line of the target go by memcpy.
template <LineCopy Lines>
void copy_around(std::byte* to, const std::byte* from, std::size_t bytes) {
    const auto address = reinterpret_cast<std::uintptr_t>(to);
    const std::size_t head = std::min((line_bytes - (address % line_bytes)) % line_bytes, bytes);
    const std::size_t whole = (bytes - head) / line_bytes * line_bytes;
    std::memcpy(to, from, head);
    Lines(to + head, from + head, whole);
    std::memcpy(to + head + whole, from + head + whole, bytes - head - whole);
}

// Streamed stores are not ordered with later ones, such as the flag that says the data is there.
template <LineCopy Lines>
void stream_around(std::byte* to, const std::byte* from, std::size_t bytes) {
    copy_around<Lines>(to, from, bytes);
    end_streaming();
}
#endif

CopyKernel kernel_for(InstructionSet set) {
    switch (set) {
#ifdef __x86_64__
        case InstructionSet::sse2:
            return {.instruction_set = set,
                    .temporal = copy_around<lines_sse2>,
                    .nontemporal = stream_around<streamed_lines_sse2>,
                    .streaming = copy_around<streamed_lines_sse2>};
        case InstructionSet::avx2:
            return {.instruction_set = set,
                    .temporal = copy_around<lines_avx2>,
                    .nontemporal = stream_around<streamed_lines_avx2>,
                    .streaming = copy_around<streamed_lines_avx2>};
        case InstructionSet::avx512:
            return {.instruction_set = set,
                    .temporal = copy_around<lines_avx512>,
                    .nontemporal = stream_around<streamed_lines_avx512>,
                    .streaming = copy_around<streamed_lines_avx512>};
#endif
        default:
            return {.instruction_set = set,
                    .temporal = copy_portable,
                    .nontemporal = nullptr,
                    .streaming = nullptr};
    }
}

}  // namespace

std::span<const CopyKernel> copy_kernels() {
    static const auto kernels = [] {
        std::vector<CopyKernel> supported;
        std::ranges::transform(supported_instruction_sets(), std::back_inserter(supported),
                               kernel_for);
        return supported;
    }();
    return kernels;
}

Copy nontemporal_copy() {
    return copy_kernels().back().nontemporal;
}

Copy streaming_copy() {
    return copy_kernels().back().streaming;
}

void end_streaming() noexcept {
#ifdef __x86_64__
    _mm_sfence();
#endif
}

}  // namespace transrank::copy
