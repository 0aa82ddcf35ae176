// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstring>

#include "transrank/copy/copy_kernels.hpp"

namespace transrank::lab::study::baseline {

/// The C library's.
[[nodiscard]] inline copy::Copy library_copy() {
    return [](std::byte* to, const std::byte* from, std::size_t bytes) {
        std::memcpy(to, from, bytes);
    };
}

/// A copy past the caches that returns when others can see it; nullptr where there is none.
[[nodiscard]] inline copy::Copy nontemporal_copy() {
    static const copy::Copy streaming = copy::streaming_copy();
    const auto copied = [](std::byte* to, const std::byte* from, std::size_t bytes) {
        streaming(to, from, bytes);
        copy::end_streaming();
    };
    return streaming == nullptr ? nullptr : static_cast<copy::Copy>(copied);
}

}  // namespace transrank::lab::study::baseline
