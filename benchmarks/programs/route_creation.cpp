// SPDX-License-Identifier: BSD-3-Clause
// The local work of making the route of a ghost update, beside a sort of as many integers: all that
// discovery::ghost_pull does but its one delivery, on one process, for a rank in the middle of any
// number of ranks. Prints one JSON line per distribution and number of ranks.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "transrank/discovery/ghost.hpp"
#include "transrank/layout/distribution.hpp"
#include "transrank/machine/clock.hpp"
#include "transrank/route/statistics.hpp"
#include "transrank/study/ghost_update/pattern.hpp"
#include "transrank/text/json.hpp"

namespace {

using namespace transrank;
using layout::Distribution;
using study::ghost_update::block_extent;
using study::ghost_update::block_rows;
using study::ghost_update::faces;
using study::ghost_update::ghost_rows;
using Indices = std::vector<std::int64_t>;

constexpr int rounds = 300;
constexpr discovery::GhostPlace place{.begin = 0, .extent = ghost_rows};

/// The global indices of the six faces around a rank's block, face after face.
Indices ghosts_of(int rank, const std::array<int, 3>& grid) {
    constexpr std::array<std::int64_t, 3> stride{block_extent * block_extent, block_extent, 1};
    Indices ghosts;
    for (int face = 0; face < faces; ++face) {
        const auto across = static_cast<std::size_t>(face / 2);
        const auto slow = across == 0 ? 1U : 0U;
        const auto fast = across == 2 ? 1U : 2U;
        // The lower neighbor's upper plane, and the other way round.
        const std::int64_t plane = face % 2 == 0 ? block_extent - 1 : 0;
        const std::int64_t first = (study::ghost_update::neighbor(rank, face, grid) * block_rows) +
                                   (plane * stride[across]);
        for (std::int64_t i = 0; i < block_extent; ++i) {
            for (std::int64_t j = 0; j < block_extent; ++j) {
                ghosts.push_back(first + (i * stride[slow]) + (j * stride[fast]));
            }
        }
    }
    return ghosts;
}

/// What the neighbors of a rank ask it for.
std::vector<mpi::Letter> letters_to(int rank, const Distribution& owners,
                                    const std::array<int, 3>& grid) {
    std::vector<int> writers;
    for (int face = 0; face < faces; ++face) {
        writers.push_back(study::ghost_update::neighbor(rank, face, grid));
    }
    std::ranges::sort(writers);
    const auto repeated = std::ranges::unique(writers);
    writers.erase(repeated.begin(), repeated.end());
    std::erase(writers, rank);
    std::vector<mpi::Letter> letters;
    for (const int writer : writers) {
        const auto asked =
            discovery::write_ghost_requests(writer, owners, ghosts_of(writer, grid), place);
        for (const auto& letter : asked.letters) {
            if (letter.peer == rank) {
                letters.push_back({.peer = writer, .bytes = letter.bytes});
            }
        }
    }
    return letters;
}

/// One distribution, one number of ranks.
class Case {
public:
    Case(std::string name, Distribution owners)
        : name_(std::move(name)), owners_(std::move(owners)) {
        const auto grid = study::ghost_update::process_grid(owners_.parts());
        rank_ = (((grid[0] / 2 * grid[1]) + (grid[1] / 2)) * grid[2]) + (grid[2] / 2);
        ghosts_ = ghosts_of(rank_, grid);
        letters_ = letters_to(rank_, owners_, grid);
        const auto route = make();
        check(route.receives());
        check(route.sends());
    }

    void measure() {
        const double begin = machine::now();
        const auto route = make();
        seconds_.push_back(machine::now() - begin);
    }

    void print(double sort_seconds) {
        text::JsonWriter json;
        json.begin_object().key("distribution").value(name_);
        json.key("ranks").value(owners_.parts());
        json.key("seconds").value(median(seconds_));
        json.key("sort_seconds").value(sort_seconds).end_object();
        std::cout << json.text() << '\n';
    }

    static double median(std::vector<double>& values) {
        const auto middle = values.begin() + (std::ssize(values) / 2);
        std::ranges::nth_element(values, middle);
        return *middle;
    }

private:
    [[nodiscard]] route::Route make() const {
        auto requests = discovery::write_ghost_requests(rank_, owners_, ghosts_, place);
        return discovery::read_ghost_requests(rank_, owners_, place, std::move(requests.legs),
                                              letters_);
    }
    static void check(std::span<const route::Leg> legs) {
        std::int64_t rows = 0;
        for (const auto& leg : legs) {
            rows += leg.units();
        }
        if (rows != ghost_rows) {
            throw std::logic_error("the route moves " + std::to_string(rows) + " rows");
        }
    }

    std::string name_;
    Distribution owners_;
    int rank_ = 0;
    Indices ghosts_;
    std::vector<mpi::Letter> letters_;
    std::vector<double> seconds_;
};

double seconds_of_sort(std::mt19937_64& random) {
    std::vector<std::uint64_t> numbers(ghost_rows);
    std::ranges::generate(numbers, std::ref(random));
    const double begin = machine::now();
    std::sort(numbers.begin(), numbers.end());
    const double seconds = machine::now() - begin;
    if (!std::ranges::is_sorted(numbers)) {
        throw std::logic_error("nothing was sorted");
    }
    return seconds;
}

Distribution by_table(int ranks) {
    Indices boundaries;
    for (std::int64_t rank = 0; rank <= ranks; ++rank) {
        boundaries.push_back(rank * block_rows);
    }
    return Distribution::irregular(std::move(boundaries));
}

}  // namespace

int main() {
    std::vector<Case> cases;
    for (const int ranks : {2, 8, 64, 512, 4096, 32768, 262144, 1000000}) {
        cases.emplace_back("even", Distribution::even(ranks * block_rows, ranks));
        cases.emplace_back("irregular", by_table(ranks));
    }
    std::mt19937_64 random(std::random_device{}());
    std::vector<double> sorts;
    for (int round = 0; round < rounds; ++round) {
        std::ranges::shuffle(cases, random);
        sorts.push_back(seconds_of_sort(random));
        for (auto& each : cases) {
            each.measure();
        }
    }
    const double sort = Case::median(sorts);
    for (auto& each : cases) {
        each.print(sort);
    }
}
