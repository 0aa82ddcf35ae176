// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/copy/copy_kernels.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <vector>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace transrank::copy {
namespace {

#ifdef __x86_64__
// No smaller unit leaves the processor whole: a line written in part is read first.
constexpr std::size_t line_bytes = 64;

// Copies whole lines; `to` begins at a line.
using LineCopy = void (*)(std::byte* to, const std::byte* from, std::size_t bytes);

void lines_sse2(std::byte* to, const std::byte* from, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; i += sizeof(__m128i)) {
        const auto part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
        _mm_stream_si128(reinterpret_cast<__m128i*>(to + i), part);
    }
}

__attribute__((target("avx2"))) void lines_avx2(std::byte* to, const std::byte* from,
                                                std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; i += sizeof(__m256i)) {
        const auto part = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i));
        _mm256_stream_si256(reinterpret_cast<__m256i*>(to + i), part);
    }
}

__attribute__((target("avx512f"))) void lines_avx512(std::byte* to, const std::byte* from,
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

#endif

}  // namespace

std::span<const CopyKernel> copy_kernels() {
    static const auto kernels = [] {
        std::vector<CopyKernel> supported;
#ifdef __x86_64__
        constexpr std::array all{CopyKernel{InstructionSet::sse2, copy_around<lines_sse2>},
                                 CopyKernel{InstructionSet::avx2, copy_around<lines_avx2>},
                                 CopyKernel{InstructionSet::avx512, copy_around<lines_avx512>}};
        std::ranges::copy_if(all, std::back_inserter(supported), [](const CopyKernel& each) {
            return std::ranges::count(supported_instruction_sets(), each.instruction_set) != 0;
        });
#endif
        return supported;
    }();
    return kernels;
}

Copy streaming_copy() {
    return copy_kernels().empty() ? nullptr : copy_kernels().back().streaming;
}

// Streamed stores are not ordered with later ones, such as the flag that says the data is there.
void end_streaming() noexcept {
#ifdef __x86_64__
    _mm_sfence();
#endif
}

}  // namespace transrank::copy
