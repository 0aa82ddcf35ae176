// SPDX-License-Identifier: BSD-3-Clause
// Compiled without contraction of products and sums: the same bits on every processor, and however
// a row is divided.
#include "transrank/study/upwind/sweep.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace transrank::study::upwind {
namespace {

using memory::InstructionSet;

constexpr std::size_t most_taps = 9;

/// What a row is computed from, in variables that no store can change: so they stay in registers.
template <int Taps>
struct Row {
    std::array<const double*, Taps> from;
    std::array<double, Taps> weights;

    /// The taps' first points are `skipped` doubles beyond `first`.
    [[gnu::always_inline]] inline Row(const double* const* first, const double* factors,
                                      std::int64_t skipped) {
        for (int t = 0; t < Taps; ++t) {
            from[t] = first[t] + skipped;
            weights[t] = factors[t];
        }
    }
    [[gnu::always_inline]] [[nodiscard]] inline double sum(std::int64_t i) const {
        double sum = weights[0] * from[0][i];
        for (int t = 1; t < Taps; ++t) {
            sum += weights[t] * from[t][i];
        }
        return sum;
    }
};

// One loop, which the compiler vectorises anew for each target it is inlined into.
template <int Taps>
[[gnu::always_inline]] inline void cached_part(double* __restrict__ to, const Row<Taps>& row,
                                               std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
        to[i] = row.sum(i);
    }
}

template <int Taps>
[[gnu::always_inline]] inline void cached_rows(double* to, const double* const* from,
                                               const double* weights, const Box& box) {
    for (std::int64_t row = 0; row < box.rows; ++row) {
        const auto skipped = row * box.pitch;
        cached_part(to + skipped, Row<Taps>(from, weights, skipped), 0, box.columns);
    }
}

template <int Taps>
void cached_portable(double* to, const double* const* from, const double* weights, const Box& box) {
    cached_rows<Taps>(to, from, weights, box);
}

#ifdef __x86_64__
template <int Taps>
__attribute__((target("avx2"))) void cached_avx2(double* to, const double* const* from,
                                                 const double* weights, const Box& box) {
    cached_rows<Taps>(to, from, weights, box);
}

template <int Taps>
__attribute__((target("avx512f,prefer-vector-width=512"))) void cached_avx512(
    double* to, const double* const* from, const double* weights, const Box& box) {
    cached_rows<Taps>(to, from, weights, box);
}

/// The part of a row that consists of whole cache lines: no smaller unit leaves the processor by a
/// streamed store without being read first.
struct Lines {
    std::int64_t begin;
    std::int64_t end;
};

Lines lines_of(const double* to, std::int64_t columns) {
    constexpr std::int64_t line = 64 / sizeof(double);
    const auto place =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) / sizeof(double));
    const std::int64_t begin = std::min((line - (place % line)) % line, columns);
    return {.begin = begin, .end = begin + ((columns - begin) / line * line)};
}

// The whole cache lines of a row.
template <int Taps>
void stream_lines_sse2(double* to, const Row<Taps>& row, const Lines& lines) {
    for (std::int64_t i = lines.begin; i < lines.end; i += 2) {
        auto sum = _mm_mul_pd(_mm_set1_pd(row.weights[0]), _mm_loadu_pd(row.from[0] + i));
        for (int t = 1; t < Taps; ++t) {
            sum = _mm_add_pd(
                sum, _mm_mul_pd(_mm_set1_pd(row.weights[t]), _mm_loadu_pd(row.from[t] + i)));
        }
        _mm_stream_pd(to + i, sum);
    }
}

template <int Taps>
__attribute__((target("avx2"))) void stream_lines_avx2(double* to, const Row<Taps>& row,
                                                       const Lines& lines) {
    for (std::int64_t i = lines.begin; i < lines.end; i += 4) {
        auto sum = _mm256_mul_pd(_mm256_set1_pd(row.weights[0]), _mm256_loadu_pd(row.from[0] + i));
        for (int t = 1; t < Taps; ++t) {
            sum = _mm256_add_pd(sum, _mm256_mul_pd(_mm256_set1_pd(row.weights[t]),
                                                   _mm256_loadu_pd(row.from[t] + i)));
        }
        _mm256_stream_pd(to + i, sum);
    }
}

