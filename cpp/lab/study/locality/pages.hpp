// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <span>

namespace transrank::lab::study::locality {

/// How many of the looked-at pages of `memory` lie in which domain, as the kernel answers
/// (move_pages with nothing to move); -1: pages that are not there, or that it does not tell. At
/// most `most` pages are looked at, evenly spread.
[[nodiscard]] std::map<int, int> pages_by_domain(std::span<const std::byte> memory,
                                                 std::size_t most = 256);

/// The domain of most of these pages; -1 where most are not known.
[[nodiscard]] int main_domain(const std::map<int, int>& pages);

}  // namespace transrank::lab::study::locality
