// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/copy/tile_kernels.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace transrank::copy {
namespace {

constexpr std::int64_t line_bytes = 64;
// Tiles whose lines are on their way together: few enough for the ways of a cache where columns and
// rows begin powers of two apart, enough to fill the pages that are open.
constexpr std::int64_t block_rows = 64;
constexpr std::int64_t block_lines = 2;

template <std::int64_t UnitBytes>
void copy_units(std::byte* to, std::int64_t to_stride, const std::byte* from,
                std::int64_t from_stride, std::int64_t row_units, std::int64_t rows) {
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t unit = 0; unit < row_units; ++unit) {
            std::memcpy(to + (row * to_stride) + (unit * UnitBytes),
                        from + (unit * from_stride) + (row * UnitBytes), UnitBytes);
        }
    }
}

/// A tile is a line of each of Tile::rows rows.
template <class Tile>
struct Plane {
    static constexpr std::int64_t unit_bytes = Tile::unit_bytes;
    static constexpr std::int64_t line_units = line_bytes / unit_bytes;

    static void copy(std::byte* to, std::int64_t to_stride, const std::byte* from,
                     std::int64_t from_stride, std::int64_t row_units, std::int64_t rows) {
        constexpr std::int64_t block_units = block_lines * line_units;
        for (std::int64_t unit = 0; unit < row_units; unit += block_units) {
            const auto units = std::min(block_units, row_units - unit);
            for (std::int64_t row = 0; row < rows; row += block_rows) {
                copy_block(to + (row * to_stride) + (unit * unit_bytes), to_stride,
                           from + (unit * from_stride) + (row * unit_bytes), from_stride, units,
                           std::min(block_rows, rows - row));
            }
        }
    }

private:
    static void copy_block(std::byte* to, std::int64_t to_stride, const std::byte* from,
                           std::int64_t from_stride, std::int64_t row_units, std::int64_t rows) {
        const std::int64_t whole_rows = rows / Tile::rows * Tile::rows;
        std::int64_t unit = 0;
        for (; unit + line_units <= row_units; unit += line_units) {
            Tile::move(to + (unit * unit_bytes), to_stride, from + (unit * from_stride),
                       from_stride, whole_rows);
        }
        copy_units<unit_bytes>(to + (whole_rows * to_stride), to_stride,
                               from + (whole_rows * unit_bytes), from_stride, unit,
                               rows - whole_rows);
        copy_units<unit_bytes>(to + (unit * unit_bytes), to_stride, from + (unit * from_stride),
                               from_stride, row_units - unit, rows);
    }
};

/// Tiles of Streamed begin at lines of the target; what lies before the first goes by Cached.
template <class Cached, class Streamed>
void copy_past_caches(std::byte* to, std::int64_t to_stride, const std::byte* from,
                      std::int64_t from_stride, std::int64_t row_units, std::int64_t rows) {
    constexpr std::int64_t unit_bytes = Streamed::unit_bytes;
    const auto past = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) % line_bytes);
    if (to_stride % line_bytes != 0 || past % unit_bytes != 0) {
        Plane<Cached>::copy(to, to_stride, from, from_stride, row_units, rows);
        return;
    }
    const auto head = std::min((line_bytes - past) % line_bytes / unit_bytes, row_units);
    copy_units<unit_bytes>(to, to_stride, from, from_stride, head, rows);
    Plane<Streamed>::copy(to + (head * unit_bytes), to_stride, from + (head * from_stride),
                          from_stride, row_units - head, rows);
}

template <std::int64_t UnitBytes>
struct PortableTile {
    static constexpr std::int64_t unit_bytes = UnitBytes;
    static constexpr std::int64_t rows = line_bytes / UnitBytes;

    static void move(std::byte* to, std::int64_t to_stride, const std::byte* from,
                     std::int64_t from_stride, std::int64_t all_rows) {
        for (std::int64_t row = 0; row < all_rows; row += rows) {
            copy_units<UnitBytes>(to + (row * to_stride), to_stride, from + (row * UnitBytes),
                                  from_stride, line_bytes / UnitBytes, rows);
        }
    }
};

#ifdef __x86_64__
// The attribute of each function that uses them names the instructions; what they call is inlined.
#define TRANSRANK_AVX2 __attribute__((target("avx2")))
#define TRANSRANK_AVX512 __attribute__((target("avx512f")))

/// Units of 16 bytes and more need no turning: their parts fill a line one after the other.
template <std::int64_t UnitBytes, bool Streamed>
struct GatheredTile {
    static constexpr std::int64_t unit_bytes = UnitBytes;
    static constexpr std::int64_t rows = 1;

