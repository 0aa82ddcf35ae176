// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1
#include "transrank/discovery/owner_lookup.hpp"

#include "testing.hpp"
#include "transrank/layout/distribution.hpp"

using namespace transrank;
using discovery::OwnerRange;
using layout::IndexRange;
using mpi::Message;

namespace {

using Indices = std::vector<std::int64_t>;

/// The numbers of rows of the ranks, and what they ask for.
struct Case {
    std::vector<IndexRange> owned;
    std::vector<Indices> asked;

    [[nodiscard]] int ranks() const { return static_cast<int>(owned.size()); }
    [[nodiscard]] std::int64_t extent() const { return owned.back().end; }
};

std::vector<IndexRange> numbered(const Indices& rows) {
    std::vector<IndexRange> ranges;
    std::int64_t begin = 0;
    for (const auto count : rows) {
        ranges.push_back({.begin = begin, .end = begin + count});
        begin += count;
    }
    return ranges;
}

/// As a delivery would bring them; counts what is sent.
class Deliveries {
public:
    explicit Deliveries(int ranks) : ranks_(static_cast<std::size_t>(ranks)) {}

    std::vector<std::vector<Message>> deliver(std::vector<std::vector<Message>> sent) {
        std::vector<std::vector<Message>> received(ranks_);
        for (std::size_t rank = 0; rank < ranks_; ++rank) {
            for (auto& message : sent[rank]) {
                bytes += message.bytes.size();
                ++letters;
                received[static_cast<std::size_t>(message.peer)].push_back(
                    {.peer = static_cast<int>(rank), .bytes = std::move(message.bytes)});
            }
        }
        return received;
    }

    std::size_t bytes = 0;
    std::size_t letters = 0;

private:
    std::size_t ranks_;
};

/// What every rank is told.
std::vector<std::vector<OwnerRange>> looked_up(const Case& given, Deliveries& deliveries) {
    std::vector<std::vector<Message>> questions;
    for (std::size_t rank = 0; rank < given.owned.size(); ++rank) {
        questions.push_back(discovery::write_questions(given.ranks(), given.owned[rank],
                                                       given.extent(), given.asked[rank]));
    }
    std::vector<std::vector<Message>> answers;
    const auto shares = layout::Distribution::even(given.extent(), given.ranks());
    for (const auto& asked : deliveries.deliver(std::move(questions))) {
        const auto share = shares.range(static_cast<int>(answers.size()));
        answers.push_back(discovery::answer_questions(share, asked));
    }
    std::vector<std::vector<OwnerRange>> owners;
    for (const auto& answered : deliveries.deliver(std::move(answers))) {
        owners.push_back(discovery::read_answers(answered));
    }
    return owners;
}

bool is_known(std::int64_t index, const std::vector<OwnerRange>& owners, const Case& given) {
    return std::ranges::any_of(owners, [&](const OwnerRange& each) {
        const auto& range = given.owned[static_cast<std::size_t>(each.owner)];
        return index >= each.begin && index < each.end && each.begin == range.begin &&
               each.end == range.end;
    });
}

/// One rank owns nearly all rows; each asks for a row of the next rank, and of that one.
Case skewed(int ranks) {
    Indices rows(static_cast<std::size_t>(ranks), 1);
    rows[0] = 1'000'000;
    Case made{.owned = numbered(rows), .asked = {}};
    for (int rank = 0; rank < ranks; ++rank) {
        const auto next = static_cast<std::size_t>((rank + 1) % ranks);
        made.asked.push_back({made.owned[next].begin, 1000 * std::int64_t{rank}});
    }
    return made;
}

}  // namespace

TEST_CASE("what ranks write does not grow with their number where one owns nearly all rows") {
    const auto each = [](int ranks) {
        Deliveries deliveries(ranks);
        const auto given = skewed(ranks);
        const auto owners = looked_up(given, deliveries);
        for (std::size_t rank = 0; rank < owners.size(); ++rank) {
            CHECK(std::ranges::is_sorted(owners[rank], {}, &OwnerRange::begin));
            for (const auto index : given.asked[rank]) {
                CHECK(is_known(index, owners[rank], given));
            }
        }
        const auto number = static_cast<std::size_t>(ranks);
        return std::pair(deliveries.bytes / number, deliveries.letters / number);
    };
    const auto [bytes, letters] = each(8);
    for (const int ranks : {16, 32, 64, 128}) {
        CAPTURE(ranks);
        CHECK(each(ranks).first <= bytes + (bytes / 4));
        CHECK(each(ranks).second <= letters + 1);
    }
}

TEST_CASE("rows near each other are asked for together, those far apart one by one") {
    const auto bytes_asked = [](std::int64_t step) {
        Indices asked;
        for (std::int64_t index = 0; index < 200'000; index += step) {
            asked.push_back(index);
        }
        std::size_t bytes = 0;
        for (const auto& message : discovery::write_questions(100, {0, 10'000}, 1'000'000, asked)) {
            bytes += message.bytes.size();
        }
        return bytes;
    };
    CHECK(bytes_asked(32) == bytes_asked(1));
    CHECK(bytes_asked(200) > 10 * bytes_asked(1));
}
