// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace transrank::lab::study::contention {

/// Domains that send to each other at the same time; every other one sends to itself.
using Pairs = std::vector<std::pair<int, int>>;

/// The pairs of a text such as `0-4+1-5`; throws std::invalid_argument for any other text.
[[nodiscard]] Pairs parse_pairs(std::string_view text);
[[nodiscard]] bool are_pairs(std::string_view text);
/// `0-4+1-5`; `none` for no pairs.
[[nodiscard]] std::string format_pairs(const Pairs& pairs);

/// What a keyword stands for among `domains` domains, whose second half is the other node:
/// `none` for the control, `inside` for any two domains of one half and their counterparts in the
/// other half at once, `each` for one corresponding pair at a time, `all` for all of them at once,
/// `matrix` for any two domains, one pair at a time.
[[nodiscard]] std::vector<Pairs> expand(std::string_view keyword, int domains);

/// Why there are no such pairs among so few domains; empty when there are.
[[nodiscard]] std::string reason_against(const Pairs& pairs, int domains);

/// The rank with which `rank` exchanges messages where domains have `domain_ranks` ranks each: the
/// rank at the same position of the other domain of its pair, or itself.
[[nodiscard]] int partner_of(int rank, const Pairs& pairs, int domain_ranks);

}  // namespace transrank::lab::study::contention
