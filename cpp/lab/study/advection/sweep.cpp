// SPDX-License-Identifier: BSD-3-Clause
// Compiled without contraction of products and sums: the same bits on every processor, and however
// a row is divided.
#include "lab/study/advection/sweep.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <string>

namespace transrank::lab::study::advection {
namespace {

using copy::InstructionSet;

// Several doubles that are computed with as one.
template <int Bytes>
struct Pack {
    using type [[gnu::vector_size(Bytes)]] = double;
};
template <>
struct Pack<sizeof(double)> {
    using type = double;
};

template <int Bytes>
inline constexpr std::int64_t width = Bytes / sizeof(double);

/// The steps upwind, in rows and in columns, from a point to what it is computed from.
struct FirstOrder {
    static constexpr std::array rows{0, 1, 0};
    static constexpr std::array columns{0, 0, 1};
};
struct SecondOrder {
    static constexpr std::array rows{0, 0, 0, 1, 1, 1, 2, 2, 2};
    static constexpr std::array columns{0, 1, 2, 0, 1, 2, 0, 1, 2};
};

template <class Shape>
bool has_shape(const Stencil& stencil) {
    const int up = stencil.from_low_rows ? -1 : 1;
    const int left = stencil.from_low_columns ? -1 : 1;
    if (stencil.taps.size() != Shape::rows.size()) {
        return false;
    }
    for (std::size_t t = 0; t < Shape::rows.size(); ++t) {
        if (stencil.taps[t].row != up * Shape::rows[t] ||
            stencil.taps[t].column != left * Shape::columns[t]) {
            return false;
        }
    }
    return true;
}

/// What a sum needs, in variables that no store can change: so they stay in registers. That its
/// shape is known here lets the rows of an update share what they load.
template <class Shape>
struct Sum {
    static constexpr auto taps = Shape::rows.size();
    std::array<double, taps> weights;
    std::int64_t row_step;
    std::int64_t column_step;

    [[gnu::always_inline]] inline Sum(const double* factors, const Box& box)
        : row_step(box.row_step), column_step(box.column_step) {
        for (std::size_t t = 0; t < taps; ++t) {
            weights[t] = factors[t];
        }
    }

