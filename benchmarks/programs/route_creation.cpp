// SPDX-License-Identifier: BSD-3-Clause
// The local work of making the route of a ghost update, beside a sort of as many integers: all that
// discovery::ghost_pull does but its deliveries, on one process, for a rank in the middle of any
// number of ranks. Prints one JSON line per way of knowing owners and number of ranks.
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <iostream>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "lab/machine/clock.hpp"
#include "lab/study/ghost/pattern.hpp"
#include "lab/text/json.hpp"
#include "transrank/discovery/ghost.hpp"
#include "transrank/discovery/owner_lookup.hpp"
#include "transrank/layout/distribution.hpp"

namespace {

using namespace transrank;
using lab::study::ghost::faces;
using layout::Distribution;
using Indices = std::vector<std::int64_t>;

constexpr lab::study::ghost::Block block;
constexpr auto block_extent = block.extents[0];
constexpr auto block_rows = block.rows();
constexpr auto ghost_rows = block.ghost_rows();
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
        const std::int64_t first =
            (lab::study::ghost::neighbor(rank, face, grid) * block_rows) + (plane * stride[across]);
        for (std::int64_t i = 0; i < block_extent; ++i) {
            for (std::int64_t j = 0; j < block_extent; ++j) {
                ghosts.push_back(first + (i * stride[slow]) + (j * stride[fast]));
            }
        }
    }
    return ghosts;
}

/// A rank with neighbors on all sides, where there are enough.
int middle(const std::array<int, 3>& grid) {
    return (((grid[0] / 2 * grid[1]) + (grid[1] / 2)) * grid[2]) + (grid[2] / 2);
}

std::set<int> neighbors(int rank, const std::array<int, 3>& grid) {
    std::set<int> ranks;
    for (int face = 0; face < faces; ++face) {
        ranks.insert(lab::study::ghost::neighbor(rank, face, grid));
    }
    return ranks;
}

/// The message to `reader` among those of `writer`, as it arrives; none when there is none.
void pick(std::vector<mpi::Message>& messages, int writer, int reader,
          std::vector<mpi::Message>& arriving) {
    for (auto& message : messages) {
        if (message.peer == reader) {
            arriving.push_back({.peer = writer, .bytes = std::move(message.bytes)});
        }
    }
}

/// Makes a route again and again.
using Maker = std::function<route::Route()>;

/// Owners are known to everybody, by formula or by table.
Maker with_owners(const Distribution& owners) {
    const auto grid = lab::study::ghost::process_grid(owners.parts());
    const int rank = middle(grid);
    std::vector<mpi::Message> arriving;
    for (const int writer : neighbors(rank, grid)) {
        if (writer != rank) {
            auto asked =
                discovery::write_ghost_requests(writer, owners, ghosts_of(writer, grid), place);
            pick(asked.messages, writer, rank, arriving);
        }
    }
    return [=, ghosts = ghosts_of(rank, grid)] {
        auto requests = discovery::write_ghost_requests(rank, owners, ghosts, place);
        return discovery::read_ghost_requests(rank, owners.parts(), owners.owned(rank), place,
                                              std::move(requests.legs), arriving);
    };
}

/// Owners are looked up: the last rank has twice as many rows as the others, so that the shares of
/// the rows that ranks look after lie across the blocks.
class LookUp {
public:
    explicit LookUp(int ranks)
        : ranks_(ranks), grid_(lab::study::ghost::process_grid(ranks)), rank_(middle(grid_)) {}

