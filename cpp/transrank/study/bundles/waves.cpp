// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/study/bundles/waves.hpp"

#include <cmath>
#include <cstddef>
#include <numbers>

namespace transrank::study::bundles {

std::int64_t cells_of(const Block& block) {
    return block[0].length() * block[1].length() * block[2].length();
}

Block block_of(const layout::BlockGrid& layout, int rank) {
    const auto at = layout.coordinates(layout.ranks().part(rank));
    Block block;
    for (std::size_t d = 0; d < block.size(); ++d) {
        block[d] = layout.distribution(static_cast<int>(d)).range(at[d]);
    }
    return block;
}

Waves::Waves(const Grid& grid, const Block& block, int field, std::uint64_t stamp) {
    for (std::size_t d = 0; d < terms_.size(); ++d) {
        const double number = (field * 3) + static_cast<double>(d);
        const double amplitude = 1 / (1 + number);
        const double frequency = (2 * number) + 1;
        const double phase = static_cast<double>(stamp % 4093) + number;
        for (auto i = block[d].begin; i < block[d].end; ++i) {
            const double along =
                (static_cast<double>(i) + 0.5) / static_cast<double>(grid.extents[d]);
            terms_[d].push_back(amplitude *
                                std::sin((2 * std::numbers::pi * frequency * along) + phase));
        }
    }
}

void Waves::write(std::span<double> values) const {
    double* out = values.data();
    for (const double slow : terms_[2]) {
        for (const double middle : terms_[1]) {
            for (const double fast : terms_[0]) {
                *out++ = fast + (middle + slow);
            }
        }
    }
}

std::int64_t Waves::first_difference(std::span<const double> values) const {
    const double* in = values.data();
    for (const double slow : terms_[2]) {
        for (const double middle : terms_[1]) {
            for (const double fast : terms_[0]) {
                if (*in != fast + (middle + slow)) {
                    return in - values.data();
                }
                ++in;
            }
        }
    }
    return -1;
}

}  // namespace transrank::study::bundles