template <int Taps>
__attribute__((target("avx512f"))) void stream_lines_avx512(double* to, const Row<Taps>& row,
                                                            const Lines& lines) {
    for (std::int64_t i = lines.begin; i < lines.end; i += 8) {
        auto sum = _mm512_mul_pd(_mm512_set1_pd(row.weights[0]), _mm512_loadu_pd(row.from[0] + i));
        for (int t = 1; t < Taps; ++t) {
            sum = _mm512_add_pd(sum, _mm512_mul_pd(_mm512_set1_pd(row.weights[t]),
                                                   _mm512_loadu_pd(row.from[t] + i)));
        }
        _mm512_stream_pd(to + i, sum);
    }
}

template <int Taps, void (*stream_lines)(double*, const Row<Taps>&, const Lines&)>
void streamed(double* to, const double* const* from, const double* weights, const Box& box) {
    for (std::int64_t number = 0; number < box.rows; ++number, to += box.pitch) {
        const Row<Taps> row(from, weights, number * box.pitch);
        const auto lines = lines_of(to, box.columns);
        cached_part(to, row, 0, lines.begin);
        stream_lines(to, row, lines);
        cached_part(to, row, lines.end, box.columns);
    }
}

#endif

template <int Taps>
Kernels kernels_for(InstructionSet set) {
    switch (set) {
#ifdef __x86_64__
        case InstructionSet::sse2:
            return {.instruction_set = set,
                    .cached = cached_portable<Taps>,
                    .streamed = streamed<Taps, stream_lines_sse2<Taps>>};
        case InstructionSet::avx2:
            return {.instruction_set = set,
                    .cached = cached_avx2<Taps>,
                    .streamed = streamed<Taps, stream_lines_avx2<Taps>>};
        case InstructionSet::avx512:
            return {.instruction_set = set,
                    .cached = cached_avx512<Taps>,
                    .streamed = streamed<Taps, stream_lines_avx512<Taps>>};
#endif
        default:
            return {.instruction_set = set, .cached = cached_portable<Taps>, .streamed = nullptr};
    }
}

// Streamed stores are not ordered with later ones, such as the flag that says the data is there.
void order_streamed_stores() {
#ifdef __x86_64__
    _mm_sfence();
#endif
}

}  // namespace

std::string_view name(Stores stores) {
    return stores == Stores::cached ? "cached" : "streamed";
}

std::vector<Kernels> kernels_of(std::size_t taps) {
    if (taps != 3 && taps != 9) {
        throw std::invalid_argument("no kernel sums " + std::to_string(taps) +
                                    " taps; there are kernels for 3 and 9");
    }
    std::vector<Kernels> kernels;
    for (const auto set : memory::supported_instruction_sets()) {
        kernels.push_back(taps == 3 ? kernels_for<3>(set) : kernels_for<9>(set));
    }
    return kernels;
}

Sweep::Sweep(const Stencil& stencil, const Block& block)
    : block_(block), kernels_(kernels_of(stencil.taps.size()).back()) {
    for (const auto& tap : stencil.taps) {
        weights_.push_back(tap.weight);
        offsets_.push_back((tap.row * block.pitch()) + tap.column);
    }
}

void Sweep::choose(Stores stores) noexcept {
    stores_ = can_stream() ? stores : Stores::cached;
}

void Sweep::operator()(double* to, const double* from, const Region& region) const {
    const auto kernel = stores_ == Stores::streamed ? kernels_.streamed : kernels_.cached;
    const std::int64_t first = block_.at(region.rows.begin, region.columns.begin);
    std::array<const double*, most_taps> sources{};
    for (std::size_t t = 0; t < offsets_.size(); ++t) {
        sources[t] = from + first + offsets_[t];
    }
    kernel(to + first, sources.data(), weights_.data(),
           {.rows = region.rows.length(),
            .columns = region.columns.length(),
            .pitch = block_.pitch()});
    if (stores_ == Stores::streamed) {
        order_streamed_stores();
    }
}

}  // namespace transrank::study::upwind
