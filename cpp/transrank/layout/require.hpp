// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sstream>
#include <stdexcept>

namespace transrank::layout {

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
