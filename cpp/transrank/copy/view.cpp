// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/copy/view.hpp"

#include <cstdlib>
#include <numeric>
#include <ranges>
#include <stdexcept>
#include <utility>

namespace transrank::copy {
namespace {

constexpr const char* too_far = "an array reaches farther than addresses do";
constexpr std::int64_t farthest = std::int64_t{1} << 62;

std::int64_t product(std::int64_t one, std::int64_t other) {
    std::int64_t result = 0;
    if (__builtin_mul_overflow(one, other, &result)) {
        throw std::invalid_argument(too_far);
    }
    return result;
}

void add(std::int64_t& sum, std::int64_t more) {
    if (__builtin_add_overflow(sum, more, &sum) || sum > farthest || sum < -farthest) {
        throw std::invalid_argument(too_far);
    }
}

// Whether one step of `outer` is what all steps of `inner` come to.
bool continues(const View::Dimension& outer, const View::Dimension& inner) {
    return outer.stride == product(inner.count, inner.stride);
}

}  // namespace

std::shared_ptr<const View> View::of(std::vector<Dimension> dimensions,
                                     std::int64_t element_bytes) {
    if (element_bytes < 0 ||
        std::ranges::any_of(dimensions, [](const Dimension& each) { return each.count < 0; })) {
        throw std::invalid_argument("an array has a negative length");
    }
    if (element_bytes == 0 || std::ranges::count(dimensions, 0, &Dimension::count) != 0) {
        return nullptr;
    }
    std::erase_if(dimensions, [](const Dimension& each) { return each.count == 1; });
    std::vector<Dimension> joined;  // the fastest first
    for (const auto& dimension : std::views::reverse(dimensions)) {
        if (joined.empty() && dimension.stride == element_bytes) {
            element_bytes = product(element_bytes, dimension.count);
        } else if (!joined.empty() && continues(dimension, joined.back())) {
            joined.back().count = product(joined.back().count, dimension.count);
        } else {
            joined.push_back(dimension);
        }
    }
    std::ranges::reverse(joined);
    return joined.empty() ? nullptr
                          : std::shared_ptr<const View>(new View(std::move(joined), element_bytes));
}

View::View(std::vector<Dimension> dimensions, std::int64_t piece_bytes)
    : dimensions_(std::move(dimensions)),
      piece_bytes_(piece_bytes),
      bytes_(piece_bytes),
      end_(piece_bytes),
      grain_(piece_bytes) {
    for (const auto& dimension : dimensions_) {
        bytes_ = product(bytes_, dimension.count);
        add(dimension.stride < 0 ? begin_ : end_, product(dimension.count - 1, dimension.stride));
        grain_ = std::gcd(grain_, dimension.stride);
    }
}

View::Place View::at(std::int64_t position) const noexcept {
    auto piece = position / piece_bytes_;
    const auto within = position - (piece * piece_bytes_);
    Place place{.distance = within, .left = piece_bytes_ - within};
    for (auto dimension = dimensions_.size(); dimension-- > 0;) {
        const auto& [count, stride] = dimensions_[dimension];
        const auto slower = dimension == 0 ? 0 : piece / count;
        place.distance += (piece - (slower * count)) * stride;
        piece = slower;
    }
    return place;
}

bool View::lies_apart() const {
    auto steps = dimensions_;
    std::ranges::sort(steps, {}, [](const Dimension& each) { return std::abs(each.stride); });
    auto extent = piece_bytes_;
    for (const auto& [count, stride] : steps) {
        if (std::abs(stride) < extent) {
            return false;
        }
        extent += (count - 1) * std::abs(stride);
    }
    return true;
}

}  // namespace transrank::copy
