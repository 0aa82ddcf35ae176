// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/contention/pairs.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "lab/text/numbers.hpp"

namespace transrank::lab::study::contention {
namespace {

[[noreturn]] void refuse(std::string_view text) {
    throw std::invalid_argument("'" + std::string(text) +
                                "' names no pairs of domains; e.g. 0-4 or 0-4+1-5");
}

int parse_domain(std::string_view word, std::string_view text) {
    const int domain = text::number_in<int>(word).value_or(-1);
    if (domain < 0) {
        refuse(text);
    }
    return domain;
}

}  // namespace

Pairs parse_pairs(std::string_view text) {
    Pairs pairs;
    for (std::string_view left = text; !left.empty();) {
        const auto word = left.substr(0, left.find('+'));
        const auto dash = word.find('-');
        if (dash == std::string_view::npos || word.size() + 1 == left.size()) {
            refuse(text);
        }
        pairs.emplace_back(parse_domain(word.substr(0, dash), text),
                           parse_domain(word.substr(dash + 1), text));
        left.remove_prefix(std::min(word.size() + 1, left.size()));
    }
    if (pairs.empty()) {
        refuse(text);
    }
    return pairs;
}

bool are_pairs(std::string_view text) {
    try {
        (void)parse_pairs(text);
    } catch (const std::invalid_argument&) {
        return false;
    }
    return true;
}

std::string format_pairs(const Pairs& pairs) {
    std::string text;
    for (const auto& [one, other] : pairs) {
        text += (text.empty() ? "" : "+") + std::to_string(one) + '-' + std::to_string(other);
    }
    return text.empty() ? "none" : text;
}

std::vector<Pairs> expand(std::string_view keyword, int domains) {
    if (keyword == "none") {
        return {Pairs{}};
    }
    if (keyword != "each" && keyword != "all" && keyword != "matrix" && keyword != "inside") {
        return {parse_pairs(keyword)};
    }
    std::vector<Pairs> found;
    const int half = domains / 2;
    if (keyword == "inside") {
        for (int one = 0; one < half; ++one) {
            for (int other = one + 1; other < half; ++other) {
                found.push_back({{one, other}, {half + one, half + other}});
            }
        }
        return found;
    }
    if (keyword == "matrix") {
        for (int one = 0; one < domains; ++one) {
            for (int other = one + 1; other < domains; ++other) {
                found.push_back({{one, other}});
            }
        }
        return found;
    }
    Pairs all;
    for (int domain = 0; domain < half; ++domain) {
        all.emplace_back(domain, domain + half);
        found.push_back({all.back()});
    }
    return keyword == "all" ? std::vector<Pairs>{all} : found;
}

std::string reason_against(const Pairs& pairs, int domains) {
    std::set<int> used;
    for (const auto& [one, other] : pairs) {
        for (const int domain : {one, other}) {
            if (domain >= domains) {
                return "there is no domain " + std::to_string(domain) + ": the ranks are " +
                       std::to_string(domains) + " domains";
            }
            if (!used.insert(domain).second) {
                return "domain " + std::to_string(domain) + " is in more than one pair of " +
                       format_pairs(pairs);
            }
        }
    }
    return "";
}

int partner_of(int rank, const Pairs& pairs, int domain_ranks) {
    const int domain = rank / domain_ranks;
    const int position = rank % domain_ranks;
    for (const auto& [one, other] : pairs) {
        if (domain == one || domain == other) {
            return ((domain == one ? other : one) * domain_ranks) + position;
        }
    }
    return rank;
}

}  // namespace transrank::lab::study::contention