    [[nodiscard]] Maker maker() const {
        const auto owners = by_ranks();
        std::vector<mpi::Message> arriving;
        for (const int writer : neighbors(rank_, grid_)) {
            if (writer != rank_) {
                auto asked = discovery::write_ghost_requests(writer, owners, extent(),
                                                             ghosts_of(writer, grid_), place);
                pick(asked.messages, writer, rank_, arriving);
            }
        }
        const auto ghosts = ghosts_of(rank_, grid_);
        std::vector<mpi::Message> answers;
        for (const auto& question : questions_of(rank_)) {
            auto answered =
                discovery::answer_questions(share_of(question.peer), asked(question.peer));
            pick(answered, question.peer, rank_, answers);
        }
        return [=, *this, asked = asked(rank_)] {
            const auto range = rows_of(rank_);
            const auto questions = discovery::write_questions(ranks_, range, extent(), ghosts);
            const auto answered = discovery::answer_questions(share_of(rank_), asked);
            const auto found = discovery::read_answers(answers);
            auto requests = discovery::write_ghost_requests(rank_, found, extent(), ghosts, place);
            return discovery::read_ghost_requests(rank_, ranks_, range.length(), place,
                                                  std::move(requests.legs), arriving);
        };
    }

private:
    [[nodiscard]] std::int64_t extent() const {
        return (static_cast<std::int64_t>(ranks_) + 1) * block_rows;
    }
    [[nodiscard]] layout::IndexRange rows_of(int rank) const {
        return {.begin = rank * block_rows,
                .end = rank + 1 == ranks_ ? extent() : (rank + 1) * block_rows};
    }
    [[nodiscard]] std::vector<mpi::Message> questions_of(int rank) const {
        return discovery::write_questions(ranks_, rows_of(rank), extent(), ghosts_of(rank, grid_));
    }
    [[nodiscard]] std::vector<discovery::OwnerRange> by_ranks() const {
        std::vector<discovery::OwnerRange> owners;
        for (int rank = 0; rank < ranks_; ++rank) {
            owners.push_back(
                {.owner = rank, .begin = rows_of(rank).begin, .end = rows_of(rank).end});
        }
        return owners;
    }
    [[nodiscard]] layout::IndexRange share_of(int rank) const {
        return Distribution::even(extent(), ranks_).range(rank);
    }
    /// What a rank is asked, by those who own rows of its share or want them.
    [[nodiscard]] std::vector<mpi::Message> asked(int share) const {
        const auto range = share_of(share);
        std::set<int> writers;
        for (const auto index : {range.begin, range.end - 1}) {
            const auto last = static_cast<std::int64_t>(ranks_) - 1;
            const auto owner = static_cast<int>(std::min(index / block_rows, last));
            writers.insert(owner);
            writers.merge(neighbors(owner, grid_));
        }
        std::vector<mpi::Message> messages;
        for (const int writer : writers) {
            auto questions = questions_of(writer);
            pick(questions, writer, share, messages);
        }
        return messages;
    }

    int ranks_;
    std::array<int, 3> grid_;
    int rank_;
};

void check_rows(std::span<const route::Leg> legs) {
    std::int64_t rows = 0;
    for (const auto& leg : legs) {
        rows += leg.units();
    }
    if (rows != ghost_rows) {
        throw std::logic_error("the route moves " + std::to_string(rows) + " rows");
    }
}

double median(std::vector<double>& values) {
    const auto middle = values.begin() + (std::ssize(values) / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

/// One way of knowing owners, one number of ranks.
struct Case {
    std::string owners;
    int ranks;
    Maker make;
    std::vector<double> seconds;

    void measure() {
        const double begin = lab::machine::now();
        const auto route = make();
        seconds.push_back(lab::machine::now() - begin);
        check_rows(route.sends());
        check_rows(route.receives());
    }
    void print(double sort_seconds) {
        lab::text::JsonWriter json;
        json.begin_object().key("owners").value(owners).key("ranks").value(ranks);
        json.key("seconds").value(median(seconds));
        json.key("sort_seconds").value(sort_seconds).end_object();
        std::cout << json.text() << '\n';
    }
};

double seconds_of_sort(std::mt19937_64& random) {
    std::vector<std::uint64_t> numbers(ghost_rows);
    std::ranges::generate(numbers, std::ref(random));
    const double begin = lab::machine::now();
    std::sort(numbers.begin(), numbers.end());
    const double seconds = lab::machine::now() - begin;
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
        const auto even = Distribution::even(ranks * block_rows, ranks);
        cases.push_back(
            {.owners = "formula", .ranks = ranks, .make = with_owners(even), .seconds = {}});
        cases.push_back({.owners = "table",
                         .ranks = ranks,
                         .make = with_owners(by_table(ranks)),
                         .seconds = {}});
        cases.push_back(
            {.owners = "lookup", .ranks = ranks, .make = LookUp(ranks).maker(), .seconds = {}});
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
    const double sort = median(sorts);
    for (auto& each : cases) {
        each.print(sort);
    }
}