    static void move(std::byte* to, std::int64_t to_stride, const std::byte* from,
                     std::int64_t from_stride, std::int64_t all_rows) {
        constexpr std::int64_t part_bytes = sizeof(__m128i);
        for (std::int64_t row = 0; row < all_rows; ++row) {
            for (std::int64_t at = 0; at < line_bytes; at += part_bytes) {
                const auto part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(
                    from + (at / UnitBytes * from_stride) + (at % UnitBytes)));
                auto* const target = reinterpret_cast<__m128i*>(to + at);
                if constexpr (Streamed) {
                    _mm_stream_si128(target, part);
                } else {
                    _mm_storeu_si128(target, part);
                }
            }
            to += to_stride;
            from += UnitBytes;
        }
    }
};

/// Registers as elements of arrays: templates drop the attributes of the bare types.
struct Part32 {
    __m256i bits;
};
struct Part64 {
    __m512i bits;
};

template <bool Streamed>
TRANSRANK_AVX2 inline void store(std::byte* to, const Part32& part) {
    if constexpr (Streamed) {
        _mm256_stream_si256(reinterpret_cast<__m256i*>(to), part.bits);
    } else {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), part.bits);
    }
}

TRANSRANK_AVX2 inline Part32 load(const std::byte* from) {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))};
}

/// 4 rows of 4 units of 8 bytes.
TRANSRANK_AVX2 inline void turn(std::array<Part32, 4>& part) {
    const auto low01 = _mm256_unpacklo_epi64(part[0].bits, part[1].bits);
    const auto high01 = _mm256_unpackhi_epi64(part[0].bits, part[1].bits);
    const auto low23 = _mm256_unpacklo_epi64(part[2].bits, part[3].bits);
    const auto high23 = _mm256_unpackhi_epi64(part[2].bits, part[3].bits);
    part[0].bits = _mm256_permute2x128_si256(low01, low23, 0x20);
    part[1].bits = _mm256_permute2x128_si256(high01, high23, 0x20);
    part[2].bits = _mm256_permute2x128_si256(low01, low23, 0x31);
    part[3].bits = _mm256_permute2x128_si256(high01, high23, 0x31);
}

/// 8 rows of 8 units of 4 bytes.
TRANSRANK_AVX2 inline void turn(std::array<Part32, 8>& part) {
    std::array<Part32, 8> pairs;
    for (std::size_t i = 0; i < 8; i += 2) {
        pairs[i].bits = _mm256_unpacklo_epi32(part[i].bits, part[i + 1].bits);
        pairs[i + 1].bits = _mm256_unpackhi_epi32(part[i].bits, part[i + 1].bits);
    }
    std::array<Part32, 8> fours;  // column c and c + 4 of rows 0 to 3, then of rows 4 to 7
    for (std::size_t i = 0; i < 8; i += 4) {
        fours[i].bits = _mm256_unpacklo_epi64(pairs[i].bits, pairs[i + 2].bits);
        fours[i + 1].bits = _mm256_unpackhi_epi64(pairs[i].bits, pairs[i + 2].bits);
        fours[i + 2].bits = _mm256_unpacklo_epi64(pairs[i + 1].bits, pairs[i + 3].bits);
        fours[i + 3].bits = _mm256_unpackhi_epi64(pairs[i + 1].bits, pairs[i + 3].bits);
    }
    for (std::size_t i = 0; i < 4; ++i) {
        part[i].bits = _mm256_permute2x128_si256(fours[i].bits, fours[i + 4].bits, 0x20);
        part[i + 4].bits = _mm256_permute2x128_si256(fours[i].bits, fours[i + 4].bits, 0x31);
    }
}

/// A register of each row, and as much again.
template <std::int64_t UnitBytes, bool Streamed>
struct TileAvx2 {
    static constexpr std::int64_t unit_bytes = UnitBytes;
    static constexpr std::int64_t rows = sizeof(__m256i) / UnitBytes;

    TRANSRANK_AVX2 static void move(std::byte* to, std::int64_t to_stride, const std::byte* from,
                                    std::int64_t from_stride, std::int64_t all_rows) {
        for (std::int64_t row = 0; row < all_rows; row += rows) {
            std::array<Part32, rows> left;
            std::array<Part32, rows> right;
            for (std::size_t i = 0; i < left.size(); ++i) {
                const auto unit = static_cast<std::int64_t>(i);
                left[i] = load(from + (unit * from_stride));
                right[i] = load(from + ((unit + rows) * from_stride));
            }
            turn(left);
            turn(right);
            for (std::size_t i = 0; i < left.size(); ++i) {
                store<Streamed>(to, left[i]);
                store<Streamed>(to + sizeof(__m256i), right[i]);
                to += to_stride;
            }
            from += rows * unit_bytes;
        }
    }
};

// All elements chosen by a mask: without one the compiler warns of the headers' undefined register.
constexpr __mmask8 all = 0xff;
constexpr int even = 0x88;  // of the quarters of two registers
constexpr int odd = 0xdd;

