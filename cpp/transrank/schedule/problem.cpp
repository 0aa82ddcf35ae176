// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/schedule/problem.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>

#include "transrank/layout/require.hpp"

namespace transrank::schedule {

using layout::require;

void check(const Problem& problem) {
    require(problem.ranks >= 1, "blocks between ", problem.ranks,
            " ranks are out of range; there must be at least 1");
    require(problem.ranks_per_node >= 1, problem.ranks_per_node,
            " ranks per node are out of range; there must be at least 1");
    require(problem.radix >= 2, "the radix of Bruck's algorithm is ", problem.radix,
            "; it must be at least 2");
    require(problem.window >= 1, "a window of ", problem.window,
            " peers is out of range; it must be at least 1");
    require(problem.leaders >= 1, problem.leaders,
            " leaders per node are out of range; there must be at least 1");
    std::int64_t places = 1;
    for (const int length : problem.torus) {
        require(length >= 1, "a torus with a length of ", length,
                " is out of range; all must be at least 1");
        places *= length;
        require(places <= problem.ranks, "the torus has more places than the ", problem.ranks,
                " ranks; they must be as many");
    }
    require(problem.torus.empty() || places == problem.ranks, "the torus has ", places,
            " places for ", problem.ranks, " ranks; they must be as many");
}

std::vector<int> balanced_factors(int ranks, int factors) {
    std::vector<int> primes;
    int rest = ranks;
    for (int prime = 2; prime <= rest / prime; ++prime) {
        for (; rest % prime == 0; rest /= prime) {
            primes.push_back(prime);
        }
    }
    if (rest > 1) {
        primes.push_back(rest);
    }
    std::vector<int> lengths(static_cast<std::size_t>(factors), 1);
    for (auto prime = primes.rbegin(); prime != primes.rend(); ++prime) {
        *std::ranges::min_element(lengths) *= *prime;
    }
    std::ranges::sort(lengths, std::greater<>());
    return lengths;
}

}  // namespace transrank::schedule