    template <int Bytes>
    [[gnu::always_inline]] inline void at(const double* point, int row,
                                          typename Pack<Bytes>::type& sum) const {
        for (std::size_t t = 0; t < taps; ++t) {
            typename Pack<Bytes>::type found;
            std::memcpy(
                &found,
                point + ((row + Shape::rows[t]) * row_step) + (Shape::columns[t] * column_step),
                Bytes);
            sum = t == 0 ? weights[t] * found : sum + (weights[t] * found);
        }
    }
};

// Updates `count` packs one after the other, in `Rows` rows at once: what one row has loaded the
// next need not load again. `point` is the first double of the first pack.
template <int Bytes, int Rows, class Shape>
[[gnu::always_inline]] inline void update(double* point, std::int64_t count,
                                          const Sum<Shape>& sum) {
    using Packed = typename Pack<Bytes>::type;
    const auto step = width<Bytes> * sum.column_step;
    for (; count > 0; --count, point += step) {
        Packed found[Rows];  // NOLINT(modernize-avoid-c-arrays): a template drops attributes
        for (int row = 0; row < Rows; ++row) {
            sum.template at<Bytes>(point, row, found[row]);
        }
        for (int row = 0; row < Rows; ++row) {
            std::memcpy(point + (row * sum.row_step), &found[row], Bytes);
        }
    }
}

/// A row in the order of its points: single ones, packs that begin where a pack may, single ones.
struct Division {
    std::int64_t before;
    std::int64_t packs;
    std::int64_t after;
};

template <int Bytes>
Division division_of(const double* first, const Box& box) {
    constexpr auto unit = width<Bytes>;
    const auto place =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(first) / sizeof(double)) % unit;
    const auto before =
        std::min(box.column_step > 0 ? (unit - place) % unit : (place + 1) % unit, box.columns);
    const auto packs = (box.columns - before) / unit;
    return {.before = before, .packs = packs, .after = box.columns - before - (packs * unit)};
}

template <int Bytes, int Rows, class Shape>
[[gnu::always_inline]] inline void update_rows(double* point, const Division& division,
                                               const Sum<Shape>& sum) {
    constexpr auto unit = width<Bytes>;
    constexpr int single = sizeof(double);
    const auto step = sum.column_step;
    update<single, Rows>(point, division.before, sum);
    point += division.before * step;
    // Of a pack that ends where the last point lay, the first double lies further down.
    update<Bytes, Rows>(step > 0 ? point : point - (unit - 1), division.packs, sum);
    point += division.packs * unit * step;
    update<single, Rows>(point, division.after, sum);
}

// Every row begins at the same place in a pack.
template <int Bytes, class Shape>
[[gnu::always_inline]] inline void update_box(double* first, const double* weights,
                                              const Box& box) {
    constexpr int together = 2;
    const Sum<Shape> sum(weights, box);
    const auto division = division_of<Bytes>(first, box);
    std::int64_t row = 0;
    for (; row + together <= box.rows; row += together) {
        update_rows<Bytes, together>(first + (row * box.row_step), division, sum);
    }
    for (; row < box.rows; ++row) {
        update_rows<Bytes, 1>(first + (row * box.row_step), division, sum);
    }
}

template <class Shape>
void sweep_portable(double* first, const double* weights, const Box& box) {
    update_box<16, Shape>(first, weights, box);
}

#ifdef __x86_64__
template <class Shape>
__attribute__((target("avx2"))) void sweep_avx2(double* first, const double* weights,
                                                const Box& box) {
    update_box<32, Shape>(first, weights, box);
}

template <class Shape>
#ifdef __clang__
__attribute__((target("avx512f"), min_vector_width(512)))
#else
__attribute__((target("avx512f,prefer-vector-width=512")))
#endif
void sweep_avx512(double* first, const double* weights, const Box& box) {
    update_box<64, Shape>(first, weights, box);
}
#endif

template <class Shape>
SweepKernel kernel_for(InstructionSet set) {
    switch (set) {
#ifdef __x86_64__
        case InstructionSet::avx2:
            return {.instruction_set = set, .sweep = sweep_avx2<Shape>};
        case InstructionSet::avx512:
            return {.instruction_set = set, .sweep = sweep_avx512<Shape>};
#endif
        default:
            return {.instruction_set = set, .sweep = sweep_portable<Shape>};
    }
}

template <class Shape>
std::vector<SweepKernel> all_kernels() {
    std::vector<SweepKernel> kernels;
    for (const auto set : copy::supported_instruction_sets()) {
        kernels.push_back(kernel_for<Shape>(set));
    }
    return kernels;
}

}  // namespace

std::vector<SweepKernel> kernels_of(const Stencil& stencil) {
    if (has_shape<FirstOrder>(stencil)) {
        return all_kernels<FirstOrder>();
    }
    if (has_shape<SecondOrder>(stencil)) {
        return all_kernels<SecondOrder>();
    }
    throw std::invalid_argument("no kernel sums the " + std::to_string(stencil.taps.size()) +
                                " taps of this stencil; there are kernels for the first-order and "
                                "the second-order scheme");
}

Sweep::Sweep(const Stencil& stencil, const Block& block)
    : block_(block),
      kernel_(kernels_of(stencil).back().sweep),
      from_low_rows_(stencil.from_low_rows),
      from_low_columns_(stencil.from_low_columns) {
    for (const auto& tap : stencil.taps) {
        weights_.push_back(tap.weight);
    }
}

void Sweep::operator()(double* array, const Region& region) const {
    if (region.rows.empty() || region.columns.empty()) {
        return;
    }
    const auto row = from_low_rows_ ? region.rows.end - 1 : region.rows.begin;
    const auto column = from_low_columns_ ? region.columns.end - 1 : region.columns.begin;
    kernel_(array + block_.at(row, column), weights_.data(),
            {.rows = region.rows.length(),
             .columns = region.columns.length(),
             .row_step = from_low_rows_ ? -block_.pitch() : block_.pitch(),
             .column_step = from_low_columns_ ? -1 : 1});
}

}  // namespace transrank::lab::study::advection