TRANSRANK_AVX512 inline Part64 low(const Part64& a, const Part64& b) {
    return {_mm512_maskz_unpacklo_epi64(all, a.bits, b.bits)};
}
TRANSRANK_AVX512 inline Part64 high(const Part64& a, const Part64& b) {
    return {_mm512_maskz_unpackhi_epi64(all, a.bits, b.bits)};
}
template <int Which>
TRANSRANK_AVX512 inline Part64 quarters(const Part64& a, const Part64& b) {
    return {_mm512_maskz_shuffle_i64x2(all, a.bits, b.bits, Which)};
}

/// 8 rows of 8 units of 8 bytes.
template <std::int64_t UnitBytes, bool Streamed>
struct TileAvx512 {
    static_assert(UnitBytes == 8);
    static constexpr std::int64_t unit_bytes = UnitBytes;
    static constexpr std::int64_t rows = 8;

    TRANSRANK_AVX512 static void move(std::byte* to, std::int64_t to_stride, const std::byte* from,
                                      std::int64_t from_stride, std::int64_t all_rows) {
        for (std::int64_t row = 0; row < all_rows; row += rows) {
            std::array<Part64, 8> pairs;  // even and odd columns of rows 0 and 1, 2 and 3 ...
            for (std::size_t i = 0; i < 8; i += 2) {
                const auto* const at = from + (static_cast<std::int64_t>(i) * from_stride);
                const Part64 one{_mm512_loadu_si512(at)};
                const Part64 other{_mm512_loadu_si512(at + from_stride)};
                pairs[i] = low(one, other);
                pairs[i + 1] = high(one, other);
            }
            std::array<Part64, 8> fours;  // columns c and c + 4 of rows 0 to 3, then of 4 to 7
            for (std::size_t i = 0; i < 8; i += 4) {
                fours[i] = quarters<even>(pairs[i], pairs[i + 2]);
                fours[i + 1] = quarters<even>(pairs[i + 1], pairs[i + 3]);
                fours[i + 2] = quarters<odd>(pairs[i], pairs[i + 2]);
                fours[i + 3] = quarters<odd>(pairs[i + 1], pairs[i + 3]);
            }
            for (std::size_t i = 0; i < 4; ++i) {
                auto* const column = to + (static_cast<std::int64_t>(i) * to_stride);
                put(column, quarters<even>(fours[i], fours[i + 4]));
                put(column + (4 * to_stride), quarters<odd>(fours[i], fours[i + 4]));
            }
            to += rows * to_stride;
            from += rows * unit_bytes;
        }
    }

private:
    TRANSRANK_AVX512 static void put(std::byte* to, const Part64& part) {
        if constexpr (Streamed) {
            _mm512_stream_si512(reinterpret_cast<__m512i*>(to), part.bits);
        } else {
            _mm512_storeu_si512(to, part.bits);
        }
    }
};

template <template <std::int64_t, bool> class Tile, std::int64_t UnitBytes>
TileKernel moved_by(InstructionSet set) {
    using Cached = Tile<UnitBytes, false>;
    return {.instruction_set = set,
            .unit_bytes = UnitBytes,
            .temporal = Plane<Cached>::copy,
            .streaming = copy_past_caches<Cached, Tile<UnitBytes, true>>};
}

#undef TRANSRANK_AVX2
#undef TRANSRANK_AVX512
#endif

template <std::int64_t UnitBytes>
TileKernel portable() {
    return {.instruction_set = InstructionSet::portable,
            .unit_bytes = UnitBytes,
            .temporal = Plane<PortableTile<UnitBytes>>::copy,
            .streaming = nullptr};
}

void add_kernels(InstructionSet set, std::vector<TileKernel>& kernels) {
    switch (set) {
        case InstructionSet::portable:
            kernels.insert(kernels.end(), {portable<1>(), portable<2>(), portable<4>(),
                                           portable<8>(), portable<16>(), portable<32>()});
            break;
#ifdef __x86_64__
        case InstructionSet::sse2:
            kernels.insert(kernels.end(),
                           {moved_by<GatheredTile, 16>(set), moved_by<GatheredTile, 32>(set),
                            moved_by<GatheredTile, 64>(set)});
            break;
        case InstructionSet::avx2:
            kernels.insert(kernels.end(), {moved_by<TileAvx2, 4>(set), moved_by<TileAvx2, 8>(set)});
            break;
        case InstructionSet::avx512:
            kernels.push_back(moved_by<TileAvx512, 8>(set));
            break;
#endif
        default:
            break;
    }
}

}  // namespace

std::span<const TileKernel> tile_kernels() {
    static const auto kernels = [] {
        std::vector<TileKernel> supported;
        for (const auto set : supported_instruction_sets()) {
            add_kernels(set, supported);
        }
        return supported;
    }();
    return kernels;
}

const TileKernel* tile_kernel(std::int64_t unit_bytes) {
    const TileKernel* best = nullptr;
    for (const auto& kernel : tile_kernels()) {
        if (kernel.unit_bytes == unit_bytes) {
            best = &kernel;
        }
    }
    return best;
}

}  // namespace transrank::copy
