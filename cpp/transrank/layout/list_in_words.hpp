// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace transrank::layout {

/// " 1 2 3"; of a long list the length and a hash (FNV-1a of its values).
template <class T>
[[nodiscard]] std::string list_in_words(std::span<const T> values) {
    constexpr std::size_t longest = 16;
    std::string text;
    if (values.size() <= longest) {
        for (const auto value : values) {
            text += " " + std::to_string(value);
        }
        return text;
    }
    std::uint64_t hash = 0xCBF2'9CE4'8422'2325;
    for (const auto value : values) {
        hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x100'0000'01B3;
    }
    return " (" + std::to_string(values.size()) + " of them, hash " + std::to_string(hash) + ")";
}

}  // namespace transrank::layout
