// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/datatypes/pieces.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace transrank::lab::study::datatypes {
namespace {

constexpr std::string_view vector = "vector";
constexpr std::string_view indexed = "indexed";
constexpr std::string_view subarray = "subarray";

/// The largest divisor that is no larger than the root.
int planes_of(int count) {
    int planes = 1;
    for (int divisor = 2; divisor * divisor <= count; ++divisor) {
        planes = count % divisor == 0 ? divisor : planes;
    }
    return planes;
}

/// Whole numbers from 0 to `most` without an order, the same everywhere.
int scattered(int index, int most) {
    constexpr std::uint32_t golden_ratio = 0x9E3779B9U;
    const auto mixed = (static_cast<std::uint32_t>(index) * golden_ratio) >> 8U;
    return static_cast<int>(mixed % (static_cast<std::uint32_t>(most) + 1));
}

}  // namespace

std::vector<std::string> layout_names() {
    return {std::string(vector), std::string(indexed), std::string(subarray)};
}

Pieces::Pieces(std::string_view layout, std::int64_t count, std::int64_t length)
    : layout_(layout),
      length_(static_cast<int>(length)),
      rows_(static_cast<int>(count)),
      planes_(layout == subarray ? planes_of(rows_) : 1) {
    const auto known = layout_names();
    if (std::ranges::find(known, layout_) == known.end()) {
        throw std::out_of_range("no layout of pieces is called '" + layout_ + "'");
    }
    rows_ /= planes_;
    for (int plane = 0; plane < planes_; ++plane) {
        for (int row = 0; row < rows_; ++row) {
            const int before = (plane * (planes_ > 1 ? 2 * rows_ : 0)) + row;
            const int shift = layout_ == indexed ? scattered(row, length_) : 0;
            offsets_.push_back((2 * length_ * before) + shift);
        }
    }
}

template <class Visit>
void Pieces::each(const Visit& visit) const {
    if (layout_ == indexed) {
        for (const int offset : offsets_) {
            visit(offset);
        }
        return;
    }
    const int stride = 2 * length_;
    for (int plane = 0; plane < planes_; ++plane) {
        const int first = plane * 2 * rows_ * stride;
        for (int row = 0; row < rows_; ++row) {
            visit(first + (row * stride));
        }
    }
}

void Pieces::pack(const double* array, double* packed) const {
    each([&](int offset) {
        for (int i = 0; i < length_; ++i) {
            *packed++ = array[offset + i];
        }
    });
}

void Pieces::unpack(const double* packed, double* array) const {
    each([&](int offset) {
        for (int i = 0; i < length_; ++i) {
            array[offset + i] = *packed++;
        }
    });
}

baseline::Datatype Pieces::datatype() const {
    if (layout_ == vector) {
        return baseline::Datatype::of_vector(rows_, length_, 2 * length_, MPI_DOUBLE);
    }
    if (layout_ == indexed) {
        return baseline::Datatype::of_indexed(length_, offsets_, MPI_DOUBLE);
    }
    const std::array sizes{planes_, 2 * rows_, 2 * length_};
    const std::array part{planes_, rows_, length_};
    return baseline::Datatype::of_subarray(sizes, part, MPI_DOUBLE);
}

}  // namespace transrank::lab::study::datatypes
