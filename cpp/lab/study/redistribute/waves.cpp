// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/redistribute/waves.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace transrank::lab::study::redistribute {
namespace {

double value_of(double fast, double middle, double slow) {
    return fast + (middle + slow);
}

}  // namespace

std::int64_t cells_of(const Share& share) {
    if (const auto* block = std::get_if<Block>(&share)) {
        return (*block)[0].length() * (*block)[1].length() * (*block)[2].length();
    }
    return static_cast<std::int64_t>(std::get<1>(share).size());
}

Block block_of(const layout::BlockGrid& layout, int rank) {
    const auto at = layout.coordinates(layout.ranks().part(rank));
    Block block;
    for (std::size_t d = 0; d < block.size(); ++d) {
        block[d] = layout.distribution(static_cast<int>(d)).range(at[d]);
    }
    return block;
}

Waves::Waves(const Grid& grid, const Share& share, int field, std::uint64_t stamp) : share_(share) {
    const auto* block = std::get_if<Block>(&share);
    for (std::size_t d = 0; d < terms_.size(); ++d) {
        const double number = (field * 3) + static_cast<double>(d);
        const double amplitude = 1 / (1 + number);
        const double frequency = (2 * number) + 1;
        const double phase = static_cast<double>(stamp % 4093) + number;
        const auto range =
            block != nullptr ? (*block)[d] : layout::IndexRange{.begin = 0, .end = grid.extents[d]};
        for (auto i = range.begin; i < range.end; ++i) {
            const double along =
                (static_cast<double>(i) + 0.5) / static_cast<double>(grid.extents[d]);
            terms_[d].push_back(amplitude *
                                std::sin((2 * std::numbers::pi * frequency * along) + phase));
        }
    }
}

template <class Take>
void Waves::for_each_cell(const Take& take) const {
    if (const auto* cells = std::get_if<1>(&share_)) {
        const auto columns = terms_[0].size();
        const auto rows = terms_[1].size();
        for (const auto cell : *cells) {
            const auto at = static_cast<std::size_t>(cell);
            if (!take(value_of(terms_[0][at % columns], terms_[1][at / columns % rows],
                               terms_[2][at / columns / rows]))) {
                return;
            }
        }
        return;
    }
    for (const double slow : terms_[2]) {
        for (const double middle : terms_[1]) {
            for (const double fast : terms_[0]) {
                if (!take(value_of(fast, middle, slow))) {
                    return;
                }
            }
        }
    }
}

void Waves::write(std::span<double> values) const {
    double* out = values.data();
    if (std::holds_alternative<Block>(share_)) {
        // Timed in one of the modes, hence row by row rather than cell by cell.
        for (const double slow : terms_[2]) {
            for (const double middle : terms_[1]) {
                out = std::ranges::transform(terms_[0], out, [&](double fast) {
                          return value_of(fast, middle, slow);
                      }).out;
            }
        }
        return;
    }
    for_each_cell([&](double value) {
        *out++ = value;
        return true;
    });
}

std::int64_t Waves::first_difference(std::span<const double> values) const {
    const double* in = values.data();
    const double* const end = in + values.size();
    for_each_cell([&](double value) {
        if (*in != value) {
            return false;
        }
        ++in;
        return true;
    });
    return in == end ? -1 : in - values.data();
}

}  // namespace transrank::lab::study::redistribute
