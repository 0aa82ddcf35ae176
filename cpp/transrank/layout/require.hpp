// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace transrank::layout {

/// What texts of errors count indices, rows, dimensions and fields from in this thread: 1 in calls
/// from Fortran.
inline constinit thread_local int first_index = 0;

/// The index as the caller counts. In Fortran the least number becomes the largest index, and back.
template <class Index>
[[nodiscard]] Index counted(Index index) noexcept {
    using Unsigned = std::make_unsigned_t<Index>;
    return static_cast<Index>(static_cast<Unsigned>(index) + static_cast<Unsigned>(first_index));
}

/// "[begin, end)" where the caller counts from 0, "[begin + 1, end]" where from 1.
[[nodiscard]] inline std::string indices(std::int64_t begin, std::int64_t end) {
    return '[' + std::to_string(counted(begin)) + ", " + std::to_string(end) +
           (first_index == 0 ? ')' : ']');
}

/// Throws std::invalid_argument whose text is the parts put together.
template <class... Parts>
[[noreturn, gnu::cold, gnu::noinline]] void refuse(const Parts&... parts) {
    std::ostringstream text;
    (text << ... << parts);
    throw std::invalid_argument(text.str());
}

/// Refuses unless the condition is met; the text is put together only then.
template <class... Parts>
void require(bool met, const Parts&... parts) {
    if (!met) [[unlikely]] {
        refuse(parts...);
    }
}

}  // namespace transrank::layout
